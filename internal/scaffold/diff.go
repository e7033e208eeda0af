package scaffold

import (
	"maps"
	"slices"
	"strings"

	"hcp/internal/hcp"
	"hcp/internal/pack"
)

// Difference is what became of a CLI since a draft was made of it.
type Difference struct {
	Changed bool      `json:"changed"` // anything below
	Bin     BinChange `json:"bin"`
	Added   []string  `json:"added"`   // commands, their words joined by blanks
	Removed []string  `json:"removed"` // commands
	Flags   []Changes `json:"flags"`   // of commands that are still there
	Pack    []Broken  `json:"pack"`    // commands of the pack that no longer fit
}

// BinChange compares the bin's digests.
type BinChange struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Was     string `json:"was"`
	Now     string `json:"now"`
}

// Changes are the flags of one command that came, went or are another now.
type Changes struct {
	Command string   `json:"command"` // "" is the bin itself
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"` // "--color= → --color[=]"
}

// Broken is a command of the pack that the CLI would not take as it is.
type Broken struct {
	VerbKey string `json:"verb_key"`
	What    string `json:"what"`
}

// Compare tells what is different between a lock, with the pack beside it (nil:
// it cannot be read), and a CLI as it is now.
func Compare(old Lock, p *pack.Pack, t *Tool) Difference {
	d := Difference{Bin: BinChange{Path: t.ID.Path, Was: old.SHA256, Now: t.ID.SHA256, Changed: old.SHA256 != t.ID.SHA256},
		Added: []string{}, Removed: []string{}, Flags: []Changes{}, Pack: []Broken{}}
	was, now := old.commands(), LockOf(t, nil).Commands
	for _, c := range t.Commands {
		name := strings.Join(c.Path, " ")
		flags, there := was[name]
		switch {
		case !there && old.unread(c.Path):
		case !there:
			d.Added = append(d.Added, name)
		case flags != nil && now[name] != nil:
			if ch := compareFlags(name, flags, now[name]); ch != nil {
				d.Flags = append(d.Flags, *ch)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, there := now[name]; !there {
			d.Removed = append(d.Removed, name)
		}
	}
	if p != nil {
		d.Pack = brokenCommands(p, t)
	}
	d.Changed = d.Bin.Changed || len(d.Added)+len(d.Removed)+len(d.Flags)+len(d.Pack) > 0
	return d
}

// unread says whether a command lies below one whose help the lock's draft was
// not made of: what is there is no news.
func (l Lock) unread(path []string) bool {
	for n := 1; n < len(path); n++ {
		if flags, there := l.Commands[strings.Join(path[:n], " ")]; there && flags == nil {
			return true
		}
	}
	return false
}

// compareFlags pairs flags by any name that they have in common.
func compareFlags(command string, was, now []string) *Changes {
	ch := Changes{Command: command, Added: []string{}, Removed: []string{}, Changed: []string{}}
	names := func(text string) []string {
		return strings.Split(strings.TrimSuffix(strings.TrimSuffix(text, "[=]"), "="), ", ")
	}
	shares := func(text string, list []string) int {
		return slices.IndexFunc(list, func(o string) bool {
			return slices.ContainsFunc(names(o), func(n string) bool { return slices.Contains(names(text), n) })
		})
	}
	for _, f := range now {
		switch i := shares(f, was); {
		case i < 0:
			ch.Added = append(ch.Added, f)
		case was[i] != f && !slices.Contains(was, f):
			ch.Changed = append(ch.Changed, was[i]+" → "+f)
		}
	}
	for _, f := range was {
		if shares(f, now) < 0 {
			ch.Removed = append(ch.Removed, f)
		}
	}
	if len(ch.Added)+len(ch.Removed)+len(ch.Changed) == 0 {
		return nil
	}
	return &ch
}

// brokenCommands finds the commands of a pack whose words or flags the CLI does
// not have. Only what was read is judged.
func brokenCommands(p *pack.Pack, t *Tool) []Broken {
	out := []Broken{}
	for i := range p.Commands {
		c := &p.Commands[i]
		if len(c.CLI) == 0 {
			continue
		}
		words := []string{}
		for _, w := range c.CLI[1:] {
			if strings.HasPrefix(w, "-") || strings.Contains(w, "{{") {
				break
			}
			words = append(words, w)
		}
		cmd := longest(t, words)
		if cmd == nil || len(cmd.Path) < len(words) && hasChildren(t, cmd) {
			out = append(out, Broken{c.Key, strings.Join(words, " ") + " is no command any more"})
			continue
		}
		if !cmd.Probed {
			continue
		}
		for _, token := range literalFlags(p, c) {
			name, _, valued := strings.Cut(token, "=")
			switch f := flagNamed(t, cmd, name); {
			case f == nil:
				out = append(out, Broken{c.Key, name + " is no flag of " + strings.TrimSpace(t.ID.Name+" "+strings.Join(cmd.Path, " ")) + " any more"})
			case valued && f.Value == ValueNone:
				out = append(out, Broken{c.Key, name + " takes no value any more"})
			}
		}
	}
	return out
}

// longest finds the command that most of the words name.
func longest(t *Tool, words []string) (best *Command) {
	for _, c := range t.Commands {
		if len(c.Path) <= len(words) && slices.Equal(c.Path, words[:len(c.Path)]) && (best == nil || len(c.Path) > len(best.Path)) {
			best = c
		}
	}
	return best
}

// literalFlags are the flags that a command's template, its optional switches
// and its JSON flag write, each with "=" behind it where a value follows.
func literalFlags(p *pack.Pack, c *pack.Command) (flags []string) {
	var tokens []string
	for i, token := range c.CLI {
		if i+1 < len(c.CLI) && isValue(c, c.CLI[i+1]) && !strings.Contains(token, "=") {
			token += "="
		}
		tokens = append(tokens, token)
	}
	if c.Args != nil {
		for _, prop := range c.Args.Properties {
			for _, v := range prop.Schema.Enum {
				if v.Kind == hcp.String {
					tokens = append(tokens, v.Text)
				}
			}
		}
	}
	if c.JSONFlag != nil {
		tokens = append(tokens, c.JSONFlag...)
	} else {
		tokens = append(tokens, p.Wrap.JSONFlag...)
	}
	for _, token := range tokens {
		if name, _, _ := strings.Cut(token, "="); len(name) > 1 && name[0] == '-' && name != "--" && !strings.Contains(name, "{{") {
			flags = append(flags, token)
		}
	}
	return flags
}

// isValue tells whether a token is an argument's value, and no switch.
func isValue(c *pack.Command, token string) bool {
	name, starts := strings.CutPrefix(token, "{{")
	name, ends := strings.CutSuffix(name, "}}")
	if !starts || !ends {
		return false
	}
	s := c.Args.Property(name)
	return s == nil || !slices.ContainsFunc(s.Enum, func(v hcp.Value) bool { return strings.HasPrefix(v.Text, "-") })
}

// flagNamed looks on the command's page and on those above it, whose flags may be
// for all.
func flagNamed(t *Tool, cmd *Command, name string) (found *Flag) {
	for _, c := range t.Commands {
		if len(c.Path) > len(cmd.Path) || !slices.Equal(c.Path, cmd.Path[:len(c.Path)]) {
			continue
		}
		if i := slices.IndexFunc(c.Page.Flags, func(f Flag) bool { return slices.Contains(f.Names, name) }); i >= 0 {
			found = &c.Page.Flags[i]
		}
	}
	return found
}
