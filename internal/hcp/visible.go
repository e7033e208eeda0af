package hcp

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible shows a value on a card so that nothing in it can hide or pose as
// something else (trust.md): plain ASCII and the common accented Latin letters
// are shown as they are; every other character, such as a control, a zero-width
// or bidi character or a Cyrillic letter that looks Latin, is written \u{hex}; a
// backslash is doubled, so that an escape cannot be faked; spaces at either end
// or in a run of three and more are written \u{20}. Nothing is cut.
func Visible(s string) string {
	var b strings.Builder
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\':
			b.WriteString(`\\`)
		case r == ' ' && hidingSpace(s, i):
			b.WriteString(`\u{20}`)
		case r >= 0x20 && r < 0x7f || plainLatin(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

func hidingSpace(s string, i int) bool {
	at := func(k int) bool { return k >= 0 && k < len(s) && s[k] == ' ' }
	return i == 0 || i == len(s)-1 || at(i-1) && at(i+1) || at(i-1) && at(i-2) || at(i+1) && at(i+2)
}

// plainLatin: letters that belong to European words and to nothing that looks
// like another letter. Dotless i, long s and their like are left out.
func plainLatin(r rune) bool {
	return r >= 0xc0 && r <= 0x17e && r != 0xd7 && r != 0xf7 && r != 0x131 && r != 0x138 && r != 0x149
}

// Printable shows words of a child, a manifest or an argument on a terminal:
// control characters, bidi marks and bytes that are not UTF-8 are escaped,
// everything else stays. keep holds controls that may pass, such as "\n\t".
func Printable(s, keep string) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || unprintable(r) && !strings.ContainsRune(keep, r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unprintable(r) && !strings.ContainsRune(keep, r):
			if r < 0x80 {
				fmt.Fprintf(&b, `\x%02x`, r)
			} else {
				fmt.Fprintf(&b, `\u{%x}`, r)
			}
		default:
			b.WriteString(s[i : i+n])
		}
	}
	return b.String()
}

func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

// VisibleArgs is args with every text made Visible, for a card.
func VisibleArgs(args Args) Args {
	out := make(Args, len(args))
	for i, m := range args {
		out[i] = Member{Name: m.Name, Value: visibleValue(m.Value)}
	}
	return out
}

func visibleValue(v Value) Value {
	if v.Kind == String {
		v.Text = Visible(v.Text)
	}
	items := v.Items
	v.Items = nil
	for _, it := range items {
		v.Items = append(v.Items, visibleValue(it))
	}
	return v
}
