package cli

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hcp/internal/hcp"
	"hcp/internal/pack"
)

// completeWord is hcp's own entry for completion. It is no command of the model
// and belongs to hcp alone: a shim hands it to its pack like any other word.
const completeWord = "__complete"

// maxChoices bounds what a shell is shown.
const maxChoices = 500

// completion is one question: what could stand in place of the last word.
type completion struct {
	env   *Env
	shell string // "": words are as they are meant, the answer is for people and tests
	name  string // the program: hcp, or a shim
	tail  string // bash only: what of the last word the answer replaces
	words []string
	last  string
}

// answer is what could be typed there.
type answer struct {
	words       []pack.Choice
	files, dirs bool
	front       string // what of the word stays in front of a file's name
}

// runComplete answers one question. Whatever is wrong, with the question, the
// configuration or a pack, is no candidate and no message: somebody is typing.
// It mints, spawns and writes nothing.
func runComplete(env *Env, words []string) int {
	c := completion{env: env, name: "hcp"}
	words = c.options(words)
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	for _, w := range words[:len(words)-1] {
		if c.shell == shellBash {
			w, _ = typedWord(c.shell, w)
		}
		c.words = append(c.words, w)
	}
	c.last = last
	if c.shell == shellBash || c.shell == shellFish {
		c.last, _ = typedWord(c.shell, last)
	}
	if bad := slices.ContainsFunc(append(c.words, c.last), func(w string) bool { return !utf8.ValidString(w) }); bad {
		return hcp.ExitOK
	}
	return env.write([]byte(c.encode(c.answer(), last)), hcp.ExitOK)
}

// options takes the leading options; what follows, behind an optional "--", is
// the line.
func (c *completion) options(words []string) []string {
	for len(words) > 1 {
		switch words[0] {
		case "--shell":
			c.shell = words[1]
		case "--shim":
			c.name = words[1]
		case "--tail":
			c.tail = words[1]
		case "--":
			return words[1:]
		default:
			return words
		}
		words = words[2:]
	}
	if len(words) == 1 && words[0] == "--" && c.shell != "" {
		return nil
	}
	return words
}

func (c *completion) answer() answer {
	var a answer
	if c.name == "hcp" || c.name == "hcpx" {
		a = c.ownWords()
	} else {
		a = c.shimWords()
	}
	// A pack's words are its author's: what would move a cursor is not offered,
	// and not run through a shell either.
	a.words = slices.DeleteFunc(a.words, func(w pack.Choice) bool {
		return w.Word == "" || hcp.Printable(w.Word, "") != w.Word || !strings.HasPrefix(w.Word, c.last)
	})
	if len(a.words) > maxChoices {
		a.words = a.words[:maxChoices]
	}
	return a
}

// completionStore opens the store for looking only, or nil. A configuration
// that does not load leaves packs and sessions readable, and nothing else.
func (c *completion) store() *store {
	s, d := openStore(c.env, "", "")
	if s == nil || s.foreign {
		return nil
	}
	if d != nil {
		s.config = nil
	}
	s.session = first(c.env.Getenv("HCP_SESSION"), defaultSession)
	return s
}

func (c *completion) shimWords() answer {
	s := c.store()
	if s == nil {
		return answer{}
	}
	p := s.shimPack(c.name)
	if p == nil {
		return answer{}
	}
	next := p.Complete(c.words, c.last)
	a := answer{words: next.Words, front: next.Front}
	if next.Files {
		s.jailFiles(p, next.Front, c.last, &a)
	}
	return a
}

// encode writes an answer as the shell's snippet takes it (shims/README.md).
func (c *completion) encode(a answer, raw string) string {
	kind := ""
	switch {
	case a.dirs:
		kind = "dirs"
	case a.files:
		kind = "files"
	}
	switch c.shell {
	case shellBash:
		return c.forBash(a, kind, raw)
	case shellZsh:
		return forZsh(a, kind)
	}
	var b strings.Builder
	for _, w := range a.words {
		b.WriteString(w.Word)
		if about := shortAbout(w.About); about != "" {
			b.WriteString("\t" + about)
		}
		b.WriteByte('\n')
	}
	if kind != "" {
		b.WriteString("\t" + kind + "\n")
	}
	return b.String()
}

// forBash gives, for each candidate, what to put in place of tail: bash cuts at
// = and :, and keeps a quote that is not closed yet.
func (c *completion) forBash(a answer, kind, raw string) string {
	before, isTail := strings.CutSuffix(raw, c.tail)
	if !isTail {
		before = ""
	}
	stays, open := typedWord(shellBash, before)
	var b strings.Builder
	all := len(a.words) > 0
	for _, w := range a.words {
		all = all && w.Open
		if rest, ok := strings.CutPrefix(w.Word, stays); ok {
			b.WriteString(insideQuote(rest, open) + "\n")
		}
	}
	switch {
	case kind != "":
	case all:
		kind = "open"
	default:
		kind = "words"
	}
	return kind + "\n" + b.String()
}

func forZsh(a answer, kind string) string {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, `:`, `\:`)
	for _, w := range a.words {
		mark := "="
		if w.Open {
			mark = "+"
		}
		b.WriteString(mark + escape.Replace(w.Word))
		if about := shortAbout(w.About); about != "" {
			b.WriteString(":" + about)
		}
		b.WriteByte('\n')
	}
	if kind != "" {
		b.WriteString(kind + "\n")
	}
	return b.String()
}

// shortAbout is a description as a list shows it: one line, cut at a word.
func shortAbout(s string) string {
	const most = 72
	s = hcp.Printable(strings.Join(strings.Fields(s), " "), "")
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most])
		if i := strings.LastIndexByte(s, ' '); i > 0 {
			s = s[:i]
		}
		s += "…"
	}
	return s
}
