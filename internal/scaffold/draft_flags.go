package scaffold

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// maxFlags is how many optional flags a command gets.
const maxFlags = 10

// offer is a flag that may go into a template.
type offer struct {
	f     *Flag
	a     arg
	score int
}

// flags sorts out what a command's flags become: fixed tokens, flags with a
// value, and switches.
func (d *drafter) flags(v *verb, used namer) (fixed []string, valued, switches []arg) {
	c := v.cmd
	taken := map[string]bool{}
	fix := func(tok string) {
		bare, _, _ := strings.Cut(tok, "=")
		if !taken[bare] {
			taken[bare] = true
			fixed = append(fixed, tok)
		}
	}
	for _, name := range c.Mode {
		for _, n := range c.flag(name).Names {
			taken[n] = true
		}
		fixed = append(fixed, name)
	}
	var offers []offer
	var last []string // the JSON tokens, behind the other fixed ones
	if f := jsonFlag(&c.Page); f != nil && len(c.JSON) > 0 {
		toks, open := d.jsonFixed(c, f)
		for _, n := range f.Names {
			taken[n] = true
		}
		last = toks
		if open {
			name := used.take("fields")
			offers = append(offers, offer{f, arg{name: name, kind: "string", required: true, help: flagAbout(f.Help), tokens: []string{longFirst(f.Names)[0] + "={{" + name + "}}"}}, 1000})
		}
	}
	for i := range c.Page.Flags {
		f := &c.Page.Flags[i]
		kind := d.kinds.of(f)
		switch {
		case slices.ContainsFunc(f.Names, func(n string) bool { return taken[n] || !goodFlag(n) }), strings.Join(f.Names, "") == "", strings.Join(f.Names, "") == "-h":
			continue
		case kind == flagYes && f.Value == ValueNone && v.gated():
			fix(longFirst(f.Names)[0])
		case kind == flagLooks:
			if tok := calm(f); tok != "" && !f.Global {
				fix(tok)
			}
		default:
			if o, ok := d.offer(v, f, kind); ok && o.score >= 0 {
				offers = append(offers, o)
			}
		}
		for _, n := range f.Names {
			taken[n] = true
		}
	}
	fixed = append(fixed, last...)
	for _, o := range best(offers) {
		if o.a.name == "" {
			o.a.name = used.take(argName(o.f))
			d.spell(c, o.f, &o.a)
		}
		switch {
		case o.a.flag:
			switches = append(switches, o.a)
		default:
			valued = append(valued, o.a)
		}
	}
	return fixed, valued, switches
}

// goodFlag: a name that a template can hold. -1 would make every negative
// number look like a flag, and ours are not a program's to take.
func goodFlag(n string) bool {
	bare := strings.TrimLeft(n, "-")
	if len(n)-len(bare) < 1 || len(n)-len(bare) > 2 || bare == "" || n == "--help" || n == "-h" || n == "--mock" {
		return n == "-h" // not named by it, but by its other name
	}
	for i, r := range bare {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')) {
			return false
		}
	}
	return true
}

// calm is the form of a flag that keeps colour and pager away; "" none.
func calm(f *Flag) string {
	for _, n := range f.Names {
		switch n {
		case "--no-pager", "--no-color", "--no-colour":
			if f.Value == ValueNone {
				return n
			}
		case "--color", "--colour":
			if f.Value != ValueNone && slices.Contains(f.Enum, "never") {
				return n + "=never"
			}
		}
	}
	return ""
}

