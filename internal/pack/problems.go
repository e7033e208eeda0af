package pack

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// impossible records why no typed line can be matched by the template.
func (t *template) impossible(why string) {
	if t.broken == "" {
		t.broken = why
	}
	t.problems = append(t.problems, why)
}

func (t *template) problem(why string) { t.problems = append(t.problems, why) }
func (t *template) warn(why string)    { t.warnings = append(t.warnings, why) }

// inspect finds what template.md calls check errors, and what would make
// Match(Render(a)) differ from a. ownNoJSON tells that json_flag is [].
func (t *template) inspect(ownNoJSON bool) {
	t.inspectNames()
	t.inspectOrder(ownNoJSON)
	t.inspectFlags()
	t.inspectPrefixes()
	t.inspectJSONFlag()
	for i := range t.elems {
		t.inspectParts(&t.elems[i])
	}
	if t.args != nil {
		for _, p := range t.args.Properties {
			if !slices.Contains(t.names, p.Name) && !hcp.Reserved(p.Name) {
				t.warn("argument " + showName(p.Name) + " is declared and never rendered")
			}
		}
	}
}

func (t *template) inspectNames() {
	var seen []string
	for i := range t.elems {
		for _, p := range t.elems[i].parts {
			switch {
			case p.name == "":
			case hcp.Reserved(p.name):
				t.impossible("{{" + p.name + "}} is reserved by the protocol")
			case slices.Contains(seen, p.name):
				t.impossible("{{" + p.name + "}} is there twice")
			}
			seen = append(seen, p.name)
		}
	}
}

// inspectOrder looks at what depends on the order of plain words.
func (t *template) inspectOrder(ownNoJSON bool) {
	optional, list, ends := "", "", 0
	for i := range t.elems {
		e := &t.elems[i]
		if e.kind == elEnd {
			ends++
		}
		if e.kind == elOpt && e.after {
			t.impossible("flag " + e.text + " behind -- goes with {{" + e.name() + "}}")
		}
		if e.after && e.kind == elWord && e.text == "--" {
			ends++
		}
		if !e.slot() {
			continue
		}
		name := e.name()
		if list != "" {
			t.impossible("list {{" + list + "}} is not the last word")
		}
		if optional != "" {
			t.warn("optional {{" + optional + "}} before another word: declare it required")
			optional = ""
		}
		if name != "" && !t.args.Requires(name) {
			optional = name
		}
		if e.list {
			list = name
		}
	}
	if ends > 1 {
		t.impossible("-- is there twice")
	}
	if ends > 0 && !ownNoJSON {
		t.problem("-- needs json_flag [], or the JSON flag would become a word")
	}
}

// flagNames lists the exact texts an element may be typed as, and whether a
// value goes with them.
func (e *elem) flagNames() (names []string, valued bool) {
	switch {
	case e.kind == elConst:
		return []string{e.text}, false
	case e.kind == elChoice:
		return e.schema.Flags(), false
	case e.kind == elOpt && !e.after:
		return []string{e.text}, true
	case e.eq && !e.after:
		return []string{e.flag}, true
	}
	return nil, false
}

// inspectFlags refuses a flag that two elements could claim.
func (t *template) inspectFlags() {
	fixed, bareFixed, valued := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range t.elems {
		e := &t.elems[i]
		names, takes := e.flagNames()
		for _, name := range names {
			bare, _, _ := strings.Cut(name, "=")
			switch {
			case !takes && fixed[name]:
				t.impossible("flag " + name + " is there twice")
			case takes && valued[bare]:
				t.impossible("flag " + bare + " takes two values")
			case takes && bareFixed[bare] || !takes && valued[bare]:
				t.impossible("flag " + bare + " is both fixed and given a value")
			}
			if takes {
				valued[bare] = true
			} else {
				fixed[name], bareFixed[bare] = true, true
			}
			t.numeric = t.numeric || numberLike(name)
			if name == "--help" {
				t.problem("--help is fixed: it would hide the help of the command")
			}
		}
		if e.kind == elOpt && strings.Contains(e.text, "=") {
			t.warn("flag " + e.text + " goes when {{" + e.name() + "}} is missing: put a word or another order between them")
		}
		if e.kind == elOpt && e.schema.Flags() != nil {
			t.warn("flag " + e.text + " goes when {{" + e.name() + "}} is missing, and that is a flag itself")
		}
		if (e.kind == elPos || e.kind == elMixed && e.parts[0].name != "") && !e.after && e.schema.hasFlag() {
			t.impossible("the enum of {{" + e.name() + "}} mixes words and flags")
		}
	}
}

