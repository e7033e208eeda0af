package pack

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// tri is a flag that may be given, and given as false.
type tri uint8

const (
	unset tri = iota
	yes
	no
)

// ours are the flags that every shim has (rule 2).
type ours struct {
	confirm, apply   tri
	mock, json, help bool
}

// take accepts one word if it is a flag of ours. A confirm that was taken back
// once stays taken back.
func (o *ours) take(word string) (bool, *hcp.Fault) {
	switch word {
	case "--json":
		o.json = true
		return true, nil
	case "--help", "-h":
		o.help = true
		return true, nil
	case "--mock":
		o.mock = true
		return true, nil
	}
	name, value, given := strings.Cut(word, "=")
	var t *tri
	switch name {
	case "--confirm":
		t = &o.confirm
	case "--apply":
		t = &o.apply
	case "--json", "--help", "-h", "--mock":
		return false, fault("%s takes no value", name)
	default:
		return false, nil
	}
	switch {
	case value == "false":
		*t = no
	case given && value != "true":
		return false, fault("%s takes true or false, not %s", name, showText(value))
	case *t == unset:
		*t = yes
	}
	return true, nil
}

func (o *ours) appendTo(args hcp.Args) hcp.Args {
	if o.confirm != unset {
		args = append(args, hcp.Member{Name: hcp.ArgConfirm, Value: hcp.BoolValue(o.confirm == yes)})
	}
	if o.apply != unset {
		args = append(args, hcp.Member{Name: hcp.ArgApply, Value: hcp.BoolValue(o.apply == yes)})
	}
	if o.mock {
		args = append(args, hcp.Member{Name: hcp.ArgMode, Value: hcp.StringValue("mock")})
	}
	return args
}

// matcher reads the words behind a verb path, each once, from left to right.
type matcher struct {
	t      *template
	exact  map[string]int // flags as typed, to their element
	slots  []int          // elements that take plain words, in order
	at     int            // the next slot
	typed  []bool         // per element: a fixed flag, word or value was there
	vals   map[string][]string
	ended  bool // behind "--"
	ours   ours
	prefix []int // elements typed as -x{{n}}, longest prefix first
}

func newMatcher(t *template) *matcher {
	m := &matcher{t: t, exact: map[string]int{}, typed: make([]bool, len(t.elems)), vals: map[string][]string{}}
	for i := range t.elems {
		e := &t.elems[i]
		names, _ := e.flagNames()
		for _, n := range names {
			m.exact[n] = i
		}
		if e.slot() {
			m.slots = append(m.slots, i)
		}
		if e.dashed() && !e.eq {
			m.prefix = append(m.prefix, i)
		}
	}
	slices.SortStableFunc(m.prefix, func(a, b int) int {
		return len(t.elems[b].parts[0].lit) - len(t.elems[a].parts[0].lit)
	})
	return m
}

// front takes the words before the path, all of them ours.
func (m *matcher) front(words []string) *hcp.Fault {
	for _, w := range words {
		if _, f := m.ours.take(w); f != nil {
			return f
		}
	}
	return nil
}

// run takes the words behind the path.
func (m *matcher) run(words []string) *hcp.Fault {
	for i := 0; i < len(words); {
		n, f := m.word(words[i:])
		if f != nil {
			return f
		}
		i += n
	}
	for _, i := range m.slots[m.at:] {
		if e := &m.t.elems[i]; e.kind == elWord && !m.typed[i] && !m.skippable(e) {
			return fault("missing word %s", showText(e.text))
		}
	}
	return nil
}

// word takes the first of the words and says how many went with it.
func (m *matcher) word(words []string) (int, *hcp.Fault) {
	w := words[0]
	if !m.ended && w == "--" {
		m.ended = true
		return 1, nil
	}
	if !m.ended && len(w) > 1 && w[0] == '-' {
		n, f := m.flag(words)
		if n > 0 || f != nil {
			return n, f
		}
	}
	if w == "" {
		return 0, fault("empty argument")
	}
	return 1, m.plain(w)
}

