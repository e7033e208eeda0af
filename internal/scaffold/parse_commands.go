package scaffold

import "strings"

// commandList collects the entries of a page.
type commandList struct {
	bin, path string // the words that entries may begin with; "" unknown
	entries   []Entry
	deeper    []Deeper
	place     map[string]int // of a name in entries
	groups    map[string]int // how many entries of the list begin with a word
	metavar   string         // the usage line's name for them, where the list is below it; "" none
}

// commandsOf gives the sub-commands that a page lists. loose asks for lists
// under headings that do not speak of commands, too.
func commandsOf(ss []section, path []string, bin string, loose bool) *commandList {
	c := &commandList{bin: bin, path: strings.Join(path, " "), place: map[string]int{}}
	for i, s := range ss {
		switch {
		case i > 0 && s.kind == otherSection && ss[i-1].kind == argumentSection && countLines(ss[i-1].lines) == 0 && s.indent > ss[i-1].indent && groupName(line{body: s.title, indent: s.indent}, s.lines):
			c.list(s.lines, s.title)
			c.metavar = s.title
		case s.kind == commandSection && s.title != "", s.title == "TOPICS" && oclif(ss):
			c.section(s)
		case s.kind == argumentSection:
			c.subparsers(s)
		case (s.kind == otherSection || s.kind == optionSection) && bin != "":
			c.prefixed(s)
		}
	}
	if len(c.entries) == 0 && loose {
		for _, s := range ss {
			if s.kind != otherSection {
				continue
			}
			if marks := bullets(s.lines); len(marks) > 1 && s.title != "" {
				c.names(marks, s.title)
			} else {
				c.looseSection(s)
			}
		}
	}
	for i := range c.entries {
		c.entries[i].readAliases()
	}
	return c
}

// section reads a section that lists commands, in whatever way.
func (c *commandList) section(s section) {
	ls := s.lines
	if wide := columnar(ls); wide != nil {
		c.names(wide, s.title)
	} else if marks := bullets(ls); len(marks) > 1 {
		c.names(marks, s.title)
	} else {
		c.list(ls, s.title)
	}
}

func (c *commandList) names(list []string, title string) {
	for _, w := range list {
		c.add(Entry{Name: w, Section: title})
	}
}

// list reads entries one per line. Deeper lines belong to the entry above.
func (c *commandList) list(ls []line, title string) {
	base := c.base(ls)
	if base < 0 {
		return
	}
	if c.bin == "" {
		c.bin = commonWord(atIndent(ls, base))
	}
	c.groups = map[string]int{title: 1}
	for _, l := range atIndent(ls, base) {
		w, _, _ := strings.Cut(l.body, " ")
		c.groups[w]++
	}
	column := columns(atIndent(ls, base))
	var last *Entry
	for i := 0; i < len(ls); i++ {
		l := ls[i]
		switch {
		case l.blank():
		case l.indent > base:
			if n := c.nested(ls[i:], base, last, title); n > 0 {
				i += n - 1
				continue
			}
			if label := isCaps(l.body) && ls[max(i-1, 0)].blank(); last != nil && !label && len(last.Help) < 400 {
				last.Help = strings.TrimSpace(last.Help + " " + l.body)
			}
		case l.indent < base:
			return
		default:
			last = c.entry(l, column, title)
		}
	}
}

// base gives the indentation of a list's entries: of its first line that reads
// as one, which is below "{a,b,c}" or "<command>" where a list is headed so.
func (c *commandList) base(ls []line) int {
	for i, l := range ls {
		if l.blank() || startsFlag(l.body) {
			continue
		}
		next, adjacent := following(ls, i)
		if adjacent && next.indent < l.indent && isCaps(l.body) {
			continue // a label above a group's descriptions
		}
		if heads := strings.IndexByte("{<", l.body[0]) >= 0; heads && adjacent && next.indent > l.indent {
			return next.indent
		}
		if left, _, bounded := l.split(-1); bounded || len(strings.Fields(left)) == 1 || c.starts(left) {
			return l.indent
		}
		if adjacent && next.indent > l.indent && !strings.HasSuffix(l.body, ".") {
			return l.indent
		}
		if adjacent && next.indent == l.indent && synopsis(l.body) && synopsis(next.body) {
			return l.indent
		}
	}
	return -1
}

