package scaffold

import (
	"slices"
	"strings"
)

// Classify fills Effect and Why of every command of t, failing closed (wrap.md,
// stage 5): read needs a word that reads and nothing that speaks against it;
// what is not understood is a write. A command is judged without its optional
// flags that write, which no draft ever passes on.
func Classify(t *Tool) { newJudge(t, true).all() }

// judge is what Classify knows.
type judge struct {
	t     *Tool
	lex   *lexicon
	kinds *kindTable
	known map[string]Effect // the overlay's labels for this tool, by path
}

func newJudge(t *Tool, overlay bool) *judge {
	j := &judge{t: t, lex: newLexicon(), kinds: newKindTable()}
	if overlay {
		j.known = overlayFor(t.ID.Name)
	}
	return j
}

func (j *judge) all() {
	for _, c := range j.t.Commands {
		c.Effect, c.Why = j.judge(c)
	}
}

// judge gives one command's effect and the evidence.
func (j *judge) judge(c *Command) (Effect, string) {
	if e, ok := j.known[strings.Join(c.Path, " ")]; ok {
		return e, "known command"
	}
	if hasChildren(j.t, c) && (len(c.Path) == 0 || c.Page.TakesCommand) {
		return Write, "a group of commands"
	}
	e, why := j.words(c)
	if e == Read {
		if against := j.against(c); against != "" {
			return Write, against
		}
	}
	return e, why
}

// hasChildren tells whether some command of the tool lies below c.
func hasChildren(t *Tool, c *Command) bool {
	if len(c.Page.Commands) > 0 {
		return true
	}
	return slices.ContainsFunc(t.Commands, func(o *Command) bool {
		return len(o.Path) > len(c.Path) && slices.Equal(o.Path[:len(c.Path)], c.Path)
	})
}

// words judges by the command's name, its parents' and its description.
func (j *judge) words(c *Command) (Effect, string) {
	said := j.describe(c)
	name := j.t.ID.Name
	if len(c.Path) > 0 {
		name = c.Path[len(c.Path)-1]
	}
	class, word := j.name(name, said)
	for i := len(c.Path) - 2; i >= 0 && class == wordUnknown; i-- {
		if up, w := j.name(c.Path[i], said); up != wordNoun && up != wordUnknown { // "create cluster", "get pods"
			class, word = up, w
		}
	}
	switch class {
	case wordRead:
		return j.readName(word, c, said)
	case wordWrite:
		return j.writeName(word, c, said)
	case wordDestroy:
		return j.destroyName(word, c)
	case wordExec:
		return Exec, `"` + word + `" runs what its arguments say`
	case wordGroup:
		return j.runs(word, c)
	}
	return j.byDescription(c, said)
}

// describe reads what the page and its parent's line say of a command; what
// changes something wins.
func (j *judge) describe(c *Command) saying {
	page, listed := j.lex.says(c.Page.Summary), j.lex.says(c.Listed.Help)
	s := page
	if s.verb == "" || s.class == wordRead && listed.class > wordNoun {
		s = listed
	}
	if s.also == "" {
		s.also = page.also + listed.also
	}
	return s
}

// name gives the class of a name of one or more words.
func (j *judge) name(name string, said saying) (wordClass, string) {
	words := nameWords(name)
	if len(words) == 0 {
		return wordUnknown, ""
	}
	first, last := words[0], words[len(words)-1]
	a, b := j.class(first), j.class(last)
	switch {
	case len(words) == 1:
		return a, first
	case a == wordUnknown || a == wordNoun:
		if b == wordUnknown || b == wordNoun { // repo-a-verb-b: look between
			for _, w := range words[1:] {
				if c := j.class(w); c != wordUnknown && c != wordNoun {
					return c, w
				}
			}
			return wordNoun, first
		}
		return b, last
	case a == wordRead:
		for _, w := range words[1:] {
			if c := j.class(w); c > wordNoun && said.class != wordRead {
				return c, w // get-or-create
			}
		}
	}
	return a, first
}

// class is a word's own class; un-, re-, de- and dis- of a verb change too.
func (j *judge) class(w string) wordClass {
	if c, ok := j.lex.leaf[w]; ok {
		return c
	}
	for _, prefix := range []string{"un", "re", "de", "dis"} {
		if rest, ok := strings.CutPrefix(w, prefix); ok && len(rest) > 2 {
			if c := j.lex.leaf[rest]; c == wordWrite || c == wordDestroy {
				return wordWrite
			}
		}
	}
	return wordUnknown
}

// readName: a name that reads, unless the description says otherwise.
func (j *judge) readName(word string, c *Command, said saying) (Effect, string) {
	switch {
	case said.class == wordWrite || said.class == wordDestroy || said.class == wordExec:
		return Write, `named "` + word + `", but its description says "` + said.verb + `"`
	case said.also != "":
		return Write, `its description also says "` + said.also + `"`
	case word == "get" && getsThings(c):
		return Write, "gets something that stays"
	case said.verb == "" && speaksOf(c, "management", "manager", "wrapper"):
		return Write, "its description does not say that it only reads"
	}
	return Read, `"` + word + `" reads`
}

