package config

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
)

// bom is the UTF-8 byte order mark that some editors put first.
const bom = "\ufeff"

// layer is one file that is being read: its text, its tables, and what was
// found to be wrong with it.
type layer struct {
	reader
	path string
	text string
	root *table
}

// reader collects problems, so that the one that stands first in the file can be
// told, whatever the order in which a map gives its keys.
type reader struct {
	problems []problem
	watch    func(t *table, name string) // told of every key that is asked for; nil: nobody
}

// problem is something wrong at one place; at is a path as scanLines writes it.
type problem struct{ at, what string }

func (r *reader) fail(at, what string) { r.problems = append(r.problems, problem{at, what}) }

// text is the problem in words, without file and line.
func (p problem) text() string {
	if name := displayPath(p.at); name != "" && !strings.HasPrefix(p.what, unknownKey) {
		return name + ": " + p.what
	}
	return p.what
}

// parseLayer reads TOML of valid syntax; the rules come later.
func parseLayer(path, text string) (l *layer, err error) {
	defer func() {
		// The library panics on what it takes for its own bug; a file must not
		// be able to end us with a stack trace.
		if recover() != nil {
			l, err = nil, &Error{Path: path, What: "not TOML"}
		}
	}()
	// The library would pass over a UTF-16 mark and then read ASCII.
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return nil, &Error{Path: path, Line: 1, What: "not UTF-8"}
	}
	if line := tooDeep(text); line > 0 {
		return nil, &Error{Path: path, Line: line, What: "nested too deep"}
	}
	var root any
	if _, err := toml.Decode(text, &root); err != nil {
		return nil, syntaxError(path, text, err)
	}
	l = &layer{path: path, text: text}
	m, _ := root.(map[string]any) // an empty file has no keys
	l.root = newTable(&l.reader, m, "")
	return l, nil
}

// tooDeep guards the library's recursion, and gives the line where brackets go
// deeper than any file of ours, or 0. It counts those in strings and comments
// too: a file in which a hundred of them are never closed is not worth more.
func tooDeep(text string) int {
	const most = 100
	depth, line := 0, 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			line++
		case '[', '{':
			if depth++; depth > most {
				return line
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return 0
}

// syntaxError gives the library's message our form: one line, lower case, no
// full stop, nothing unprintable.
func syntaxError(path, text string, err error) error {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return &Error{Path: path, What: "not TOML"}
	}
	message := strings.TrimSuffix(pe.Message, ".")
	for _, goType := range []string{" for int64", " for float64"} {
		message = strings.TrimSuffix(message, goType)
	}
	var b strings.Builder
	for i, r := range message {
		switch {
		case i == 0 && !strings.HasPrefix(message, "TOML"):
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(printable(string(r)))
		}
	}
	// The library's own line is one off around line ends; its offset is right,
	// and does not count the byte order mark.
	text = strings.TrimPrefix(text, bom)
	before := text[:min(max(pe.Position.Start, 0), len(text))]
	return &Error{Path: path, Line: strings.Count(before, "\n") + 1, What: b.String()}
}

// err gives the problem that stands first in the file, or nil.
func (l *layer) err() error {
	if len(l.problems) == 0 {
		return nil
	}
	index := lineIndex(l.text)
	var first *Error
	for _, p := range l.problems {
		e := &Error{Path: l.path, Line: lineOf(index, p.at), What: p.text()}
		if first == nil || e.Line < first.Line || e.Line == first.Line && e.What < first.What {
			first = e
		}
	}
	return first
}

// lineOf finds a path's line. A key that is not there has its table's.
func lineOf(index map[string]int, at string) int {
	for {
		if line, ok := index[at]; ok {
			return line
		}
		i := strings.LastIndex(at, pathSep)
		if i < 0 {
			return 1
		}
		at = at[:i]
	}
}

// displayPath is a path for people: dotted, list positions left out.
func displayPath(at string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(at, pathSep) {
		if part == "" || strings.HasPrefix(part, indexMark) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(displayKey(part))
	}
	return b.String()
}

func displayKey(key string) string {
	for _, c := range key {
		if c >= unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_' {
			return quoted(key)
		}
	}
	if len(key) > 64 {
		return quoted(key)
	}
	return key
}

// indexPath is the path of an element of an array of tables.
func indexPath(at string, i int) string { return at + pathSep + indexMark + strconv.Itoa(i) }
