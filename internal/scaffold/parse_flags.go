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
	seen   map[int]int // how many entries begin at an indentation
	joined *flagEntry  // the entry above ended in a comma: the next line is more of it
	out    []*flagEntry
}

// take adds another spelling's names to an entry.
func (e *flagEntry) take(sp spec) {
	for _, n := range sp.names {
		e.spec.names = appendNew(e.spec.names, n)
	}
	if e.spec.value == ValueNone {
		e.spec.value, e.spec.metavar = sp.value, sp.metavar
	}
}

// flagsOf gives the options that a section lists. A line is an option's entry
// when it begins like one, stands at the section's column for them, and is not
// the wrapped end of a description or of a sentence.
func flagsOf(s section, long map[int]bool) []*flagEntry {
	if s.kind == usageSection || s.kind == exampleSection || s.kind == proseSection {
		return nil
	}
	s.lines = untwin(s.lines)
	f := &flagScan{s: s, long: long, base: -1, seen: map[int]int{}}
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
		f.open(i)
	case f.cur != nil && (l.indent > f.cur.indent && !f.dedented(l) || typeLine(l.body) || f.flush(i)):
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

// flush says whether line i is the description of the option right above it,
// which some pages set at the same indentation, a blank line before the next.
func (f *flagScan) flush(i int) bool {
	l := f.s.lines[i]
	if f.s.kind != optionSection || l.indent != f.cur.indent || f.cur.column >= 0 || i == 0 || f.s.lines[i-1].blank() || isHeadingLike(l) {
		return false
	}
	return f.cur.below == l.indent || f.cur.below < 0 && startsFlag(f.s.lines[i-1].body)
}

// typeLine says whether a line is the types of the option above it, which yargs
// sets at its right edge, wherever that is.
func typeLine(s string) bool {
	for _, mark := range []string{"[string]", "[boolean]", "[number]", "[array]", "[count]", "[choices:", "[default:", "[required]"} {
		if strings.HasPrefix(s, mark) {
			return true
		}
	}
	return false
}

// accepts says whether line i, which begins like an option, is one's entry.
func (f *flagScan) accepts(i int) bool {
	l := f.s.lines[i]
	if f.cur != nil {
		if f.cur.column > 0 && l.indent >= f.cur.column || f.cur.below > 0 && l.indent >= f.cur.below {
			return false
		}
		return l.indent <= f.base || f.long[l.indent] || f.seen[l.indent] > 1 || l.indent <= f.base+4 && strings.HasPrefix(l.body, "--") && f.cur.column > 0
	}
	if i > 0 {
		p := f.s.lines[i-1]
		if !p.blank() && p.indent == l.indent && !isHeadingLike(p) && !startsFlag(p.body) && f.s.kind != optionSection && !marked(l) {
			return false
		}
	}
	if f.base >= 0 && l.indent > f.base+4 && !f.long[l.indent] {
		return false
	}
	return true
}

// marked says whether a line sets what describes the option apart by a gap or,
// behind a value's name in brackets, by a colon.
func marked(l line) bool { return l.gapped() || strings.Contains(l.body, ">: ") }

func (f *flagScan) open(i int) {
	l := f.s.lines[i]
	left, right, bounded := l.split(f.column)
	if cell, more, ok := strings.Cut(left, "  "); ok && startsFlag(strings.TrimLeft(more, " ")) {
		left, right = cell, strings.TrimLeft(more, " ")+"  "+right // "--name  -n  TEXT"
	}
	from, _ := l.gap()
	if right != "" && startsFlag(l.body) && allValue(right) {
		left, right, bounded = l.body, "", true // "-i|--install   <file>... | -R|--recursive <folder>..."
	}
	if from < 0 && right != "" && strings.IndexByte("<[{=", right[0]) >= 0 && !strings.HasPrefix(right, "= ") {
		// The column falls on a value's name by chance: "--key <hash> FILE or hash".
		left, right, bounded = l.body, "", false
	}
	if next, adjacent := following(f.s.lines, i); from < 0 && adjacent && next.indent >= l.indent+4 && !startsFlag(next.body) {
		// The description is below: the line is all its own.
		if whole := readSpec(l.body, true); whole.ok && whole.rest == "" {
			left, right, bounded = l.body, "", true
		}
	}
	sp := readSpec(left, bounded)
	if n := len(sp.names); !sp.ok || n == 1 && len(sp.names[0]) > 3 && isDigit(sp.names[0][1]) {
		return // "-1d" is a value
	}
	if right == "" && sp.rest != "" && f.s.kind != optionSection && !strings.HasPrefix(sp.rest, ":") && !strings.HasPrefix(sp.rest, "- ") && !marked(l) && f.prose(sp) {
		f.cur = nil
		return
	}
	alone := right == ""
	right = sp.moreColumns(right, strings.HasSuffix(left, ","))
	if f.joined != nil {
		f.joined.take(sp)
		f.cur = f.joined
		if f.joined = nil; right != "" {
			f.cur.help = append(f.cur.help, right)
			f.cur.column = len(l.text) - len(right)
		}
		return
	}
	f.push(l, sp, right)
	if sp.rest == "," && alone {
		f.joined = f.cur // "--color[=WHEN]," and the other spelling below
		f.cur.help = nil
	}
	for n := 0; n < 64 && startsFlag(strings.TrimLeft(sp.rest, "| ")); n++ {
		// "-depth -maxdepth LEVELS": several on one line.
		if sp = readSpec(strings.TrimLeft(sp.rest, "| "), bounded); !sp.ok {
			return
		}
		f.push(l, sp, right)
	}
}

// allValue says whether the second column holds no words but a value's name and
// other options with theirs.
func allValue(s string) bool {
	tok, rest := token(s)
	if !strings.HasPrefix(tok, "<") || !strings.HasSuffix(strings.TrimRight(tok, "."), ">") {
		return false
	}
	rest = strings.TrimLeft(rest, " ")
	if rest == "" {
		return strings.HasSuffix(tok, "...")
	}
	if rest[0] != '|' {
		return false
	}
	sp := readSpec(strings.TrimLeft(rest, "| "), true)
	return sp.ok && sp.rest == ""
}

// push records an entry and makes it the one that further lines describe.
func (f *flagScan) push(l line, sp spec, right string) {
	e := &flagEntry{spec: sp, indent: l.indent, column: -1, below: -1}
	rest := sp.rest
	if startsFlag(strings.TrimLeft(rest, "| ")) {
		rest = ""
	}
	text := strings.TrimSpace(strings.TrimLeft(rest+" "+right, ":;, "))
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
	f.seen[l.indent]++
	f.out = append(f.out, e)
}

// moreColumns takes further columns of names and of the value's type into the
// spec, as in "--name  -n  TEXT  What it is", and gives the description.
func (sp *spec) moreColumns(right string, goesOn bool) string {
	for range 3 {
		cell, rest, cut := strings.Cut(right, "  ")
		rest = strings.TrimLeft(rest, " ")
		switch {
		case cell == "or" && startsFlag(rest):
		case startsFlag(cell):
			more := readSpec(cell, true)
			if !more.ok || more.rest != "" || len(more.names) > 2 || !goesOn && (len(sp.names[0]) > 2) == (len(more.names[0]) > 2) {
				return right
			}
			for _, n := range more.names {
				sp.names = appendNew(sp.names, n)
			}
			if more.value != ValueNone && sp.value == ValueNone {
				sp.value, sp.metavar = more.value, more.metavar
			}
		case cut && sp.value == ValueNone && typeCell(cell):
			sp.value, sp.metavar = ValueRequired, strings.Trim(cell, "[]<>")
		default:
			return right
		}
		right = rest
	}
	return right
}

// typeCell says whether a cell is the type that click's tables print.
func typeCell(s string) bool {
	switch s {
	case "TEXT", "INTEGER", "FLOAT", "PATH", "FILE", "FILENAME", "DIRECTORY", "UUID", "INTEGER RANGE", "FLOAT RANGE", "BOOLEAN", "DATETIME", "URL", "STRING":
		return true
	}
	return strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") && strings.Contains(s, "|") && !strings.Contains(s, " ")
}

// untwin sets entries apart that stand two to a line, in columns.
func untwin(ls []line) []line {
	count := map[int]int{}
	flags, told := 0, 0
	for _, l := range ls {
		if !startsFlag(l.body) {
			continue
		}
		flags++
		for at := l.indent + 8; at < len(l.text); at++ {
			if l.text[at] == '-' && l.text[at-1] == ' ' && l.text[at-2] == ' ' && startsFlag(l.text[at:]) {
				count[at]++
				if sp := readSpec(strings.TrimSpace(l.text[:at]), false); sp.rest != "" {
					told++
				}
			}
		}
	}
	if told*2 < flags {
		return ls // the second column is another name, not another entry
	}
	twin := -1
	for at, n := range count {
		if n >= 3 && n*2 >= flags && (twin < 0 || n > count[twin] || n == count[twin] && at < twin) && at > 24 {
			twin = at
		}
	}
	if twin < 0 {
		return ls
	}
	var out []line
	for _, l := range ls {
		if len(l.text) <= twin || l.text[twin-1] != ' ' || !startsFlag(l.text[twin:]) {
			out = append(out, l)
			continue
		}
		left := strings.TrimRight(l.text[:twin], " ")
		right := strings.Repeat(" ", l.indent) + l.text[twin:]
		out = append(out, splitLines(left)...)
		out = append(out, splitLines(right)...)
	}
	return out
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
		if i := strings.Index(b[:min(len(b), 8)], "[--"); i > 0 {
			out[l.indent+i] = true
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
	fl.Help = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(fl.Help, "# "), "- "), "= ")
	if e.spec.literal == "[]" {
		fl.Repeat, fl.Metavar = true, ""
	} else if e.spec.literal != "" {
		fl.Default, fl.Metavar = strings.Trim(e.spec.literal, "'\""), ""
	}
	describe(&fl)
	return fl
}
