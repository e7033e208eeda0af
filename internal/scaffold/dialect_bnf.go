package scaffold

import "strings"

// rule is one line of a grammar below the usage line: "OBJECT := { link | route }".
type rule struct{ name, body string }

// grammarRules takes the rules of a grammar out of a page's lines, each to the
// end of its brackets.
func grammarRules(ls []line) (rules []rule, rest []line) {
	open := 0
	for _, l := range ls {
		name, body, ok := strings.Cut(l.body, " := ")
		switch {
		case open > 0 && !l.blank() && len(rules) > 0:
			if last := &rules[len(rules)-1]; len(last.body) < maxUsage {
				last.body += " " + l.body
			}
			open += depth(l.body)
		case ok && isCaps(lastWord(name)):
			rules = append(rules, rule{name: lastWord(name), body: body})
			open = depth(body)
		default:
			open = 0
			rest = append(rest, l)
			continue
		}
		rest = append(rest, line{})
	}
	return rules, rest
}

func lastWord(s string) string {
	words := strings.Fields(s)
	if len(words) == 0 {
		return "?"
	}
	return words[len(words)-1]
}

// grammar reads the rules for the names that the usage lines have: commands,
// options, arguments.
func (p *Page) grammar(rules []rule, u *usage, known map[string]Flag) {
	for _, r := range rules {
		if !usesWord(u.lines, r.name) {
			continue
		}
		body := strings.TrimSpace(r.body)
		if strings.HasPrefix(body, "{") && closing(body) == len(body)-1 {
			body = body[1 : len(body)-1]
		}
		switch {
		case r.name == "ARGUMENTS":
			reader := usageReader{known: known, u: u}
			reader.tokens(usageTokens(body), true)
			u.positionals = mergeForms([][]Positional{u.positionals, mergeRepeats(reader.pos)})
		case isOptionsWord(r.name):
			u.short = true
			reader := usageReader{known: known, u: u}
			reader.tokens(usageTokens(strings.Join(splitTop(body, '|'), " ")), false)
		case isCommandWord(r.name):
			u.rules = append(u.rules, commandRule(body)...)
		}
	}
}

// commandRule gives the words of "{ show | up | down }"; none when the rule is
// of anything else.
func commandRule(body string) []string {
	var out []string
	for _, w := range splitTop(body, '|') {
		w = strings.TrimSpace(w)
		if w == "help" {
			continue
		}
		if !isLiteral(w) {
			return nil
		}
		out = append(out, w)
	}
	return out
}

func usesWord(usage []string, word string) bool {
	for _, u := range usage {
		if contains(strings.Fields(u), word) {
			return true
		}
	}
	return false
}
