package pack

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// Schema is the part of JSON Schema that a manifest's args may use
// (formats.md). Every method accepts nil, which allows everything.
type Schema struct {
	Types       []string // empty: any
	Properties  []Property
	Required    []string
	Enum        []hcp.Value // empty: any
	Pattern     string      // RE2, unanchored; "": none
	Minimum     string      // a number as written; "": none
	Maximum     string
	Items       *Schema
	Title       string
	Description string
	Default     hcp.Value // shown in help only; never filled in
	Examples    []hcp.Value
	Other       []string  // keywords that are not looked at: check reports them
	Raw         hcp.Value // as it was written
}

// Property is one declared argument, in the manifest's order.
type Property struct {
	Name   string
	Schema *Schema
}

// Property returns the schema of the argument called name, or nil.
func (s *Schema) Property(name string) *Schema {
	if s == nil {
		return nil
	}
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// Requires tells whether the argument called name has to be given.
func (s *Schema) Requires(name string) bool {
	return s != nil && slices.Contains(s.Required, name)
}

// List tells whether the argument is declared an array: one token per element.
func (s *Schema) List() bool { return s.is("array") }

func (s *Schema) is(kind string) bool { return s != nil && slices.Contains(s.Types, kind) }

// enumTexts are the allowed values in the form they are rendered in.
func (s *Schema) enumTexts() []string {
	if s == nil {
		return nil
	}
	var list []string
	for _, v := range s.Enum {
		if text, ok := hcp.CLIText(v); ok {
			list = append(list, text)
		}
	}
	return list
}

// Flags returns the enum of an argument whose every value is itself a flag,
// such as ["--draft"], or nil for any other argument.
func (s *Schema) Flags() []string {
	texts := s.enumTexts()
	for _, t := range texts {
		if !flagLike(t) {
			return nil
		}
	}
	return texts
}

// hasFlag tells whether any allowed value, or element, is itself a flag.
func (s *Schema) hasFlag() bool {
	return slices.ContainsFunc(s.tokenTexts(), flagLike)
}

// tokenTexts is the enum that one token of the argument is held to: for a list,
// its elements' too.
func (s *Schema) tokenTexts() []string {
	if s.List() {
		return append(s.enumTexts(), s.Items.enumTexts()...)
	}
	return s.enumTexts()
}

// text tells whether one token of the argument is declared a string.
func (s *Schema) text() bool {
	return s.is("string") || s.List() && s.Items.is("string")
}

// flagLike tells whether a program could read the word as a flag: "-" is a file
// and "-5" a number.
func flagLike(word string) bool {
	return len(word) > 1 && word[0] == '-' && !numberLike(word)
}

// numberLike is the form of a negative number on a command line.
func numberLike(word string) bool {
	s, neg := strings.CutPrefix(word, "-")
	if !neg {
		return false
	}
	mant, exp, hasExp := strings.Cut(strings.ToLower(s), "e")
	if exp != "" && (exp[0] == '+' || exp[0] == '-') {
		exp = exp[1:]
	}
	if hasExp && !digits(exp) {
		return false
	}
	whole, frac, dot := strings.Cut(mant, ".")
	return (digits(whole) && (!dot || digits(frac))) || (whole == "" && dot && digits(frac))
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

var schemaTypes = [...]string{"string", "number", "integer", "boolean", "array", "object", "null"}

func (d *decoder) schema(n node) *Schema {
	s := &Schema{
		Types:       d.textOrTexts(n.get("type")),
		Required:    d.texts(n.get("required")),
		Pattern:     d.text(n.get("pattern")),
		Minimum:     d.number(n.get("minimum")),
		Maximum:     d.number(n.get("maximum")),
		Title:       d.text(n.get("title")),
		Description: d.text(n.get("description")),
		Default:     n.get("default").v,
		Enum:        d.list(n.get("enum")),
		Examples:    d.list(n.get("examples")),
		Raw:         n.v,
	}
	if n.get("enum").there() && len(s.Enum) == 0 {
		d.fail(n.get("enum"), "empty")
	}
	for _, t := range s.Types {
		if !slices.Contains(schemaTypes[:], t) {
			d.fail(n.get("type"), hcp.Quote(t)+" is not a type")
		}
	}
	props := n.get("properties")
	for i, m := range d.members(props) {
		s.Properties = append(s.Properties, Property{props.v.Members[i].Name, d.schema(m)})
	}
	if items := n.get("items"); items.there() {
		s.Items = d.schema(items)
	}
	for i := range d.members(n) {
		if name := n.v.Members[i].Name; !knownKeyword(name) {
			s.Other = append(s.Other, name)
		}
	}
	return s
}

func knownKeyword(name string) bool {
	switch name {
	case "type", "required", "properties", "enum", "pattern", "minimum", "maximum",
		"items", "description", "title", "default", "examples":
		return true
	}
	return false
}

func (d *decoder) number(n node) string {
	if n.there() && (n.v.Kind != hcp.Number || !isNumber(n.v.Text)) {
		d.fail(n, "not a number")
	}
	return n.v.Text
}

func (d *decoder) list(n node) []hcp.Value {
	if n.there() && n.v.Kind != hcp.Array {
		d.fail(n, "not a list")
	}
	return n.v.Items
}