// synopsis says whether a line is a command's name and then, at once, arguments
// in brackets: "amend [--force] FILE".
func synopsis(s string) bool {
	name, rest, ok := strings.Cut(s, " ")
	return ok && isLiteral(name) && strings.IndexByte("[<({", rest[0]) >= 0
}

func (c *commandList) starts(left string) bool {
	w, _, _ := strings.Cut(strings.TrimPrefix(left, "$ "), " ")
	return c.bin != "" && w == c.bin || strings.HasSuffix(w, ",") || strings.Contains(left, " - ") || strings.HasSuffix(w, ":")
}

// commonWord gives the word that three or more entries all begin with: the
// bin's name; "" when there is none.
func commonWord(ls []line) string {
	word := ""
	for _, l := range ls {
		w, rest, _ := strings.Cut(strings.TrimPrefix(l.body, "$ "), " ")
		if rest == "" || !isName(w) || rest[0] == ' ' || word != "" && w != word {
			return ""
		}
		word = w
	}
	if len(ls) < 3 {
		return ""
	}
	return word
}

func atIndent(ls []line, indent int) []line {
	var out []line
	for _, l := range ls {
		if !l.blank() && l.indent == indent {
			out = append(out, l)
		}
	}
	return out
}

// entry reads one entry's line; nil when it is none.
func (c *commandList) entry(l line, column int, title string) *Entry {
	left, help, bounded := l.split(column)
	if !bounded {
		if i := strings.Index(left, " - "); i > 0 {
			left, help, bounded = left[:i], left[i+3:], true
		} else if i := strings.Index(left, ": "); i > 0 && isName(left[:i]) {
			left, help, bounded = left[:i], left[i+2:], true
		}
	}
	help = strings.TrimPrefix(strings.TrimPrefix(help, "- "), ": ")
	words, aliases, ok := c.words(left, bounded)
	if !ok {
		return nil
	}
	e := Entry{Name: words[len(words)-1], Aliases: aliases, Help: strings.TrimSpace(help), Section: title}
	if len(words) > 1 {
		return c.addDeeper(words[:len(words)-1], e, title)
	}
	return c.add(e)
}

// words reads an entry's left column: the command's words, and other names for
// the last of them. What follows are its arguments.
func (c *commandList) words(left string, bounded bool) (words, aliases []string, ok bool) {
	left = strings.TrimPrefix(left, "$ ")
	toks := usageTokens(left)
	prefixed := false
	if path := strings.Fields(c.path); len(path) > 0 && len(toks) > len(path) && equal(toks[:len(path)], path) && isName(strings.TrimRight(toks[len(path)], "*,:")) {
		toks = toks[len(path):] // "alert query" on the page of alert
	}
	if c.bin != "" && len(toks) > 1 && toks[0] == c.bin {
		toks, prefixed = toks[1:], true
		for _, p := range strings.Fields(c.path) {
			if len(toks) > 1 && toks[0] == p {
				toks = toks[1:]
			}
		}
	}
	if len(toks) > 0 {
		if letter, ok := modified(toks[0]); ok {
			return []string{letter}, nil, true
		}
		if short, long, ok := shortened(toks[0]); ok {
			return []string{long}, []string{short}, true
		}
	}
	for i, t := range toks {
		more := strings.HasSuffix(t, ",")
		name := strings.TrimRight(t, ",:*")
		if at := strings.IndexByte(name, '('); at > 0 && len(name) == at+3 && isDigit(name[at+1]) {
			name = strings.TrimPrefix(name[:at], c.bin+"-") // "git-add(1)" of a manual page
		}
		first, others, _ := strings.Cut(name, "|")
		if i == 0 && !isName(first) {
			return nil, nil, false
		}
		if i > 0 && !isName(first) {
			if strings.HasPrefix(t, "(") && !strings.Contains(t, "--") && !strings.Contains(t, "|") {
				aliases = append(aliases, aliasList(strings.Join(toks[i:], " "))...)
			} else if !argument(t) && !bounded {
				return nil, nil, false
			}
			bounded = bounded || allLiteral(words)
			break
		}
		if i > 0 && len(aliases) == 0 && !strings.HasSuffix(toks[i-1], ",") && isCaps(first) {
			break // "set-default TARGET"
		}
		if i > 0 && strings.HasSuffix(toks[i-1], ",") {
			aliases = append(aliases, first)
		} else if len(aliases) > 0 {
			break
		} else {
			words = append(words, first)
		}
		if others != "" {
			aliases = append(aliases, strings.Split(others, "|")...)
		}
		if !more && others != "" {
			break
		}
	}
	return c.deep(words, aliases, prefixed, bounded)
}

