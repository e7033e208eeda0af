package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// Levels of a Finding (cli.md).
const (
	LevelError   = "error"
	LevelWarning = "warning"
	LevelNote    = "note"
)

// Finding is one thing that lint has to say of a pack.
type Finding struct {
	Level   string `json:"level"`
	Code    string `json:"code"`  // stable: M026 for titles (C-4), words for the rest
	Where   string `json:"where"` // "surface.json: verbs.transfer.cli"
	Message string `json:"message"`
}

// Lint is how a pack is checked.
type Lint struct {
	// ForbiddenEnv tells which variables a manifest may not set; nil: none is
	// known, and that is not checked.
	ForbiddenEnv func(name, value string) bool
	// Installed: the folder is a library's, whose name is the pack's id. Any
	// other may have any name: Install does not ask for it.
	Installed bool
}

// Check looks for everything that would go wrong later. A folder that does not
// load gives the one finding that says why.
func (l Lint) Check(root string) []Finding {
	load := loadAny
	if l.Installed {
		load = Load
	}
	p, err := load(root)
	if errors.Is(err, fs.ErrNotExist) {
		return []Finding{{LevelError, "load", root, "no " + SurfaceFile + " here"}}
	}
	if err != nil {
		where, message, ok := strings.Cut(err.Error(), ": ")
		if !ok {
			where, message = root, err.Error()
		}
		return []Finding{{LevelError, "load", where, message}}
	}
	c := &checker{Lint: l, p: p}
	c.pack()
	for i := range p.Commands {
		c.command(&p.Commands[i])
	}
	c.rows()
	c.unknownFields()
	text, err := hcp.ReadTrusted(filepath.Join(root, SkillFile), MaxFile)
	c.skill(string(text), err)
	return c.found
}

// checker collects findings.
type checker struct {
	Lint
	p     *Pack
	found []Finding
}

func (c *checker) say(level, code, where, format string, a ...any) {
	c.found = append(c.found, Finding{level, code, where, fmt.Sprintf(format, a...)})
}

func atVerb(key, field string) string { return SurfaceFile + ": verbs." + key + field }

// pack looks at what belongs to no single command.
func (c *checker) pack() {
	p := c.p
	if p.Description == "" {
		c.say(LevelWarning, "description", SurfaceFile+": description", "the pack has no description")
	}
	if n := len(p.Commands); p.Kind == KindWrap && (n < 5 || n > 12) {
		what := "commands"
		if n == 1 {
			what = "command"
		}
		c.say(LevelWarning, "count", SurfaceFile+": verbs", "%d %s; 5 to 12 can be kept in mind (C-1)", n, what)
	}
	for _, why := range p.PathProblems() {
		c.say(LevelError, "template", SurfaceFile+": verbs", "%s", why)
	}
	for _, kv := range p.Wrap.AgentEnv {
		if c.ForbiddenEnv != nil && c.ForbiddenEnv(kv.Name, kv.Value) {
			c.say(LevelError, "environment", SurfaceFile+": wrap.agent_env", "agent_env may not set %s", kv.Name)
		}
	}
	for _, d := range p.Binding.Deliver {
		if d.Env != "" && c.ForbiddenEnv != nil && c.ForbiddenEnv(d.Env, "") {
			c.say(LevelError, "environment", SurfaceFile+": binding.deliver", "a credential may not be delivered as %s", d.Env)
		}
	}
	if p.Surface.Get("wrap").Get("allowedSubcommands").Kind != hcp.Missing {
		c.say(LevelWarning, "bootstrap", SurfaceFile+": wrap.allowedSubcommands", "a pass-through to bootstrap from: name the commands instead (X-3)")
	}
	// A foreign CLI has the words it has; its pack cannot add these.
	own := p.Kind == KindWrap && strings.HasPrefix(p.Wrap.Bin, ".")
	for _, key := range []string{"doctor", "capabilities", "validate"} {
		if own && !slices.ContainsFunc(p.Commands, func(cmd Command) bool { return last(cmd.Key) == key }) {
			c.say(LevelWarning, "health", SurfaceFile+": verbs", "no %s command (C-6)", key)
		}
	}
}

