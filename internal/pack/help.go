package pack

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// Param is one argument of a command, as help, completion and tools show it.
type Param struct {
	Name     string
	Flag     string   // how it is typed: "--to"; "" for a plain word
	Choices  []string // the flags themselves, when they are what is typed; nil otherwise
	Form     string   // a plain word's or a mixed token's form, such as "<amount>" or "repos/<owner>"
	Required bool
	List     bool    // may be given more than once
	Schema   *Schema // nil: not declared
}

// Words is a command's name as it is typed: its verb path. Empty for the one
// command that has none.
func (p *Pack) Words(c *Command) []string { return slices.Clone(p.templateOf(c).path) }

// ArgNames lists the argument names a command takes: those of its schema in the
// manifest's order, then the placeholders that the schema does not name.
func (p *Pack) ArgNames(c *Command) []string { return p.templateOf(c).argNames() }

// Placeholders lists the arguments that the command's argv shows, in order.
func (p *Pack) Placeholders(c *Command) []string { return slices.Clone(p.templateOf(c).names) }

// FlagNames lists every flag that a typed line of the command may have, ours
// included.
func (p *Pack) FlagNames(c *Command) []string { return p.templateOf(c).flagWords() }

// Params lists a command's arguments in the order of its argv.
func (p *Pack) Params(c *Command) []Param {
	t := p.templateOf(c)
	var list []Param
	for i := range t.elems {
		e := &t.elems[i]
		for _, part := range e.parts {
			if part.name == "" || hcp.Reserved(part.name) {
				continue
			}
			one := Param{Name: part.name, Flag: e.flag, Form: e.form(), Required: t.args.Requires(part.name),
				List: t.args.Property(part.name).List(), Schema: t.args.Property(part.name)}
			if e.kind == elChoice {
				one.Choices = e.schema.Flags()
			}
			list = append(list, one)
		}
	}
	return list
}

func (e *elem) form() string {
	return strings.ReplaceAll(strings.ReplaceAll(e.source(), "{{", "<"), "}}", ">")
}

// Usage is a command's line of help, without the program's name:
// "transfer <amount> --to <payee> [--memo <memo>]". Fixed flags need not be
// typed and are left out.
func (p *Pack) Usage(c *Command) string {
	t := p.templateOf(c)
	words := slices.Clone(t.path)
	for i := range t.elems {
		e := &t.elems[i]
		form := e.text
		switch {
		case e.kind == elConst || e.kind == elWord && e.owner >= 0:
			continue
		case e.kind == elChoice:
			form = strings.Join(e.schema.Flags(), "|")
		case e.kind == elOpt:
			form = e.text + " " + e.form()
		case e.parts != nil:
			form = e.form()
		}
		if e.list {
			form += "…"
		}
		if e.parts != nil && !t.args.Requires(e.name()) {
			form = "[" + form + "]"
		}
		words = append(words, form)
	}
	return strings.Join(words, " ")
}

// Suggest names the command that was meant by a word that names none: what is
// typed on a shim, or a verb_key when keys is true; "" when nothing is close.
func (p *Pack) Suggest(word string, keys bool) string {
	if !keys {
		return p.lines().suggest([]string{word})
	}
	var list []string
	for i := range p.Commands {
		list = append(list, p.Commands[i].Key)
	}
	return hcp.Nearest(word, list)
}

// Problems lists what is wrong with a command's template: errors make it a
// template that hcp check refuses.
func (p *Pack) Problems(c *Command) (errors, warnings []string) {
	t := p.templateOf(c)
	return slices.Clone(t.problems), slices.Clone(t.warnings)
}

// PathProblems lists the commands of the pack that cannot be told apart.
func (p *Pack) PathProblems() []string { return slices.Clone(p.lines().problems) }