// modified reads "r[ab][f]", which is r with modifiers.
func modified(t string) (letter string, ok bool) {
	if len(t) < 4 || !isAlpha(t[0]) {
		return "", false
	}
	for rest := t[1:]; rest != ""; {
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end < 2 || end > 3 {
			return "", false
		}
		rest = rest[end+1:]
	}
	return t[:1], true
}

// shortened reads "g[eneral]", which is "g" or "general".
func shortened(t string) (short, long string, ok bool) {
	at := strings.IndexByte(t, '[')
	if at < 1 || !strings.HasSuffix(t, "]") || !isLiteral(t[:at]) || !isLiteral(t[at+1:len(t)-1]) {
		return "", "", false
	}
	return t[:at], t[:at] + t[at+1:len(t)-1], true
}

// oclif says whether a page is of oclif, whose topics are groups of commands.
func oclif(ss []section) bool {
	for _, s := range ss {
		if l := firstEntry(s.lines); s.kind == usageSection && strings.HasPrefix(l.body, "$ ") && strings.HasSuffix(l.body, " [COMMAND]") {
			return true
		}
	}
	return false
}

// deep decides what several plain words of an entry are: a command below a
// group, a command and its arguments, or no entry but a sentence.
func (c *commandList) deep(words, aliases []string, prefixed, bounded bool) (w, a []string, ok bool) {
	switch {
	case len(words) == 0:
		return nil, nil, false
	case len(words) == 1:
		return words, aliases, true
	case prefixed:
		return words[:min(len(words), 4)], aliases, true
	case !bounded || len(words) > 4 || !allLiteral(words):
		return nil, nil, false
	case c.groups[words[0]] < 2:
		return words[:1], aliases, len(words) < 4 // "copy from to": its arguments
	}
	return words, aliases, true
}

func allLiteral(words []string) bool {
	for _, w := range words {
		if !isLiteral(w) {
			return false
		}
	}
	return true
}

// argument says whether a token of an entry's left column is an argument.
func argument(t string) bool {
	return strings.IndexByte("[<({-'\"", t[0]) >= 0 || isCaps(t) || strings.Contains(t, "...") || strings.ContainsAny(t, "|=") || strings.HasPrefix(t, "…")
}

func aliasList(s string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("()[], ", r) }) {
		if isName(w) && !strings.EqualFold(w, "default") && !strings.EqualFold(w, "alias") {
			out = append(out, w)
		}
	}
	return out
}

// readAliases reads the aliases that the description names.
func (e *Entry) readAliases() {
	low := strings.ToLower(e.Help)
	for _, mark := range []string{"[aliases: ", "[alias: ", "(aliases: ", "(alias: "} {
		if i := strings.Index(low, mark); i >= 0 && len(low) == len(e.Help) {
			rest := e.Help[i+len(mark):]
			if end := strings.IndexAny(rest, "])"); end >= 0 {
				for _, a := range aliasList(rest[:end]) {
					e.Aliases = appendNew(e.Aliases, a)
				}
				e.Help = strings.TrimSpace(e.Help[:i] + rest[end+1:])
				return
			}
		}
	}
}

func (c *commandList) add(e Entry) *Entry {
	if at, ok := c.place[e.Name]; ok {
		have := &c.entries[at]
		if have.Help == "" {
			have.Help = e.Help
		}
		return have
	}
	if len(c.entries) >= 2000 {
		return nil
	}
	c.place[e.Name] = len(c.entries)
	c.entries = append(c.entries, e)
	return &c.entries[len(c.entries)-1]
}

// addDeeper records "cache clear": the group itself, and what is below it.
func (c *commandList) addDeeper(under []string, e Entry, title string) *Entry {
	c.add(Entry{Name: under[0], Section: title})
	for _, d := range c.deeper {
		if d.Entry.Name == e.Name && strings.Join(d.Under, " ") == strings.Join(under, " ") {
			return nil
		}
	}
	if len(c.deeper) >= 1000 {
		return nil
	}
	c.deeper = append(c.deeper, Deeper{Under: append([]string(nil), under...), Entry: e})
	return &c.deeper[len(c.deeper)-1].Entry
}