// offer judges whether a flag may be the caller's to set.
func (d *drafter) offer(v *verb, f *Flag, kind flagKind) (offer, bool) {
	no := func(k flagKind) (offer, bool) {
		if name := longFirst(f.Names)[0]; !slices.Contains(d.left[k], name) {
			d.left[k] = append(d.left[k], name)
		}
		if f.Required {
			d.note(v.cmd, "needs "+longFirst(f.Names)[0]+", which no draft hands to a caller: fix its value in the template")
		}
		return offer{}, false
	}
	read := !v.gated()
	switch {
	case len(v.cmd.Mode) > 0 && (f.Value != ValueNone || v.cmd.JSON != nil || !shapes(f)):
		return offer{}, false // some flag of it might undo the mode
	case len(v.cmd.Mode) > 0:
		return offer{f: f, score: usefulness(f)}, true
	case kind == flagCredential || kind == flagEndpoint || kind == flagProgram:
		return no(kind)
	case kind == flagHelp || kind == flagJSON || kind == flagTalks || kind == flagYes && !f.Required:
		return offer{}, false
	case f.Global && !f.Required && !scopes(f):
		return offer{}, false
	case kind == flagForce, read && (kind == flagWrites || d.changes(f)):
		return no(kind)
	case kind == flagWrites && len(v.cmd.Path) == 0 && f.Value != ValueNone: // of a program that is one command: files beside its arguments
		return no(kind)
	case kind == flagWrites && f.Value == ValueNone && v.cmd.Effect != Destructive && d.destroys(f):
		return no(flagForce)
	case strings.ContainsAny(strings.TrimSpace(f.Metavar), " \t") || twoValues(v.cmd, f):
		return offer{}, false
	case f.Value == ValueOptional && !strings.HasPrefix(longFirst(f.Names)[0], "--"):
		return offer{}, false
	}
	return offer{f: f, a: arg{required: f.Required && f.Value != ValueNone}, score: usefulness(f) - 15*btoi(!scopes(f) && !f.Required && d.every[longFirst(f.Names)[0]])}, true
}

// shapes: a switch that says no more than what the output looks like.
func shapes(f *Flag) bool {
	help := strings.ToLower(f.Help)
	return slices.ContainsFunc([]string{"output mode", "table mode", "rows only", "expanded table", "column headers"}, func(w string) bool { return strings.Contains(help, w) })
}

// twoValues: "--arg a v  set variable $a to v" has no form in a template.
func twoValues(c *Command, f *Flag) bool {
	if f.Value != ValueRequired {
		return false
	}
	for line := range strings.Lines(c.Page.Text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), longFirst(f.Names)[0]+" ")
		spec, _, described := strings.Cut(rest, "  ")
		if ok && described && len(spec) < 30 && len(strings.Fields(spec)) > 1 && !strings.ContainsAny(spec, "<[(|,=-") {
			return true
		}
	}
	return false
}

// scopes: a flag of every command that says what the command is about.
func scopes(f *Flag) bool {
	switch argName(f) {
	case "repo", "repository", "namespace", "project", "workspace", "org", "organization", "app", "site", "stack", "env", "environment", "team", "vault", "database":
		return f.Value == ValueRequired
	}
	return false
}

// best keeps the most useful flags, in the order of the help.
func best(offers []offer) []offer {
	rank := slices.Clone(offers)
	slices.SortStableFunc(rank, func(a, b offer) int { return b.score - a.score })
	floor, optional := -1000, 0
	for _, o := range rank {
		if o.score < 500 {
			if optional++; optional > maxFlags {
				floor = o.score
				break
			}
		}
	}
	kept, room := []offer{}, maxFlags
	for _, o := range offers {
		if o.score > floor {
			kept = append(kept, o)
			room -= btoi(o.score < 500)
		}
	}
	for _, o := range offers { // those of equal rank, first come
		if o.score == floor && room > 0 {
			kept = append(kept, o)
			room--
		}
	}
	slices.SortStableFunc(kept, func(a, b offer) int { return slices.IndexFunc(offers, same(a)) - slices.IndexFunc(offers, same(b)) })
	return kept
}

func same(o offer) func(offer) bool { return func(p offer) bool { return p.f == o.f } }

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// argName is what a flag's argument is called.
func argName(f *Flag) string {
	name := longFirst(f.Names)[0]
	bare := strings.TrimLeft(name, "-")
	if f.Value == ValueNone && len(f.Names) > 1 {
		bare = strings.TrimPrefix(bare, "no-")
	}
	if len(bare) == 1 && f.Value != ValueNone && f.Metavar != "" {
		if w := strings.Join(nameWords(f.Metavar), "_"); w != "" && len(w) < 30 {
			return w
		}
	}
	if len(bare) == 1 {
		return bare
	}
	return strings.Join(nameWords(strings.ReplaceAll(bare, ".", "-")), "_")
}

