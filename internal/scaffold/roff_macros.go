package scaffold

import "strings"

// macro sets one line that begins with a dot.
func (r *roff) macro(name string, args []string) {
	plain := unescape(strings.Join(args, " "))
	switch name {
	case "SH", "Sh":
		r.heading(plain, 0)
	case "SS", "Ss":
		r.heading(plain, 3)
	case "de", "de1", "ig", "am":
		r.skip = ".."
	case "PP", "P", "LP", "Pp", "HP":
		r.gap()
		r.indent, r.tag = 0, 0
	case "br":
		if n := len(r.para); n > 0 && startsFlag(r.para[n-1]) && !r.nofill {
			r.broken = true
		} else {
			r.flush()
		}
	case "sp":
		r.flush()
	case "Bk", "Ek", "Bf", "Ef":
	case "TP", "TQ":
		r.announce("")
	case "IP":
		r.item(args)
	case "RS":
		r.push(4)
	case "RE", "El":
		r.pop()
	case "nf", "EX", "Bd":
		r.flush()
		r.nofill = true
	case "fi", "EE", "Ed":
		r.flush()
		r.nofill = false
	case "B", "I", "SM", "SB":
		r.text(plain)
	case "BR", "IR", "RB", "BI", "RI", "IB":
		r.text(unescape(strings.Join(args, "")))
	case "TH", "Dd", "Dt", "Os":
		r.mdoc = r.mdoc || name != "TH"
	case "Bl":
		r.push(0)
	case "It":
		r.announce(r.words(args))
		r.indent = r.base + tagIndent
	default:
		if r.mdoc {
			r.inline(name, args)
		}
	}
}

// item sets .IP: a tag, or a paragraph where the tag is a bullet or none.
func (r *roff) item(args []string) {
	tag := ""
	if len(args) > 0 {
		tag = unescape(args[0])
	}
	if startsFlag(tag) || len(tag) > 2 {
		r.announce(tag)
		return
	}
	r.gap()
	r.indent, r.tag = r.base+tagIndent, 0
	if tag != "" {
		r.para = append(r.para, tag)
	}
}

// inline sets a line of mdoc that is text: ".Op Fl f Ar file".
func (r *roff) inline(name string, args []string) {
	if name == "Nm" && r.synop {
		r.flush()
	}
	if name == "Nd" {
		name, args = "No", append([]string{"-"}, args...)
	}
	if s := r.words(append([]string{name}, args...)); s != "" {
		r.text(s)
	}
}

// words sets the words of an mdoc line, of which some are macros.
func (r *roff) words(args []string) string {
	w := mdocLine{}
	for _, a := range args {
		w.word(a)
	}
	w.end()
	return w.text.String()
}

// mdocLine sets one line of mdoc.
type mdocLine struct {
	text   strings.Builder
	macro  string // in force for the words that follow
	glue   bool   // no blank before the next word
	filled bool   // the macro had a word
	open   int    // brackets that .Op opened
}

func (w *mdocLine) word(a string) {
	switch a {
	case "Op", "Oo":
		w.begin(a)
		w.put("[", true)
		if a == "Op" {
			w.open++
		}
	case "Oc":
		w.begin("")
		w.glue = true
		w.put("]", false)
	case "Fl", "Ar", "Cm", "Ic", "Nm", "Pa", "Li", "Ql", "Sq", "Dq", "Em", "Sy", "Xr", "No", "Ev", "Va", "Qq", "Pq", "Sm", "Xo", "Xc", "Tn", "Ux", "Bx", "Lk", "Mt", "Er", "Dv", "Aq":
		w.begin(a)
	case "Ns":
		w.begin("")
		w.glue = true
	case ",", ".", ";", ":", ")":
		w.begin("")
		w.glue = true
		w.put(a, false)
	case "|", "(":
		w.begin("")
		w.put(a, false)
	default:
		a = unescape(a)
		if w.macro == "Fl" {
			a = "-" + a
		}
		w.filled = true
		w.put(a, false)
	}
}

// begin puts another macro in force. One that had no word stands for its usual.
func (w *mdocLine) begin(name string) {
	if !w.filled {
		switch w.macro {
		case "Fl":
			w.put("-", name == "Fl" || name == "Ns" || name == "")
		case "Ar":
			w.put("file ...", false)
		}
	}
	w.macro, w.filled = name, false
}

func (w *mdocLine) put(s string, joins bool) {
	if w.text.Len() > 0 && !w.glue {
		w.text.WriteByte(' ')
	}
	w.text.WriteString(s)
	w.glue = joins
}

func (w *mdocLine) end() {
	w.begin("")
	for ; w.open > 0; w.open-- {
		w.text.WriteByte(']')
	}
}

// unescape sets the escapes of a line of text.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out.WriteByte(s[i])
			continue
		}
		if i+1 == len(s) {
			break
		}
		i++
		switch c := s[i]; c {
		case '"', '#':
			return strings.TrimRight(out.String(), " ")
		case '-', ' ', '.', '\'', '`':
			out.WriteByte(c)
		case '~', '0':
			out.WriteByte(' ')
		case 'e', '\\':
			out.WriteByte('\\')
		case 'f', 'F', 'm', 'M', 'n', 'g', 'Y', 'k':
			_, i = glyph(s, i+1)
		case '*':
			name, end := glyph(s, i+1)
			out.WriteString(special(name))
			i = end
		case '(', '[':
			name, end := glyph(s, i)
			out.WriteString(special(name))
			i = end
		case 's':
			for i+1 < len(s) && strings.IndexByte("+-0123456789", s[i+1]) >= 0 {
				i++
			}
		case 'h', 'v', 'w', 'l', 'L', 'o', 'D', 'X', 'Z', 'b', 'N', 'x':
			if i+1 < len(s) {
				if end := strings.IndexByte(s[i+2:], s[i+1]); end >= 0 {
					i += end + 2
				}
			}
		}
	}
	return out.String()
}

// glyph reads a name at s[i]: "(xx", "[name]" or one character; it gives the
// place of its last byte.
func glyph(s string, i int) (name string, end int) {
	switch {
	case i >= len(s):
		return "", len(s) - 1
	case s[i] == '(':
		end = min(i+2, len(s)-1)
		return s[min(i+1, end):min(i+3, len(s))], end
	case s[i] == '[':
		if n := strings.IndexByte(s[i:], ']'); n > 0 {
			return s[i+1 : i+n], i + n
		}
		return "", len(s) - 1
	}
	return s[i : i+1], i
}

// special gives the plain form of a named character or string.
func special(name string) string {
	switch name {
	case "aq", "Aq", "cq", "oq", "'":
		return "'"
	case "lq", "rq", "dq", "Lq", "Rq", "q":
		return "\""
	case "bu", "ci":
		return "•"
	case "em", "en", "hy", "mi", "-":
		return "-"
	case "rs":
		return "\\"
	case "ti":
		return "~"
	case "ha":
		return "^"
	case "or", "ba":
		return "|"
	case "la", "<":
		return "<"
	case "ra", ">":
		return ">"
	}
	return ""
}
