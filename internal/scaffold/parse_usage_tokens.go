package scaffold

import "strings"

// balance takes out the brackets that have no other half, so that one too many
// in a help text moves nothing that stands behind it.
func balance(s string) string {
	var open []int
	alone := map[int]bool{}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '[', '(', '{':
			open = append(open, i)
		case ']', ')', '}':
			at := len(open) - 1
			for at >= 0 && s[open[at]] != map[byte]byte{']': '[', ')': '(', '}': '{'}[c] {
				at--
			}
			if at < 0 {
				alone[i] = true
				continue
			}
			for _, o := range open[at+1:] {
				alone[o] = true
			}
			open = open[:at]
		}
	}
	for _, o := range open {
		alone[o] = true
	}
	if len(alone) == 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		end := i
		for end < len(s) && alone[end] {
			end++
		}
		if within := i > 0 && end < len(s) && isAlnum(s[i-1]) && isAlnum(s[end]); end > i && within {
			b.WriteString(s[i:end]) // without it "-ho}rs" would be a flag that nobody wrote
		}
		if i = end; i < len(s) {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// cutDescription cuts "x list [OPTION…]  - List things" before the dash.
func cutDescription(s string) string {
	if i := strings.Index(s, " - "); i > 0 && balanced(s[:i]) {
		s = s[:i]
	}
	if i := strings.Index(strings.TrimLeft(s, " "), "   "); i > 0 && balanced(s[:i]) && strings.Contains(s[:i], " ") {
		s = s[:i]
	}
	if i := strings.Index(s, " -- "); i > 0 && balanced(s[:i]) && !strings.ContainsAny(s[i+4:], "<[") && strings.ToLower(s[i+4:]) == s[i+4:] {
		s = s[:i]
	}
	return strings.TrimPrefix(s, "$ ")
}

// remark says whether a group in round brackets is a sentence about the
// arguments, as in "<value> (it can also come from stdin)", and no choice.
func remark(t string) bool {
	inner := strings.Trim(t, "().")
	plain := 0
	for w := range strings.FieldsSeq(inner) {
		if isLiteral(w) {
			plain++
		}
	}
	return plain >= 4 && !strings.ContainsAny(inner, "|[{-")
}

// usageTokens cuts at blanks outside brackets.
func usageTokens(s string) []string {
	var out []string
	start, d := -1, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == ' ' && d <= 0 {
			if start >= 0 {
				out = append(out, s[start:i])
			}
			start = -1
			continue
		}
		if start < 0 {
			start = i
		}
		switch c {
		case '[', '(', '{':
			d++
		case ']', ')', '}':
			d--
		case '<':
			if strings.HasPrefix(s[i:], "< ") {
				continue
			}
			if strings.HasPrefix(s[i:], "<-") {
				if end := closing(s[i:]); end > 0 {
					i += end
					continue
				}
			}
			// "<" is a bracket only when it is closed: "a < b" is not.
			if end := strings.IndexByte(s[i:min(len(s), i+120)], '>'); end > 0 && !strings.ContainsAny(s[i+1:i+end], "[]") {
				i += end
			}
		}
		if len(out) > 500 {
			return out
		}
	}
	if start >= 0 {
		out = append(out, s[start:])
	}
	return out
}

// splitTop splits at sep outside brackets.
func splitTop(s string, sep byte) []string {
	var out []string
	d, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '[' || c == '(' || c == '{' || c == '<':
			d++
		case c == ']' || c == ')' || c == '}' || c == '>':
			d--
		case c == sep && d <= 0:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// joinedValues puts the values of "--dry-run=server|client" back to their flag.
func joinedValues(parts []string) []string {
	var out []string
	for _, p := range parts {
		n := len(out)
		if n > 0 && startsFlag(out[n-1]) && strings.Contains(out[n-1], "=") && !startsFlag(p) && strings.TrimSpace(p) == p && !strings.ContainsAny(p, " <[(") {
			out[n-1] += "|" + p
			continue
		}
		out = append(out, p)
	}
	return out
}

// unnumbered takes the number from the names of "KEY_N=VAL_N"; ok says that it
// had one.
func unnumbered(name, number string) (bare string, ok bool) {
	bare = strings.NewReplacer("_"+number+"=", "=", "_"+number+":", ":").Replace(strings.TrimSuffix(name, "_"+number))
	return bare, bare != name
}

func unnumberedFirst(name string) string {
	bare, _ := unnumbered(name, "1")
	return bare
}

// mergeRepeats makes one argument of "PATH [PATH ...]".
func mergeRepeats(pos []Positional) []Positional {
	var out []Positional
	for _, p := range pos {
		n := len(out)
		if n > 0 && p.Variadic && strings.EqualFold(out[n-1].Name, p.Name) {
			out[n-1].Variadic = true
			continue
		}
		if first, last := unnumbered(p.Name, "N"); last {
			if n > 0 && unnumberedFirst(out[n-1].Name) == first {
				out[n-1].Name, out[n-1].Variadic = first, true
				continue
			}
			if n > 0 && out[n-1].Name == first {
				out[n-1].Variadic = true
				continue
			}
		}
		out = append(out, p)
	}
	return out
}
