package pack

import (
	"strings"
	"unicode/utf8"

	"hcp/internal/hcp"
)

// Token is one word of an argv and where it came from.
type Token struct {
	Text     string
	Arg      string // the argument it shows; "": a literal token or the JSON flag
	ValueAt  int    // byte offset in Text where the argument's value starts
	AfterEnd bool   // stands behind "--"
	Flag     string // the flag this is the value of; "": none
}

// Render gives the argv behind the bin, the JSON flag last (§6.4, R-1 to R-6).
// It refuses what has no form on a command line: objects, NUL characters, and
// the lack of an argument that the schema requires. confirm, apply and mode are
// never rendered.
func (p *Pack) Render(c *Command, args hcp.Args) ([]Token, *hcp.Denial) {
	t := p.templateOf(c)
	argv, d := t.render(args)
	if d != nil {
		return nil, d
	}
	after := len(argv) > 0 && t.ends()
	for _, tok := range t.jsonFlag {
		argv = append(argv, Token{Text: tok, AfterEnd: after})
	}
	return argv, nil
}

func (t *template) ends() bool {
	for i := range t.elems {
		if t.elems[i].kind == elEnd {
			return true
		}
	}
	return false
}

// render is Render without the JSON flag.
func (t *template) render(args hcp.Args) ([]Token, *hcp.Denial) {
	if d := t.missing(args); d != nil {
		return nil, d
	}
	argv := make([]Token, 0, len(t.path)+2*len(t.elems)+2)
	for _, w := range t.path {
		argv = append(argv, Token{Text: w})
	}
	for i := range t.elems {
		e := &t.elems[i]
		if e.parts == nil {
			argv = append(argv, Token{Text: e.text, AfterEnd: e.after})
			continue
		}
		var d *hcp.Denial
		if argv, d = t.renderValue(argv, e, args); d != nil {
			return nil, d
		}
	}
	return argv, nil
}

func (t *template) missing(args hcp.Args) *hcp.Denial {
	if t.args == nil {
		return nil
	}
	for _, name := range t.args.Required {
		if t.absent(name, args.Get(name)) {
			return hcp.InvalidArgs("missing %s", showName(name))
		}
	}
	return nil
}

// absent tells whether v counts as no value of the argument called name.
func (t *template) absent(name string, v hcp.Value) bool {
	if hcp.IsMissing(v) {
		return true
	}
	s := t.args.Property(name)
	if v.Kind == hcp.Array {
		for _, it := range v.Items {
			if text, ok := hcp.CLIText(it); !ok || text != "" {
				return false
			}
		}
		return s.List() || len(v.Items) == 1
	}
	if flags := s.Flags(); flags != nil {
		text, _ := hcp.CLIText(v)
		return text != "" && choose(flags, text) == ""
	}
	return false
}

// renderValue appends an element that has placeholders. All of it goes when one
// value is missing, the flag in front of it too.
func (t *template) renderValue(argv []Token, e *elem, args hcp.Args) ([]Token, *hcp.Denial) {
	first := e.name()
	texts, d := t.values(first, args)
	if d != nil {
		return nil, d
	}
	others := map[string]string(nil)
	for _, p := range e.parts {
		if p.name == "" || p.name == first {
			continue
		}
		list, d := t.values(p.name, args)
		if d != nil {
			return nil, d
		}
		if len(list) == 0 {
			return argv, nil
		}
		if others == nil {
			others = map[string]string{}
		}
		others[p.name] = strings.Join(list, ",")
	}
	for _, text := range texts {
		if e.kind == elOpt {
			argv = append(argv, Token{Text: e.text, AfterEnd: e.after})
		}
		argv = append(argv, e.fill(first, text, others))
	}
	return argv, nil
}

// fill puts the values into the element's text.
func (e *elem) fill(first, value string, others map[string]string) Token {
	tok := Token{Arg: first, ValueAt: -1, AfterEnd: e.after, Flag: e.flag}
	var b strings.Builder
	for _, p := range e.parts {
		switch {
		case p.name == "":
			b.WriteString(p.lit)
			continue
		case tok.ValueAt < 0:
			tok.ValueAt = b.Len()
		}
		if p.name == first {
			b.WriteString(value)
		} else {
			b.WriteString(others[p.name])
		}
	}
	tok.Text = b.String()
	return tok
}

// unfit says why a text can be no argument of a process; "" when it can.
func unfit(text string) string {
	switch {
	case strings.IndexByte(text, 0) >= 0:
		return "contains a NUL character"
	case !utf8.ValidString(text):
		return "is not UTF-8"
	}
	return ""
}

// Guard is the argument guard (template.md): it refuses an argument whose value
// the program would read as a flag. argv is what Render gave for args.
func (p *Pack) Guard(c *Command, args hcp.Args, argv []Token) *hcp.Denial {
	t := p.templateOf(c)
	for i := range argv {
		if tok := &argv[i]; t.looksLikeFlag(tok, args) {
			return hcp.LooksLikeFlag(tok.Arg)
		}
	}
	return nil
}

func (t *template) looksLikeFlag(tok *Token, args hcp.Args) bool {
	if tok.Arg == "" || tok.ValueAt != 0 || tok.AfterEnd || tok.Text == "-" || !strings.HasPrefix(tok.Text, "-") {
		return false
	}
	s := t.args.Property(tok.Arg)
	if numberLike(tok.Text) && !s.text() && (tok.Flag != "" || !t.numeric) {
		// With a flag such as -1 declared, the program may read any number as
		// one, unless it is the value of another flag.
		return false
	}
	return !t.byAuthor(tok, s.tokenTexts())
}

// byAuthor tells whether the token shows one of the values that the enum, the
// author's word, names.
func (t *template) byAuthor(tok *Token, enum []string) bool {
	for i := range t.elems {
		e := &t.elems[i]
		if e.name() != tok.Arg || len(enum) == 0 {
			continue
		}
		for _, text := range enum {
			if len(e.parts) == 1 && tok.Text == text ||
				len(e.parts) > 1 && strings.HasPrefix(tok.Text, text+e.parts[1].lit) {
				return true
			}
		}
	}
	return false
}
