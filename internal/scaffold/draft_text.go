package scaffold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text of a foreign program fit for a pack: one line, no control,
// bidi or zero-width characters, nothing that reads as a placeholder.
func clean(s string) string {
	var b strings.Builder
	escape := false
	for _, r := range s {
		switch {
		case r == 0x1b:
			escape = true
		case escape: // a terminal's sequence ends with a letter
			escape = !unicode.IsLetter(r)
		case unicode.IsSpace(r) || unicode.IsControl(r):
			b.WriteByte(' ')
		case r == utf8.RuneError || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Co, r):
		default:
			b.WriteRune(r)
		}
	}
	s = strings.Join(strings.Fields(b.String()), " ")
	for strings.Contains(s, "{{") || strings.Contains(s, "}}") {
		s = strings.NewReplacer("{{", "{", "}}", "}").Replace(s)
	}
	return s
}

// cut shortens text to n characters: at the end of a sentence if one is near,
// else between words.
func cut(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	s = string(runes[:n-1])
	if i := strings.LastIndex(s, ". "); i > n/3 {
		return s[:i+1]
	}
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:-(") + "…"
}

// flagAbout is a flag's help without what its schema says already: defaults and
// lists of values.
func flagAbout(s string) string {
	s = clean(s)
	for _, open := range []string{"(default", "[default", "(Default", "[possible values", "(possible values", "{", "[choices", "(choices", "[boolean", "[string", "[array", "[number", "[env:", "(can be repeated"} {
		for i := strings.Index(s, open); i >= 0; i = strings.Index(s, open) {
			shut := map[byte]string{'(': ")", '[': "]", '{': "}"}[open[0]]
			end := strings.Index(s[i:], shut)
			if end < 0 || open == "{" && !strings.Contains(s[i:i+end], "|") {
				break
			}
			s = s[:i] + s[i+end+1:]
		}
	}
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), " :;,-")
	return cut(s, 120)
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || strings.HasPrefix(s, "http") {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// manHead: a version, or "GIT-LOG(1)  Git Manual  GIT-LOG(1)" is no description.
func manHead(s string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	if _, rest, ok := strings.Cut(strings.TrimSpace(s), " "); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		return true // "apt 2.6.1 (amd64)"
	}
	return len(first) > 3 && first == strings.ToUpper(first) && strings.HasSuffix(first, ")") && strings.Contains(first, "(")
}

// cutOff tells a sentence that ends in the middle.
func cutOff(s string) bool {
	last := s[strings.LastIndexByte(s, ' ')+1:]
	switch strings.ToLower(last) {
	case "and", "or", "the", "a", "an", "of", "to", "in", "on", "for", "it", "with", "by", "from", "that", "which", "is", "are", "as", "including", "be", "using", "this", "your":
		return true
	}
	return false
}

// told is the first sentence of a description without its marks: [default: x],
// a colon that announces a list.
func told(s string) string {
	if manHead(s) {
		return ""
	}
	s = clean(firstSaid(clean(s)))
	if i := strings.LastIndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		s = s[:i]
	}
	return strings.TrimRight(s, " :;,-")
}

// aboutOf is a command's description: its page's first sentence, else its
// parent's line.
func aboutOf(t *Tool, c *Command) string {
	page, listed := told(c.Page.Summary), told(c.Listed.Help)
	if len(c.Path) == 0 && page == "" {
		page = told(t.About)
	}
	if listed != "" && (len(page) > 110 || cutOff(page) || withoutSubject(c.Page.Summary) != c.Page.Summary) {
		page = listed // the short form that the tool's own list has
	}
	for _, s := range []string{page, listed} {
		if s != "" {
			if s = cut(s, 180); !strings.HasPrefix(strings.ToLower(s), strings.ToLower(t.ID.Name)+" ") {
				s = capital(s)
			}
			if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "…") && !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, ")") {
				s += "."
			}
			return s
		}
	}
	return strings.TrimSpace("Run "+clean(t.ID.Name)+" "+strings.Join(c.Path, " ")) + "."
}

