package audit

import (
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"hcp/internal/hcp"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string of printable ASCII only: a raw ESC in
// a log rewrites the reader's terminal (CVE-2023-28487), and a raw bidi or
// look-alike letter shows him another text. Bytes that are not UTF-8 become
// U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r >= 0x20 && r < 0x7f:
			dst = append(dst, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = appendEscape(appendEscape(dst, high), low)
		default:
			dst = appendEscape(dst, r)
		}
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// maxNesting is deeper than any envelope may be, and bounds what Show parses.
const maxNesting = 32

// appendValue appends v as compact JSON of printable ASCII.
func appendValue(dst []byte, v hcp.Value, depth int) ([]byte, error) {
	if depth > maxNesting {
		return dst, errors.New("record nested too deep")
	}
	switch v.Kind {
	case hcp.String:
		return appendString(dst, v.Text), nil
	case hcp.Number:
		// A Number is text; what is not one would break the line.
		if c := v.Text; c == "" || c[0] != '-' && (c[0] < '0' || c[0] > '9') || !json.Valid([]byte(c)) {
			return dst, errors.New("record holds a bad number")
		}
		return append(dst, v.Text...), nil
	case hcp.Array:
		return appendItems(dst, v, depth)
	case hcp.Object:
		return appendMembers(dst, v, depth)
	}
	return v.AppendJSON(dst), nil // true, false, null
}

func appendItems(dst []byte, v hcp.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, it := range v.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendValue(dst, it, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func appendMembers(dst []byte, v hcp.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, m := range v.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, m.Name), ':')
		if dst, err = appendValue(dst, m.Value, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// Printable shows s on one line of printable ASCII: every other character as
// \u{…}, every byte that is no character as \x…. Text decoded from a record
// goes through it before it goes to a terminal.
func Printable(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		clean = clean && s[i] >= 0x20 && s[i] < 0x7f
	}
	if clean {
		return s
	}
	var out []byte
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, '\\', 'x', hexDigits[s[i]>>4], hexDigits[s[i]&15])
		case r >= 0x20 && r < 0x7f:
			out = append(out, byte(r))
		default:
			out = append(strconv.AppendInt(append(out, `\u{`...), int64(r), 16), '}')
		}
		i += n
	}
	return string(out)
}