// skippable: the word of a fixed JSON selection such as "-o json" need not be
// typed when its flag was not.
func (m *matcher) skippable(e *elem) bool { return e.owner >= 0 && !m.typed[e.owner] }

// plain puts a word into the next slot that takes it.
func (m *matcher) plain(w string) *hcp.Fault {
	for ; m.at < len(m.slots); m.at++ {
		i := m.slots[m.at]
		e := &m.t.elems[i]
		switch {
		case e.kind == elWord && m.typed[i]:
			continue
		case e.kind == elWord && e.text == w:
			m.typed[i] = true
			m.at++
			return nil
		case e.kind == elWord && m.skippable(e):
			continue
		case e.kind == elWord:
			return fault("expected %s, not %s", showText(e.text), showText(w))
		case !m.fit(e, w):
			continue // another token's form: this one was left out
		}
		m.typed[i] = true
		if !e.list {
			m.at++
		}
		return nil
	}
	return fault("extra argument %s", showText(w))
}

// fit takes a word apart along the element's text and keeps the values.
func (m *matcher) fit(e *elem, w string) bool {
	var found []part
	for i, p := range e.parts {
		switch {
		case p.name == "":
			rest, ok := strings.CutPrefix(w, p.lit)
			if !ok {
				return false
			}
			w = rest
			continue
		case i+1 == len(e.parts):
			found = append(found, part{p.name, w})
			w = ""
			continue
		}
		sep := e.parts[i+1].lit
		cut := strings.Index(w, sep)
		if i+2 == len(e.parts) && strings.HasSuffix(w, sep) {
			cut = len(w) - len(sep)
		}
		if cut < 0 {
			return false
		}
		found = append(found, part{p.name, w[:cut]})
		w = w[cut:]
	}
	if w != "" {
		return false
	}
	for _, f := range found {
		m.add(f.lit, f.name)
	}
	return true
}

func (m *matcher) add(name, value string) { m.vals[name] = append(m.vals[name], value) }

// flag takes a word that starts with "-", and its value. 0 and no fault: it is a
// plain word after all (rule 6).
func (m *matcher) flag(words []string) (int, *hcp.Fault) {
	w := words[0]
	name, value, eq := strings.Cut(w, "=")
	if i, ok := m.exact[w]; ok {
		return m.exactFlag(i, words)
	}
	if i, ok := m.exact[name]; ok && eq && m.takesEq(i, name) {
		return 1, m.value(i, name, value)
	}
	if i, ok := m.exact[name]; ok && eq && m.ownedWord(i) >= 0 && m.t.elems[i+1].text == value {
		m.typed[i], m.typed[i+1] = true, true
		return 1, nil
	}
	if _, declared := m.exact[name]; !declared || m.t.leaves(name) {
		if ok, f := m.ours.take(w); ok || f != nil {
			return 1, f
		}
	}
	if jf := m.t.jsonFlag; len(jf) > 0 && len(jf) <= len(words) && slices.Equal(jf, words[:len(jf)]) {
		m.ours.json = true
		return len(jf), nil
	}
	for _, i := range m.prefix {
		if e := &m.t.elems[i]; strings.HasPrefix(w, e.parts[0].lit) {
			if !e.list && m.typed[i] {
				return 0, fault("%s repeated", showText(e.source()))
			}
			if m.fit(e, w) {
				m.typed[i] = true
				return 1, nil
			}
		}
	}
	if numberLike(w) && !m.t.numeric {
		return 0, nil
	}
	return 0, m.unknown(w)
}

// takesEq: --k=v for a valued flag; -o=v only when it is declared that way.
func (m *matcher) takesEq(i int, name string) bool {
	e := &m.t.elems[i]
	return e.eq || e.kind == elOpt && strings.HasPrefix(name, "--")
}

