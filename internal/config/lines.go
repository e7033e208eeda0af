package config

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A path names a place in a file: keys joined by pathSep, an element of an
// array as indexMark and its number.
const (
	pathSep   = "\x00"
	indexMark = "#"
)

// The TOML library tells lines for syntax errors only, so this finds where each
// key stands. It reads text that the library has accepted, judges nothing, and
// on any other text merely ends somewhere.
type scanner struct {
	s     string
	i     int
	line  int
	base  []byte         // path of the table that the last header opened
	count map[string]int // elements so far of each [[array]], by path
	visit func(path []byte, line int)
}

// lineIndex maps every path of a text to the line where it first appears.
func lineIndex(text string) map[string]int {
	index := map[string]int{}
	scanLines(text, func(path []byte, line int) {
		if _, ok := index[string(path)]; !ok {
			index[string(path)] = line
		}
	})
	return index
}

// scanLines calls visit for every table, array, element, key, and each part of
// a dotted key, in the order of the text. path is only valid during the call.
func scanLines(text string, visit func(path []byte, line int)) {
	sc := &scanner{s: strings.TrimPrefix(text, bom), line: 1, count: map[string]int{}, visit: visit}
	for sc.i < len(sc.s) {
		sc.space()
		switch sc.peek() {
		case 0:
			sc.i++
		case '[':
			sc.header()
		default:
			sc.pair(sc.base)
		}
	}
}

// peek is the byte under the cursor, 0 at the end.
func (sc *scanner) peek() byte {
	if sc.i < len(sc.s) {
		return sc.s[sc.i]
	}
	return 0
}

func (sc *scanner) has(prefix string) bool {
	return strings.HasPrefix(sc.s[min(sc.i, len(sc.s)):], prefix)
}

// next passes one byte and counts lines.
func (sc *scanner) next() {
	if sc.peek() == '\n' {
		sc.line++
	}
	sc.i++
}

// blank passes white space within a line.
func (sc *scanner) blank() {
	for c := sc.peek(); c == ' ' || c == '\t'; c = sc.peek() {
		sc.i++
	}
}

// space passes white space, line ends and comments.
func (sc *scanner) space() {
	for {
		switch sc.peek() {
		case ' ', '\t', '\r', '\n':
			sc.next()
		case '#':
			for c := sc.peek(); c != 0 && c != '\n'; c = sc.peek() {
				sc.i++
			}
		default:
			return
		}
	}
}

// header reads [a.b] or [[a.b]]. A part that is itself an array of tables means
// its last element.
func (sc *scanner) header() {
	sc.i++
	array := sc.peek() == '['
	if array {
		sc.i++
	}
	path := sc.base[:0]
	for {
		sc.blank()
		path = appendKey(path, sc.key())
		sc.blank()
		if sc.peek() != '.' {
			break
		}
		sc.i++
		sc.visit(path, sc.line)
		if n := sc.count[string(path)]; n > 0 {
			path = appendIndex(path, n-1)
			sc.visit(path, sc.line)
		}
	}
	sc.visit(path, sc.line)
	if array {
		n := sc.count[string(path)]
		sc.count[string(path)] = n + 1
		path = appendIndex(path, n)
		sc.visit(path, sc.line)
	}
	sc.base = path
	for c := sc.peek(); c == ']'; c = sc.peek() {
		sc.i++
	}
}

// pair reads key = value under the table at base.
func (sc *scanner) pair(base []byte) {
	start := sc.i
	path := base // what is appended lies behind base, where only this pair writes
	for {
		sc.blank()
		path = appendKey(path, sc.key())
		sc.visit(path, sc.line)
		sc.blank()
		if sc.peek() != '.' {
			break
		}
		sc.i++
	}
	if sc.peek() == '=' {
		sc.i++
		sc.blank()
		sc.value(path)
	}
	if sc.i == start {
		sc.next() // not TOML: go on, do not stand still
	}
}

func (sc *scanner) value(path []byte) {
	switch c := sc.peek(); {
	case sc.has(`"""`) || sc.has(`'''`):
		sc.multiline(sc.s[sc.i:sc.i+3], c == '"')
	case c == '"' || c == '\'':
		sc.key()
	case c == '[':
		sc.list(path, ']')
	case c == '{':
		sc.list(path, '}')
	default:
		for c := sc.peek(); c != 0 && strings.IndexByte(",]}#\n", c) < 0; c = sc.peek() {
			sc.i++
		}
	}
}

// list reads an array or an inline table.
func (sc *scanner) list(path []byte, end byte) {
	sc.i++
	for n := 0; ; {
		sc.space()
		switch c := sc.peek(); {
		case c == 0:
			return
		case c == end:
			sc.i++
			return
		case c == ',':
			sc.i++
		case end == '}':
			sc.pair(path)
		default:
			start := sc.i
			item := appendIndex(path, n)
			sc.visit(item, sc.line)
			sc.value(item)
			n++
			if sc.i == start {
				sc.next()
			}
		}
	}
}

// multiline passes a string in three quotes; up to two more quotes before the
// closing three belong to it.
func (sc *scanner) multiline(quotes string, escapes bool) {
	sc.i += 3
	for sc.i < len(sc.s) && !sc.has(quotes) {
		if escapes && sc.peek() == '\\' {
			sc.i++
		}
		sc.next()
	}
	sc.i += 3
	for n := 0; n < 2 && sc.peek() == quotes[0]; n++ {
		sc.i++
	}
}

// key reads a bare or quoted key; a one-line string value has the same form.
func (sc *scanner) key() string {
	switch quote := sc.peek(); quote {
	case '"', '\'':
		sc.i++
		start := sc.i
		for c := sc.peek(); c != 0 && c != quote && c != '\n'; c = sc.peek() {
			if c == '\\' && quote == '"' {
				sc.i++
			}
			sc.i++
		}
		body := sc.s[min(start, len(sc.s)):min(sc.i, len(sc.s))]
		if sc.peek() == quote {
			sc.i++
		}
		if quote == '"' && strings.IndexByte(body, '\\') >= 0 {
			return unescape(body)
		}
		return body
	}
	start := sc.i
	for c := sc.peek(); c != 0 && strings.IndexByte(" \t\r\n.=[]{},#\"'", c) < 0; c = sc.peek() {
		sc.i++
	}
	return sc.s[start:sc.i]
}

// unescape decodes a basic string of TOML.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		const from, to = "btnfre", "\b\t\n\f\r\x1b"
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
		if j := strings.IndexByte(from, s[i]); j >= 0 {
			b.WriteByte(to[j])
		} else if code, err := strconv.ParseUint(s[i+1:min(i+1+digits, len(s))], 16, 32); digits > 0 && err == nil {
			b.WriteRune(validRune(code))
			i += digits
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func validRune(code uint64) rune {
	if code > utf8.MaxRune {
		return utf8.RuneError
	}
	return rune(code)
}

func appendKey(path []byte, key string) []byte {
	if len(path) > 0 {
		path = append(path, pathSep...)
	}
	return append(path, key...)
}

func appendIndex(path []byte, n int) []byte {
	return strconv.AppendInt(append(append(path, pathSep...), indexMark...), int64(n), 10)
}
