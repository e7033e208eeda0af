package scaffold

import "strings"

// unglue sets the columns apart again where commander printed them without a
// gap, which it does when a custom formatter takes its output for zero columns
// wide: "--helpdisplay help for command", "--forceDelete without asking".
func unglue(text string) string {
	if !strings.Contains(text, "--helpdisplay help") {
		return text
	}
	ls := strings.Split(text, "\n")
	for i, l := range ls {
		if startsFlag(strings.TrimSpace(l)) && !strings.Contains(strings.TrimSpace(l), "  ") {
			at := glueAt(l)
			ls[i] = l[:at] + "  " + l[at:]
		}
	}
	return strings.Join(ls, "\n")
}

// glueAt gives where the description begins: behind a bracket, or at the first
// capital inside the last name.
func glueAt(l string) int {
	for i := 1; i < len(l); i++ {
		c := l[i]
		switch {
		case c >= 'A' && c <= 'Z' && (l[i-1] == '>' || l[i-1] == ']' || l[i-1] >= 'a' && l[i-1] <= 'z'):
			return i
		case (l[i-1] == '>' || l[i-1] == ']') && isAlpha(c):
			return i
		case strings.HasPrefix(l[i:], "display help"):
			return i
		}
	}
	return len(l)
}
