package scaffold

import "strings"

// line is one line of a normalised help text.
type line struct {
	text   string // without blanks at its end
	body   string // without blanks at its start too
	indent int    // in bytes: what stands left of a help's columns is ASCII
}

func (l line) blank() bool { return l.body == "" }

func splitLines(text string) []line {
	raw := strings.Split(text, "\n")
	out := make([]line, len(raw))
	for i, t := range raw {
		t = strings.TrimRight(t, " ")
		body := strings.TrimLeft(t, " ")
		out[i] = line{text: t, body: body, indent: len(t) - len(body)}
	}
	return out
}

// gap gives where the first run of two or more blanks after the line's first
// word begins and ends, -1 when there is none.
func (l line) gap() (from, to int) {
	i := strings.Index(l.text[l.indent:], "  ")
	if i < 0 {
		return -1, -1
	}
	from = l.indent + i
	to = from
	for to < len(l.text) && l.text[to] == ' ' {
		to++
	}
	return from, to
}

// wordAt says whether a word begins at column c after a blank.
func (l line) wordAt(c int) bool {
	return c > l.indent && c < len(l.text) && l.text[c] != ' ' && l.text[c-1] == ' '
}

// columns gives the column where most of the lines' second column begins, -1
// when no line has one.
func columns(ls []line) int {
	count := map[int]int{}
	best, votes := -1, 0
	for _, l := range ls {
		_, to := l.gap()
		if to < 0 {
			continue
		}
		count[to]++
		if n := count[to]; n > votes || n == votes && to > best {
			best, votes = to, n
		}
	}
	return best
}

// split cuts an entry into its left column and its description. bounded says
// that the cut is a column's edge: all that is left of it belongs to the entry.
func (l line) split(column int) (left, right string, bounded bool) {
	from, to := l.gap()
	if colon := strings.Index(l.text, " : "); colon > l.indent && (from < 0 || colon < from) {
		return l.text[l.indent:colon], strings.TrimSpace(l.text[colon+3:]), true
	}
	if column > 0 && l.wordAt(column) && (from < 0 || to >= column || balanced(l.text[:column]) && valueAt(l.text[to:column])) {
		return strings.TrimSpace(l.text[:column]), l.text[column:], true
	}
	if column > l.indent && column+2 < len(l.text) && l.text[column:column+2] == "= " && l.text[column-1] != ' ' && balanced(l.text[:column]) {
		return l.text[l.indent:column], l.text[column:], true // the left column is full: "--all-names= What it does"
	}
	if from >= 0 {
		return l.text[l.indent:from], l.text[to:], true
	}
	return l.body, "", false
}

// valueAt says whether what stands between a gap and the descriptions' column
// is an argument's name: "-x, --exec   <CMD>   description".
func valueAt(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (strings.IndexByte("<[{(-=", s[0]) >= 0 || isCaps(s))
}

// balanced says whether every bracket that s opens is closed.
func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '<', '(', '{':
			depth++
		case ']', '>', ')', '}':
			depth--
		}
	}
	return depth == 0
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }

// isName says whether s can be a sub-command's word.
func isName(s string) bool {
	if s == "" || len(s) > 48 || !isAlnum(s[0]) {
		return false
	}
	letters := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isAlpha(c):
			letters = true
		case isDigit(c):
		case strings.IndexByte("-_.:+", c) >= 0:
			if i == len(s)-1 && c != '+' {
				return false
			}
		default:
			return false
		}
	}
	return letters
}

// isCaps says whether s is a metavar by its capitals: FILE, KEY=VALUE, N.
func isCaps(s string) bool {
	upper := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			upper = true
		case isDigit(c) || strings.IndexByte("-_.:|,/=+@'\"#[]<>()%*", c) >= 0:
		default:
			return false
		}
	}
	return upper
}
