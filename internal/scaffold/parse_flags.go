package scaffold

import "strings"

// flagEntry is an option's entry while its lines are collected.
type flagEntry struct {
	spec   spec
	indent int
	column int // where its description begins on its own line; -1: below it
	below  int // indentation of the first line below it; -1: none yet
	help   []string
}

// flagScan reads the option entries of one section.
type flagScan struct {
	s      section
	long   map[int]bool // columns where long names stand after a short one, on the whole page
	column int
	cur    *flagEntry
	base   int
	out    []*flagEntry
}

// flagsOf gives the options that a section lists. A line is an option's entry
// when it begins like one, stands at the section's column for them, and is not
// the wrapped end of a description or of a sentence.
func flagsOf(s section, long map[int]bool) []*flagEntry {
	if s.kind == usageSection || s.kind == exampleSection || s.kind == proseSection {
		return nil
	}
	f := &flagScan{s: s, long: long, base: -1}
	f.column = f.describeColumn()
	for i := range s.lines {
		f.line(i)
	}
	return f.out
}

// describeColumn gives the column where the descriptions begin: of the lines
// that begin like an option, and of the line below one that is too long for it.
func (f *flagScan) describeColumn() int {
	var entries []line
	for i, l := range f.s.lines {
		if !startsFlag(l.body) {
			continue
		}
		if from, _ := l.gap(); from >= 0 {
			entries = append(entries, l)
		} else if i+1 < len(f.s.lines) {
			if n := f.s.lines[i+1]; n.indent > l.indent+8 && !startsFlag(n.body) {
				entries = append(entries, line{text: "x" + strings.Repeat(" ", n.indent-1) + "x"})
			}
		}
	}
	return columns(entries)
}

func (f *flagScan) line(i int) {
	l := f.s.lines[i]
	switch {
	case l.blank():
	case startsFlag(l.body) && f.accepts(i):
		f.open(l)
	case f.cur != nil && l.indent > f.cur.indent && !f.dedented(l):
		f.describe(l)
	default:
		f.cur = nil
	}
}

// dedented says whether a line stands left of the descriptions after a blank
// line would have: a sub-heading inside the section.
func (f *flagScan) dedented(l line) bool {
	return f.cur.below > 0 && l.indent < f.cur.below && isHeadingLike(l) && l.indent <= f.base
}

// accepts says whether line i, which begins like an option, is one's entry.
func (f *flagScan) accepts(i int) bool {
	l := f.s.lines[i]
	if f.cur != nil {
		if f.cur.column > 0 && l.indent >= f.cur.column || f.cur.below > 0 && l.indent >= f.cur.below {
			return false
		}
		return l.indent <= f.base || f.long[l.indent] || l.indent <= f.base+4 && strings.HasPrefix(l.body, "--") && f.cur.column > 0
	}
	if i > 0 {
		p := f.s.lines[i-1]
		if !p.blank() && p.indent == l.indent && !isHeadingLike(p) && !startsFlag(p.body) && f.s.kind != optionSection {
			return false
		}
	}
	if f.base >= 0 && l.indent > f.base+4 && !f.long[l.indent] {
		return false
	}
	return true
}

func (f *flagScan) open(l line) {
	left, right, bounded := l.split(f.column)
	if from, _ := l.gap(); from < 0 && right != "" && strings.IndexByte("<[{=", right[0]) >= 0 {
		// The column falls on a value's name by chance: "--key <hash> FILE or hash".
		left, right, bounded = l.body, "", false
	}
	sp := readSpec(left, bounded)
	if !sp.ok {
		return
	}
	if right == "" && sp.rest != "" && f.s.kind != optionSection && !strings.HasPrefix(sp.rest, ":") && !strings.HasPrefix(sp.rest, "- ") && f.prose(sp) {
		f.cur = nil
		return
	}
	e := &flagEntry{spec: sp, indent: l.indent, column: -1, below: -1}
	text := strings.TrimSpace(strings.TrimLeft(sp.rest+" "+right, ":;"))
	if right != "" {
		e.column = len(l.text) - len(right)
	}
	if text != "" {
		e.help = append(e.help, text)
	}
	f.cur = e
	if f.base < 0 || l.indent < f.base {
		f.base = l.indent
	}
	f.out = append(f.out, e)
}

// prose says whether what follows a flag's name on one line reads on as a
// sentence, in a section that says nothing of options.
func (f *flagScan) prose(sp spec) bool {
	c := sp.rest[0]
	return len(f.out) == 0 && (c >= 'a' && c <= 'z' || c == '.' || c == ')' || c == '\'' || c == '"' || c == '`')
}

func (f *flagScan) describe(l line) {
	if f.cur.below < 0 {
		f.cur.below = l.indent
	}
	if len(f.cur.help) < 40 {
		f.cur.help = append(f.cur.help, l.body)
	}
}

// longColumns gives the columns where long names stand behind a short one:
// options without a short name begin there.
func longColumns(ls []line) map[int]bool {
	out := map[int]bool{}
	for _, l := range ls {
		b := l.body
		if len(b) < 6 || b[0] != '-' || b[1] == '-' || b[1] == ' ' {
			continue
		}
		if i := strings.Index(b[:min(len(b), 8)], "--"); i > 0 && strings.IndexByte(" |/", b[i-1]) >= 0 {
			out[l.indent+i] = true
		}
	}
	return out
}

// flag turns an entry into a flag of the page.
func (e *flagEntry) flag(s section) Flag {
	fl := Flag{Names: e.spec.names, Value: e.spec.value, Metavar: e.spec.metavar, Repeat: e.spec.repeat}
	t := strings.ToLower(s.title)
	for _, w := range []string{"global", "inherited", "common options", "persistent"} {
		fl.Global = fl.Global || strings.Contains(t, w)
	}
	fl.Help = strings.Join(strings.Fields(strings.Join(e.help, " ")), " ")
	if e.spec.literal != "" {
		fl.Default, fl.Metavar = strings.Trim(e.spec.literal, "'\""), ""
	}
	describe(&fl)
	return fl
}
