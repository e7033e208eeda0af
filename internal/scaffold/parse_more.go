package scaffold

import "strings"

// maxPositionals bounds the arguments taken from a page: no command has more,
// and each line is compared with all of them.
const maxPositionals = 64

// readArguments adds what a section of arguments says to the positionals of the
// usage line, and takes them from there when there is no usage line.
func (p *Page) readArguments(ss []section) {
	for _, s := range ss {
		if s.kind != argumentSection {
			continue
		}
		base := -1
		ls := s.lines
		column := columns(ls)
		for i, l := range ls {
			if l.blank() || startsFlag(l.body) || base >= 0 && l.indent > base {
				continue
			}
			base = l.indent
			left, help, bounded := l.split(column)
			if next, adjacent := following(ls, i); !bounded && adjacent && next.indent > l.indent {
				help = next.body
			}
			p.argument(left, help)
		}
	}
}

func (p *Page) argument(left, help string) {
	many := strings.Contains(left, "...") || strings.Contains(left, "…")
	name := strings.Trim(strings.Fields(left)[0], "[]<>.…:,")
	if name == "" || strings.HasPrefix(name, "{") || name[0] == '-' {
		return
	}
	required := strings.Contains(help, "[required]") || strings.Contains(help, "(required)")
	for i := range p.Positionals {
		pos := &p.Positionals[i]
		if strings.EqualFold(pos.Name, name) {
			pos.Help = help
			pos.Required = pos.Required || required
			if pos.Enum == nil {
				pos.Enum = enumOf("", help)
			}
			return
		}
	}
	if len(p.Usage) == 0 && len(p.Positionals) < maxPositionals && isName(name) && len(strings.Fields(left)) < 4 {
		p.Positionals = append(p.Positionals, Positional{Name: name, Required: required || !strings.HasPrefix(left, "["), Variadic: many, Help: help})
	}
}

// proseFlags reads pages that have no list of options and speak of them in
// paragraphs: "The -json flag causes …".
func (p *Page) proseFlags(ls []line) {
	var found []Flag
	for i, l := range ls {
		at := strings.Index(l.body, "he -")
		if at < 1 || at > 40 || i > 0 && !ls[i-1].blank() || at > 1 && !strings.HasSuffix(l.body[:at], ", t") {
			continue
		}
		sp := readSpec(l.body[at+3:], false)
		rest := sp.rest
		if !sp.ok || !strings.HasPrefix(rest, "flag") && !strings.HasPrefix(rest, "option") {
			continue
		}
		f := Flag{Names: sp.names, Value: sp.value, Metavar: sp.metavar, Type: "boolean", Help: l.body}
		if f.Value != ValueNone {
			f.Type = "string"
		}
		found = append(found, f)
	}
	p.addFlags(found)
}

// usageBlock gives how many lines at the start of an option section are written
// as a usage line is: "[-a|--all] [--json]".
func usageBlock(s section) int {
	if s.kind != optionSection {
		return 0
	}
	n, brackets := 0, 0
	for n < len(s.lines) && (!s.lines[n].blank() || brackets == 0) {
		l := s.lines[n]
		if !l.blank() {
			if l.body[0] != '[' || strings.Contains(l.body, "  ") || strings.Contains(l.body, "], ") {
				return 0
			}
			brackets++
		}
		n++
	}
	if brackets == 0 {
		return 0
	}
	return n
}

func withoutBlock(s section) []line { return s.lines[usageBlock(s):] }

// blockFlags reads the options that a section lists the way a usage line does.
func blockFlags(ss []section, path []string) []Flag {
	var u usage
	for _, s := range ss {
		n := usageBlock(s)
		if n == 0 {
			continue
		}
		var text []string
		for _, l := range s.lines[:n] {
			text = append(text, l.body)
		}
		r := usageReader{path: path, u: &u}
		r.tokens(usageTokens(strings.Join(text, " ")), false)
	}
	return u.flags
}

// summary gives the first sentence that says what the command does.
func summary(ss []section, path []string) string {
	for i, s := range ss {
		if i > 0 && !strings.EqualFold(s.title, "name") && !strings.EqualFold(s.title, "description") && s.kind != usageSection {
			continue
		}
		for _, l := range afterUsage(s) {
			words := strings.Fields(l.body)
			if len(words) < 2 || !isAlnum(l.body[0]) || bareUsage(l.body, path) {
				continue
			}
			text := l.body
			if j := strings.Index(text, " - "); j > 0 && strings.EqualFold(s.title, "name") {
				text = text[j+3:]
			}
			if j := strings.Index(text, ". "); j > 0 {
				text = text[:j]
			}
			return strings.TrimRight(text, ". ")
		}
	}
	return ""
}

// afterUsage gives the lines of a section; of a usage section those after its
// first blank line.
func afterUsage(s section) []line {
	if s.kind != usageSection {
		return s.lines
	}
	for i, l := range s.lines {
		if l.blank() && i > 0 {
			return s.lines[i:]
		}
	}
	return nil
}

func examples(ss []section) []string {
	var out []string
	for _, s := range ss {
		if s.kind != exampleSection {
			continue
		}
		for _, l := range s.lines {
			if !l.blank() && len(out) < 200 {
				out = append(out, l.body)
			}
		}
	}
	return out
}

// LooksLikeHelp says whether a normalised text is a help page. It weighs what
// stands in it: a question, an error line or a bare version is none.
func LooksLikeHelp(text string) bool {
	ls := splitLines(text)
	score, flags, lines := 0, 0, 0
	for _, l := range ls {
		if l.blank() {
			continue
		}
		if lines++; lines > 2000 {
			break
		}
		if startsFlag(l.body) && !strings.HasSuffix(l.body, "?") {
			flags++
		}
		if _, _, ok := usageHeading(l); ok {
			score += 3
		}
		if score < 3 && lines < 4 && bareUsage(l.body, nil) && strings.ContainsAny(l.body, "[<") {
			score += 2
		}
	}
	for _, s := range sections(ls) {
		switch {
		case s.title == "" || s.kind == otherSection || s.kind == usageSection:
		case s.kind == proseSection || s.kind == exampleSection:
			score++
		default:
			score += 2
		}
	}
	score += min(flags, 3)
	return score >= 3
}