// last is a verb_key's last part.
func last(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// command looks at one command.
func (c *checker) command(cmd *Command) {
	if cmd.Description == "" {
		c.say(LevelWarning, "description", atVerb(cmd.Key, ""), "no description (C-6)")
	}
	if len(cmd.CLI) > 0 && cmd.CLI[0] != c.p.ID && c.p.Kind != KindComposite {
		c.say(LevelError, "names", atVerb(cmd.Key, ".cli"), "the first word is %s, and the shim is called %s", hcp.Quote(cmd.CLI[0]), c.p.ID)
	}
	c.words(cmd)
	errs, warns := c.p.Problems(cmd)
	for _, why := range errs {
		c.say(LevelError, "template", atVerb(cmd.Key, ".cli"), "%s", why)
	}
	for _, why := range warns {
		c.say(LevelWarning, "template", atVerb(cmd.Key, ".cli"), "%s", why)
	}
	c.passThrough(cmd)
	c.schema(cmd.Args, atVerb(cmd.Key, ".args"))
	c.titles(cmd)
	if len(errs) == 0 {
		c.probe(cmd)
	}
}

// words: what is typed follows from the verb_key (C-2).
func (c *checker) words(cmd *Command) {
	if cmd.CLI == nil || c.p.Kind == KindComposite { // a composite has no shim
		return
	}
	typed := strings.Join(c.p.Words(cmd), " ")
	split := strings.ReplaceAll(cmd.Key, ".", " ")
	behind := strings.TrimSpace(strings.TrimPrefix(split+" ", c.p.ID+" ")) // "" for the program itself, whose key is the pack_id
	if typed != split && typed != behind {
		c.say(LevelWarning, "names", atVerb(cmd.Key, ".cli"), "typed as %s, but the key says %s (C-2)", hcp.Quote(typed), hcp.Quote(behind))
	}
}

// RunsCode tells whether a program's arguments are code, or another command to
// run.
func RunsCode(bin string) bool {
	if i := strings.IndexAny(bin, "0123456789."); i > 0 {
		bin = bin[:i] // python3.11
	}
	switch bin {
	case "sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "env", "xargs", "sudo", "doas", "su", "ssh", "nohup", "setsid", "timeout", "nice", "ionice", "stdbuf", "script", "watch", "time", "parallel", "python", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "awk", "gawk", "mawk", "osascript", "pwsh", "powershell", "tclsh", "expect", "Rscript", "julia", "npx", "uvx", "pipx":
		return true
	}
	return false
}

// passThrough: a template that lets the caller say anything is no command.
func (c *checker) passThrough(cmd *Command) {
	names := c.p.Placeholders(cmd)
	bin := filepath.Base(c.p.Wrap.Bin)
	if len(names) > 0 && !strings.HasPrefix(c.p.Wrap.Bin, ".") && RunsCode(bin) {
		c.say(LevelError, "pass-through", atVerb(cmd.Key, ".cli"), "%s runs what its arguments say, and {{%s}} is the caller's (X-3)", bin, names[0])
	}
	literal := slices.ContainsFunc(declaredTokens(c.p, cmd), func(tok string) bool { return tok != "" && !hasName(split(tok)) })
	if literal || len(names) == 0 {
		return
	}
	for _, name := range names {
		if cmd.Args.Property(name) == nil {
			c.say(LevelError, "pass-through", atVerb(cmd.Key, ".cli"), "no literal word, and {{%s}} is not declared in args (X-3)", name)
			return
		}
	}
}

// schema reports what the runtime does not look at.
func (c *checker) schema(s *Schema, where string) {
	if s == nil {
		return
	}
	if _, err := regexp.Compile(s.Pattern); err != nil {
		c.say(LevelError, "schema", where, "the pattern %s is broken: no value passes", hcp.Quote(s.Pattern))
	}
	for _, word := range s.Other {
		c.say(LevelWarning, "schema", where, "the keyword %s is not looked at", hcp.Quote(word))
	}
	for _, name := range s.Required {
		if s.Property(name) == nil {
			c.say(LevelWarning, "schema", where, "%s is required and not declared", hcp.Quote(name))
		}
	}
	for _, p := range s.Properties {
		c.schema(p.Schema, where+".properties."+p.Name)
	}
	c.schema(s.Items, where+".items")
}

// titles is M026 (C-4), and the same for previews.
func (c *checker) titles(cmd *Command) {
	known := c.p.ArgNames(cmd)
	for _, form := range []struct {
		name   string
		list   []string
		result bool
	}{{"live", cmd.Title.Live, false}, {"done", cmd.Title.Done, true}} {
		where := atVerb(cmd.Key, ".title."+form.name)
		for _, tmpl := range form.list {
			c.titleNames(where, tmpl, known, form.result)
		}
		if n := len(form.list); n > 0 && len(TitleNames(form.list[n-1])) > 0 {
			c.say(LevelError, "M026", where, "no plain fallback: the last form still has a placeholder")
		}
	}
	for _, tmpl := range cmd.Preview {
		c.titleNames(atVerb(cmd.Key, ".preview"), tmpl, known, false)
	}
}

func (c *checker) titleNames(where, tmpl string, known []string, result bool) {
	for _, name := range TitleNames(tmpl) {
		_, isResult := strings.CutPrefix(name, "result.")
		switch {
		case isResult && result, slices.Contains(known, name):
		case isResult || name == "result":
			c.say(LevelError, "M026", where, "{{%s}}: there is no result yet", name)
		default:
			c.say(LevelError, "M026", where, "{{%s}} is no argument of the command", name)
		}
	}
}
