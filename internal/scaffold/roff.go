package scaffold

import "strings"

// isRoff says whether a text is a manual page's source rather than the page.
func isRoff(text string) bool {
	n := 0
	for l := range strings.Lines(text) {
		if n++; n > 200 {
			break
		}
		for _, m := range []string{".TH ", ".Dd ", ".Dt "} {
			if strings.HasPrefix(l, m) {
				return true
			}
		}
	}
	return false
}

// plainManual sets a manual page's source, in man(7) or mdoc(7), the way that a
// terminal shows it, but for filled lines, which stay one line a paragraph. It
// runs no formatter, so that a page can be read where nothing is started.
func plainManual(text string) string {
	r := roff{base: bodyIndent}
	for l := range strings.Lines(text) {
		r.line(strings.TrimRight(l, "\r\n"))
	}
	r.flush()
	return r.out.String()
}

// The indentation of a manual page's text and, from there, of what a tag heads.
const (
	bodyIndent = 7
	tagIndent  = 7
)

// roff is the state of the page: where text goes, and what is not set yet.
type roff struct {
	out    strings.Builder
	para   []string // the words of the paragraph so far
	base   int      // indentation of text outside lists
	indent int      // of the paragraph; 0: base
	stack  []int    // base before each .RS or .Bl
	tag    int      // 2: the next line is a tag, 1: a tag was set
	nofill bool
	skip   string // the line that ends what is not read
	depth  int    // "\{" that are open
	mdoc   bool
	synop  bool
	broken bool // a line break stands behind a paragraph that is a flag's name
}

func (r *roff) line(l string) {
	switch {
	case r.skip != "":
		if l == r.skip {
			r.skip = ""
		}
		return
	case r.depth > 0 || conditional(l):
		r.depth = max(0, r.depth+strings.Count(l, `\{`)-strings.Count(l, `\}`))
		return
	case strings.HasPrefix(l, `.\"`) || strings.HasPrefix(l, `'\"`):
		return
	case strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'"):
		fields := roffFields(l[1:])
		if len(fields) > 0 {
			r.macro(fields[0], fields[1:])
		}
	case strings.TrimSpace(l) == "":
		r.gap()
	default:
		r.text(unescape(l))
	}
}

func conditional(l string) bool {
	for _, m := range []string{".ie ", ".if ", ".el ", ".el\\{", "'ie ", ".while "} {
		if strings.HasPrefix(l, m) {
			return true
		}
	}
	return false
}

// text adds a line of text: to the paragraph, or as the tag that was announced.
func (r *roff) text(s string) {
	if s = strings.TrimRight(s, " "); s == "" {
		return
	}
	if r.broken {
		// "-a" and, after a break, "--all": one tag.
		if r.broken = false; startsFlag(s) {
			r.para[len(r.para)-1] += ","
		} else {
			r.flush()
		}
	}
	r.para = append(r.para, s)
	if r.tag == 2 {
		r.tag = 1
		r.flush()
		r.indent = r.base + tagIndent
	} else if r.nofill {
		r.flush()
	}
}

// flush sets the paragraph.
func (r *roff) flush() {
	r.broken = false
	if len(r.para) == 0 {
		return
	}
	indent := r.indent
	if indent == 0 {
		indent = r.base
	}
	r.out.WriteString(strings.Repeat(" ", indent))
	r.out.WriteString(strings.Join(r.para, " "))
	r.out.WriteByte('\n')
	r.para = nil
}

// gap ends a paragraph.
func (r *roff) gap() {
	r.flush()
	r.out.WriteByte('\n')
}

// heading sets a section's title, or a sub-section's.
func (r *roff) heading(title string, indent int) {
	r.gap()
	r.base, r.indent, r.stack, r.tag, r.nofill = bodyIndent, 0, nil, 0, false
	synopsis := r.synop
	r.synop = strings.EqualFold(title, "synopsis") || synopsis && indent > 0
	if indent == 0 {
		title = strings.ToUpper(title)
	}
	if synopsis && indent > 0 {
		return // "Traditional usage"
	}
	r.out.WriteString(strings.Repeat(" ", indent) + title + "\n")
}

// announce makes the next line, or this tag, head what follows.
func (r *roff) announce(tag string) {
	r.flush()
	r.indent = r.base
	r.tag = 2
	if tag != "" {
		r.text(tag)
	}
}

func (r *roff) push(by int) {
	r.flush()
	if len(r.stack) < 16 {
		r.stack = append(r.stack, r.base)
		r.base, r.indent = r.base+by, 0
	}
}

func (r *roff) pop() {
	r.flush()
	if n := len(r.stack); n > 0 {
		r.base, r.indent, r.stack = r.stack[n-1], 0, r.stack[:n-1]
	}
}

// roffFields cuts a macro's line into words, of which some are in quotes.
func roffFields(s string) []string {
	var out []string
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		if strings.HasPrefix(s, `\"`) {
			break
		}
		if s[0] == '"' {
			word, rest, _ := strings.Cut(s[1:], `"`)
			out, s = append(out, word), rest
			continue
		}
		end := 0
		for end < len(s) && (s[end] != ' ' && s[end] != '\t' || end > 0 && s[end-1] == '\\') {
			end++
		}
		out, s = append(out, s[:end]), s[end:]
	}
	return out
}
