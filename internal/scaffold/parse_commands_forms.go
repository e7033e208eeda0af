package scaffold

import "strings"

// columnar reads lists that name commands only: several to a line in columns,
// or with commas between them. nil: the lines are not such a list.
func columnar(ls []line) []string {
	if labelled := labelledLists(ls); labelled != nil {
		return labelled
	}
	var out []string
	rows, full := 0, 0
	for i, l := range ls {
		if l.blank() {
			if rows > 0 && i+1 < len(ls) && !ls[i+1].blank() && !namesOnly(ls[i+1].body) {
				break
			}
			continue
		}
		if !namesOnly(l.body) {
			return nil
		}
		rows++
		words := strings.FieldsFunc(l.body, func(r rune) bool { return r == ' ' || r == ',' })
		if len(words) > 1 {
			full++
		}
		out = append(out, words...)
	}
	if rows == 0 || full*2 < rows || full == 0 {
		return nil
	}
	return out
}

// bullets reads a list of names with a bullet before each; nil when a line is
// anything else.
func bullets(ls []line) []string {
	var out []string
	for _, l := range ls {
		if l.blank() {
			continue
		}
		mark, name, _ := strings.Cut(l.body, " ")
		if mark != "•" && mark != "o" && mark != "*" && mark != "-" || !isName(name) || l.indent == 0 {
			if len(out) > 1 {
				break // the page's foot
			}
			return nil
		}
		out = append(out, name)
	}
	return out
}

