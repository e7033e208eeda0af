package pack

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// Spell writes the shim line that gives these args, shell-quoted: prog, the
// command's words, its arguments, --confirm where args confirm or apply, and
// --mock where they ask for it. Arguments that no line can give are written for hcp exec instead.
func (p *Pack) Spell(c *Command, args hcp.Args, prog string) string {
	t := p.templateOf(c)
	argv, d := t.render(args)
	if d != nil || t.broken != "" {
		return p.execLine(c.Key, args)
	}
	words := t.typedWords(argv, args)
	line, back := p.lines().match(words)
	if line.Fault != nil || line.Help || back != t || !sameArgs(withoutReserved(line.Args), t.normal(args)) {
		return p.execLine(c.Key, args)
	}
	return shellLine(append([]string{prog}, words...))
}

// typedWords turns an argv into what a person types: the reserved flags in
// front of "--", a value that looks like a flag as one word with its flag.
func (t *template) typedWords(argv []Token, args hcp.Args) []string {
	var flags, words []string
	if args.Confirmed() {
		flags = append(flags, "--confirm")
	}
	if args.Mock() {
		flags = append(flags, "--mock")
	}
	ended := false
	for _, tok := range argv {
		switch {
		case tok.Arg == "" && tok.Text == "--" && !ended:
			words = append(append(words, flags...), tok.Text)
			ended = true
		case tok.Arg == "" && !tok.AfterEnd && (tok.Text == "--confirm" || tok.Text == "--apply"):
			// Typed only when the caller agreed: see flags.
		case tok.Flag != "" && tok.ValueAt == 0 && flagLike(tok.Text) && strings.HasPrefix(tok.Flag, "--"):
			words[len(words)-1] = tok.Flag + "=" + tok.Text
		default:
			words = append(words, tok.Text)
		}
	}
	if !ended {
		words = append(words, flags...)
	}
	return words
}

// normal is N of template.md: what Match gives back for a rendered line.
// Missing values and reserved keys go, scalars are as rendered.
func (t *template) normal(args hcp.Args) hcp.Args {
	var out hcp.Args
	for _, name := range t.names {
		list, d := t.values(name, args)
		switch {
		case d != nil || len(list) == 0:
		case t.args.Property(name).List():
			out = append(out, hcp.Member{Name: name, Value: hcp.StringsValue(list)})
		default:
			out = append(out, hcp.Member{Name: name, Value: hcp.StringValue(list[0])})
		}
	}
	return out
}

// execLine writes a call for hcp exec: k=v for strings, k:=JSON for the rest.
func (p *Pack) execLine(key string, args hcp.Args) string {
	words := []string{"hcp", "exec", p.ID, key}
	if len(args) > 0 {
		words = append(words, "--")
	}
	for _, m := range args {
		reserved := m.Name == hcp.ArgConfirm || m.Name == hcp.ArgApply
		switch {
		case m.Value.Kind == hcp.String && !strings.HasSuffix(m.Name, ":"):
			words = append(words, m.Name+"="+m.Value.Text)
		case m.Value.Kind == hcp.Bool && m.Value.Bool && reserved:
			words = append(words, m.Name+"=true")
		default:
			words = append(words, m.Name+":="+string(m.Value.AppendJSON(nil)))
		}
	}
	return shellLine(words)
}

func shellLine(words []string) string {
	quoted := slices.Clone(words)
	for i, w := range quoted {
		quoted[i] = shellQuote(w)
	}
	return strings.Join(quoted, " ")
}

const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-="

// shellQuote leaves harmless words bare. A control character is written in the
// $'…' form, so that the line stays one line.
func shellQuote(s string) string {
	safe, control := s != "", false
	for i := 0; i < len(s); i++ {
		safe = safe && strings.IndexByte(shellSafe, s[i]) >= 0
		control = control || s[i] < ' ' || s[i] == 0x7f
	}
	switch {
	case safe && s[0] != '=' && s[0] != '%':
		return s
	case !control:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			b.WriteString(`\x` + string(hex[c>>4]) + string(hex[c&15]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
