package scaffold

import "strings"

// sectionKind is what a section's heading says that it holds.
type sectionKind int

const (
	otherSection sectionKind = iota
	usageSection
	optionSection
	commandSection
	argumentSection
	exampleSection
	proseSection // topics, environment, exit status, …: neither flags nor commands
)

// section is a heading and the lines under it.
type section struct {
	title  string
	kind   sectionKind
	indent int // of the heading; -1: the text before the first heading
	lines  []line
	bare   bool // the heading has no colon and is not in capitals
}

// sections cuts a text at its headings. What stands before the first heading is
// a section without a title.
func sections(ls []line) []section {
	c := cutter{ls: ls, cur: section{indent: -1}, flag: -1, resume: -1}
	for i := range ls {
		c.line(i)
	}
	c.out = append(c.out, c.cur)
	inherit(c.out)
	return c.out
}

// cutter is the state of sections.
type cutter struct {
	ls     []line
	out    []section
	cur    section
	flag   int     // indentation of the options' entries in cur; -1: none
	open   int     // brackets that the usage lines left open
	back   section // options that a heading among them interrupted
	resume int     // indentation of their entries; -1: none were interrupted
}

func (c *cutter) line(i int) {
	l := c.ls[i]
	title, rest, bare, ok := heading(c.ls, i)
	if ok && c.flag >= 0 && l.indent > c.flag && c.cur.kind != usageSection {
		ok = false // "Possible values:" in a description
	}
	switch {
	case ok:
		c.interrupt(l)
		c.start(section{title: title, indent: l.indent, bare: bare, kind: kindOf(title)})
		if c.open = depth(rest); rest != "" {
			// "usage: x [-a]": the text begins on the heading's own line.
			at := len(l.text) - len(rest)
			c.cur.lines = append(c.cur.lines, line{text: strings.Repeat(" ", at) + rest, body: rest, indent: at})
		}
		return
	case c.cur.kind == usageSection && endsUsage(c.ls, i, c.cur, c.open):
		next := section{indent: -1}
		if startsFlag(l.body) {
			next.kind = optionSection
		}
		c.start(next)
	case c.cur.kind == usageSection:
		c.open += depth(l.body)
	case c.resume >= 0 && c.cur.kind == exampleSection && l.indent == c.resume && startsFlag(l.body):
		c.start(section{title: c.back.title, indent: c.back.indent, kind: optionSection})
	}
	if startsFlag(l.body) && (c.flag < 0 || l.indent < c.flag) {
		c.flag = l.indent
	}
	c.cur.lines = append(c.cur.lines, l)
}

func (c *cutter) start(s section) {
	c.out = append(c.out, c.cur)
	c.cur, c.flag = s, -1
}

// interrupt remembers a list of options that a heading stands among, such as
// that of one option's examples: it goes on behind them.
func (c *cutter) interrupt(l line) {
	switch {
	case c.flag >= 0 && l.indent == c.flag && l.indent > c.cur.indent && c.cur.kind == optionSection:
		c.back, c.resume = c.cur, c.flag
	case l.indent < c.resume:
		c.resume = -1
	}
}

// endsUsage says whether line i stands after the usage lines: behind a blank
// line, unless it goes on with them, or as the first of a list of options.
func endsUsage(ls []line, i int, s section, open int) bool {
	l := ls[i]
	first := firstEntry(s.lines)
	if l.blank() || first.blank() || open > 0 {
		return false
	}
	if l.body[0] == '-' && startsFlag(l.body) && l.indent < first.indent {
		return true
	}
	if !ls[i-1].blank() {
		if l.body[0] == '-' && startsFlag(l.body) && l.gapped() {
			return true
		}
		return l.indent <= first.indent && !usageBegins(l.body, first.body) && l.indent < 20
	}
	return !usageGoesOn(ls[i:], first)
}

// usageBegins says whether a line at the place of the usage lines is one: it
// begins with the same word, with "or", with a bracket or with an option.
func usageBegins(s, first string) bool {
	low := strings.ToLower(s)
	return sameStart(s, first) || strings.IndexByte("[<({|-.", s[0]) >= 0 || strings.HasPrefix(low, "or ") || strings.HasPrefix(low, "or:")
}

