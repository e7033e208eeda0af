package scaffold

import (
	"slices"
	"strings"
)

// maxUsage bounds one usage line, in bytes, and one rule of a grammar.
const maxUsage = 32 << 10

// usage is what the usage lines say.
type usage struct {
	lines       []string
	forms       []usageForm
	positionals []Positional
	flags       []Flag
	words       []string     // literal words that stand where a sub-command does
	command     bool         // they want a sub-command
	commandAs   []Positional // the tokens that say so, for a page that lists none
	rules       []string     // sub-commands that a grammar below the usage lines names
	short       bool         // it writes "-s[tatistics]"
	dashes      bool         // "[--]"
	marked      bool         // what stands for something is in <…> or in capitals: other words are meant
	angled      bool         // as <this>
	chooses     bool         // of such words one chooses what is done
}

// usageLines collects the usage lines of a page, each with its continuations
// joined to it.
func usageLines(ss []section, path []string) []string {
	var out []string
	for _, s := range ss {
		if s.kind == usageSection {
			out = append(out, joinUsage(s.lines)...)
		}
	}
	out = slices.DeleteFunc(out, proseLine)
	n := 0
	for _, s := range ss[:min(len(ss), 2)] {
		for _, l := range s.lines {
			if l.blank() || len(out) > 0 || n > 6 {
				continue
			}
			if n++; bareUsage(l.body, path) && (n == 1 || strings.HasPrefix(l.body, "$ ")) {
				out = append(out, l.body)
			}
		}
	}
	return out
}

// proseLine says whether a line below a usage heading is a sentence.
func proseLine(s string) bool {
	words := strings.Fields(s)
	plain := 0
	for _, w := range words {
		if w = strings.TrimRight(w, ",."); strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" {
			plain++
		}
	}
	return len(words) > 7 && plain*3 > len(words)*2
}

// bareUsage says whether a page's first line is a usage line without the word:
// "tool [OPTION...] FILE", "tool group list".
func bareUsage(s string, path []string) bool {
	words := strings.Fields(strings.TrimPrefix(s, "$ "))
	if len(words) == 0 || !isName(words[0]) || len(words) > 24 {
		return false
	}
	rest := words[1:]
	if isCaps(words[0]) && !strings.ContainsAny(s, "[<") {
		return false
	}
	if len(path) > 0 {
		if len(rest) < len(path) {
			return false
		}
		for i, p := range path {
			if rest[i] != p {
				return false
			}
		}
		rest = rest[len(path):]
	} else if len(rest) == 0 {
		return false
	}
	if len(rest) > 1 && isOptionsWord(rest[0]) && rest[0][0] == '[' {
		return true
	}
	for _, w := range rest {
		if strings.IndexByte("[<({", w[0]) < 0 && !isCaps(w) && !strings.HasPrefix(w, "...") && !strings.HasSuffix(w, "]") && !strings.HasSuffix(w, ">") {
			return false
		}
	}
	return true
}

// joinUsage joins the lines of a usage block. A line goes on with the one
// before it when it is deeper than the block's first, begins with a bracket, or
// the one before it left a bracket open.
func joinUsage(ls []line) []string {
	var out []string
	start := firstEntry(ls)
	first, open := -1, 0
	for i, l := range ls {
		if l.blank() {
			if len(out) > 0 && !usageGoesOn(ls[i:], start) {
				break
			}
			continue
		}
		body := l.body
		alternative := false
		for _, or := range []string{"or: ", "or : ", "or  ", "or "} {
			if strings.HasPrefix(strings.ToLower(body), or) {
				body, alternative = strings.TrimSpace(body[len(or):]), true
				break
			}
		}
		if first < 0 {
			first = l.indent
		}
		goesOn := len(out) > 0 && !alternative && (open > 0 || l.indent > first && !sameStart(body, out[0]) || strings.IndexByte("[<({|", body[0]) >= 0)
		if goesOn {
			if len(out[len(out)-1]) < maxUsage {
				out[len(out)-1] += " " + body
			}
			open += depth(body)
		} else {
			out = append(out, body)
			open = depth(body)
		}
		if len(out) > 200 {
			break
		}
	}
	return out
}

