package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// jsonNode is one value of a JSON text and where it stands. Objects have a key
// for each kid, arrays none.
type jsonNode struct {
	kind       byte // the value's first byte
	start, end int
	keys       []string
	keyAt      []int
	kids       []*jsonNode
}

// parseJSONNodes finds every value of a text. Comments, a byte order mark and
// whatever else is not JSON are errors: to guess what was meant would be to
// rewrite it.
func parseJSONNodes(text string) (*jsonNode, error) {
	if !json.Valid([]byte(text)) {
		var v any
		line := 1
		if syntax, ok := json.Unmarshal([]byte(text), &v).(*json.SyntaxError); ok {
			line += strings.Count(text[:min(int(syntax.Offset), len(text))], "\n")
		}
		return nil, cannotEdit("line %d is not valid JSON", line)
	}
	p := jsonWalker{s: text}
	return p.value(), nil
}

// jsonWalker reads text that is known to be valid.
type jsonWalker struct {
	s string
	i int
}

func (p *jsonWalker) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

func (p *jsonWalker) value() *jsonNode {
	p.space()
	n := &jsonNode{kind: p.s[p.i], start: p.i}
	switch n.kind {
	case '{', '[':
		p.list(n)
	case '"':
		p.text()
	default:
		for p.i < len(p.s) && strings.IndexByte(" \t\r\n,]}", p.s[p.i]) < 0 {
			p.i++
		}
	}
	n.end = p.i
	return n
}

func (p *jsonWalker) list(n *jsonNode) {
	for p.i++; ; {
		p.space()
		switch p.s[p.i] {
		case '}', ']':
			p.i++
			return
		case ',':
			p.i++
			continue
		}
		if n.kind == '{' {
			at := p.i
			var key string
			_ = json.Unmarshal([]byte(p.text()), &key) // it is valid
			n.keys, n.keyAt = append(n.keys, key), append(n.keyAt, at)
			p.space()
			p.i++ // the colon
		}
		n.kids = append(n.kids, p.value())
	}
}

func (p *jsonWalker) text() string {
	start := p.i
	for p.i++; p.s[p.i] != '"'; p.i++ {
		if p.s[p.i] == '\\' {
			p.i++
		}
	}
	p.i++
	return p.s[start:p.i]
}

// find gives the index of a key, -1 when it is not there. One that is there
// twice means a different thing to every reader.
func (n *jsonNode) find(key string) (int, error) {
	found := -1
	for i, k := range n.keys {
		if k != key {
			continue
		}
		if found >= 0 {
			return 0, cannotEdit("the key %q is there twice", printable(key))
		}
		found = i
	}
	return found, nil
}

// at walks a path of keys; nil when it ends early.
func (n *jsonNode) at(path []string) *jsonNode {
	for _, key := range path {
		i, err := n.find(key)
		if err != nil || i < 0 {
			return nil
		}
		n = n.kids[i]
	}
	return n
}

// JSONText is the string at a path of a JSON text; "" when there is none.
func JSONText(text string, path ...string) string {
	root, err := parseJSONNodes(text)
	if err != nil {
		return ""
	}
	var s string
	if n := root.at(path); n != nil && json.Unmarshal([]byte(text[n.start:n.end]), &s) == nil {
		return s
	}
	return ""
}

// sameJSON compares two values, however they are written.
func sameJSON(a, b string) bool {
	var x, y any
	return decodeNumbers(a, &x) == nil && decodeNumbers(b, &y) == nil && reflect.DeepEqual(x, y)
}

func decodeNumbers(s string, v any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.UseNumber()
	return d.Decode(v)
}
