package scaffold

import (
	"slices"
	"strings"
)

// usageReader reads one usage line.
type usageReader struct {
	known map[string]Flag
	path  []string
	u     *usage
	pos   []Positional
	// command is set behind the token that stands for a sub-command.
	command bool
	inner   int  // brackets that the tokens stand in
	more    bool // arguments stand behind the token that is read
	mode    bool // the form is that of a flag that must be given: "--abort"
	gap     bool // behind a literal word that no template would give
}

// form reads the line after the bin's name and the words of the command.
func (r *usageReader) form(s string) (word string) {
	toks := usageTokens(balance(cutDescription(s)))
	toks = r.afterPath(toks)
	at := 0
	for at < len(toks)-1 && (isOptionsWord(toks[at]) || strings.HasPrefix(toks[at], "[-")) {
		at++
	}
	if at < len(toks) && isLiteral(toks[at]) {
		word = toks[at]
		if len(r.u.words) < 400 {
			r.u.words = append(r.u.words, word)
		}
	}
	r.tokens(toks, true)
	r.pos = mergeRepeats(r.pos)
	return word
}

// afterPath drops the bin's name and the words of the command, with the
// options that may stand between them. Some frameworks print no bin.
func (r *usageReader) afterPath(toks []string) []string {
	if len(toks) == 0 {
		return nil
	}
	if len(toks) > 3 && strings.HasPrefix(toks[0], "python") {
		if toks[1] == "-m" {
			toks = toks[2:]
		} else if strings.HasSuffix(toks[1], ".py") {
			toks = toks[1:]
		}
	}
	if len(r.path) == 0 {
		if strings.IndexByte("[<-({", toks[0][0]) >= 0 {
			return toks
		}
		return toks[1:]
	}
	for n := len(r.path) - 1; n >= 0; n-- { // "(worker|manager)" is the page of both
		for i := 0; i < len(toks) && i < len(r.path)+8; i++ {
			for _, w := range strings.Split(strings.Trim(toks[i], "()[]{}"), "|") {
				if w == r.path[n] {
					return toks[i+1:]
				}
			}
		}
	}
	if strings.IndexByte("[<-({", toks[0][0]) < 0 {
		return toks[1:]
	}
	return toks
}

func isLiteral(s string) bool {
	return isName(s) && !isCaps(s) && !strings.Contains(s, "/") && (s[0] < 'A' || s[0] > 'Z')
}

// tokens reads a row of usage tokens. required is false inside "[…]".
func (r *usageReader) tokens(toks []string, required bool) {
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case t == "--":
			r.u.dashes = true
		case t == "<" || t == ">":
			i++ // a redirection of the shell
		case t == "..." || t == "…" || t == "..":
			if n := len(r.pos); n > 0 {
				r.pos[n-1].Variadic = true
			} else if n := len(r.u.commandAs); n > 0 && r.command {
				r.u.commandAs[n-1].Variadic = true
			} else if len(r.path) > 0 && i == len(toks)-1 {
				r.pos = append(r.pos, Positional{Name: "args", Variadic: true})
			}
		case t == "|" || t == "or":
			// "<a> | <b>": one stands for the other.
			if i++; i < len(toks) && startsFlag(toks[i]) {
				i = r.flag(toks, i)
			}
		case t[0] == '-':
			before := i
			i = r.flag(toks, i)
			r.mode = r.mode || required && r.inner == 0 && i == before && startsFlag(t) && !strings.ContainsAny(t, "=[<|") && !r.hasValue(t)
		case t[0] == '(' && r.groupValue(toks[i:]):
			i++
		case t[0] == '(' && remark(t):
		default:
			if r.inner == 0 {
				r.more = slices.ContainsFunc(toks[i+1:], func(s string) bool {
					return !isOptionsWord(s) && !startsFlag(strings.TrimLeft(s, "[(")) && strings.Trim(s, ".…") != ""
				})
			}
			r.token(t, required)
		}
	}
}

// token reads one token that is not a flag.
func (r *usageReader) token(t string, required bool) {
	many := false
	for _, dots := range []string{"...", "…", "..", "*", "+"} {
		if strings.HasSuffix(t, dots) && len(t) > len(dots) {
			t, many = strings.TrimSuffix(t, dots), true
		}
	}
	if end := closing(t); (strings.IndexByte("[({", t[0]) >= 0 || strings.HasPrefix(t, "<-")) && end == len(t)-1 {
		r.inner++
		r.group(t[0], t[1:end], required, many)
		r.inner--
		return
	}
	if r.u.marked && isLiteral(t) && !many && !isCommandWord(t) {
		r.literal([]string{t}, required)
		return
	}
	r.positional(t, required, many)
}

