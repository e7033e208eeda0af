package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// How many commands a draft has when nobody asks for more (C-1), and how many
// reading ones are taken before writing ones get a place.
const (
	maxChosen = 12
	maxReads  = 8
)

// Choice is what a draft is made of.
type Choice struct {
	Commands []*Command
	Left     []Left // what is not in it, in the order of the help
	Notes    []Note
}

// Left is a command that a draft leaves out.
type Left struct {
	Path []string
	Why  string // one line
}

// Choose takes 5 to 12 commands of a classified tool (wrap.md, stage 7): those
// that read first, then those with JSON, everyday words, and the order of the
// help. only names the commands to take instead, as paths ("pr list", "pr.list")
// or groups ("pr"); a name that fits none is an error. all takes everything that
// can be a command, in one pack. What runs other programs is taken only where
// only names it.
func Choose(t *Tool, only []string, all bool) (Choice, error) {
	c := chooser{t: t, kinds: newKindTable(), known: overlayFor(t.ID.Name)}
	if len(only) > 0 {
		return c.named(only)
	}
	c.unread = !slices.ContainsFunc(t.Commands, func(cmd *Command) bool { return len(cmd.Path) > 0 && cmd.Probed })
	c.judge(all)
	if len(c.fit) == 0 && slices.ContainsFunc(t.Commands, func(cmd *Command) bool { return cmd.Shared }) {
		c.shared, c.out.Left = true, nil
		c.judge(all)
		c.out.Notes = append(c.out.Notes, Note{t.ID.Name, "the list on its own page is drafted nevertheless: names and arguments, no flags"})
	}
	if all {
		for _, r := range c.fit {
			c.out.Commands = append(c.out.Commands, r.cmd)
		}
		c.order()
		if n := len(c.out.Commands); n > maxChosen {
			c.out.Notes = append(c.out.Notes, Note{t.ID.Name, fmt.Sprintf("%d commands in one pack are more than an agent keeps in mind: make a pack of each group, such as --only %s --id %s", n, c.groupHint(), c.idHint())})
		}
		return c.out, nil
	}
	c.pick()
	c.order()
	return c.out, nil
}

// judge sorts what can be in a draft from what cannot.
func (c *chooser) judge(all bool) {
	for i, cmd := range c.t.Commands {
		if why := c.unfit(cmd, all); why != "" {
			c.leave(cmd, why)
			continue
		}
		c.fit = append(c.fit, ranked{cmd, i, c.rank(cmd, i)})
	}
}

type ranked struct {
	cmd   *Command
	at    int
	score int
}

type chooser struct {
	t      *Tool
	kinds  *kindTable
	known  map[string]Effect
	unread bool // no command has a page of its own: the tool's page is all there is
	shared bool // so its list is taken for commands, though each answers with the bin's own help
	fit    []ranked
	out    Choice
}

func (c *chooser) leave(cmd *Command, why string) {
	c.out.Left = append(c.out.Left, Left{cmd.Path, why})
}

// unfit says why a command cannot be in a draft that nobody chose by name; ""
// when it can.
func (c *chooser) unfit(cmd *Command, all bool) string {
	leaf := ""
	if n := len(cmd.Path); n > 0 {
		leaf = strings.Join(nameWords(cmd.Path[n-1]), "-")
	}
	switch _, known := c.known[strings.Join(cmd.Path, " ")]; {
	case len(cmd.Path) == 0 && hasChildren(c.t, cmd):
		return "the bin itself, which has commands"
	case hasChildren(c.t, cmd) && (!known || cmd.Page.TakesCommand):
		return "a group of commands"
	case badWord(cmd.Path) != "":
		return "its name has no verb_key"
	case cmd.Shared && !c.shared:
		return "its help is that of " + c.t.ID.Name + " itself (" + c.onlyHint(cmd) + ")"
	case cmd.Effect == Exec:
		return "runs what its arguments say (" + c.onlyHint(cmd) + ")"
	case choosesItself(c.t, cmd):
		return "its first argument says what it does (" + c.onlyHint(cmd) + ")"
	case leaf == "help" || leaf == "completion" || leaf == "completions" || leaf == "autocomplete" || leaf == "complete":
		return "not for an agent"
	case !cmd.Probed && !c.unread && len(cmd.Page.Flags) == 0 && len(cmd.Page.Positionals) == 0 && len(cmd.Path) > 0:
		return "its help was not read"
	case all:
		return ""
	case interactive(leaf):
		return "needs a person or never ends (" + c.onlyHint(cmd) + ")"
	case leaf == "api" || leaf == "raw" || leaf == "graphql" || leaf == "request" || leaf == "rest":
		return "can do anything (" + c.onlyHint(cmd) + ")"
	case givesSecrets(cmd.Path):
		return "deals with credentials (" + c.onlyHint(cmd) + ")"
	}
	return ""
}

