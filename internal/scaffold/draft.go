package scaffold

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hcp/internal/hcp"
	"hcp/internal/pack"
)

// DraftOptions is what the caller of Draft chose.
type DraftOptions struct {
	ID  string // pack id; "": made of the bin's name
	Bin string // wrap.bin: a bare name or an absolute path; "": the tool's name
}

// File is one file of a drafted pack.
type File struct {
	Name string // without a folder
	Data []byte
}

// Drafted is a pack that was drafted, and what a person should look at.
type Drafted struct {
	ID    string
	Files []File // surface.json, policy.json, SKILL.md
	// Commands are those that are in it, in the order they were chosen in; Left
	// are those that have no form in a pack.
	Commands []*Command
	Left     []Left
	Notes    []Note
}

// Draft writes a pack for the chosen commands of a classified tool (wrap.md,
// stage 7). It passes hcp check without errors whatever the help said: what has
// no form in a pack is left out and noted. A command that reads never gets a
// flag that writes; no command gets one that names a credential, a machine or a
// program. It fails when the id is none, or when nothing was chosen.
func Draft(t *Tool, chosen []*Command, opt DraftOptions) (Drafted, error) {
	d := &drafter{t: t, lex: newLexicon(), kinds: newKindTable(), every: everywhere(t), bin: opt.Bin, left: map[flagKind][]string{}}
	if err := d.names(opt); err != nil {
		return Drafted{}, err
	}
	d.passThrough = pack.RunsCode(filepath.Base(d.bin))
	keys, paths := map[string]bool{}, map[string]bool{}
	var in []*Command
	var left []Left
	for _, c := range chosen {
		v := d.verb(c)
		path := strings.Join(c.Path, " ")
		if v == nil || keys[v.key] || paths[path] {
			left = append(left, Left{c.Path, "its name has no verb_key of its own"})
			continue
		}
		in = append(in, c)
		keys[v.key], paths[path] = true, true
		d.verbs = append(d.verbs, v)
	}
	if len(d.verbs) == 0 {
		return Drafted{}, fmt.Errorf("no command of %s can be drafted", hcp.Printable(t.ID.Name, ""))
	}
	d.notesOnFlags()
	d.notesOnPack()
	return Drafted{ID: d.id, Notes: d.notes, Commands: in, Left: left, Files: []File{
		{pack.SurfaceFile, d.surface()}, {pack.PolicyFile, d.policy()}, {pack.SkillFile, d.skill()},
	}}, nil
}

// drafter is one draft in the making.
type drafter struct {
	t           *Tool
	lex         *lexicon
	kinds       *kindTable
	id, bin     string
	passThrough bool // the bin runs what its arguments say: no argument at all
	verbs       []*verb
	notes       []Note
	silent      []string              // commands of whose arguments nothing is known
	every       map[string]bool       // flags that most commands have
	left        map[flagKind][]string // flags left out, by why
}

// verb is one command of the draft.
type verb struct {
	key   string
	cmd   *Command
	about string // description
	cli   []string
	end   bool // has "--"
	args  []arg
	stdin bool
}

// arg is one argument of a verb.
type arg struct {
	name     string
	kind     string // JSON Schema type of one value
	list     bool
	enum     []string
	def      string
	pattern  string
	help     string
	required bool
	flag     bool // its values are flags themselves
	pos      bool
	tokens   []string // of the template
}

func (v *verb) gated() bool { return v.cmd.Drafted() != Read }

func (d *drafter) names(opt DraftOptions) error {
	if d.bin == "" {
		d.bin = d.t.ID.Name
	}
	if strings.HasPrefix(d.bin, ".") && filepath.IsAbs(d.t.ID.Path) { // "." would be the pack's own folder
		d.bin = d.t.ID.Path
	}
	switch d.id = opt.ID; {
	case d.id == "":
		if d.id = validID(d.t.ID.Name); d.id == "" {
			return fmt.Errorf("no pack id can be made of %s; give one with --id", hcp.Quote(d.t.ID.Name))
		}
	case !hcp.ValidID(d.id) || validID(d.id) != d.id:
		return fmt.Errorf("%s is not a pack id", hcp.Quote(d.id))
	}
	return nil
}

