package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// EditJSON puts values into a JSON text in the text's own style; every other
// byte stays as it was. It gives the new text, the steps that lead back, and
// those edits that were not there yet. An empty text counts as {}. The error is
// an *EditError.
func EditJSON(text string, edits []Edit) (string, []Splice, []Edit, error) {
	s := &splicer{text: text}
	if strings.TrimSpace(text) == "" {
		s.put(0, len(text), "{}\n")
	}
	var done []Edit
	for _, e := range edits {
		made, was, changed, err := s.setJSON(e)
		if err != nil {
			return text, nil, nil, err
		}
		if changed {
			done = append(done, e.done(made, was))
		}
	}
	if len(done) == 0 {
		return text, nil, nil, nil
	}
	if !json.Valid([]byte(s.text)) {
		return text, nil, nil, cannotEdit("cannot be edited")
	}
	return s.text, s.steps, done, nil
}

func (s *splicer) setJSON(e Edit) (made int, was string, changed bool, err error) {
	n, err := parseJSONNodes(s.text)
	if err != nil {
		return 0, "", false, err
	}
	for i, key := range e.Path {
		if n.kind != '{' {
			return 0, "", false, notA("an object", e.Path[:i])
		}
		at, err := n.find(key)
		if err != nil {
			return 0, "", false, err
		}
		if at < 0 {
			s.addKid(n, key, nested(e.Path[i+1:], e))
			return i, "", true, nil
		}
		n = n.kids[at]
	}
	if e.Element {
		return s.addElement(n, e)
	}
	was = s.text[n.start:n.end]
	if sameJSON(was, e.Value) {
		return 0, "", false, nil
	}
	s.put(n.start, n.end, s.render(e.Value, blankBefore(s.text, n.start), strings.Contains(was, "\n")))
	return len(e.Path), was, true, nil
}

func (s *splicer) addElement(n *jsonNode, e Edit) (int, string, bool, error) {
	if n.kind != '[' {
		return 0, "", false, notA("a list", e.Path)
	}
	for _, kid := range n.kids {
		if sameJSON(s.text[kid.start:kid.end], e.Value) {
			return 0, "", false, nil
		}
	}
	s.addKid(n, "", e.Value)
	return len(e.Path), "", true, nil
}

func notA(what string, path []string) error {
	if len(path) == 0 {
		return cannotEdit("is not %s", what)
	}
	return cannotEdit("%s is not %s", printable(strings.Join(path, ".")), what)
}

// nested wraps an edit's value in the objects that its path still lacks.
func nested(path []string, e Edit) string {
	value := e.Value
	if e.Element {
		value = "[" + value + "]"
	}
	for _, key := range slices.Backward(path) {
		value = "{" + JSONString(key) + ":" + value + "}"
	}
	return value
}

// JSONString writes a text as JSON, with no more escapes than it needs.
func JSONString(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always can
	return strings.TrimSuffix(b.String(), "\n")
}

// addKid puts a member or, without a key, an element last in an object or array,
// written as the one before it is.
func (s *splicer) addKid(n *jsonNode, key, value string) {
	eol, name := lineEnd(s.text), ""
	if key != "" {
		name = JSONString(key) + ": "
	}
	if len(n.kids) == 0 {
		outer := blankBefore(s.text, n.start)
		inner := outer + s.unit()
		s.put(n.start+1, n.end-1, eol+inner+name+s.render(value, inner, true)+eol+outer)
		return
	}
	last := len(n.kids) - 1
	at := n.kids[last].start
	if n.kind == '{' {
		at = n.keyAt[last]
	}
	before := strings.TrimRight(s.text[:at], " \t")
	sep := s.text[len(before):at]
	lines := strings.HasSuffix(before, "\n")
	switch {
	case lines:
		sep = "," + eol + sep
	case last == 0:
		sep = ", "
	default:
		sep = "," + sep
	}
	end := n.kids[last].end
	s.put(end, end, sep+name+s.render(value, blankBefore(s.text, at), lines))
}