// group reads what a bracket holds: options, a choice, or arguments.
func (r *usageReader) group(open byte, inner string, required, many bool) {
	inner = strings.TrimSpace(inner)
	if strings.Trim(inner, ".…") == "" {
		r.spread(0, true)
		return
	}
	for _, dots := range []string{"...", "…", ".."} {
		if strings.HasSuffix(inner, dots) && len(inner) > len(dots) {
			inner, many = strings.TrimSpace(strings.TrimSuffix(inner, dots)), true
		}
	}
	if inner == "" || isOptionsWord(inner) || isSentence(inner) {
		return
	}
	if inner == "--" {
		r.u.dashes = true
		return
	}
	if open == '{' && strings.Contains(inner, ",") && !strings.ContainsAny(inner, " <[") {
		r.choice(strings.Split(inner, ","), required, many)
		return
	}
	toks := usageTokens(inner)
	if open == '[' {
		required = false
	}
	if oneName(inner) || many && isName(inner) {
		r.positional(inner, required, many)
		return
	}
	if words := chosenWords(splitTop(inner, '|')); words != nil && !many && (r.u.marked || len(words) > 3) && (len(words) > 1 || r.u.angled && !isCommandWord(inner) && !argsOfCommand(inner) && !plural(inner)) {
		if required || !r.more {
			r.literal(words, required)
		}
		return
	}
	r.alternatives(open, inner, toks, required, many)
}

// isSentence says whether a bracket holds words for people: "[flags and input
// files in any order]".
func isSentence(s string) bool {
	words := strings.Fields(s)
	for _, w := range words {
		if strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyz,'") != "" {
			return false
		}
	}
	return len(words) > 3
}

// oneName says whether a bracket holds one argument's name of several words:
// "[snapshot ID]", "{target specification}". Names in capitals are several.
func oneName(s string) bool {
	words := strings.Fields(s)
	return len(words) > 1 && len(words) < 4 && !isCaps(s) && !strings.ContainsAny(s, "[]<>{}|=-.…")
}

// alternatives reads a group. Of "a | b" the options are all read and the
// first argument stands for all.
func (r *usageReader) alternatives(open byte, inner string, toks []string, required, many bool) {
	if parts := splitTop(inner, '|'); len(parts) > 1 {
		if parts = joinedValues(parts); len(parts) == 1 || valueChoice(parts) {
			r.tokens(usageTokens(parts[0]), false)
			return
		}
		if list := commandRule(inner); open == '{' && len(list) > 1 && len(list) == len(parts) {
			r.choice(list, required, many)
			return
		}
		if words := chosenWords(parts); open == '(' && required && len(words) > 1 && !strings.Contains(inner, " ") {
			r.choice(words, required, many) // "(worker|manager)"
			return
		}
		if flags := flagChoice(parts); flags != nil {
			r.choiceOfFlags(flags, 0)
			return
		}
		before, took := len(r.pos), false
		others := slices.ContainsFunc(parts, func(p string) bool { p = strings.TrimSpace(p); return p != "" && !startsFlag(p) && !isOptionsWord(p) })
		for _, p := range parts {
			p = strings.TrimSpace(p)
			switch at := len(r.pos); {
			case p == "", p == "help", strings.HasPrefix(p, "< "):
			case startsFlag(p):
				r.tokens(usageTokens(p), false)
				if required = false; others {
					r.pos = r.pos[:at]
				}
			case !took && !isOptionsWord(p):
				took = true
				r.tokens(usageTokens(p), required)
			}
		}
		r.pos = keepOne(r.pos, before, required)
		r.spread(before, many)
		return
	}
	before := len(r.pos)
	r.tokens(toks, required)
	r.spread(before, many)
}

// flagChoice gives the options of a group that holds nothing else; nil when it
// holds more. Blanks around the bar set flags apart that are not two names of
// one, which have a letter in common.
func flagChoice(parts []string) []string {
	out := make([]string, 0, len(parts))
	for i, p := range parts {
		name := strings.TrimSpace(p)
		if !startsFlag(name) || strings.Contains(name, " ") {
			return nil
		}
		if i > 0 && p != name && len(out[i-1]) == 2 && !strings.HasPrefix(strings.TrimPrefix(strings.TrimLeft(name, "-"), "no-"), out[i-1][1:]) {
			return nil
		}
		out = append(out, name)
	}
	return out
}

// valueChoice says whether a group is one flag and the values it may have:
// "[-t dsa | rsa]".
func valueChoice(parts []string) bool {
	first := strings.Fields(parts[0])
	if len(first) != 2 || !startsFlag(first[0]) || !isLiteral(first[1]) {
		return false
	}
	for _, p := range parts[1:] {
		if !isLiteral(strings.TrimSpace(p)) {
			return false
		}
	}
	return true
}

// keepOne makes the arguments from before on optional when a flag may stand
// for them.
func keepOne(pos []Positional, before int, required bool) []Positional {
	if !required {
		for i := before; i < len(pos); i++ {
			pos[i].Required = false
		}
	}
	return pos
}

func (r *usageReader) spread(before int, many bool) {
	if many && len(r.pos) > before {
		r.pos[len(r.pos)-1].Variadic = true
	}
}
