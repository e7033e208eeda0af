package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// statement is one header or pair of a TOML text, by the scanner that also finds
// lines for hcp.toml.
type statement struct {
	header     bool
	base       string // path of the table it opens, or stands in
	path       string // of a pair: its whole path
	start, end int    // end is behind the value, before a comment
}

func statements(text string) []statement {
	skip := len(text) - len(strings.TrimPrefix(text, bom))
	last := ""
	sc := &scanner{s: text[skip:], line: 1, count: map[string]int{}}
	var list []statement
	for sc.space(); sc.i < len(sc.s); sc.space() {
		first := true
		sc.visit = func(path []byte, _ int) {
			// A dotted key is visited part by part before its value; the value's
			// own parts come later and lie deeper in brackets.
			if first {
				last = string(path)
			}
			first = first && sc.peekAfterBlank() == '.'
		}
		st := statement{start: skip + sc.i}
		switch sc.peek() {
		case 0:
			sc.i++
			continue
		case '[':
			sc.header()
			st.header, st.base = true, string(sc.base)
		default:
			sc.pair(sc.base)
			st.base, st.path = string(sc.base), last
		}
		st.end = skip + min(sc.i, len(sc.s))
		st.end = st.start + len(strings.TrimRight(text[st.start:st.end], " \t\r\n"))
		list = append(list, st)
	}
	return list
}

// peekAfterBlank is the next byte that is no blank.
func (sc *scanner) peekAfterBlank() byte {
	rest := strings.TrimLeft(sc.s[min(sc.i, len(sc.s)):], " \t")
	if rest == "" {
		return 0
	}
	return rest[0]
}

// tomlValues decodes a TOML text. The error is an *EditError.
func tomlValues(text string) (map[string]any, error) {
	m := map[string]any{}
	if _, err := toml.Decode(strings.TrimPrefix(text, bom), &m); err != nil {
		line := 0
		if p, ok := err.(toml.ParseError); ok {
			line = p.Position.Line
		}
		return nil, cannotEdit("line %d is not valid TOML", max(line, 1))
	}
	return m, nil
}

// TOMLText is the string at a path of a TOML text; "" when there is none.
func TOMLText(text string, path ...string) string {
	m, err := tomlValues(text)
	if err != nil {
		return ""
	}
	s, _ := valueAt(m, path).(string)
	return s
}