// getsThings tells "get" for download from "get" for show.
func getsThings(c *Command) bool {
	return speaksOf(c, "dependenc", "packages", "modules", "plugins", "download", "install", "updates")
}

func speaksOf(c *Command, words ...string) bool {
	text := strings.ToLower(c.Page.Summary + "\n" + c.Listed.Help)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

func (j *judge) writeName(word string, c *Command, said saying) (Effect, string) {
	if word == "reset" && speaksOf(c, "delete", "erase", "wipe", "discard", "destroy", "drop", "all data", "remove all") {
		return Destructive, "resets what is lost then"
	}
	if (word == "stop" || word == "down") && (said.also == "remove" || said.also == "delete") {
		return Destructive, `its description also says "` + said.also + `"`
	}
	return Write, `"` + word + `" changes something`
}

// destroyName: what is removed from a project's own list can be added again.
func (j *judge) destroyName(word string, c *Command) (Effect, string) {
	if (word == "remove" || word == "rm" || word == "uninstall" || word == "delete") &&
		speaksOf(c, "dependenc", "requirement", "from your project", "from the project", "manifest", "from your pyproject", "from the pyproject", "from package.json", "cargo.toml") {
		return Write, `"` + word + `" takes an entry from a list`
	}
	return Destructive, `"` + word + `" destroys`
}

// runs judges run, test and their like by what they run.
func (j *judge) runs(word string, c *Command) (Effect, string) {
	text := strings.ToLower(c.Page.Summary + " " + c.Listed.Help)
	text = strings.NewReplacer("command line", "", "command-line", "").Replace(text)
	if word == "test" || word == "tests" || word == "bisect" {
		return Write, `"` + word + `" runs what the project says`
	}
	things := []string{"command", "script", "program", "container", "binar", "executable", "shell", "process", "code", "application", " app", "module", "package", "tool", "example", "file"}
	if strings.TrimSpace(text) == "" || slices.ContainsFunc(things, func(w string) bool { return strings.Contains(text, w) }) {
		return Exec, `"` + word + `" runs what its arguments say`
	}
	return Write, `"` + word + `" changes something`
}

// byDescription judges a name that says nothing, or as much a thing as a deed.
func (j *judge) byDescription(c *Command, said saying) (Effect, string) {
	switch {
	case said.class == wordExec, said.class == wordGroup && said.verb == "run" && speaksOf(c, "command", "script", "program"):
		return Exec, `its description says "` + said.verb + `"`
	case runsPositional(c):
		return Exec, "its arguments are a command"
	case said.class == wordDestroy:
		e, _ := j.destroyName("remove", c)
		return e, `its description says "` + said.verb + `"`
	case said.class != wordRead:
		return Write, "nothing says that it only reads"
	case said.also != "":
		return Write, `its description also says "` + said.also + `"`
	case toFile(c):
		return Write, "its description speaks of writing a file"
	}
	return Read, `its description says "` + said.verb + `"`
}

// runsPositional: COMMAND [ARG…] as arguments.
func runsPositional(c *Command) bool {
	for i, p := range c.Page.Positionals {
		name := strings.ToLower(p.Name)
		if (name == "command" || name == "cmd" || name == "program" || name == "utility" || name == "executable") &&
			(p.Variadic || i+1 < len(c.Page.Positionals) && c.Page.Positionals[i+1].Variadic) {
			return !c.Page.TakesCommand
		}
	}
	return false
}

// toFile: "dump the database to a file".
func toFile(c *Command) bool {
	words := plainWords(c.Page.Summary + " " + c.Listed.Help)
	for i, w := range words {
		if w != "to" && w != "into" && w != "as" {
			continue
		}
		for _, v := range words[i+1 : min(len(words), i+6)] {
			if v == "file" || v == "files" || v == "directory" || v == "folder" || v == "disk" || v == "archive" {
				return true
			}
		}
	}
	return false
}

// against looks for what a reading command would not have: a flag that says
// that it acts, a flag that must be given and writes, a place to write to.
func (j *judge) against(c *Command) string {
	for i := range c.Page.Flags {
		f := &c.Page.Flags[i]
		kind := j.kinds.of(f)
		switch {
		case f.Global:
		case kind == flagActs:
			return "has " + longFirst(f.Names)[0] + ", so it acts without it"
		case kind == flagForce || kind == flagYes:
			return "has " + longFirst(f.Names)[0] + ", so it changes something"
		case f.Required && (kind == flagWrites || kind == flagProgram):
			return "needs " + longFirst(f.Names)[0]
		}
	}
	for _, p := range c.Page.Positionals {
		switch strings.Join(nameWords(p.Name), "-") {
		case "out", "outfile", "output", "out-file", "output-file", "dest", "destination", "dst", "target-dir", "output-dir", "outdir":
			return "writes to " + p.Name
		}
	}
	return ""
}