// render writes a value on one line, or over several behind the margin given.
func (s *splicer) render(value, margin string, lines bool) string {
	if !lines {
		return value
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(value), margin, s.unit()) != nil {
		return value
	}
	return strings.ReplaceAll(b.String(), "\n", lineEnd(s.text))
}

// unit is the text's own step of indentation; two spaces when it shows none.
func (s *splicer) unit() string {
	for line := range strings.SplitSeq(s.text, "\n") {
		rest := strings.TrimLeft(line, " \t")
		if blank := line[:len(line)-len(rest)]; blank != "" && strings.TrimSpace(rest) != "" {
			return blank
		}
	}
	return "  "
}

// UndoJSON takes edits back from a text that has changed since: what they put in
// goes, and what they replaced comes back, but only where the value still is the
// edit's. left names the places where it is not. Empty objects and lists that
// the edits made go too.
func UndoJSON(text string, done []Edit) (string, []string, error) {
	s := &splicer{text: text}
	var left []Edit
	for _, e := range slices.Backward(done) {
		root, err := parseJSONNodes(s.text)
		if err != nil {
			return text, nil, err
		}
		if !s.unsetJSON(root, e) {
			left = append(left, e)
		}
	}
	root, err := parseJSONNodes(s.text)
	if err != nil {
		return text, nil, err
	}
	// What went with the whole of its entry is not left.
	left = slices.DeleteFunc(left, func(e Edit) bool { return root.at(e.Path) == nil })
	return s.text, editNames(left), nil
}

// unsetJSON is false when the value is now somebody else's.
func (s *splicer) unsetJSON(root *jsonNode, e Edit) bool {
	if e.Own > 0 && e.Made < e.Own {
		s.cutPath(root, e.Path[:e.Own], e.Made)
		return true
	}
	n := root.at(e.Path)
	if n == nil {
		return true
	}
	if e.Element {
		for i, kid := range n.kids {
			if e.is(s.text[kid.start:kid.end]) {
				s.cutKid(n, i)
				s.prune(e.Path, e.Made)
				return true
			}
		}
		return true
	}
	if !e.is(s.text[n.start:n.end]) {
		return false
	}
	if e.Was != "" {
		s.put(n.start, n.end, e.Was)
		return true
	}
	s.cutPath(root, e.Path, e.Made)
	return true
}

// cutPath removes the member at path and then what is empty because of that.
func (s *splicer) cutPath(root *jsonNode, path []string, made int) {
	parent := root.at(path[:len(path)-1])
	if parent == nil {
		return
	}
	if i, err := parent.find(path[len(path)-1]); err == nil && i >= 0 {
		s.cutKid(parent, i)
		s.prune(path[:len(path)-1], made)
	}
}

// prune removes the containers of a path, from its end, that are empty and that
// came with the edit: those behind the first made keys.
func (s *splicer) prune(path []string, made int) {
	for len(path) > made {
		root, err := parseJSONNodes(s.text)
		if err != nil {
			return
		}
		n, parent := root.at(path), root.at(path[:len(path)-1])
		if n == nil || len(n.kids) > 0 || n.kind != '{' && n.kind != '[' {
			return
		}
		i, err := parent.find(path[len(path)-1])
		if err != nil || i < 0 {
			return
		}
		s.cutKid(parent, i)
		path = path[:len(path)-1]
	}
}

// cutKid removes one member or element with the comma that was its own.
func (s *splicer) cutKid(n *jsonNode, i int) {
	start := func(i int) int {
		if n.kind == '{' {
			return n.keyAt[i]
		}
		return n.kids[i].start
	}
	switch {
	case i > 0:
		s.put(n.kids[i-1].end, n.kids[i].end, "")
	case len(n.kids) > 1:
		s.put(start(0), start(1), "")
	default:
		s.put(n.start+1, n.end-1, "")
	}
}
