package pack

import (
	"fmt"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// Line is what a typed shim line means.
type Line struct {
	VerbKey string     // the command; the first word when that names none; "" only when no word was given
	Args    hcp.Args   // values as typed, in the template's order, then confirm, apply, mode
	Fault   *hcp.Fault // nil: the line matched. With a fault, Args are the reserved ones only
	JSON    bool       // --json, or what the command's JSON flag is, was typed
	Help    bool       // --help or -h was typed; it wins over a fault
	Unknown bool       // VerbKey is a word that names no command, even if it looks like a key
	Suggest string     // the words of the command that was probably meant; "": no idea
}

// Match reads the words that follow a shim's name (template.md, Match). It is
// Render backwards: a line that would not read back as the same command and
// arguments has a Fault. A value that the argument guard refuses is left to it.
func (p *Pack) Match(words []string) Line {
	ix := p.lines()
	line, t := ix.match(words)
	if line.Fault == nil && t != nil && !line.Help {
		line.Fault = ix.readsBack(t, line.Args)
		if line.Fault != nil {
			line.Args = reservedOnly(line.Args)
		}
	}
	return line
}

func reservedOnly(args hcp.Args) hcp.Args {
	var out hcp.Args
	for _, m := range args {
		if hcp.Reserved(m.Name) {
			out = append(out, m)
		}
	}
	return out
}

// readsBack is rule 11.
func (ix *index) readsBack(t *template, args hcp.Args) *hcp.Fault {
	argv, d := t.render(args)
	if d != nil {
		return nil // the same refusal waits in Validate and Render
	}
	for i := range argv {
		if t.looksLikeFlag(&argv[i], args) {
			return nil
		}
	}
	line, back := ix.match(texts(argv))
	if line.Fault != nil || back != t || line.Help || !sameArgs(withoutReserved(line.Args), withoutReserved(args)) {
		return &hcp.Fault{Message: "the line would read back as another command or other arguments",
			Hint: ix.pack.execLine(t.key, args)}
	}
	return nil
}

func texts(argv []Token) []string {
	words := make([]string, len(argv))
	for i := range argv {
		words[i] = argv[i].Text
	}
	return words
}

func withoutReserved(args hcp.Args) hcp.Args {
	return args.Without(hcp.ArgConfirm, hcp.ArgApply, hcp.ArgMode)
}

// sameArgs compares arguments in normal form: strings and lists of strings.
func sameArgs(a, b hcp.Args) bool {
	if len(a) != len(b) {
		return false
	}
	for _, m := range a {
		v := b.Get(m.Name)
		if v.Kind != m.Value.Kind || v.Text != m.Value.Text || len(v.Items) != len(m.Value.Items) {
			return false
		}
		for i := range v.Items {
			if v.Items[i].Text != m.Value.Items[i].Text {
				return false
			}
		}
	}
	return true
}

// match is Match without rule 11. The template is nil when no command was found.
func (ix *index) match(words []string) (Line, *template) {
	bad := slices.IndexFunc(words, func(w string) bool { return unfit(w) != "" })
	if bad >= 0 {
		line, t := ix.start(words[:bad])
		if line.VerbKey == "" {
			line.VerbKey = words[bad]
		}
		return line.fail(words, t, fault("argument %d %s", bad+1, unfit(words[bad]))), t
	}
	line, t := ix.start(words)
	switch {
	case line.Fault != nil:
		return line.fail(words, t, line.Fault), t
	case t == nil:
		return line.Line, nil
	case t.broken != "":
		f := fault("%s cannot be typed: %s", t.key, t.broken)
		f.Hint = "hcp exec " + ix.pack.ID + " " + t.key
		return line.fail(words, t, f), t
	}
	m := newMatcher(t)
	if f := m.front(words[:line.front]); f != nil {
		return line.fail(words, t, f), t
	}
	if f := m.run(words[line.from:]); f != nil {
		return line.fail(words, t, f), t
	}
	return Line{VerbKey: t.key, Args: m.args(), JSON: m.ours.json, Help: m.ours.help}, t
}

// begun is a Line whose command has been found.
type begun struct {
	Line
	front int // words before the path, all of them ours
	from  int // where the words behind the path begin
}

// start finds the command (rule 2).
func (ix *index) start(words []string) (begun, *template) {
	i, o := 0, ours{}
	for i < len(words) {
		ok, f := o.take(words[i])
		if f != nil || !ok {
			break
		}
		i++
	}
	if i == len(words) {
		return ix.noWords(words, o)
	}
	if t, n := ix.locate(words[i:]); t != nil {
		return begun{Line{VerbKey: t.key}, i, i + n}, t
	}
	if ix.empty != nil {
		return begun{Line{VerbKey: ix.empty.key}, 0, 0}, ix.empty
	}
	if flagLike(words[i]) {
		return ix.flagFirst(words, i)
	}
	line := Line{VerbKey: words[i], Unknown: true, JSON: o.json, Help: o.help, Suggest: ix.suggest(words[i:])}
	line.Fault = fault("unknown command %s", showText(words[i]))
	return begun{line, i, i}, nil
}

// noWords: nothing but flags of ours. The command without words runs, unless
// help is wanted.
func (ix *index) noWords(words []string, o ours) (begun, *template) {
	if ix.empty != nil && !slices.ContainsFunc(words, func(w string) bool { return (w == "--help" || w == "-h") && ix.empty.leaves(w) }) {
		return begun{Line{VerbKey: ix.empty.key}, 0, 0}, ix.empty
	}
	line := Line{JSON: o.json, Help: o.help, Args: o.appendTo(nil)}
	return begun{line, len(words), len(words)}, nil
}

// flagFirst: a flag that is not ours stands before the command. The command is
// looked for behind it, so that the line is refused where its gate stands.
func (ix *index) flagFirst(words []string, i int) (begun, *template) {
	f := fault("flag %s before the command", flagName(words[i]))
	if _, bad := new(ours).take(words[i]); bad != nil {
		f = bad
	}
	first := ""
	for j := i + 1; j < len(words); j++ {
		if t, n := ix.locate(words[j:]); t != nil {
			return begun{Line{VerbKey: t.key, Fault: f}, j, j + n}, t
		}
		if first == "" && !strings.HasPrefix(words[j], "-") {
			first = words[j]
		}
	}
	return begun{Line{VerbKey: first, Unknown: true, Fault: f}, len(words), len(words)}, nil
}

// fail turns a begun line into a refused one: of the arguments, it keeps any
// confirm, apply and mock on the line, so that a gate is answered first.
func (b begun) fail(words []string, t *template, f *hcp.Fault) Line {
	var o ours
	for _, w := range words {
		if w == "--" {
			break
		}
		if t == nil || t.leaves(w) {
			o.take(w)
		}
	}
	return Line{VerbKey: b.VerbKey, Args: o.appendTo(nil), Fault: f, JSON: o.json, Help: o.help, Unknown: b.Unknown, Suggest: b.Suggest}
}

// leaves tells whether a flag of ours is ours in this template too (rule 4): a
// fixed --confirm, --apply or --json of its own means the same.
func (t *template) leaves(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	for i := range t.elems {
		names, valued := t.elems[i].flagNames()
		if slices.Contains(names, name) {
			return !valued && (name == "--confirm" || name == "--apply" || name == "--json")
		}
	}
	return true
}

func fault(format string, a ...any) *hcp.Fault {
	return &hcp.Fault{Message: fmt.Sprintf(format, a...)}
}

// flagName is the part of a typed flag that an error may repeat: never its value.
func flagName(word string) string {
	name, _, _ := strings.Cut(word, "=")
	return showText(name)
}