func (c *chooser) onlyHint(cmd *Command) string {
	if len(cmd.Path) == 0 {
		return "--only " + c.t.ID.Name
	}
	return "--only " + strings.Join(keyParts(cmd.Path), ".")
}

func interactive(leaf string) bool {
	switch leaf {
	case "login", "logout", "edit", "watch", "ui", "gui", "tui", "dashboard", "browse", "open", "web", "docs", "monitor", "monit", "tail", "top", "lsp",
		"serve", "server", "dev", "devenv", "proxy", "port-forward", "shell", "repl", "console", "interactive", "mcp", "agent", "daemon", "feedback", "bug", "bugs", "report-bug", "upgrade-self", "self-update", "telemetry", "home", "mount":
		return true
	}
	return false
}

// givesSecrets: what prints or keeps a credential has no place among an agent's
// commands.
func givesSecrets(path []string) bool {
	for _, p := range path {
		for _, w := range nameWords(p) {
			switch w {
			case "token", "tokens", "password", "passwd", "passphrase", "secret", "secrets", "credential", "credentials", "auth", "adduser", "signup", "register", "key", "keys", "keyring", "login", "logout", "authenticate":
				return true
			}
		}
	}
	return false
}

// rank orders the commands of one effect; more is better.
func (c *chooser) rank(cmd *Command, at int) int {
	score := 0
	if cmd.JSON != nil && cmd.Effect == Read {
		score += 25
	}
	if _, known := c.known[strings.Join(cmd.Path, " ")]; known {
		score += 30
	}
	if n := len(cmd.Path); n > 0 {
		for _, w := range nameWords(cmd.Path[n-1]) {
			score += everyday(w)
		}
		score -= 6 * (n - 1)
	}
	section := strings.ToLower(cmd.Listed.Section)
	text := section + " " + strings.ToLower(cmd.Listed.Help+" "+cmd.Page.Summary)
	for _, w := range []string{"deprecated", "experimental", "internal", "low-level", "plumbing", "advanced", "hidden", "beta", "alpha", "legacy", "(alias)", "alias for"} {
		if strings.Contains(text, w) {
			score -= 30
		}
	}
	for _, w := range []string{"common", "core", "basic", "main", "general", "start", "everyday", "porcelain", "examine", "working"} {
		if strings.Contains(section, w) {
			score += 15
			break
		}
	}
	if cmd.Page.Summary == "" && cmd.Listed.Help == "" {
		score -= 20
	}
	return score - min(at, 60)/3
}

// everyday words are what people do all day with a tool.
func everyday(w string) int {
	switch w {
	case "list", "ls", "show", "get", "view", "status", "info", "search", "describe", "inspect", "log", "logs", "diff":
		return 20
	case "find", "query", "ps", "images", "tree", "outdated", "history", "check", "create", "add", "update", "read", "cat", "events", "stats", "validate", "lint", "doctor", "start", "stop", "restart", "apply", "set", "install", "edit", "commit", "push", "pull", "open", "new", "close", "comment", "run", "build", "deploy":
		return 10
	case "version", "help", "whoami", "env", "config":
		return -10
	}
	return 0
}

// pick fills the twelve places.
func (c *chooser) pick() {
	slices.SortStableFunc(c.fit, func(a, b ranked) int { return b.score - a.score })
	var reads, writes, destroys []ranked
	for _, r := range c.fit {
		switch r.cmd.Drafted() {
		case Read:
			reads = append(reads, r)
		case Destructive:
			destroys = append(destroys, r)
		default:
			writes = append(writes, r)
		}
	}
	n := min(len(reads), max(maxReads, maxChosen-len(writes)-len(destroys)))
	took := slices.Clone(reads[:n])
	rest := append(slices.Clone(writes), destroys...)
	took = append(took, rest[:min(len(rest), maxChosen-n)]...)
	for _, r := range c.fit {
		if !slices.Contains(took, r) {
			c.leave(r.cmd, "12 commands are enough to start with (--only, --all)")
		}
	}
	for _, r := range took {
		c.out.Commands = append(c.out.Commands, r.cmd)
	}
}