func (m *matcher) exactFlag(i int, words []string) (int, *hcp.Fault) {
	e := &m.t.elems[i]
	w := words[0]
	switch e.kind {
	case elConst:
		return m.fixed(i, words)
	case elChoice:
		if have := m.vals[e.name()]; len(have) > 0 && have[0] != w {
			return 0, fault("%s and %s exclude each other", showText(have[0]), showText(w))
		}
		m.vals[e.name()] = []string{w}
		m.gate(w)
		return 1, nil
	}
	if len(words) == 1 {
		return 0, fault("missing value for %s", showText(w))
	}
	v := words[1]
	if v == "--" || flagLike(v) && !m.allowed(e, v) {
		if strings.HasPrefix(w, "--") {
			return 0, fault("value of %s looks like a flag: write %s=…", showText(w), showText(w))
		}
		return 0, fault("value of %s looks like a flag", showText(w))
	}
	return 2, m.value(i, w, v)
}

// allowed: a value that the author's enum names may look like a flag, but never
// like a gate (rule 5).
func (m *matcher) allowed(e *elem, v string) bool {
	ours, bad := new(ours).take(v)
	return !ours && bad == nil && slices.Contains(e.schema.tokenTexts(), v)
}

// fixed takes a literal flag, and the JSON word that goes with it.
func (m *matcher) fixed(i int, words []string) (int, *hcp.Fault) {
	m.typed[i] = true
	m.gate(words[0])
	j := m.ownedWord(i)
	if j < 0 || m.typed[j] {
		return 1, nil
	}
	text := m.t.elems[j].text
	if len(words) > 1 && words[1] == text {
		m.typed[j] = true
		return 2, nil
	}
	return 0, fault("%s is always %s here", showText(words[0]), showText(text))
}

// ownedWord is the index of the JSON word that belongs to fixed flag i, or -1.
func (m *matcher) ownedWord(i int) int {
	if i+1 < len(m.t.elems) && m.t.elems[i+1].kind == elWord && m.t.elems[i+1].owner == i {
		return i + 1
	}
	return -1
}

// gate: a flag that the template fixes still says what it says (rule 9).
func (m *matcher) gate(w string) {
	if w == "--confirm" || w == "--apply" || w == "--json" {
		m.ours.take(w)
	}
}

// value keeps a flag's value; an empty one is absent (rules 8 and 10).
func (m *matcher) value(i int, flag, v string) *hcp.Fault {
	e := &m.t.elems[i]
	if m.typed[i] && !e.list {
		return fault("%s repeated", showText(flag))
	}
	m.typed[i] = true
	if v != "" {
		m.add(e.name(), v)
	}
	return nil
}

func (m *matcher) unknown(w string) *hcp.Fault {
	f := fault("unknown flag %s", flagName(w))
	name, _, _ := strings.Cut(w, "=")
	if slices.Contains(m.t.flagWords(), name) {
		f.Hint = name + " takes no value"
	} else if near := hcp.Nearest(name, m.t.flagWords()); near != "" {
		f.Hint = "did you mean " + near + "?"
	} else {
		f.Hint = "a value that starts with - goes behind --, or as --flag=value"
	}
	return f
}

// flagWords are all flags that a line of the command may have.
func (t *template) flagWords() []string {
	var list []string
	for i := range t.elems {
		names, _ := t.elems[i].flagNames()
		list = append(list, names...)
	}
	return append(list, "--json", "--help", "--confirm", "--apply", "--mock")
}

// args are the values in the template's order, then the reserved ones.
func (m *matcher) args() hcp.Args {
	var args hcp.Args
	for _, name := range m.t.names {
		list := slices.DeleteFunc(m.vals[name], func(s string) bool { return s == "" })
		switch {
		case len(list) == 0:
		case m.t.args.Property(name).List():
			args = append(args, hcp.Member{Name: name, Value: hcp.StringsValue(list)})
		default:
			args = append(args, hcp.Member{Name: name, Value: hcp.StringValue(list[0])})
		}
	}
	return m.ours.appendTo(args)
}
