package cli

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What is put into a line reads back as what was meant, whatever quote is open.
func FuzzInsideQuote(f *testing.F) {
	for _, s := range []string{"", "Abbey Square", "it's", `a"b\c$d` + "`e", "~#!*?[x]", "é\\", "--to=a:b"} {
		f.Add(s, byte(0))
		f.Add(s, byte('\''))
		f.Add(s, byte('"'))
	}
	f.Fuzz(func(t *testing.T, s string, open byte) {
		if !utf8.ValidString(s) || open != 0 && open != '\'' && open != '"' {
			t.Skip()
		}
		raw := insideQuote(s, open)
		if open != 0 {
			raw = string(open) + raw
		}
		if got, still := typedWord(shellBash, raw); got != s || still != open {
			t.Errorf("%q in %q reads back as %q in %q", s, open, got, still)
		}
	})
}

func TestTypedWord(t *testing.T) {
	for _, c := range []struct {
		shell, raw, text string
		open             byte
	}{
		{shellBash, `a\ b`, "a b", 0},
		{shellBash, `'a\'`, `a\`, 0},
		{shellBash, `"a\$b\c`, `a$b\c`, '"'},
		{shellBash, `a\`, "a", 0},
		{shellBash, `x"a b"'c d'`, "xa bc d", 0},
		{shellFish, `'it\'s`, "it's", '\''},
	} {
		if text, open := typedWord(c.shell, c.raw); text != c.text || open != c.open {
			t.Errorf("%s: %q in %q, want %q in %q", c.raw, text, open, c.text, c.open)
		}
	}
}

// A snippet is plain text: nothing in it moves a cursor.
func TestShellWordIsPlain(t *testing.T) {
	for _, shell := range []string{shellBash, shellZsh, shellFish} {
		for _, s := range []string{"a b", "a\x1b[2Jb", "a\nb", "\xff", "\u202e"} {
			if w := shellWord(shell, s); strings.ContainsAny(w, "\x1b\n\u202e") || !utf8.ValidString(w) {
				t.Errorf("%s: %q is %q", shell, s, w)
			}
		}
	}
}