// spell gives an argument the tokens and the schema of its flag.
func (d *drafter) spell(c *Command, f *Flag, a *arg) {
	name := longFirst(slices.DeleteFunc(slices.Clone(f.Names), func(n string) bool { return n == "-h" }))[0]
	hole := "{{" + a.name + "}}"
	a.help = flagAbout(f.Help)
	if f.Value == ValueNone {
		a.kind, a.flag, a.enum = "string", true, []string{name}
		if no := "--no-" + strings.TrimPrefix(name, "--"); slices.Contains(f.Names, no) && no != name {
			a.enum = append(a.enum, no)
		}
		a.tokens = []string{hole}
		return
	}
	a.kind, a.enum, a.list = "string", words(f.Enum), f.Repeat
	if (f.Type == "integer" || f.Type == "number") && len(a.enum) == 0 {
		a.kind = f.Type
	}
	a.def = draftDefault(f, a)
	if strings.Contains(f.Metavar+f.Help, "[HOST/]OWNER/REPO") { // no other host: the credential would go there
		a.pattern = `^[^/\s]+/[^/\s]+$`
	}
	a.tokens = []string{name, hole}
	if f.Value == ValueOptional || d.joins(c, name) {
		a.tokens = []string{name + "=" + hole}
	}
}

// draftDefault keeps a default that fits the type.
func draftDefault(f *Flag, a *arg) string {
	def := strings.Trim(f.Default, `"'`)
	switch {
	case def == "" || a.list || len(def) > 60 || strings.ContainsAny(def, " []{}<>$") || clean(def) != def || len(a.enum) > 0 && !slices.Contains(a.enum, def):
		return ""
	case a.kind == "integer":
		n, err := strconv.Atoi(def)
		if err != nil {
			return ""
		}
		return strconv.Itoa(n) // 007 is no JSON
	case a.kind == "number" && !json.Valid([]byte(def)):
		return ""
	case a.kind == "number" && strings.Trim(def, "-0123456789.eE+") != "":
		return ""
	}
	return def
}

// joins tells whether the parser takes --flag=value. A program that reads its
// own arguments may not, and takes two words, unless its help shows the "=".
func (d *drafter) joins(c *Command, name string) bool {
	dialect := c.Page.Dialect
	if dialect == "" {
		dialect = d.t.ID.Framework
	}
	switch {
	case !strings.HasPrefix(name, "-") || len(name) == 2:
		return false
	case !strings.HasPrefix(name, "--"):
		return dialect == "goflag" || dialect == "mitchellh" || strings.Contains(c.Page.Text, name+"=")
	case dialect != "" && dialect != "prose" && dialect != "handwritten":
		return true
	}
	return strings.Contains(c.Page.Text, name+"=") || strings.Contains(c.Page.Text, name+"[=")
}

// jsonFixed are the tokens that select JSON in a template; open: the fields are
// the caller's to name.
func (d *drafter) jsonFixed(c *Command, f *Flag) (tokens []string, open bool) {
	name := longFirst(f.Names)[0]
	value := ""
	switch {
	case len(c.JSON) == 2 && c.JSON[1] == fieldsToken:
		if c.Fields == "" {
			return nil, true
		}
		return []string{name + "=" + c.Fields}, false
	case len(c.JSON) == 1:
		return c.JSON, false
	default:
		value = c.JSON[1]
	}
	switch {
	case strings.HasPrefix(name, "--") && (d.joins(c, name) || name != "--output" && name != "--format"), d.joins(c, name):
		return []string{name + "=" + value}, false
	case len(c.Path) > 0 && (name == "--output" || name == "--format" || name == "-o" || name == "-f"):
		return []string{name, value}, false
	}
	d.note(c, "prints JSON with "+strings.Join(c.JSON, " ")+", which has no place in a template of hcp")
	return nil, false
}