// heading says whether line i is a heading, and gives its title and what text
// follows on the same line.
func heading(ls []line, i int) (title, rest string, bare, ok bool) {
	l := ls[i]
	if title, ok := oneOf(l); ok {
		return title, "", false, true
	}
	if l.blank() || strings.IndexByte("-[<{$#*|", l.body[0]) >= 0 || len(l.body) > 160 {
		return "", "", false, false
	}
	if title, rest, ok := usageHeading(l); ok {
		return title, rest, false, true
	}
	if strings.HasSuffix(strings.ToLower(l.body), " examples:") {
		return "examples", "", false, true
	}
	next, adjacent := following(ls, i)
	if next.blank() {
		return "", "", false, false
	}
	if strings.HasSuffix(l.body, ":") && !strings.Contains(l.body, "  ") {
		t := strings.TrimRight(l.body, ": ")
		k := kindOf(t)
		if next.indent > l.indent || next.indent == l.indent && (startsFlag(next.body) || next.gapped()) ||
			!adjacent && k == commandSection && wordCount(l.body) < 8 ||
			!adjacent && (k == commandSection || k == optionSection || k == proseSection) && isHeadingLike(next) {
			return t, "", false, t != ""
		}
		return "", "", false, false
	}
	if capitals(l.body) && (next.indent > l.indent || isRule(next.body) || !adjacent && next.indent == l.indent && next.body[0] == '-' && startsFlag(next.body)) {
		return strings.TrimRight(l.body, ":"), "", false, true
	}
	if k := kindOf(l.body); k != otherSection && wordCount(l.body) < 4 && l.body[0] >= 'A' && l.body[0] <= 'Z' && !strings.ContainsAny(l.body, ".,;`'\"<[(…") && next.indent > l.indent && (i == 0 || ls[i-1].blank()) {
		return l.body, "", false, true
	}
	if k := kindOf(l.body); wordCount(l.body) < 4 && adjacent && next.indent == l.indent && (k == optionSection && next.body[0] == '-' && startsFlag(next.body)) ||
		wordCount(l.body) < 14 && next.indent == l.indent && k == commandSection && strings.Count(next.body, "  ") > 1 && namesOnly(next.body) {
		return l.body, "", false, true
	}
	alone := i == 0 || ls[i-1].blank() || isHeadingLike(ls[i-1])
	if alone && adjacent && next.indent > l.indent && !strings.Contains(l.body, "  ") &&
		(startsFlag(next.body) || next.gapped() && !strings.HasSuffix(l.body, ",")) {
		return strings.TrimRight(l.body, "."), "", true, true
	}
	return "", "", false, false
}

// oneOf reads "<action> is one of:", which heads a list of commands.
func oneOf(l line) (title string, ok bool) {
	word, rest, ok := strings.Cut(l.body, " ")
	if !ok || word[0] != '<' || !isCommandWord(word) {
		return "", false
	}
	switch strings.TrimRight(rest, ": ") {
	case "is one of", "is one of the following", "can be one of", "may be one of", "can be", "is", "may be", "are":
		return "commands", strings.HasSuffix(rest, ":")
	}
	return "", false
}

func wordCount(s string) int { return strings.Count(s, " ") + 1 }

// gapped says whether a line has two columns, the first of few words.
func (l line) gapped() bool {
	from, _ := l.gap()
	return from > 0 && strings.Count(l.text[l.indent:from], " ") < 6
}

func isHeadingLike(l line) bool {
	return strings.HasSuffix(l.body, ":") && !strings.Contains(l.body, "  ") && !startsFlag(l.body)
}

// following gives the next line that is not blank, and whether it is adjacent.
func following(ls []line, i int) (line, bool) {
	for j := i + 1; j < len(ls) && j < i+6; j++ {
		if !ls[j].blank() {
			return ls[j], j == i+1
		}
	}
	return line{}, false
}