// titles are the words a host shows while a command runs and when it ran: made
// of the description's verb where there is one.
func (d *drafter) titles(v *verb) (live, done []string) {
	phrase := strings.TrimRight(v.about, ".…")
	for _, stop := range []string{"; ", " (", ": ", " – ", " — "} {
		if i := strings.Index(phrase, stop); i > 8 {
			phrase = phrase[:i]
		}
	}
	first, rest, _ := strings.Cut(phrase, " ")
	base := d.base(strings.ToLower(first))
	if base == "" || len([]rune(phrase)) > 80 || d.lex.says(v.about).also != "" {
		name := strings.TrimSpace(clean(d.t.ID.Name) + " " + strings.Join(v.cmd.Path, " "))
		live, done = []string{"Running " + name}, []string{"Ran " + name}
	} else {
		rest = strings.TrimRight(" "+rest, " ")
		live, done = []string{capital(gerund(base)) + rest}, []string{capital(past(base)) + rest}
	}
	if a := v.subject(); a != "" {
		live = append([]string{live[0] + ": {{" + a + "}}"}, live...)
		done = append([]string{done[0] + ": {{" + a + "}}"}, done...)
	}
	return live, done
}

// subject is the argument that a command is about: its first word.
func (v *verb) subject() string {
	for _, a := range v.args {
		if a.pos && a.required {
			return a.name
		}
	}
	return ""
}

// base is the base form of a verb that opens a description; "" for a word that
// is none we know.
func (d *drafter) base(w string) string {
	for _, b := range append([]string{w}, verbBases(w)...) {
		c, known := d.lex.desc[b]
		if !known {
			c, known = d.lex.leaf[b]
		}
		if known && c != wordNoun && !nounLead(b) && !strings.ContainsFunc(b, func(r rune) bool { return !unicode.IsLower(r) }) {
			return b
		}
	}
	return ""
}

// nounLead: words that open a description as a thing, not as a deed.
func nounLead(w string) bool {
	switch w {
	case "information", "info", "details", "detail", "status", "overview", "summary", "statistics", "history", "version", "versions", "contents", "stats", "state", "health", "metadata",
		"manual", "manifest", "schema", "calendar", "agenda", "license", "licenses", "analysis", "up", "on", "off", "down", "what", "why", "who", "where", "which", "about", "is", "has", "can", "fund", "funding",
		"wrap", "adds", "has_no", "processes", "threads", "dependencies", "deps", "tree", "graph", "environment", "env", "cwd", "root":
		return true
	}
	return false
}

func gerund(w string) string {
	switch {
	case strings.HasSuffix(w, "ie"):
		return w[:len(w)-2] + "ying"
	case strings.HasSuffix(w, "e") && !strings.HasSuffix(w, "ee") && w != "be":
		return w[:len(w)-1] + "ing"
	case doubles(w):
		return w + w[len(w)-1:] + "ing"
	}
	return w + "ing"
}

func past(w string) string {
	switch w {
	case "show":
		return "showed"
	case "get":
		return "got"
	case "set", "put", "cut", "split", "reset", "read", "let":
		return w
	case "find":
		return "found"
	case "make":
		return "made"
	case "run":
		return "ran"
	case "send":
		return "sent"
	case "build", "rebuild":
		return w[:len(w)-1] + "t"
	case "give":
		return "gave"
	case "take":
		return "took"
	case "write", "rewrite":
		return w[:len(w)-3] + "ote"
	case "do", "undo", "redo":
		return w[:len(w)-1] + "id"
	case "freeze", "unfreeze":
		return strings.TrimSuffix(w, "eeze") + "oze"
	case "tell":
		return "told"
	case "go":
		return "went"
	case "begin":
		return "began"
	case "see":
		return "saw"
	case "draw", "withdraw", "grow":
		return w[:len(w)-2] + "ew"
	case "pay":
		return "paid"
	case "buy":
		return "bought"
	case "sell":
		return "sold"
	case "hold":
		return "held"
	case "shut", "shutdown":
		return "shut down"
	case "bind":
		return "bound"
	case "unbind":
		return "unbound"
	case "leave":
		return "left"
	case "forget":
		return "forgot"
	case "learn":
		return "learned"
	}
	switch {
	case strings.HasSuffix(w, "e"):
		return w + "d"
	case strings.HasSuffix(w, "y") && len(w) > 2 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return w[:len(w)-1] + "ied"
	case doubles(w):
		return w + w[len(w)-1:] + "ed"
	}
	return w + "ed"
}

// doubles: one short vowel before one last consonant, in a word of one syllable
// or stressed on its last.
func doubles(w string) bool {
	switch w {
	case "get", "set", "put", "cut", "split", "run", "stop", "ship", "drop", "dump", "commit", "submit", "scan", "plan", "tag", "pin", "unpin", "reset", "forget", "grep", "log", "map", "remap", "swap", "trim", "wrap", "zip", "unzip", "strip", "begin", "let", "format-x", "ban", "unban", "debug", "bet", "permit", "emit", "admit", "transfer", "defer", "refer", "untag", "vet", "nap", "tap", "untap":
		return w != "dump"
	}
	return false
}
