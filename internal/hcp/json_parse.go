package hcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// errTooDeep is told apart because its words differ by face.
var errTooDeep = errors.New("nested too deep")

// IsTooDeep tells whether a ParseJSON error is about nesting.
func IsTooDeep(err error) bool { return errors.Is(err, errTooDeep) }

// ParseJSON reads exactly one JSON value, the strict way (formats.md): a
// duplicate name, trailing data, invalid UTF-8 or half a surrogate pair is an
// error. Arrays and objects nest at most maxDepth deep. Errors are one line
// without a position: what is read here is short or machine-written.
func ParseJSON(data []byte, maxDepth int) (Value, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Value{}, errors.New("empty input")
	}
	if !utf8.Valid(data) {
		return Value{}, errors.New("not UTF-8")
	}
	// encoding/json judges the grammar, so that what is JSON is not our
	// opinion; the walk below may then assume well-formed input.
	if !json.Valid(data) {
		return Value{}, syntaxError(data)
	}
	p := parser{s: string(data), left: maxDepth}
	return p.value()
}

func syntaxError(data []byte) error {
	var v any
	err := json.Unmarshal(data, &v)
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		return fmt.Errorf("not JSON: %s", strings.TrimPrefix(syn.Error(), "json: "))
	}
	return errors.New("not JSON")
}

// parser walks input that json.Valid has accepted.
type parser struct {
	s    string
	i    int
	left int // levels of nesting that remain
}

func (p *parser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

// next skips space and takes one byte.
func (p *parser) next() byte {
	p.space()
	c := p.s[p.i]
	p.i++
	return c
}

func (p *parser) value() (Value, error) {
	p.space()
	switch c := p.s[p.i]; c {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		s, err := p.str()
		return Value{Kind: String, Text: s}, err
	case 't':
		p.i += len("true")
		return Value{Kind: Bool, Bool: true}, nil
	case 'f':
		p.i += len("false")
		return Value{Kind: Bool}, nil
	case 'n':
		p.i += len("null")
		return Value{Kind: Null}, nil
	}
	start := p.i
	for p.i < len(p.s) && strings.IndexByte("+-.eE0123456789", p.s[p.i]) >= 0 {
		p.i++
	}
	return Value{Kind: Number, Text: p.s[start:p.i]}, nil
}

func (p *parser) array() (Value, error) {
	if p.left--; p.left < 0 {
		return Value{}, errTooDeep
	}
	defer func() { p.left++ }()
	p.i++
	v := Value{Kind: Array}
	if p.space(); p.s[p.i] == ']' {
		p.i++
		return v, nil
	}
	for {
		it, err := p.value()
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, it)
		if p.next() == ']' {
			return v, nil
		}
	}
}

func (p *parser) object() (Value, error) {
	if p.left--; p.left < 0 {
		return Value{}, errTooDeep
	}
	defer func() { p.left++ }()
	p.i++
	v := Value{Kind: Object}
	if p.space(); p.s[p.i] == '}' {
		p.i++
		return v, nil
	}
	var seen map[string]bool
	for {
		p.space()
		name, err := p.str()
		if err != nil {
			return Value{}, err
		}
		if seen, err = unique(v.Members, seen, name); err != nil {
			return Value{}, err
		}
		p.next() // ':'
		val, err := p.value()
		if err != nil {
			return Value{}, err
		}
		v.Members = append(v.Members, Member{name, val})
		if p.next() == '}' {
			return v, nil
		}
	}
}

// unique reports a name that the object already has. Small objects are
// searched, large ones get a set: the size is the sender's choice.
func unique(have []Member, seen map[string]bool, name string) (map[string]bool, error) {
	const few = 16
	dup := false
	switch {
	case seen != nil:
		dup = seen[name]
		seen[name] = true
	case len(have) < few:
		for i := range have {
			dup = dup || have[i].Name == name
		}
	default:
		seen = make(map[string]bool, 4*few)
		for i := range have {
			seen[have[i].Name] = true
		}
		dup = seen[name]
		seen[name] = true
	}
	if dup {
		return seen, fmt.Errorf("duplicate key %s", Quote(name))
	}
	return seen, nil
}

// str reads a string that starts at p.i. Half a surrogate pair has no UTF-8
// form: decoding it to U+FFFD would make two different names equal.
func (p *parser) str() (string, error) {
	p.i++
	start := p.i
	for p.s[p.i] != '"' && p.s[p.i] != '\\' {
		p.i++
	}
	if p.s[p.i] == '"' { // no escapes: share the input's memory
		p.i++
		return p.s[start : p.i-1], nil
	}
	out := []byte(p.s[start:p.i])
	for p.s[p.i] != '"' {
		if p.s[p.i] != '\\' {
			out = append(out, p.s[p.i])
			p.i++
			continue
		}
		r, err := p.escape()
		if err != nil {
			return "", err
		}
		out = utf8.AppendRune(out, r)
	}
	p.i++
	return string(out), nil
}

// escape reads one escape sequence, both halves of a pair together.
func (p *parser) escape() (rune, error) {
	c := p.s[p.i+1]
	p.i += 2
	switch c {
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		r := p.hex4()
		if !utf16.IsSurrogate(r) {
			return r, nil
		}
		if strings.HasPrefix(p.s[p.i:], `\u`) {
			p.i += 2
			if r = utf16.DecodeRune(r, p.hex4()); r != utf8.RuneError {
				return r, nil
			}
		}
		return 0, errors.New("half a surrogate pair in a string")
	}
	return rune(c), nil // one of " \ /
}

func (p *parser) hex4() rune {
	n, _ := strconv.ParseUint(p.s[p.i:p.i+4], 16, 32) // json.Valid saw the digits
	p.i += 4
	return rune(n)
}
