package pack

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// Choice is one word that could be typed next.
type Choice struct {
	Word  string
	About string // what it is, as the manifest says; "": nothing
	Open  bool   // more of the same word has to follow: no space behind it
	group bool   // a begun path: About is what follows
}

// Next is what could be typed in place of a line's last word.
type Next struct {
	Words []Choice
	Files bool   // a file's name
	Front string // what of the word stays in front of that name, such as "--file="
}

// Complete gives what could stand in place of last, the word that is being
// typed behind words on this pack's shim: commands word by word, aliases, flags
// not yet used, allowed values. A word that does not fit is passed over. It reads
// nothing but the manifest.
func (p *Pack) Complete(words []string, last string) Next {
	if slices.ContainsFunc(words, func(w string) bool { return unfit(w) != "" }) || unfit(last) != "" {
		return Next{}
	}
	ix := p.lines()
	var o ours
	rest := words
	for len(rest) > 0 {
		if ok, _ := o.take(rest[0]); !ok {
			break
		}
		rest = rest[1:]
	}
	t, n := ix.locate(rest)
	var next Next
	if t == nil && ix.empty != nil {
		t, n = ix.empty, 0
	}
	next.Words = ix.pathWords(rest)
	switch {
	case t != nil && t.broken == "":
		c := completer{pack: p, m: newMatcher(t), last: last}
		c.m.ours = o
		c.into(&next, rest[n:])
	case t == nil && strings.HasPrefix(last, "-"):
		next.Words = ourFlags(o, false)
	}
	next.Words = startingWith(next.Words, last)
	return next
}

func startingWith(all []Choice, last string) []Choice {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(c Choice) bool {
		drop := seen[c.Word] || c.Word == last && c.Open || !strings.HasPrefix(c.Word, last)
		seen[c.Word] = true
		return drop
	})
}

// pathWords are the words that go on from a begun path: the commands' own in
// the manifest's order, then the aliases'. A word that begins several commands is
// told by what follows it.
func (ix *index) pathWords(begun []string) (list []Choice) {
	n := len(begun)
	add := func(path []string, about string) {
		if len(path) <= n || !slices.Equal(path[:n], begun) {
			return
		}
		if len(path) == n+1 {
			list = append(list, Choice{Word: path[n], About: about})
			return
		}
		same := slices.IndexFunc(list, func(c Choice) bool { return c.Word == path[n] })
		switch {
		case same < 0:
			list = append(list, Choice{Word: path[n], About: path[n+1], group: true})
		case list[same].group:
			list[same].About += ", " + path[n+1]
		}
	}
	for i, t := range ix.templates {
		add(t.path, ix.pack.Commands[i].Description)
	}
	for i, t := range ix.templates {
		for _, words := range aliasPaths(&ix.pack.Commands[i], t) {
			add(words, strings.Join(t.path, " ")+": "+ix.pack.Commands[i].Description)
		}
	}
	return list
}

// completer completes one command's arguments.
type completer struct {
	pack *Pack
	m    *matcher
	last string
}

func (c *completer) into(next *Next, words []string) {
	m := c.m
	waits := -1 // the element whose value comes next
	for i := 0; i < len(words); {
		if j, flag := m.exact[words[i]]; flag && !m.ended && i+1 == len(words) && m.wants(j) {
			waits = j
			break
		}
		n, _ := m.word(words[i:])
		i += max(n, 1)
	}
	name, _, eq := strings.Cut(c.last, "=")
	j, declared := m.exact[name]
	switch {
	case waits >= 0:
		c.value(next, waits, "")
	case !m.ended && eq && declared && m.takesEq(j, name):
		c.value(next, j, name+"=")
	case !m.ended && strings.HasPrefix(c.last, "-"):
		next.Words = append(next.Words, c.flags()...)
	default:
		c.slot(next)
		if c.last == "" && len(next.Words) == 0 && !next.Files && !m.ended {
			next.Words = c.flags() // nothing else can be named
		}
	}
}

// wants tells whether a flag as typed has its value in the next word.
func (m *matcher) wants(i int) bool {
	switch e := &m.t.elems[i]; e.kind {
	case elConst:
		return m.ownedWord(i) >= 0
	case elChoice:
		return false
	default:
		return true
	}
}

// value completes a flag's value; front is what of the word stays.
func (c *completer) value(next *Next, i int, front string) {
	e := &c.m.t.elems[i]
	if e.kind == elConst {
		next.Words = append(next.Words, Choice{Word: c.m.t.elems[i+1].text})
		return
	}
	for _, v := range e.allowedTexts() {
		next.Words = append(next.Words, Choice{Word: front + v})
	}
	if len(next.Words) == 0 && slices.Contains(c.pack.Wrap.Workspace.FileFlags, e.flag) {
		next.Files, next.Front = true, front
	}
}

// allowedTexts are the values that the schema names.
func (e *elem) allowedTexts() []string {
	if list := e.schema.tokenTexts(); len(list) > 0 || !e.schema.is("boolean") {
		return list
	}
	return []string{"true", "false"}
}

// slot completes the plain word whose turn it is.
func (c *completer) slot(next *Next) {
	m := c.m
	for _, i := range m.slots[m.at:] {
		e := &m.t.elems[i]
		switch {
		case m.typed[i] && !e.list || e.kind == elWord && m.skippable(e):
			continue
		case e.kind == elWord:
			next.Words = append(next.Words, Choice{Word: e.text})
			return
		case e.kind == elMixed:
			if lit := e.parts[0].lit; lit != "" {
				next.Words = append(next.Words, Choice{Word: lit, About: about(e.schema), Open: true})
			}
			continue
		}
		for _, v := range e.allowedTexts() {
			next.Words = append(next.Words, Choice{Word: v, About: about(e.schema)})
		}
		return
	}
}

func about(s *Schema) string {
	if s == nil {
		return ""
	}
	return s.Description
}

// flags are those that may still be typed, the required ones first.
func (c *completer) flags() []Choice {
	m := c.m
	var must, may []Choice
	for i := range m.t.elems {
		e := &m.t.elems[i]
		if m.typed[i] && !e.list || len(m.vals[e.name()]) > 0 && !e.list {
			continue
		}
		var words []Choice
		switch {
		case e.kind == elOpt:
			words = []Choice{{Word: e.flag}}
		case e.kind == elChoice:
			for _, f := range e.schema.Flags() {
				words = append(words, Choice{Word: f})
			}
		case e.dashed():
			words = []Choice{{Word: e.parts[0].lit, Open: true}}
		}
		for _, w := range words {
			w.About = about(e.schema)
			if m.t.args.Requires(e.name()) {
				must = append(must, w)
			} else {
				may = append(may, w)
			}
		}
	}
	row, _ := c.pack.Row(m.t.key)
	all := append(must, may...)
	for _, f := range ourFlags(m.ours, row.Confirm) {
		if m.t.leaves(f.Word) {
			all = append(all, f)
		}
	}
	return all
}

// ourFlags are the flags of every shim that are not typed yet; mock and apply
// are left to those who know them.
func ourFlags(o ours, gated bool) (list []Choice) {
	if gated && o.confirm == unset && o.apply == unset {
		list = append(list, Choice{Word: "--" + hcp.ArgConfirm, About: "Agree to what this does"})
	}
	if !o.json {
		list = append(list, Choice{Word: "--json", About: "The result as one line of JSON"})
	}
	if !o.help {
		list = append(list, Choice{Word: "--help", About: "What it does and takes"})
	}
	return list
}