// TOMLList is the list of strings at a path of a TOML text; nil when there is
// none.
func TOMLList(text string, path ...string) []string {
	m, err := tomlValues(text)
	if err != nil {
		return nil
	}
	var out []string
	list, _ := valueAt(m, path).([]any)
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func valueAt(m map[string]any, path []string) any {
	var v any = m
	for _, key := range path {
		t, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = t[key]
	}
	return v
}

// EditTOML is EditJSON for a TOML text: values are strings and lists of strings.
// A table is extended where it stands, however it is written; a new one comes at
// the end. What comes out is read again, and must be what was there plus the
// edits and nothing else.
func EditTOML(text string, edits []Edit) (string, []Splice, []Edit, error) {
	old, err := tomlValues(text)
	if err != nil {
		return text, nil, nil, err
	}
	s := &splicer{text: text}
	var done []Edit
	for _, e := range edits {
		var value any
		if err := json.Unmarshal([]byte(e.Value), &value); err != nil {
			return text, nil, nil, cannotEdit("%s: not a value", e.name())
		}
		was := valueAt(old, e.Path)
		if reflect.DeepEqual(was, value) {
			continue
		}
		made := depthThere(old, e.Path)
		raw, err := s.setTOML(e, old, was != nil, value)
		if err != nil {
			return text, nil, nil, err
		}
		done = append(done, e.done(made, raw))
	}
	if len(done) == 0 {
		return text, nil, nil, nil
	}
	return s.text, s.steps, done, nil
}

// depthThere counts the leading keys of a path that are there.
func depthThere(m map[string]any, path []string) int {
	for i := range path {
		if valueAt(m, path[:i+1]) == nil {
			return i
		}
	}
	return len(path)
}

// setTOML tries the ways of writing an edit until one reads back as it should,
// and brings values up to date.
func (s *splicer) setTOML(e Edit, values map[string]any, there bool, value any) (string, error) {
	ways := []func(Edit) (splicer, string, bool){s.inTable, s.inBraces, s.besideDotted, s.newTable}
	if there {
		ways = []func(Edit) (splicer, string, bool){s.replaced}
	}
	want := withValue(values, e.Path, value)
	for _, way := range ways {
		next, was, ok := way(e)
		if !ok {
			continue
		}
		if got, err := tomlValues(next.text); err == nil && reflect.DeepEqual(got, want) {
			*s = next
			values[e.Path[0]] = want[e.Path[0]]
			return was, nil
		}
	}
	return "", cannotEdit("%s cannot be put in there", e.name())
}

// withValue is a copy of m with a value at path, sharing what does not change.
func withValue(m map[string]any, path []string, value any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	if len(path) == 1 {
		out[path[0]] = value
		return out
	}
	below, _ := out[path[0]].(map[string]any)
	out[path[0]] = withValue(below, path[1:], value)
	return out
}

func (s *splicer) copy() splicer { return splicer{text: s.text, steps: slices.Clone(s.steps)} }

func joined(path []string) string { return strings.Join(path, pathSep) }

// inTable adds a line behind the last one of the edit's own table.
func (s *splicer) inTable(e Edit) (splicer, string, bool) {
	table, key := joined(e.Path[:len(e.Path)-1]), e.Path[len(e.Path)-1]
	end := -1
	for _, st := range statements(s.text) {
		if st.base == table && (st.header || end >= 0) {
			end = st.end
		}
	}
	if end < 0 {
		return splicer{}, "", false
	}
	return s.lineAfter(end, tomlKey(key)+" = "+e.Value), "", true
}

// lineAfter adds a line behind the one that holds at.
func (s *splicer) lineAfter(at int, line string) splicer {
	next, eol := s.copy(), lineEnd(s.text)
	if i := strings.IndexByte(s.text[at:], '\n'); i >= 0 {
		at += i + 1
		next.put(at, at, line+eol)
	} else {
		next.put(len(s.text), len(s.text), eol+line+eol)
	}
	return next
}

// besideDotted adds a line behind one that names the table with dots.
func (s *splicer) besideDotted(e Edit) (splicer, string, bool) {
	table := joined(e.Path[:len(e.Path)-1])
	for _, st := range slices.Backward(statements(s.text)) {
		if st.header || !strings.HasPrefix(st.path, table+pathSep) || st.base != "" && !strings.HasPrefix(table, st.base+pathSep) {
			continue
		}
		rest := e.Path
		if st.base != "" {
			rest = e.Path[strings.Count(st.base, pathSep)+1:]
		}
		return s.lineAfter(st.end, blankBefore(s.text, st.start)+dotted(rest)+" = "+e.Value), "", true
	}
	return splicer{}, "", false
}

// newTable adds the table at the end. A table in braces cannot be extended from
// outside of them, though our own library reads it: other programs would not.
func (s *splicer) newTable(e Edit) (splicer, string, bool) {
	for n := range e.Path {
		if _, written := spanOf(s.text, e.Path[:n]); written {
			return splicer{}, "", false
		}
	}
	next, last := s.copy(), len(e.Path)-1
	block := "[" + dotted(e.Path[:last]) + "]\n" + tomlKey(e.Path[last]) + " = " + e.Value + "\n"
	next.put(len(s.text), len(s.text), joinBlock(s.text, block)[len(s.text):])
	return next, "", true
}

// replaced puts the edit's value in the place of the one that is there.
func (s *splicer) replaced(e Edit) (splicer, string, bool) {
	at, ok := spanOf(s.text, e.Path)
	if !ok {
		return splicer{}, "", false
	}
	next := s.copy()
	next.put(at.from, at.to, e.Value)
	return next, s.text[at.from:at.to], true
}

// dotted writes a path as a key.
func dotted(path []string) string {
	var keys []string
	for _, k := range path {
		keys = append(keys, tomlKey(k))
	}
	return strings.Join(keys, ".")
}

// tomlKey writes a key bare where it can be.
func tomlKey(key string) string {
	bare := key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
	if bare {
		return key
	}
	return JSONString(key)
}
