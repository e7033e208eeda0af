package pack

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// part is a piece of a token: literal text, or a placeholder's name.
type part struct{ lit, name string }

// elemKind says how one element of a template is matched (template.md,
// Compile). Rendering needs fewer differences.
type elemKind uint8

const (
	elWord   elemKind = iota // a literal word
	elConst                  // a literal flag: may be typed, is always rendered
	elEnd                    // "--"
	elOpt                    // a literal flag and its value, two tokens
	elPos                    // exactly {{n}}
	elChoice                 // exactly {{n}}, where each allowed value is itself a flag
	elMixed                  // placeholders with text around them, --f={{n}} among them
)

// elem is one element of a template after the verb path.
type elem struct {
	kind   elemKind
	text   string // the literal of elWord, elConst and elOpt
	parts  []part // what the value is made of; nil for literals
	schema *Schema
	flag   string // the flag this is the value of; "" for none
	eq     bool   // exactly --f={{n}}: may also be typed as two words
	list   bool   // declared an array: once per element
	after  bool   // behind "--"
	owner  int    // elWord: index of the elConst it is the JSON word of, or -1
}

// name is the element's first placeholder; "" for a literal.
func (e *elem) name() string {
	for _, p := range e.parts {
		if p.name != "" {
			return p.name
		}
	}
	return ""
}

// dashed tells whether a mixed token is typed like a flag.
func (e *elem) dashed() bool {
	return e.kind == elMixed && !e.after && strings.HasPrefix(e.parts[0].lit, "-")
}

// slot tells whether the element takes its turn among the plain words.
func (e *elem) slot() bool {
	switch e.kind {
	case elWord, elPos:
		return true
	case elMixed:
		return !e.dashed()
	}
	return false
}

// template is one compiled cli[] or argv_template: render and match share it.
type template struct {
	key      string
	path     []string // the verb path: leading literal words
	elems    []elem
	names    []string // placeholders in order, each once
	args     *Schema
	jsonFlag []string // what is appended
	numeric  bool     // a declared flag looks like a number
	broken   string   // why no line can be matched; "": fine
	problems []string // check errors, broken among them
	warnings []string
}

// compile reads a command's tokens. It never fails: a template that cannot be
// matched still renders, as the spec says.
func compile(p *Pack, c *Command) *template {
	t := &template{key: c.Key, args: c.Args}
	tokens := declaredTokens(p, c)
	i := 0
	for i < len(tokens) && isWord(tokens[i]) {
		i++
	}
	t.path, tokens = tokens[:i], tokens[i:]
	after := false
	for i = 0; i < len(tokens); i++ {
		tok := tokens[i]
		parts := split(tok)
		switch {
		case !after && tok == "--":
			t.elems = append(t.elems, elem{kind: elEnd, text: tok})
			after = true
		case hasName(parts):
			t.addValue(elem{parts: parts, after: after})
		case len(tok) > 1 && tok[0] == '-' && tok != "--" && i+1 < len(tokens) && exactly(split(tokens[i+1])):
			i++
			t.addValue(elem{kind: elOpt, text: tok, flag: tok, parts: split(tokens[i]), after: after})
		default:
			t.addLiteral(tok, after)
		}
	}
	t.jsonFlag = jsonFlag(p, c, tokens)
	t.inspect(c.JSONFlag != nil && len(c.JSONFlag) == 0)
	return t
}

// declaredTokens are the command's tokens behind the bin. An empty literal
// renders empty and goes.
func declaredTokens(p *Pack, c *Command) []string {
	var list []string
	if len(c.CLI) > 0 {
		list = slices.Clone(c.CLI[1:])
	} else {
		list = expandVerb(p.Wrap.ArgvTemplate, c.Key)
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// expandVerb fills {{verb}} with the command tail.
func expandVerb(argv []string, key string) []string {
	_, tail, family := strings.Cut(key, ".")
	if !family {
		tail = key
	}
	if argv == nil {
		argv = []string{"{{verb}}"}
	}
	var list []string
	for _, tok := range argv {
		if tok == "{{verb}}" {
			list = append(list, strings.Fields(tail)...)
			continue
		}
		list = append(list, strings.ReplaceAll(tok, "{{verb}}", tail))
	}
	return list
}

func isWord(tok string) bool { return tok[0] != '-' && !hasName(split(tok)) }

func hasName(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.name != "" })
}

func exactly(parts []part) bool { return len(parts) == 1 && parts[0].name != "" }

// split cuts a token into text and placeholders, {{[A-Za-z_][A-Za-z0-9_-]*}};
// anything else in braces is text.
func split(tok string) []part {
	var parts []part
	lit := 0
	for i := 0; i < len(tok); {
		n := 0
		if strings.HasPrefix(tok[i:], "{{") {
			n = nameLen(tok[i+2:])
		}
		if n == 0 || !strings.HasPrefix(tok[i+2+n:], "}}") {
			i++
			continue
		}
		if lit < i {
			parts = append(parts, part{lit: tok[lit:i]})
		}
		parts = append(parts, part{name: tok[i+2 : i+2+n]})
		i += n + 4
		lit = i
	}
	if lit < len(tok) {
		parts = append(parts, part{lit: tok[lit:]})
	}
	return parts
}

