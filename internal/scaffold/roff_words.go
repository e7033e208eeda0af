package scaffold

import "strings"

// roffPlain resolves the escapes of a line of roff.
func roffPlain(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		text, n := roffEscape(s[i+1:])
		b.WriteString(text)
		i += 1 + n
	}
	return b.String()
}

// roffEscape gives what stands for the escape behind a backslash, and its length.
func roffEscape(s string) (text string, n int) {
	switch c := s[0]; c {
	case 'f', 'm', 'M', 'F', 'n', 'g', 'k', 'Y', 'V': // fonts, colours, registers: nothing to read
		_, n = roffName(s[1:])
		return "", 1 + n
	case '*':
		name, n := roffName(s[1:])
		return roffString(name), 1 + n
	case '(', '[':
		name, n := roffName(s)
		return roffGlyph(name), n
	case 's':
		n = 1
		for n < len(s) && n < 4 && strings.IndexByte("+-0123456789", s[n]) >= 0 {
			n++
		}
		return "", n
	case 'h', 'v', 'w', 'o', 'D', 'l', 'L', 'x', 'z', 'b', 'N', 'A', 'X':
		if len(s) > 1 && s[1] == '\'' {
			if end := strings.IndexByte(s[2:], '\''); end >= 0 {
				return "", 3 + end
			}
		}
		return "", 1
	case '"', '#':
		return "", len(s)
	case 'e', 'E', '\\':
		return `\`, 1
	case '-', '.', '\'', '`', '_':
		return s[:1], 1
	case ' ', '~', '0', 't':
		return " ", 1
	case '&', '|', '^', '%', '/', ',', ':', ')', 'c', 'u', 'd', 'r', 'a', '{', '}', 'p':
		return "", 1
	}
	return s[:1], 1
}

// roffName reads a name of one letter, "(xx" or "[…]", and its length.
func roffName(s string) (name string, n int) {
	switch {
	case s == "":
		return "", 0
	case s[0] == '(' && len(s) >= 3:
		return s[1:3], 3
	case s[0] == '[':
		if end := strings.IndexByte(s, ']'); end > 0 {
			return s[1:end], end + 1
		}
	}
	return s[:1], 1
}

func roffGlyph(name string) string {
	switch name {
	case "aq", "cq", "oq", "ga", "fm", "aa":
		return "'"
	case "dq", "lq", "rq":
		return `"`
	case "em":
		return "--"
	case "en", "mi", "hy":
		return "-"
	case "bu":
		return "*"
	case "rs":
		return `\`
	case "ha":
		return "^"
	case "ti":
		return "~"
	case "at":
		return "@"
	case "lB":
		return "["
	case "rB":
		return "]"
	case "la":
		return "<"
	case "ra":
		return ">"
	case "ba", "or":
		return "|"
	case "->":
		return "->"
	case "co":
		return "(c)"
	}
	return ""
}

func roffString(name string) string {
	switch name {
	case "lq", "rq", "L\"", "R\"", "Lq", "Rq":
		return `"`
	case "C`", "C'", "aq":
		return "'"
	case "--":
		return "-"
	}
	return ""
}

// mdoc reads a line of mdoc(7), in which macros call macros.
func (r *roff) mdoc(macro string, words []string) {
	switch macro {
	case "Bl":
		r.flush()
		r.tags = append(r.tags, r.nest()+4*min(len(r.tags), 1))
		return
	case "El":
		r.paragraph()
		r.tags = r.tags[:max(0, len(r.tags)-1)]
		return
	case "It":
		r.flush()
		r.blank()
		r.put(roffText+r.nest(), r.mdocWords(words))
		r.indent = roffTag + r.nest()
		return
	case "Nd":
		r.text("- " + roffPlain(strings.Join(words, " ")))
		return
	case "Nm":
		if len(words) > 0 && r.name == "" {
			r.name = words[0]
		}
		if r.block == "SYNOPSIS" {
			r.flush()
		}
	}
	if s := r.mdocWords(append([]string{macro}, words...)); s != "" {
		r.text(s)
	}
}

// mdocWords writes a line of macros and words as text.
func (r *roff) mdocWords(words []string) string {
	var b strings.Builder
	glue := true // no blank before the next word
	closing := ""
	fl := false
	put := func(s string) {
		if s == "" {
			return
		}
		if !glue && strings.Trim(s, ".,:;)]?!") != "" {
			b.WriteByte(' ')
		}
		b.WriteString(s)
		glue = s == "(" || s == "["
	}
	for i, w := range words {
		flag := fl
		fl = false
		switch w {
		case "Fl":
			if fl = true; i+1 == len(words) || isMacro(words[i+1]) {
				put("-")
				fl = false
			}
		case "Op", "Oo":
			put("[")
			if w == "Op" {
				closing = "]" + closing
			}
		case "Oc":
			glue = true
			put("]")
		case "Ns":
			glue = true
		case "Nm":
			if i+1 == len(words) || isMacro(words[i+1]) {
				put(r.name)
			}
		case "Pf", "Ar", "Cm", "Ic", "Li", "Pa", "Ev", "Em", "Sy", "No", "Va", "Vt", "Ad", "An", "Cd", "Dv", "Er", "Tn", "Lk", "Mt", "Ta", "Xo", "Xc", "Xr", "Sx",
			"Bx", "Fx", "Nx", "Ox", "Ux", "At", "St", "Ql", "Dq", "Sq", "Qq", "Aq", "Pq", "Bq", "Fn", "Ft", "Fa", "Do", "Dc", "So", "Sc", "Qo", "Qc", "Ao", "Ac":
			if w == "Ar" && (i+1 == len(words) || isMacro(words[i+1])) {
				put("file ...")
			}
		default:
			if w = roffPlain(w); flag {
				w = "-" + w
			}
			put(w)
		}
	}
	b.WriteString(closing)
	return b.String()
}

func isMacro(w string) bool {
	if len(w) != 2 || w[0] < 'A' || w[0] > 'Z' || w[1] < 'a' || w[1] > 'z' {
		return false
	}
	return strings.Contains(" Fl Op Oo Oc Ns Nm Ar Cm Ic Li Pa Ev Em Sy No Va Xo Xc Ql Dq Sq Qq Aq Pq Bq ", " "+w+" ")
}
