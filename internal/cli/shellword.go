package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hcp/internal/hcp"
)

// The shells that snippets and completion are for.
const (
	shellBash = "bash"
	shellZsh  = "zsh"
	shellFish = "fish"
)

// shellWord quotes s as one word for a shell to read. bash and zsh get a form
// that every POSIX sh understands. What a terminal would act on, or what is not
// UTF-8, is written as an escape: a snippet is plain text wherever it is shown.
func shellWord(shell, s string) string {
	odd := !utf8.ValidString(s) || hcp.Printable(s, "") != s
	switch {
	case shell == shellFish && odd:
		return fishEscaped(s)
	case shell == shellFish:
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
	case odd:
		return printfWord(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// printfWord writes every odd byte in octal for printf to turn back. Command
// substitution drops newlines at the end; a dot behind them keeps them.
func printfWord(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ' || c >= 0x7f || c == '\'' || c == '\\' || c == '%':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	if strings.HasSuffix(s, "\n") {
		return `"$(v=$(printf '` + b.String() + `.'); printf %s "${v%.}")"`
	}
	return `"$(printf '` + b.String() + `')"`
}

func fishEscaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '/' || c == '.' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z':
			b.WriteByte(c)
		case c < 0x80:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			fmt.Fprintf(&b, `\X%02x`, c)
		}
	}
	return b.String()
}

// typedWord reads a word as it stands on a command line that is still being
// typed: quotes and backslashes are taken away, and open tells which quote is
// not closed yet (0: none). Nothing is expanded: $x stays $x.
func typedWord(shell, raw string) (text string, open byte) {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '\\' && escapes(shell, open, raw[i+1:]):
			if i++; i < len(raw) {
				b.WriteByte(raw[i])
			}
		case open == 0 && (c == '\'' || c == '"'):
			open = c
		case c == open && c != 0:
			open = 0
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), open
}

// escapes tells whether a backslash takes what follows literally.
func escapes(shell string, open byte, rest string) bool {
	switch {
	case open == 0:
		return true
	case rest == "":
		return false
	case open == '"':
		return strings.IndexByte("\"\\$`", rest[0]) >= 0
	}
	return shell == shellFish && (rest[0] == '\'' || rest[0] == '\\')
}

// insideQuote writes text so that bash reads it back where the quote open is
// not closed yet; 0 is outside of any.
func insideQuote(text string, open byte) string {
	switch open {
	case '\'':
		return strings.ReplaceAll(text, "'", `'\''`)
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(text)
	}
	var b strings.Builder
	for i, r := range text {
		if strings.ContainsRune(" \t\"'\\$`|&;<>()[]{}*?!^", r) || (r == '~' || r == '#') && i == 0 {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
