package scaffold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds a help text, in bytes (wrap.md, stage 2). What is over it is cut.
const maxText = 4 << 20

// maxLines bounds a help text: the longest that are known have a third of it.
const maxLines = 60_000

// maxColumn bounds one line, in columns: no help has longer ones, and what looks
// for columns stays linear.
const maxColumn = 4096

// Normalise gives a help text as a plain terminal would show it: no escape
// sequences, no overstrike, no control characters, tabs at every eighth column,
// "\n" line ends, valid UTF-8, no blanks at line ends, no boxes drawn around
// sections. It looks at each byte once.
func Normalise(raw []byte) string {
	if len(raw) > maxText {
		raw = raw[:maxText]
	}
	n := normaliser{out: make([]rune, 0, 256)}
	n.text.Grow(len(raw))
	for i := 0; i < len(raw) && n.lines < maxLines; {
		i = n.step(raw, i)
	}
	n.endLine()
	return strings.TrimRight(n.text.String(), "\n") + "\n"
}

// normaliser holds the line that is being read.
type normaliser struct {
	text  strings.Builder
	out   []rune
	lines int
	// strike is set after a backspace: the next character replaces one.
	strike bool
}

// step reads what begins at raw[i] and gives where the next thing begins.
func (n *normaliser) step(raw []byte, i int) int {
	switch c := raw[i]; {
	case c == 0x1b:
		return skipEscape(raw, i)
	case c == '\n':
		n.endLine()
		return i + 1
	case c == '\r':
		// "\r\n" and "\r\r\n" end one line, a lone "\r" goes back and overwrites.
		j := i
		for j < len(raw) && raw[j] == '\r' {
			j++
		}
		if j >= len(raw) || raw[j] != '\n' {
			n.endLine()
		}
		return j
	case c == '\t':
		for n.put(' '); len(n.out)%8 != 0 && len(n.out) < maxColumn; {
			n.put(' ')
		}
		return i + 1
	case c == '\b':
		n.strike = len(n.out) > 0
		return i + 1
	case c < 0x20 || c == 0x7f:
		return i + 1
	case c < utf8.RuneSelf:
		n.put(rune(c))
		return i + 1
	}
	r, size := utf8.DecodeRune(raw[i:])
	n.put(plainRune(r))
	return i + size
}

// put adds a character. "x\bx" and "_\bx" are how roff says bold and underlined.
func (n *normaliser) put(r rune) {
	if r < 0 || len(n.out) >= maxColumn {
		return
	}
	if n.strike {
		n.strike = false
		if last := len(n.out) - 1; n.out[last] == '_' || n.out[last] == r {
			n.out[last] = r
			return
		} else if r == '_' {
			return
		} else if n.out[last] == '+' && r == 'o' {
			n.out[last] = '•' // roff's bullet
			return
		}
	}
	n.out = append(n.out, r)
}

func (n *normaliser) endLine() {
	n.strike = false
	n.text.WriteString(strings.TrimRight(unbox(string(n.out)), " "))
	n.text.WriteByte('\n')
	n.lines++
	n.out = n.out[:0]
}

// skipEscape gives where the escape sequence at raw[i] ends: CSI at its final
// byte, OSC and its kin at BEL or ST, which are never looked for past the line.
func skipEscape(raw []byte, i int) int {
	i++
	if i >= len(raw) {
		return i
	}
	switch raw[i] {
	case '[':
		for i++; i < len(raw) && (raw[i] < 0x40 || raw[i] > 0x7e); i++ {
			if raw[i] < 0x20 {
				return i
			}
		}
		return min(i+1, len(raw))
	case ']', 'P', 'X', '^', '_':
		for i++; i < len(raw) && raw[i] != '\n'; i++ {
			if raw[i] == 0x07 {
				return i + 1
			}
			if raw[i] == 0x1b {
				return min(i+2, len(raw))
			}
		}
		return i
	case '(', ')', '*', '+', '#', '%':
		return min(i+2, len(raw))
	}
	return i + 1
}

// plainRune gives the plain form of a character: typographic hyphens are what
// manual pages print for "-", and -1 is for what has no width.
func plainRune(r rune) rune {
	switch {
	case r == 0x2010 || r == 0x2011 || r == 0x2212:
		return '-'
	case r == 0xfeff || r == 0x00ad || (r >= 0x200b && r <= 0x200f) || (r >= 0xfe00 && r <= 0xfe0f):
		return -1
	case unicode.Is(unicode.Zs, r):
		return ' '
	case r >= 0x80 && r < 0xa0 || unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// unbox takes away the frame that some help printers draw around a section:
// its top edge becomes the section's heading, its bottom edge a blank line.
func unbox(line string) string {
	body := strings.TrimSpace(line)
	r, _ := utf8.DecodeRuneInString(body)
	switch r {
	case '╭', '┌', '┏', '╔':
		if title := strings.Trim(body, "╭╮┌┐┏┓╔╗─━═ "); title != "" {
			return title + ":"
		}
		return ""
	case '━', '─', '═':
		if title := strings.Trim(body, "─━═ "); title != "" && strings.HasSuffix(body, string(r)) {
			return title + ":"
		}
		return ""
	case '╰', '└', '┗', '╚':
		return ""
	case '│', '┃', '║':
		inner := strings.TrimPrefix(body, string(r))
		return strings.TrimSuffix(inner, string(r))
	}
	return line
}
