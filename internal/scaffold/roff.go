package scaffold

import "strings"

// roff reads the source of a man page and writes the plain text that man shows,
// as far as help is concerned: headings at the margin, text below them, tags
// and what they mean. It knows the macros of man(7) and mdoc(7) and runs
// nothing; a macro that it does not know is left out, its words are kept.
type roff struct {
	out    strings.Builder
	line   strings.Builder // the paragraph so far
	indent int             // of the text
	tags   []int           // indents that .RS and .Bl keep
	tag    bool            // the next line is a tag
	fill   bool            // lines flow together
	skip   string          // the line that ends what is left out; "" nothing is
	depth  int             // braces of a conditional that is left out
	name   string          // what .Nm without a word means
	block  string          // the mdoc section that is read
}

const (
	roffText = 7  // indent of text
	roffTag  = 14 // indent of what a tag means
)

// manText gives a man page's text. Bytes that are not text stay as they are.
func manText(source string) string {
	r := &roff{indent: roffText, fill: true}
	for line := range strings.Lines(source) {
		r.read(strings.TrimRight(line, "\r\n"))
	}
	r.flush()
	return r.out.String()
}

func (r *roff) read(line string) {
	switch {
	case r.skip != "":
		if line == r.skip {
			r.skip = ""
		}
	case r.depth > 0:
		r.depth += strings.Count(line, `\{`) - strings.Count(line, `\}`)
	case line == "." || strings.HasPrefix(line, `.\"`) || strings.HasPrefix(line, `'\"`) || strings.HasPrefix(line, `\"`):
	case line != "" && (line[0] == '.' || line[0] == '\''):
		r.control(strings.TrimLeft(line[1:], " \t"))
	case line == "":
		r.flush()
		r.blank()
	default:
		r.text(roffPlain(line))
	}
}

// text adds a line of the page's words.
func (r *roff) text(s string) {
	switch {
	case r.tag:
		r.tag = false
		r.put(roffText+r.nest(), strings.TrimSpace(s))
		r.indent = roffTag + r.nest()
	case !r.fill:
		r.put(r.indent, s)
	default:
		if r.line.Len() > 0 {
			r.line.WriteByte(' ')
		}
		r.line.WriteString(strings.TrimSpace(s))
	}
}

func (r *roff) nest() int {
	if len(r.tags) == 0 {
		return 0
	}
	return min(r.tags[len(r.tags)-1], 40)
}

// flush ends a paragraph.
func (r *roff) flush() {
	s := r.line.String()
	r.line.Reset()
	const width = 110
	for len(s) > 0 {
		cut := len(s)
		if cut > width {
			if cut = strings.LastIndexByte(s[:width], ' '); cut <= 0 {
				cut = len(s)
			}
		}
		r.put(r.indent, s[:cut])
		s = strings.TrimLeft(s[cut:], " ")
	}
}

func (r *roff) put(indent int, s string) {
	r.out.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+s, " ") + "\n")
}

// blank separates paragraphs by one empty line.
func (r *roff) blank() {
	if s := r.out.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		r.out.WriteString("\n")
	}
}

func (r *roff) paragraph() {
	r.flush()
	r.blank()
	r.tag, r.indent = false, roffText+r.nest()
}

// control obeys one request.
func (r *roff) control(line string) {
	macro, rest, _ := strings.Cut(line, " ")
	if i := strings.IndexByte(macro, '\t'); i >= 0 {
		macro, rest = macro[:i], macro[i+1:]+" "+rest
	}
	words := roffWords(rest)
	switch macro {
	case "de", "de1", "am", "ig":
		r.skip = ".."
		return
	case "if", "ie", "el", "while":
		r.depth = max(0, strings.Count(line, `\{`)-strings.Count(line, `\}`))
		return
	case "SH", "Sh":
		r.flush()
		r.tags, r.tag, r.fill, r.indent = nil, false, true, roffText
		r.block = strings.Join(words, " ")
		r.blank()
		r.put(0, roffPlain(r.block))
		return
	case "SS", "Ss":
		r.flush()
		r.tags, r.tag, r.fill, r.indent = nil, false, true, roffText
		r.blank()
		r.put(3, roffPlain(strings.Join(words, " ")))
		return
	}
	if !r.layout(macro, words) && !r.fonts(macro, words) {
		r.mdoc(macro, words)
	}
}

// layout obeys what moves text about.
func (r *roff) layout(macro string, words []string) bool {
	switch macro {
	case "TP", "TQ":
		r.flush()
		if macro == "TP" {
			r.blank()
		}
		r.tag = true
	case "IP":
		r.paragraph()
		if len(words) > 0 && words[0] != "" {
			r.put(roffText+r.nest(), roffPlain(words[0]))
		}
		r.indent = roffTag + r.nest()
	case "PP", "P", "LP", "Pp", "HP", "sp", "Sp", "Lp":
		r.paragraph()
	case "br", "UE", "ME", "YS":
		r.flush()
	case "RS":
		r.flush()
		r.tags = append(r.tags, r.nest()+7)
		r.indent = roffText + r.nest()
	case "RE":
		r.flush()
		r.tags = r.tags[:max(0, len(r.tags)-1)]
		r.indent = roffText + r.nest()
	case "nf", "EX", "Vb", "Bd":
		r.flush()
		r.fill = false
	case "fi", "EE", "Ve", "Ed":
		r.flush()
		r.fill = true
	case "TH", "Dd", "Dt", "Os", "ds", "nr", "ft", "ad", "na", "hy", "nh", "ne", "ta", "tr", "so", "ll", "in", "ti", "rm", "rr", "PD", "DT", "UC", "AT",
		"SY", "Bk", "Ek", "Sm", "\\}", "}", "IX", "fam", "warn", "it", "mk", "pc", "lf", "als", "cs", "ev", "ps", "vs":
	default:
		return false
	}
	return true
}

// fonts obeys what sets words in a font: the words are all that matters.
func (r *roff) fonts(macro string, words []string) bool {
	sep := ""
	switch macro {
	case "B", "I", "R", "SM", "SB", "CW", "C":
		sep = " "
	case "BR", "RB", "BI", "IB", "IR", "RI":
	case "OP":
		words, sep = []string{"[" + strings.Join(words, " ") + "]"}, " "
	case "UR", "MT":
		return true
	default:
		return false
	}
	if len(words) > 0 {
		r.text(roffPlain(strings.Join(words, sep)))
	}
	return true
}

// roffWords splits a request's arguments; quotes keep blanks, and a doubled one
// in them is itself.
func roffWords(s string) (words []string) {
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		if strings.HasPrefix(s, `\"`) {
			break
		}
		var b strings.Builder
		i := 0
		if s[0] == '"' {
			for i = 1; i < len(s); i++ {
				if s[i] == '"' {
					if i+1 >= len(s) || s[i+1] != '"' {
						i++
						break
					}
					i++
				}
				b.WriteByte(s[i])
			}
		} else {
			for ; i < len(s) && s[i] != ' ' && s[i] != '\t'; i++ {
				if s[i] == '\\' && i+1 < len(s) {
					b.WriteByte(s[i])
					i++
				}
				b.WriteByte(s[i])
			}
		}
		words = append(words, b.String())
		s = s[i:]
	}
	return words
}