// labelledLists reads "Basics: find, info, install" line by line.
func labelledLists(ls []line) []string {
	var out []string
	rows, commas := 0, 0
	for _, l := range ls {
		if l.blank() {
			if rows > 0 {
				break
			}
			continue
		}
		label, list, ok := strings.Cut(l.body, ": ")
		if !ok || strings.ContainsAny(label, ",<[") || !namesOnly(list) {
			return nil
		}
		rows++
		if strings.Contains(list, ",") {
			commas++
		}
		out = append(out, strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' })...)
	}
	if rows < 2 || commas*2 < rows {
		return nil
	}
	return out
}

// nested reads entries that stand below a group's: "alert", then deeper "query
// [<flags>]". It gives how many lines they take, 0 when the lines are the
// group's description.
func (c *commandList) nested(ls []line, base int, group *Entry, title string) int {
	if group == nil || group.Help != "" {
		return 0
	}
	n, own := 0, ls[0].indent
	for n < len(ls) && !ls[n].blank() && ls[n].indent > base {
		if ls[n].indent < own || ls[n].indent == own && !entryShaped(ls[n].body) {
			return 0
		}
		n++
	}
	for _, l := range ls[:n] {
		if l.indent != own {
			continue
		}
		if words, _, ok := c.words(l.body, false); ok {
			c.addDeeper([]string{group.Name}, Entry{Name: words[0], Section: title}, title)
		}
	}
	return n
}

// entryShaped says whether a line is a command's name and its arguments: no
// sentence, which begins with a capital or goes on in plain words.
func entryShaped(s string) bool {
	words := usageTokens(s)
	if !isLiteral(strings.TrimRight(words[0], "*")) {
		return false
	}
	for _, w := range words[1:] {
		if !argument(w) {
			return false
		}
	}
	return len(words) > 1 || strings.HasSuffix(words[0], "*")
}

// ownEntry lifts what a page lists below its own command's name.
func (c *commandList) ownEntry(path []string) {
	if len(path) == 0 || len(c.entries) != 1 || c.entries[0].Name != path[len(path)-1] || len(c.deeper) == 0 {
		return
	}
	own, deeper := c.entries[0].Name, c.deeper
	c.entries, c.deeper, c.place = nil, nil, map[string]int{}
	for _, d := range deeper {
		if len(d.Under) == 1 && d.Under[0] == own {
			c.add(d.Entry)
		}
	}
}

// namesOnly says whether a line holds nothing but names, apart by commas or by
// two blanks and more.
func namesOnly(s string) bool {
	comma := strings.Contains(s, ",")
	gaps := strings.Contains(s, "  ")
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
	for _, w := range words {
		if !isName(w) {
			return false
		}
	}
	if len(words) < 2 {
		return len(words) == 1
	}
	if comma {
		return strings.Count(s, ",") >= len(words)-1
	}
	if !gaps {
		return false
	}
	for _, cell := range strings.Split(s, "  ") {
		if strings.Contains(strings.TrimSpace(cell), " ") {
			return false
		}
	}
	return true
}

// subparsers reads argparse's sub-commands: entries below "{a,b}" or below a
// metavar, in the section of the positional arguments.
func (c *commandList) subparsers(s section) {
	for i, l := range s.lines {
		if l.blank() || i+1 >= len(s.lines) {
			continue
		}
		next := s.lines[i+1]
		heads := l.body[0] == '{' || groupName(l, s.lines[i+1:]) || isCommandWord(l.body) || l.body[0] == '<' && !strings.Contains(l.body, "  ")
		if !heads || next.blank() || next.indent <= l.indent || next.indent > l.indent+6 {
			continue
		}
		end := i + 1
		for end < len(s.lines) && (s.lines[end].blank() || s.lines[end].indent > l.indent) {
			end++
		}
		c.list(s.lines[i+1:end], s.title)
		c.unlisted(l.body, s.title)
		if isCaps(l.body) {
			c.metavar = l.body
		}
		return
	}
}

// groupName says whether a line is argparse's name for its sub-commands,
// "ROLE_ACTION", with entries in two columns below it: what describes an
// argument would be one column.
func groupName(l line, below []line) bool {
	if !isCaps(l.body) || strings.Contains(l.body, " ") {
		return false
	}
	n := 0
	for _, b := range below {
		if b.blank() || b.indent <= l.indent {
			break
		}
		if b.indent != below[0].indent {
			continue
		}
		if from, _ := b.gap(); from < 0 || !isLiteral(b.text[b.indent:from]) {
			return false
		}
		n++
	}
	return n > 0
}

// unlisted adds those of "{a,b,c}" that have no line of their own below it.
func (c *commandList) unlisted(choices, title string) {
	if !strings.HasPrefix(choices, "{") || !strings.HasSuffix(choices, "}") || len(c.entries) == 0 {
		return
	}
	known := map[string]bool{}
	for i := range c.entries {
		c.entries[i].readAliases()
		for _, n := range append([]string{c.entries[i].Name}, c.entries[i].Aliases...) {
			known[n] = true
		}
	}
	for _, w := range strings.Split(choices[1:len(choices)-1], ",") {
		if isName(w) && !known[w] {
			c.add(Entry{Name: w, Section: title})
		}
	}
}

// prefixed reads entries that begin with the bin's name, whatever the heading:
// two or more of them are a list of commands.
func (c *commandList) prefixed(s section) {
	n, told := 0, 0
	for i, l := range s.lines {
		w, rest, _ := strings.Cut(l.body, " ")
		if w == c.bin && rest != "" && l.indent > 0 && c.below(rest) {
			n++
			if next, adjacent := following(s.lines, i); !strings.Contains(rest, " -") && (l.gapped() || adjacent && next.indent > l.indent) {
				told++
			}
		}
	}
	// Entries have descriptions; examples have none.
	if n < 2 && (n == 0 || s.title == "") || told*2 < n {
		return
	}
	var ls []line
	keep := false
	for _, l := range s.lines {
		w, rest, _ := strings.Cut(l.body, " ")
		switch {
		case w == c.bin && c.below(rest) && l.indent > 0:
			keep = true
		case l.blank() || l.indent <= s.indent:
			keep = false
		}
		if keep {
			ls = append(ls, l)
		}
	}
	c.list(ls, s.title)
}

// below says whether rest begins with a command's word below the page's path.
func (c *commandList) below(rest string) bool {
	if c.path != "" {
		if !strings.HasPrefix(rest, c.path+" ") {
			return false
		}
		rest = rest[len(c.path)+1:]
	}
	w, _, _ := strings.Cut(rest, " ")
	return isLiteral(strings.TrimRight(strings.Split(w, "|")[0], ","))
}

// looseSection reads a list under a heading that does not speak of commands,
// on a page whose usage line asks for one: two or more entries in two columns.
func (c *commandList) looseSection(s section) {
	var entries []line
	for _, l := range s.lines {
		if l.blank() {
			continue
		}
		if len(entries) > 0 && l.indent > entries[0].indent {
			continue
		}
		left, _, bounded := l.split(-1)
		w, _, _ := strings.Cut(left, " ")
		if !bounded || !isLiteral(strings.TrimRight(w, ",:")) || startsFlag(l.body) {
			return
		}
		entries = append(entries, l)
	}
	if len(entries) >= 2 {
		c.list(s.lines, s.title)
	}
}

// usageWords gives the sub-commands that usage lines name: two or more
// different words at the place of one, or one that is surely meant.
func usageWords(words []string, sure bool) []string {
	var out []string
	for _, w := range words {
		out = appendNew(out, w)
	}
	if len(out) < 2 && !sure {
		return nil
	}
	return out
}