// order puts what reads first and what destroys last, each in the order of the
// help.
func (c *chooser) order() {
	at := func(cmd *Command) int { return slices.Index(c.t.Commands, cmd) }
	level := func(cmd *Command) int {
		return slices.Index([]Effect{Read, Write, "", Exec, Destructive}, cmd.Drafted())
	}
	slices.SortStableFunc(c.out.Commands, func(a, b *Command) int {
		if l := level(a) - level(b); l != 0 {
			return l
		}
		return at(a) - at(b)
	})
	slices.SortStableFunc(c.out.Left, func(a, b Left) int { return slices.Compare(a.Path, b.Path) })
}

// named takes the commands that only names.
func (c *chooser) named(only []string) (Choice, error) {
	want := map[*Command]bool{}
	for _, name := range only {
		found, err := c.find(name)
		if err != nil {
			return Choice{}, err
		}
		for _, cmd := range found {
			want[cmd] = true
		}
	}
	for _, cmd := range c.t.Commands {
		switch {
		case !want[cmd]:
			c.leave(cmd, "not named in --only")
		default:
			c.out.Commands = append(c.out.Commands, cmd)
		}
	}
	c.order()
	return c.out, nil
}

// find gives the commands that one name of --only means: that very command, or
// all that lie below a group and run nothing.
func (c *chooser) find(name string) ([]*Command, error) {
	norm := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == '.' || r == ' ' }), ".")
	}
	want := norm(name)
	var exact *Command
	var below []*Command
	var names []string
	for _, cmd := range c.t.Commands {
		path, key := norm(strings.Join(cmd.Path, " ")), strings.Join(keyParts(cmd.Path), ".")
		names = append(names, path)
		switch {
		case want != "" && (want == path || want == key) || len(cmd.Path) == 0 && want == norm(c.t.ID.Name):
			exact = cmd
		case (strings.HasPrefix(path, want+".") || strings.HasPrefix(key, want+".")) && want != "":
			if c.unfit(cmd, true) == "" {
				below = append(below, cmd)
			}
		}
	}
	switch {
	case len(below) > 0 && (exact == nil || hasChildren(c.t, exact)):
		return below, nil
	case exact != nil && badWord(exact.Path) != "":
		return nil, fmt.Errorf("%s has no verb_key: %s", hcp.Quote(name), badWord(exact.Path))
	case exact != nil && hasChildren(c.t, exact) && exact.Page.TakesCommand:
		return nil, fmt.Errorf("%s is a group, and none of its commands can be drafted%s", hcp.Quote(name), c.whyNone(exact))
	case exact != nil:
		return []*Command{exact}, nil
	}
	if near := hcp.Nearest(want, names); near != "" {
		return nil, fmt.Errorf("%s has no command %s; did you mean %s?", c.t.ID.Name, hcp.Quote(name), near)
	}
	return nil, fmt.Errorf("%s has no command %s", c.t.ID.Name, hcp.Quote(name))
}

// whyNone is the reason of the first command below a group; "" none.
func (c *chooser) whyNone(group *Command) string {
	for _, cmd := range c.t.Commands {
		if len(cmd.Path) == len(group.Path)+1 && slices.Equal(cmd.Path[:len(group.Path)], group.Path) {
			return ": " + hcp.Printable(strings.Join(cmd.Path, " "), "") + ": " + c.unfit(cmd, true)
		}
	}
	return ""
}

// groupHint is a group of this tool, for a hint.
func (c *chooser) groupHint() string {
	for _, cmd := range c.out.Commands {
		if len(cmd.Path) > 1 {
			return keyParts(cmd.Path)[0]
		}
	}
	return "list,show"
}

func (c *chooser) idHint() string {
	return validID(c.t.ID.Name) + "-" + strings.ReplaceAll(c.groupHint(), ",", "-")
}