// inspectPrefixes refuses -x{{n}} next to another flag that it could spell.
func (t *template) inspectPrefixes() {
	for i := range t.elems {
		e := &t.elems[i]
		if !e.dashed() || e.eq {
			continue
		}
		prefix := e.parts[0].lit
		t.numeric = t.numeric || numberLike(prefix+"1")
		for _, other := range t.spellings(i, prefix) {
			rest, ok := strings.CutPrefix(other.text, prefix)
			if ok && e.canBe(rest, other.open) {
				t.impossible("a value of " + e.source() + " could read as " + other.text)
			}
		}
	}
}

// inspectJSONFlag refuses an appended flag that the template would claim.
func (t *template) inspectJSONFlag() {
	if len(t.jsonFlag) == 0 {
		return
	}
	word := t.jsonFlag[0]
	bare, _, _ := strings.Cut(word, "=")
	for i := range t.elems {
		e := &t.elems[i]
		names, _ := e.flagNames()
		rest, claims := "", false
		if e.dashed() && !e.eq {
			rest, claims = strings.CutPrefix(word, e.parts[0].lit)
		}
		if slices.Contains(names, word) || slices.Contains(names, bare) || claims && e.canBe(rest, false) {
			t.problem("the JSON flag " + word + " is a flag of the command too")
			return
		}
	}
}

// spelling is a text that a flag can be typed as; open: and whatever goes on
// from there.
type spelling struct {
	text string
	open bool
}

// spellings are what element i, which begins with prefix, must not be able to
// read as: our flags, and the other elements.
func (t *template) spellings(i int, prefix string) []spelling {
	var list []spelling
	for _, s := range []string{"--", "--json", "--help", "-h", "--mock", "--confirm", "--apply",
		"--confirm=true", "--confirm=false", "--apply=true", "--apply=false"} {
		list = append(list, spelling{text: s})
	}
	for j := range t.elems {
		o := &t.elems[j]
		if j == i || o.after {
			continue
		}
		names, valued := o.flagNames()
		for _, n := range names {
			list = append(list, spelling{text: n})
		}
		if valued {
			list = append(list, spelling{names[0] + "=", true})
			if strings.HasPrefix(prefix, names[0]+"=") {
				list = append(list, spelling{prefix, true}) // the other one claims all of them
			}
		}
		if o.dashed() && !o.eq {
			list = append(list, spelling{o.parts[0].lit, true})
		}
	}
	return list
}

// canBe tells whether the element's text behind its prefix could be rest, or
// begin with it. Only a declared type or enum rules that out.
func (e *elem) canBe(rest string, open bool) bool {
	if rest == "" || len(e.parts) != 2 || e.schema == nil {
		return true
	}
	if texts := e.schema.enumTexts(); len(texts) > 0 {
		return slices.ContainsFunc(texts, func(s string) bool { return s == rest || open && strings.HasPrefix(s, rest) })
	}
	if !e.schema.numberOnly() {
		return true
	}
	return isNumber(rest) || open && !strings.ContainsFunc(rest, notNumeric)
}

func notNumeric(r rune) bool { return !strings.ContainsRune("0123456789+-.eE", r) }

// numberOnly tells whether the schema allows numbers and integers only.
func (s *Schema) numberOnly() bool {
	if s == nil || len(s.Types) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.Types, func(t string) bool { return t != "number" && t != "integer" })
}

// inspectParts refuses two placeholders in one token unless the text between
// them cannot occur in the first.
func (t *template) inspectParts(e *elem) {
	if countNames(e.parts) < 2 {
		return
	}
	for i, p := range e.parts {
		if p.name == "" {
			continue
		}
		if t.args.Property(p.name).List() {
			t.impossible("list in " + e.source() + " next to another placeholder")
		}
		if countNames(e.parts[i+1:]) > 0 && !excludes(t.args.Property(p.name), e.parts[i+1].lit) {
			t.impossible("cannot tell the placeholders of " + e.source() + " apart")
		}
	}
}

func countNames(parts []part) int {
	n := 0
	for _, p := range parts {
		if p.name != "" {
			n++
		}
	}
	return n
}

// excludes tells whether sep, put behind any allowed value, is first found
// right there.
func excludes(s *Schema, sep string) bool {
	if sep == "" || s == nil {
		return false
	}
	if texts := s.enumTexts(); len(texts) > 0 {
		return !slices.ContainsFunc(texts, func(v string) bool { return strings.Index(v+sep, sep) != len(v) })
	}
	return s.numberOnly() && notNumeric(rune(sep[0]))
}

// source writes a mixed token as it was declared.
func (e *elem) source() string {
	var b strings.Builder
	for _, p := range e.parts {
		if p.name != "" {
			b.WriteString("{{" + p.name + "}}")
		} else {
			b.WriteString(p.lit)
		}
	}
	return b.String()
}

// showName leaves a well-formed argument name bare in an error.
func showName(name string) string {
	if plainName(name) {
		return name
	}
	return hcp.Quote(name)
}
