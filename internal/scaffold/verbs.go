package scaffold

import (
	"slices"
	"strings"
	"unicode"
)

// nameWords cuts a command's or flag's name into lower-case words: at - _ : .
// + and where a capital follows a small letter.
func nameWords(name string) []string {
	var words []string
	var b strings.Builder
	cut := func() {
		if b.Len() > 0 {
			words = append(words, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	small := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut()
			small = false
			continue
		case unicode.IsUpper(r) && small:
			cut()
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(r)
	}
	cut()
	return words
}

// firstSaid is the first sentence of a description, and what lies around it is
// dropped: marks such as [EXPERIMENTAL], "foo - does this", "A tool to …".
func firstSaid(text string) string {
	text = strings.TrimSpace(text)
	for len(text) > 0 && (text[0] == '[' || text[0] == '(') {
		end := strings.IndexAny(text, "])")
		if end < 0 {
			break
		}
		text = strings.TrimLeft(text[end+1:], " :-")
	}
	for { // marks and lists of examples in brackets say nothing of the deed
		open := strings.IndexByte(text, '(')
		if open < 0 {
			break
		}
		end := strings.IndexByte(text[open:], ')')
		if end < 0 {
			break
		}
		text = text[:open] + text[open+end+1:]
	}
	text = withoutSubject(text)
	if name, rest, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(rest, " ") && !strings.Contains(strings.TrimSpace(name), " ") {
		text = rest // "log: Show …", "EXPERIMENTAL: Finds …"
	}
	if name, rest, ok := strings.Cut(text, " - "); ok && !strings.Contains(name, " ") {
		text = rest
	}
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}

// withoutSubject cuts 'The "x" command' and 'This command' from the front.
func withoutSubject(text string) string {
	words := strings.Fields(text)
	if len(words) < 4 || !strings.EqualFold(words[0], "the") && !strings.EqualFold(words[0], "this") {
		return text
	}
	for i, w := range words[1:3] {
		if w = strings.ToLower(strings.Trim(w, "\"'`,")); w == "command" || w == "subcommand" || w == "sub-command" {
			rest := words[i+2:]
			if i == 0 && len(rest) > 1 && strings.ContainsAny(rest[0][:1], "\"'`") {
				rest = rest[1:]
			}
			return strings.Join(rest, " ")
		}
	}
	return text
}

// plainWords are the words of a text in lower case; a comma, slash or ampersand
// is a word of its own, because a list of verbs hangs on it.
func plainWords(text string) []string {
	var words []string
	for w := range strings.FieldsSeq(strings.NewReplacer(",", " , ", "/", " / ", "&", " & ", ";", " ; ").Replace(strings.ToLower(text))) {
		w = strings.TrimFunc(w, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(",/&;", r)
		})
		if w != "" {
			words = append(words, w)
		}
	}
	return words
}

// lead are the words that a description may open with before its verb.
func lead(w string) bool {
	switch w {
	case "a", "an", "the", "to", "is", "be", "use", "using", "tool", "utility", "command", "program", "used", "for", "this", "allows", "allow", "lets", "let", "you", "helps", "will", "can",
		"interactively", "quickly", "recursively", "automatically", "safely", "simply", "easily", "optionally", "experimental", "deprecated", "beta", "alpha",
		"preview", "subcommand", "subcommands", "commands", "pretty", "pretty-print", "first", "then", "just", "and", "also", "simple", "fast", "cli":
		return true
	}
	return false
}

// verbClass is the class of a word that opens a description, in its base form,
// with an s or with -ing. third tells that it was not the base form.
func (l *lexicon) verbClass(w string) (class wordClass, base string, third bool) {
	if c, ok := l.desc[w]; ok {
		return c, w, false
	}
	if class, base = l.descBase(verbBases(w)); class != wordUnknown {
		return class, base, true
	}
	return wordUnknown, w, false
}

func (l *lexicon) descBase(bases []string) (wordClass, string) {
	for _, b := range bases {
		if c, ok := l.desc[b]; ok {
			return c, b
		}
	}
	return wordUnknown, ""
}

// verbBases are what w may be an inflected form of: lists, fetches, copies,
// listing, getting, making.
func verbBases(w string) []string {
	var bases []string
	if s, ok := strings.CutSuffix(w, "ies"); ok {
		bases = append(bases, s+"y")
	}
	if s, ok := strings.CutSuffix(w, "es"); ok {
		bases = append(bases, s+"e", s)
	}
	if s, ok := strings.CutSuffix(w, "s"); ok && !strings.HasSuffix(w, "ss") {
		bases = append(bases, s)
	}
	if s, ok := strings.CutSuffix(w, "ing"); ok && len(s) > 2 {
		bases = append(bases, s, s+"e")
		if n := len(s); s[n-1] == s[n-2] {
			bases = append(bases, s[:n-1])
		}
	}
	return bases
}

// saying is what a description says.
type saying struct {
	class wordClass // of its first verb
	verb  string
	also  string // a later verb that changes something ("show or set"); "" none
}

// says reads the first sentence of a description.
func (l *lexicon) says(text string) saying {
	var s saying
	if manHead(text) {
		return s
	}
	words := plainWords(firstSaid(text))
	at, third := 0, false
	for at < len(words) && at < 6 && lead(words[at]) && (l.desc[words[at]] == wordUnknown || words[at] == "preview") {
		at++
	}
	if at == len(words) {
		return s
	}
	s.class, s.verb, third = l.verbClass(words[at])
	if s.class == wordUnknown {
		s.verb = ""
	}
	for i := at + 1; i+1 < len(words); i++ {
		if !slices.Contains([]string{",", "/", "&", ";", "or", "and", "then", "optionally", "will"}, words[i]) {
			continue
		}
		surely := words[i] == "optionally"
		for i+2 < len(words) && lead(words[i+1]) {
			i++
			surely = surely || words[i] == "optionally"
		}
		c, base, inflected := l.verbClass(words[i+1])
		if c != wordWrite && c != wordDestroy && c != wordExec || thing(base) {
			continue
		}
		// "tags, releases and updates" is a list of things: an inflected word
		// is a verb where the first one is inflected too.
		if inflected && !third && !surely || l.leaf[base] == wordNoun && i+2 == len(words) {
			continue
		}
		s.also = base
		return s
	}
	return s
}

// thing: words that, in a list, are things rather than deeds: "client and
// server version".
func thing(w string) bool {
	switch w {
	case "server", "daemon", "sh", "bash", "zsh", "fish", "console", "shell", "script", "work", "ci", "co", "up", "on", "off", "mk", "interpreter", "order", "balance":
		return true
	}
	return false
}
