package hcp

import (
	"strconv"
	"unicode/utf8"
)

// Kind is the JSON type of a Value. The zero Kind is Missing: no value at all,
// which is not the same as null.
type Kind uint8

// The kinds of JSON value, and Missing for "there is none".
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is one JSON value, kept as it was written: numbers are their own
// digits, members keep their order (E-6). The zero Value is Missing.
type Value struct {
	Kind    Kind
	Text    string   // a String's content, or a Number exactly as written
	Bool    bool     // a Bool's value
	Items   []Value  // an Array's elements
	Members []Member // an Object's members, in order, names unique
}

// Member is one named value of an object.
type Member struct {
	Name  string
	Value Value
}

// StringValue returns a String.
func StringValue(s string) Value { return Value{Kind: String, Text: s} }

// BoolValue returns a Bool.
func BoolValue(b bool) Value { return Value{Kind: Bool, Bool: b} }

// IntValue returns a Number.
func IntValue(n int64) Value { return Value{Kind: Number, Text: strconv.FormatInt(n, 10)} }

// StringsValue returns an Array of Strings; nil gives an empty one.
func StringsValue(list []string) Value {
	v := Value{Kind: Array}
	for _, s := range list {
		v.Items = append(v.Items, StringValue(s))
	}
	return v
}

// Get returns the member called name, case-exact, or a Missing value.
func (v Value) Get(name string) Value {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value
		}
	}
	return Value{}
}

// Strings returns an array's elements; ok is false unless v is an array that
// holds strings only.
func (v Value) Strings() (list []string, ok bool) {
	if v.Kind != Array {
		return nil, false
	}
	list = make([]string, 0, len(v.Items))
	for _, it := range v.Items {
		if it.Kind != String {
			return nil, false
		}
		list = append(list, it.Text)
	}
	return list, true
}

// AppendJSON appends v as compact JSON: numbers as written, members in order,
// HTML characters not escaped. A Missing value is written as null.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case Bool:
		if v.Bool {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Number:
		return append(dst, v.Text...)
	case String:
		return AppendString(dst, v.Text)
	case Array:
		dst = append(dst, '[')
		for i, it := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = it.AppendJSON(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, m.Name), ':')
			dst = m.Value.AppendJSON(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// MarshalJSON lets encoding/json write a Value as AppendJSON does.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Only what JSON requires is escaped,
// and U+2028/2029 and U+007F, which break line readers and terminals; bytes
// that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			dst = appendASCII(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, "\ufffd"...)
		case r == '\u2028' || r == '\u2029':
			dst = append(dst, '\\', 'u', '2', '0', '2', hexDigits[r&0xf])
		default:
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return append(dst, '"')
}

func appendASCII(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, '\\', 'n')
	case c == '\r':
		return append(dst, '\\', 'r')
	case c == '\t':
		return append(dst, '\\', 't')
	case c < 0x20 || c == 0x7f:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
	return append(dst, c)
}
