package scaffold

import "strings"

// Parse reads a help text that Normalise has made plain. path is the words of
// the command after the bin. It never fails: what it cannot read is left out,
// and a page of which nothing could be read says so.
func Parse(text string, path []string) Page {
	rules, ls := grammarRules(splitLines(unglue(text)))
	ss := sections(ls)
	p := Page{Text: text, Dialect: dialectOf(text)}
	p.readFlags(ss, ls)
	lines := usageLines(ss, path)
	u := readUsage(lines, path, p.flagIndex(), p.Dialect)
	p.grammar(rules, &u, p.flagIndex())
	p.Usage, p.Positionals, p.TakesCommand = u.lines, u.positionals, u.command
	p.addFlags(u.flags)
	p.addFlags(blockFlags(ss, path))
	p.readCommands(ss, u, path)
	p.readArguments(ss)
	p.proseFlags(ls)
	p.pairNegations()
	p.EndOfOptions = u.dashes || endsOptions(p.Dialect)
	p.Abbreviations = abbreviates(p.Dialect)
	p.Summary = summary(ss, path)
	p.Examples = examples(ss)
	p.Unparsed = len(p.Flags) == 0 && len(p.Commands) == 0 && len(p.Positionals) == 0 && len(p.Usage) == 0
	return p
}

// readFlags collects the options of all sections, each flag once.
func (p *Page) readFlags(ss []section, ls []line) {
	long := longColumns(ls)
	var all []Flag
	for _, s := range ss {
		s.lines = withoutBlock(s)
		for _, e := range flagsOf(s, long) {
			all = append(all, e.flag(s))
		}
	}
	p.addFlags(all)
}

// addFlags merges flags into the page. A name belongs to the flag that had it
// first; a later mention fills in what the first left open.
func (p *Page) addFlags(flags []Flag) {
	place := map[string]int{}
	for i, f := range p.Flags {
		for _, n := range f.Names {
			place[n] = i
		}
	}
	for _, f := range flags {
		at := -1
		for _, n := range f.Names {
			if i, ok := place[n]; ok {
				at = i
				break
			}
		}
		if at >= 0 && p.Flags[at].otherLong(f) {
			// A short name that two long ones share stays with the first.
			at = -1
		}
		if at < 0 {
			at = len(p.Flags)
			p.Flags = append(p.Flags, Flag{Value: f.Value, Metavar: f.Metavar, Type: f.Type, Enum: f.Enum,
				Default: f.Default, Help: f.Help, Repeat: f.Repeat, Required: f.Required, Global: f.Global})
		} else {
			p.Flags[at].merge(f)
		}
		for _, n := range f.Names {
			if _, ok := place[n]; !ok {
				place[n] = at
				p.Flags[at].Names = append(p.Flags[at].Names, n)
			}
		}
		if len(p.Flags[at].Names) == 0 {
			p.Flags = p.Flags[:at]
		}
	}
}

// otherLong says whether f and o have no long name in common, though both have
// one.
func (f Flag) otherLong(o Flag) bool {
	long := false
	for _, n := range o.Names {
		if !strings.HasPrefix(n, "--") {
			continue
		}
		if contains(f.Names, n) {
			return false
		}
		long = true
	}
	for _, n := range f.Names {
		if strings.HasPrefix(n, "--") {
			return long
		}
	}
	return false
}

// merge fills in what another mention of the flag says.
func (f *Flag) merge(o Flag) {
	if f.Help == "" {
		f.Help = o.Help
	}
	if f.Value == ValueNone && o.Value != ValueNone && f.Default == "" {
		f.Value, f.Metavar, f.Type, f.Enum = o.Value, o.Metavar, o.Type, o.Enum
	}
	f.Repeat = f.Repeat || o.Repeat
}

func (p *Page) flagIndex() map[string]Flag {
	out := map[string]Flag{}
	for _, f := range p.Flags {
		for _, n := range f.Names {
			out[n] = f
		}
	}
	return out
}