func nameLen(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		alpha := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !alpha && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return i
		}
	}
	return len(s)
}

func (t *template) addLiteral(tok string, after bool) {
	if !after && flagLiteral(tok) {
		t.elems = append(t.elems, elem{kind: elConst, text: tok})
		return
	}
	e := elem{kind: elWord, text: tok, after: after, owner: -1}
	if n := len(t.elems); !after && len(t.path) > 0 && n > 0 && t.elems[n-1].kind == elConst && selectsJSON([]string{t.elems[n-1].text, tok}) &&
		!selectsJSON([]string{tok}) && t.elems[n-1].text != tok {
		e.owner = n - 1
	}
	t.elems = append(t.elems, e)
}

func flagLiteral(tok string) bool { return len(tok) > 1 && tok[0] == '-' }

func (t *template) addValue(e elem) {
	e.schema = t.args.Property(e.name())
	e.list = e.schema.List()
	switch {
	case e.kind == elOpt:
	case !exactly(e.parts):
		e.kind = elMixed
		e.flag, e.eq = mixedFlag(e.parts)
	case !e.after && e.schema.Flags() != nil:
		e.kind = elChoice
	default:
		e.kind = elPos
	}
	t.elems = append(t.elems, e)
	for _, p := range e.parts {
		if p.name != "" && !slices.Contains(t.names, p.name) {
			t.names = append(t.names, p.name)
		}
	}
}

// mixedFlag finds the flag in front of a mixed token's value: --f of --f={{n}},
// -o of -o{{n}}.
func mixedFlag(parts []part) (flag string, eq bool) {
	lit := parts[0].lit
	if !flagLiteral(lit) {
		return "", false
	}
	name, rest, cut := strings.Cut(lit, "=")
	return name, cut && rest == "" && len(parts) == 2
}

// jsonFlag decides what is appended; tokens are the declared ones.
func jsonFlag(p *Pack, c *Command, tokens []string) []string {
	switch {
	case c.JSONFlag != nil:
		return c.JSONFlag
	case selectsJSON(tokens):
		return nil
	case p.Wrap.JSONFlag != nil:
		return p.Wrap.JSONFlag
	}
	return []string{"--json"}
}

func selectsJSON(tokens []string) bool {
	for i, tok := range tokens {
		name, value, eq := strings.Cut(tok, "=")
		switch name {
		case "--json":
			return true
		case "-o", "--output", "--format", "-f":
			if eq && value == "json" || !eq && i+1 < len(tokens) && tokens[i+1] == "json" {
				return true
			}
		}
	}
	return false
}

// values gives an argument's rendered texts: none when it is missing, one
// for a scalar, one per element for a declared array.
func (t *template) values(name string, args hcp.Args) ([]string, *hcp.Denial) {
	v, s := args.Get(name), t.args.Property(name)
	if hcp.Reserved(name) {
		return nil, nil // the protocol's, never the program's
	}
	items := []hcp.Value{v}
	if v.Kind == hcp.Array && s.List() {
		items = v.Items
	}
	var list []string
	for _, it := range items {
		text, ok := hcp.CLIText(it)
		switch {
		case !ok && unreadable(it):
			return nil, hcp.InvalidArgs("%s is not a number a program could read", showName(name))
		case !ok:
			return nil, hcp.InvalidArgs("%s is an object, which has no form on a command line", showName(name))
		}
		if flags := s.Flags(); flags != nil {
			text = choose(flags, text)
		}
		if why := unfit(text); why != "" {
			return nil, hcp.InvalidArgs("%s %s", showName(name), why)
		}
		if text != "" {
			list = append(list, text)
		}
	}
	return list, nil
}

func unreadable(v hcp.Value) bool {
	return v.Kind == hcp.Number || v.Kind == hcp.Array && slices.ContainsFunc(v.Items, unreadable)
}

// choose turns true and false into the flag they stand for (formats.md): with
// one flag, false is missing; a --x and --no-x pair has a flag for both.
func choose(flags []string, text string) string {
	if text != "true" && text != "false" {
		return text
	}
	yes, no := flags[0], ""
	if len(flags) == 2 {
		if yes, no = flags[0], flags[1]; negates(yes, no) {
			yes, no = no, yes
		}
		if !negates(no, yes) {
			return text
		}
	} else if len(flags) > 2 {
		return text
	}
	if text == "true" {
		return yes
	}
	return no
}

// negates tells whether no is the --no-x of yes.
func negates(no, yes string) bool {
	name, ok := strings.CutPrefix(no, "--no-")
	return ok && "--"+name == yes
}
