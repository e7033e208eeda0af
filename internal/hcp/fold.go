package hcp

import "strings"

// Fold sets the words of a text in lines of at most width runes; a longer word
// has a line of its own. newline stands between lines: "\n" and the indentation
// of what follows.
func Fold(text string, width int, newline string) string {
	var b strings.Builder
	used := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString(newline)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}