// pairNegations makes one boolean flag of "--x" and "--no-x".
func (p *Page) pairNegations() {
	place := map[string]int{}
	for i, f := range p.Flags {
		for _, n := range f.Names {
			place[n] = i
		}
	}
	drop := map[int]bool{}
	for i := range p.Flags {
		f := &p.Flags[i]
		if f.Value != ValueNone {
			continue
		}
		for _, n := range f.Names {
			at, ok := place["--no-"+strings.TrimPrefix(n, "--")]
			if !ok || len(p.Flags[at].Names) > 1 || at == i || drop[at] || !strings.HasPrefix(n, "--") || p.Flags[at].Value != ValueNone {
				continue
			}
			for _, other := range p.Flags[at].Names {
				f.Names = appendNew(f.Names, other)
			}
			drop[at] = true
			break
		}
	}
	if len(drop) == 0 {
		return
	}
	kept := p.Flags[:0]
	for i, f := range p.Flags {
		if !drop[i] {
			kept = append(kept, f)
		}
	}
	p.Flags = kept
}

// readCommands finds the sub-commands and takes them out of the positionals.
func (p *Page) readCommands(ss []section, u usage, path []string) {
	c := commandsOf(ss, path, binOf(p.Usage, ss, path), p.TakesCommand)
	c.ownEntry(path)
	if len(c.entries) == 0 {
		for _, w := range u.rules {
			c.add(Entry{Name: w})
		}
	}
	p.Commands, p.Deeper = c.entries, c.deeper
	if len(c.place) > 0 && len(u.rules) == 0 {
		p.Positionals = u.without(c.place)
	}
	var kept []Positional
	for _, pos := range p.Positionals {
		if c.metavar != "" && pos.Name == c.metavar && len(c.entries) > 0 {
			kept = nil
			break
		}
		if word, _, ok := strings.Cut(pos.Name, "-"); ok && len(c.entries) > 0 && isCommandWord(word) {
			continue // "<action> <action-specific>"
		}
		if len(pos.Enum) > 0 && len(c.place) > 0 && !strings.HasPrefix(pos.Name, "{") {
			if _, ok := c.place[pos.Enum[0]]; ok {
				kept = nil
				break
			}
		}
		if strings.HasPrefix(pos.Name, "{") {
			if len(p.Commands) == 0 && pos.Required && len(kept) == 0 {
				for _, w := range pos.Enum {
					if isName(w) {
						p.Commands = append(p.Commands, Entry{Name: w})
					}
				}
			}
			if len(p.Commands) > 0 && pos.Enum[0] == p.Commands[0].Name {
				p.TakesCommand = true
				kept = nil
				break
			}
			pos.Name = "choice"
		}
		kept = append(kept, pos)
	}
	p.Positionals = kept
	if len(p.Commands) == 0 && (len(p.Usage) > 1 || u.chooses) {
		for _, w := range usageWords(u.words, u.chooses) {
			p.Commands = append(p.Commands, Entry{Name: w, Section: "usage"})
		}
		if len(p.Commands) > 0 {
			p.Positionals, p.TakesCommand = nil, true
		}
	}
	if len(p.Commands) == 0 && len(u.commandAs) > 0 {
		// No list of sub-commands: the command is an argument, such as one to run.
		p.Positionals = append(u.commandAs, p.Positionals...)
	}
	p.TakesCommand = p.TakesCommand || len(p.Commands) > 0
}

// binOf gives the bin's name as the page spells it; "" when it does not.
func binOf(usage []string, ss []section, path []string) string {
	for _, u := range usage {
		w, _, _ := strings.Cut(strings.TrimPrefix(u, "$ "), " ")
		if isName(w) && (len(path) == 0 || w != path[0]) {
			return w
		}
	}
	if len(ss) > 0 {
		if l := firstEntry(ss[0].lines); isName(l.body) {
			return l.body
		}
	}
	return ""
}