// usageHeading reads "Usage:", "usage: x …", "Usage of x:" and "SYNOPSIS".
func usageHeading(l line) (title, rest string, ok bool) {
	low := strings.ToLower(l.body[:min(len(l.body), 12)])
	for _, lead := range []string{"Command line ", "Command-line "} {
		if rest, ok := strings.CutPrefix(l.body, lead); ok {
			return usageHeading(line{body: rest})
		}
	}
	for _, w := range []string{"usage", "synopsis", "syntax"} {
		if !strings.HasPrefix(low, w) {
			continue
		}
		after := l.body[len(w):]
		if after == "" && (w == "synopsis" || l.body == strings.ToUpper(l.body) || l.body == "Usage") {
			return w, "", true
		}
		if strings.HasPrefix(after, " of ") && strings.HasSuffix(after, ":") {
			return "options", "", true
		}
		if i := strings.IndexByte(after, ':'); i >= 0 && i < 24 && !strings.ContainsAny(after[:i], "[]<>.,") {
			return w, strings.TrimSpace(after[i+1:]), true
		}
	}
	return "", "", false
}

// capitals says whether a heading is one by its capitals: "CORE COMMANDS".
func capitals(s string) bool {
	letters := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			letters++
		case c == ' ':
			if i > 0 && s[i-1] == ' ' {
				return false
			}
		case strings.IndexByte("&/-,()", c) >= 0 || isDigit(c) || c == ':' && i == len(s)-1:
		default:
			return false
		}
	}
	return letters > 2
}

// isRule says whether a line underlines the one before it.
func isRule(s string) bool {
	return len(s) > 2 && strings.Trim(s, string(s[0])) == "" && strings.IndexByte("=-~+*#_", s[0]) >= 0
}

// kindOf reads a heading's words.
func kindOf(title string) sectionKind {
	t := strings.ToLower(title)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(t, w) {
				return true
			}
		}
		return false
	}
	switch {
	case t == "usage" || t == "synopsis" || t == "syntax":
		return usageSection
	case has("example"):
		return exampleSection
	case has("option", "flag", "switches", "parameter") && !has("topic"):
		return optionSection
	case has("topic", "environment variable", "exit status", "exit code", "exit value", "see also", "learn more", "interfaces", "file formats",
		"guides", "author", "copyright", "reporting bugs", "return value", "diagnostics", "possible values"):
		return proseSection
	case has("positional", "argument", "operands"):
		return argumentSection
	case has("command", "verbs", "actions") && len(t) < 80, t == "object", t == "objects":
		return commandSection
	case t == "environment" || t == "files" || t == "notes" || t == "bugs" || t == "version" || t == "name":
		return proseSection
	}
	return otherSection
}

// inherit gives a heading that says nothing the kind of the section of commands
// or of topics that it divides: it is deeper, or the section before it had no
// entries of its own, or it is one of a row of such headings.
func inherit(ss []section) {
	parent := -1
	for i := range ss {
		s := &ss[i]
		if s.title != "" && (s.kind == commandSection || s.kind == proseSection && strings.Contains(strings.ToLower(s.title), "topic")) {
			parent = i
			continue
		}
		if s.kind != otherSection || parent < 0 {
			parent = -1
			continue
		}
		p := ss[parent]
		empty := countLines(p.lines) == 0
		within := s.indent > p.indent || (s.bare || empty) && s.indent == p.indent || s.bare && empty && p.indent > 0
		if within && sameColumns(*s, ss[i-1], p) {
			s.kind = p.kind
		} else {
			parent = -1
		}
	}
}

// sameColumns says whether s holds a list laid out like the one before it.
func sameColumns(s, prev, parent section) bool {
	a, b := firstEntry(s.lines), firstEntry(prev.lines)
	if a.blank() {
		return false
	}
	if b.blank() || countLines(parent.lines) == 0 && prev.title == parent.title {
		return true
	}
	return a.indent == b.indent
}

func firstEntry(ls []line) line {
	for _, l := range ls {
		if !l.blank() {
			return l
		}
	}
	return line{}
}

func countLines(ls []line) int {
	n := 0
	for _, l := range ls {
		if !l.blank() {
			n++
		}
	}
	return n
}