// usageGoesOn says whether the lines after a blank one are usage lines still:
// they begin as the first did, or a name at the same place does.
func usageGoesOn(ls []line, first line) bool {
	for _, l := range ls[:min(len(ls), 3)] {
		if l.blank() {
			continue
		}
		if strings.HasPrefix(strings.ToLower(l.body), "or: ") {
			return true
		}
		return first.indent > 0 && sameStart(l.body, first.body) && l.indent == first.indent && !startsFlag(l.body)
	}
	return false
}

func sameStart(a, b string) bool {
	x, _, _ := strings.Cut(a, " ")
	y, _, _ := strings.Cut(b, " ")
	return x == y
}

func depth(s string) int {
	d := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '(', '{':
			d++
		case ']', ')', '}':
			d--
		}
	}
	return d
}

// readUsage reads usage lines against the flags that the page lists.
func readUsage(lines, path []string, known map[string]Flag, dialect string) usage {
	u := usage{lines: lines}
	lines = ofCommand(lines, path)
	u.marked = (dialect == "" || dialect == "git") && slices.ContainsFunc(lines, marksArguments)
	u.angled = u.marked && strings.Contains(strings.Join(lines, " "), "<")
	abbreviations := 0
	for _, w := range strings.Fields(strings.Join(lines, " ")) {
		if _, _, ok := abbreviated(strings.TrimRight(w, "|")); ok {
			abbreviations++
		}
	}
	u.short = abbreviations > 2
	for _, l := range lines {
		r := usageReader{known: known, path: path, u: &u}
		word := r.form(l)
		u.forms = append(u.forms, usageForm{word: word, pos: r.pos, mode: r.mode})
	}
	u.positionals = u.without(nil)
	return u
}

// ofCommand leaves out the usage lines of other commands, where a page is of
// several and has some of this one.
func ofCommand(lines, path []string) []string {
	if len(path) == 0 {
		return lines
	}
	var own []string
	for _, l := range lines {
		for i, w := range strings.Fields(l) {
			if i < len(path)+8 && slices.Contains(strings.Split(w, "|"), path[len(path)-1]) {
				own = append(own, l)
				break
			}
		}
	}
	if len(own) == 0 {
		return lines
	}
	return own
}

// marksArguments says whether a usage line writes what stands for something as
// <this> or as THIS.
func marksArguments(l string) bool {
	if strings.Contains(l, "<") && !strings.Contains(l, "<-") && strings.Contains(l, ">") {
		return true
	}
	for i, w := range strings.Fields(l) {
		if w = strings.Trim(w, "[]()."); i > 0 && !isOptionsWord(w) && len(w) > 1 && isCaps(w) && w[0] >= 'A' && w[0] <= 'Z' {
			return true
		}
	}
	return false
}

// usageForm is one usage line: the literal word where a sub-command stands, if
// there is one, and the arguments.
type usageForm struct {
	word string
	pos  []Positional
	mode bool // it needs a flag, which no other command line has
}

// without gives the arguments of the forms that are not of these sub-commands.
func (u *usage) without(commands map[string]int) []Positional {
	var forms [][]Positional
	order := slices.Clone(u.forms) // what needs no flag gives the names
	slices.SortStableFunc(order, func(a, b usageForm) int { return btoi(a.mode) - btoi(b.mode) })
	for _, f := range order {
		if _, ok := commands[f.word]; !ok || f.word == "" {
			forms = append(forms, f.pos)
		}
	}
	out := mergeForms(forms)
	if !slices.ContainsFunc(u.forms, func(f usageForm) bool { return !f.mode }) {
		out = keepOne(out, 0, false) // "diff --no-index A B": without that flag it is not known
	}
	return out
}

// mergeForms gives the positionals of several usage lines: those of the first
// that has any, as many of them required as every form requires.
func mergeForms(forms [][]Positional) []Positional {
	var out []Positional
	least := -1
	for _, f := range forms {
		n := 0
		for _, p := range f {
			if p.Required {
				n++
			}
		}
		if least < 0 || n < least {
			least = n
		}
		if out == nil && len(f) > 0 {
			out = append(out, f...)
		}
	}
	for i := range out {
		if out[i].Required {
			if least <= 0 {
				out[i].Required = false
			}
			least--
		}
	}
	return out
}
