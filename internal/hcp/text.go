package hcp

import (
	"math"
	"strconv"
	"strings"
)

// maxQuoted is how many characters of a bad name an error repeats.
const maxQuoted = 64

// Quote shows a name that came from outside: quoted as Go's %q, so that control
// characters are visible, and cut at 64 characters.
func Quote(s string) string {
	runes := []rune(s)
	if len(runes) > maxQuoted {
		s = string(runes[:maxQuoted]) + "…"
	}
	return strconv.Quote(s)
}

// nameOrQuote leaves a well-formed name bare, as the spec's strings show it, and
// quotes anything else.
func nameOrQuote(s string, ok bool) string {
	if ok {
		return s
	}
	return Quote(s)
}

const maxID = 64
const maxVerbKey = 128

// ValidID tells whether s may be a pack_id, a session or one part of a
// principal: [a-z0-9][a-z0-9-]{0,63}. Paths are built from valid ids only.
func ValidID(s string) bool {
	if s == "" || len(s) > maxID || s[0] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// ValidVerbKey tells whether s may be a verb_key: ids joined by dots, at most
// 128 bytes.
func ValidVerbKey(s string) bool {
	if s == "" || len(s) > maxVerbKey {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if !ValidID(part) {
			return false
		}
	}
	return true
}

// ValidPrincipal tells whether s may name a principal: one or more ids joined
// by colons, such as "user:anna".
func ValidPrincipal(s string) bool {
	if s == "" || len(s) > maxVerbKey {
		return false
	}
	for part := range strings.SplitSeq(s, ":") {
		if !ValidID(part) {
			return false
		}
	}
	return true
}

// CLIText gives the form a scalar or array takes in an argv: strings as
// they are, booleans as words, numbers as ECMAScript's String(v) except that an
// integer keeps every digit, arrays joined with commas. A missing value gives
// "". ok is false for an object (it has no CLI form) and for a number no
// program could read (1e999).
func CLIText(v Value) (text string, ok bool) {
	switch v.Kind {
	case String:
		return v.Text, true
	case Bool:
		return strconv.FormatBool(v.Bool), true
	case Number:
		return numberText(v.Text)
	case Array:
		parts := make([]string, len(v.Items))
		for i, it := range v.Items {
			if parts[i], ok = CLIText(it); !ok {
				return "", false
			}
		}
		return strings.Join(parts, ","), true
	case Object:
		return "", false
	}
	return "", true
}

func numberText(lexeme string) (string, bool) {
	if !strings.ContainsAny(lexeme, ".eE") {
		if lexeme == "-0" {
			return "0", true
		}
		return lexeme, true
	}
	f, err := strconv.ParseFloat(lexeme, 64)
	if err != nil || math.IsInf(f, 0) {
		return "", false
	}
	return ecmaNumber(f), true
}

// ecmaNumber is ECMAScript's Number::toString in base 10: shortest digits that
// read back the same, plain between 1e-7 and 1e21, exponent form outside.
func ecmaNumber(f float64) string {
	if f == 0 {
		return "0"
	}
	if a := math.Abs(f); a >= 1e21 || a < 1e-6 {
		mant, exp, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		sign, digits := exp[:1], strings.TrimLeft(exp[1:], "0")
		return mant + "e" + sign + digits
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// IsMissing tells whether v counts as no value at all: absent, null, ""
// or an empty array.
func IsMissing(v Value) bool {
	switch v.Kind {
	case Missing, Null:
		return true
	case String:
		return v.Text == ""
	case Array:
		return len(v.Items) == 0
	}
	return false
}