func (d *drafter) note(c *Command, what string) {
	d.notes = append(d.notes, Note{strings.TrimSpace(d.t.ID.Name + " " + hcp.Printable(strings.Join(c.Path, " "), "")), what})
}

// verb drafts one command; nil when its name has no verb_key.
func (d *drafter) verb(c *Command) *verb {
	if badWord(c.Path) != "" {
		return nil
	}
	v := &verb{key: strings.Join(keyParts(c.Path), "."), cmd: c, about: aboutOf(d.t, c)}
	if len(c.Path) == 0 {
		v.key = d.id
	}
	used := namer{}
	before, pos := d.positionals(c, used)
	if hasChildren(d.t, c) && len(before)+len(pos) > 0 { // a value would choose one of them, past its policy
		d.note(c, "drafted without arguments: they could name one of its commands")
		before, pos = nil, nil
	}
	if choosesItself(d.t, c) && len(before)+len(pos) > 0 {
		d.note(c, "drafted without arguments: its first one says what it does")
		before, pos = nil, nil
	}
	if len(c.Mode) > 0 {
		d.note(c, "drafted with "+strings.Join(c.Mode, " ")+", so that it only reads: otherwise it runs what its arguments say")
		if c.Mode[0] != "-readonly" { // what is shown needs no arguments: they name databases, scripts
			before, pos = nil, nil
		}
	}
	fixed, valued, switches := d.flags(v, used)
	if !c.Probed && len(c.Path) > 0 && len(pos) == 0 {
		d.silent = append(d.silent, strings.Join(c.Path, " "))
	}
	if d.passThrough {
		if len(before)+len(pos)+len(valued)+len(switches) > 0 {
			d.note(c, "drafted without arguments: "+d.t.ID.Name+" runs what its arguments say")
		}
		before, pos, valued, switches = nil, nil, nil, nil
	}
	v.end = len(pos) > 0 && (c.Page.EndOfOptions || len(valued) == 0 && len(c.Mode) == 0 && slices.ContainsFunc(fixed, goStyle)) && !expression(c)
	v.args = slices.Concat(before, pos, valued, switches)
	v.stdin = len(c.Mode) == 0 && c.Effect == Read && len(c.Path) == 0 && readsInput(c)
	v.cli = template(d.id, v, fixed, valued, switches, before, pos)
	return v
}

// template puts a command's tokens into an order in which hcp reads each for
// what it is: a fixed flag right before a bare placeholder would be taken for
// that placeholder's flag.
func template(id string, v *verb, fixed []string, valued, switches, before, pos []arg) []string {
	cli := append([]string{id}, v.cmd.Path...)
	add := func(args []arg) {
		for _, a := range args {
			cli = append(cli, a.tokens...)
		}
	}
	if expression(v.cmd) {
		add(pos)
		pos = nil
	}
	add(switches)
	add(before)
	late := !v.end && len(valued) == 0 && len(pos) > 0 && (len(fixed) == 0 || strings.HasPrefix(fixed[len(fixed)-1], "-"))
	if !late {
		cli = append(cli, fixed...)
	}
	add(valued)
	if v.end {
		cli = append(cli, "--")
	}
	add(pos)
	if late {
		cli = append(cli, fixed...)
	}
	return cli
}

// goStyle: -json is for parsers that stop at the first word that is no flag, and
// that honour "--".
func goStyle(flag string) bool { return len(flag) > 2 && flag[0] == '-' && flag[1] != '-' }

// expression: programs such as find want their words before their flags.
func expression(c *Command) bool {
	return slices.ContainsFunc(c.Page.Positionals, func(p Positional) bool { return strings.EqualFold(p.Name, "expression") })
}

// readsInput: a filter reads what is piped into it.
func readsInput(c *Command) bool {
	text := strings.ToLower(c.Page.Text)
	return c.JSON != nil && len(c.JSON) == 0 || strings.Contains(text, "standard input") || strings.Contains(text, "stdin")
}
