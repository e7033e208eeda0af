package scaffold

import (
	"slices"
	"strings"
)

// positionals drafts the arguments that are no flags. From the first optional
// or repeated one on, whatever follows goes into one list: a gap would shift
// the values (template.md).
func (d *drafter) positionals(c *Command, used namer) (before, list []arg) {
	all := slices.DeleteFunc(slices.Clone(listed(d.t, c)), func(p Positional) bool { return strings.EqualFold(p.Name, "expression") })
	if optionalWords(d.t.ID.Name, strings.Join(c.Path, " ")) {
		all = keepOne(all, 0, false)
	}
	first, all := d.around(c, all)
	for _, p := range first {
		before = append(before, single(p, used))
	}
	for i, p := range all {
		rest := all[i:]
		if len(c.Path) == 0 && c.Page.TakesCommand {
			break
		}
		if !p.Variadic && (p.Required || len(rest) == 1) {
			list = append(list, single(p, used))
			continue
		}
		return before, append(list, merged(rest, used))
	}
	return before, list
}

func single(p Positional, used namer) arg {
	a := arg{name: used.take(p.Name), kind: "string", enum: words(p.Enum), required: p.Required, pos: true, help: positionalHelp(p)}
	a.tokens = []string{"{{" + a.name + "}}"}
	return a
}

// around parts the arguments where the usage line has a "--" between them, as in
// POD -- COMMAND or [REVISION] [--] [PATH…]: behind it a revision would be read
// as a path. In front of it only what must be given is kept; what need not be
// would shift the others.
func (d *drafter) around(c *Command, all []Positional) (before, after []Positional) {
	if !c.Page.EndOfOptions {
		return nil, all
	}
	for _, usage := range c.Page.Usage {
		end := endAt(usage)
		if end < 0 {
			continue
		}
		var dropped []string
		before, after = nil, nil
		for _, p := range all {
			switch at := strings.LastIndex(usage, p.Name); {
			case at < 0 || p.Name == "" || at > end:
				after = append(after, p)
			case p.Required: // one of them, where there may be many
				before = append(before, p)
			default:
				dropped = append(dropped, clean(p.Name))
			}
		}
		if len(after) == 0 || len(before)+len(dropped) == 0 {
			continue
		}
		if len(dropped) > 0 {
			d.note(c, "drafted without "+strings.Join(dropped, ", ")+", which may stand before --")
		}
		return before, after
	}
	return nil, all
}

// endAt finds a "--" that stands alone in a usage line; -1 none.
func endAt(usage string) int {
	for i := 0; i+2 <= len(usage); i++ {
		if usage[i:i+2] == "--" && (i == 0 || strings.IndexByte(" [(", usage[i-1]) >= 0) && (i+2 == len(usage) || strings.IndexByte(" ])", usage[i+2]) >= 0) {
			return i
		}
	}
	return -1
}

func merged(rest []Positional, used namer) arg {
	name := rest[0].Name
	if rest[0].Variadic || len(rest) > 1 {
		name = manyOf(name)
	}
	a := arg{name: used.take(name), kind: "string", list: true, pos: true, help: positionalHelp(rest[0])}
	for i, p := range rest {
		a.required = a.required || p.Required
		if i > 0 {
			a.help += ", then " + strings.ToLower(strings.Join(nameWords(p.Name), " "))
		}
	}
	if len(rest) == 1 {
		a.enum = words(rest[0].Enum)
	}
	a.help = cut(a.help, 120)
	a.tokens = []string{"{{" + a.name + "}}"}
	return a
}

func manyOf(name string) string {
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, "s"), lower == "":
		return name
	case strings.HasSuffix(lower, "y") && !strings.HasSuffix(lower, "ey") && !strings.HasSuffix(lower, "ay"):
		return lower[:len(lower)-1] + "ies"
	case strings.HasSuffix(lower, "ch"), strings.HasSuffix(lower, "sh"), strings.HasSuffix(lower, "x"):
		return lower + "es"
	}
	return name + "s"
}

func positionalHelp(p Positional) string {
	if h := clean(p.Help); h != "" {
		return cut(h, 120)
	}
	name := strings.Join(nameWords(p.Name), " ")
	if p.Variadic {
		return capital(name + ", any number")
	}
	return capital(name)
}

// words keeps an enum only if every value is a plain word: none that a program
// could take for a flag.
func words(enum []string) []string {
	if len(enum) == 0 || len(enum) > 40 {
		return nil
	}
	for i, w := range enum {
		if w == "" || w[0] == '-' || len(w) > 60 || clean(w) != w || slices.Contains(enum[:i], w) {
			return nil
		}
	}
	return enum
}
