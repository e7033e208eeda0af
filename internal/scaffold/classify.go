package scaffold

import (
	"slices"
	"strings"
)

// Classify fills Effect and Why of every command of t, failing closed (wrap.md,
// stage 5): read needs a word that reads and nothing that speaks against it;
// what is not understood is a write. A command is judged without its optional
// flags that write, which no draft ever passes on.
func Classify(t *Tool) {
	adopt(t)
	newJudge(t, true).all()
}

// judge is what Classify knows.
type judge struct {
	t     *Tool
	lex   *lexicon
	kinds *kindTable
	known map[string]Effect // the overlay's labels for this tool, by path
	every map[string]bool   // flags that so many commands have that they say nothing of one
}

func newJudge(t *Tool, overlay bool) *judge {
	j := &judge{t: t, lex: newLexicon(), kinds: newKindTable()}
	if overlay {
		j.known = overlayFor(t.ID.Name)
	}
	j.every = everywhere(t)
	return j
}

// everywhere finds the flags that belong to a tool rather than to a command: of
// its own page, or of most commands of a tool that has several.
func everywhere(t *Tool) map[string]bool {
	count, of, every := map[string]int{}, 0, map[string]bool{}
	for _, c := range t.Commands {
		root := len(c.Path) == 0
		if !root && c.Probed && len(c.Page.Flags) > 0 {
			of++
		}
		for _, f := range c.Page.Flags {
			for _, n := range f.Names {
				if root && len(t.Commands) > 1 {
					every[n] = true
				}
				count[n]++
			}
		}
	}
	for n, k := range count {
		if of >= 5 && k*10 >= of*7 {
			every[n] = true
		}
	}
	return every
}

func (j *judge) all() {
	for _, c := range j.t.Commands {
		c.Effect, c.Why = j.judge(c)
		if len(c.Path) == 0 && c.Effect == Exec && !hasChildren(j.t, c) {
			c.Mode = j.mode(c)
		}
	}
}

// judge gives one command's effect and the evidence.
func (j *judge) judge(c *Command) (Effect, string) {
	if e, ok := j.known[strings.Join(c.Path, " ")]; ok {
		return e, "known command"
	}
	if hasChildren(j.t, c) && (len(c.Path) == 0 || !c.Probed || c.Page.TakesCommand && j.describe(c).class != wordRead) {
		if e, why := j.words(c); e == Destructive && len(c.Path) > 0 {
			return e, why
		}
		return Write, "a group of commands"
	}
	e, why := j.words(c)
	if e != Destructive && runsPositional(c) && slices.ContainsFunc(c.Page.Usage, func(u string) bool { return endAt(u) >= 0 }) { // "-- COMMAND"
		return Exec, "its arguments are a command"
	}
	if e == Read && runsCommands(c) {
		return Exec, "its description speaks of running a command"
	}
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
	word := strings.ToLower(j.t.ID.Name)
	class := j.class(word) // ssh-keygen is no ssh
	if class == wordThing {
		class = wordRead
	}
	if len(c.Path) > 0 {
		class, word = j.name(c.Path[len(c.Path)-1], said)
	}
	for i := len(c.Path) - 2; i >= 0 && (class == wordUnknown || class == wordNoun); i-- {
		// "create cluster", "get pods"; not "env frob".
		if up, w := j.name(c.Path[i], said); up > wordNoun || up == wordRead && j.class(w) == wordRead {
			class, word = up, w
		}
	}
	switch class {
	case wordRead:
		return j.readName(word, c, said)
	case wordWrite:
		return j.writeName(word, c)
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
	first, a := words[0], j.class(words[0])
	if len(words) == 1 {
		if a == wordThing {
			a = wordRead
		}
		return a, first
	}
	rest := words[1:]
	if a > wordNoun { // delete-logs
		return a, first
	}
	for _, w := range rest {
		// get-or-create, log-rotate; "check-update" is saved by a description
		// that reads.
		if c := j.class(w); c > wordNoun && (a != wordRead || said.class != wordRead) {
			return c, w
		}
	}
	if a == wordRead { // list-units
		return a, first
	}
	for _, w := range []string{words[len(words)-1], rest[0]} { // remote-ls, repo-show-all
		if j.class(w) == wordRead {
			return wordRead, w
		}
	}
	return wordNoun, first
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
	case word == "log" && strings.HasPrefix(strings.ToLower(c.Page.Summary+c.Listed.Help), "log "):
		return Write, "logs what it is told"
	case !c.Probed && j.class(word) == wordThing && c.Listed.Help == "":
		return Write, "nothing but its name is known"
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

func (j *judge) writeName(word string, c *Command) (Effect, string) {
	if word == "reset" && speaksOf(c, "delete", "erase", "wipe", "discard", "destroy", "drop", "all data", "remove all") {
		return Destructive, "resets what is lost then"
	}
	return Write, `"` + word + `" changes something`
}

// destroyName: what is removed from a project's own list can be added again.
func (j *judge) destroyName(word string, c *Command) (Effect, string) {
	if (word == "remove" || word == "rm" || word == "uninstall" || word == "delete") &&
		speaksOf(c, "dependenc", "from your project", "from the project", "manifest", "require", "from your pyproject", "from the pyproject", "from package.json", "cargo.toml") {
		return Write, `"` + word + `" takes an entry from a list`
	}
	return Destructive, `"` + word + `" destroys`
}

// runs judges run, test and their like by what they run.
func (j *judge) runs(word string, c *Command) (Effect, string) {
	text := strings.ToLower(firstSaid(c.Page.Summary) + " " + firstSaid(c.Listed.Help))
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
	case said.verb == "stop" && (said.also == "remove" || said.also == "delete"):
		return Destructive, `its description also says "` + said.also + `"`
	case said.class == wordDestroy:
		e, _ := j.destroyName("remove", c)
		return e, `its description says "` + said.verb + `"`
	case said.class != wordRead:
		return Write, "nothing says that it only reads"
	case said.also != "":
		return Write, `its description also says "` + said.also + `"`
	case fetches(said.verb) && !ofInfo(c):
		return Write, "nothing says that it only reads"
	case toFile(c):
		return Write, "its description speaks of writing a file"
	case sameWord(c, said.verb):
		// "dump: dump all processes" explains the word by itself.
		return Write, "nothing says that it only reads"
	}
	return Read, `its description says "` + said.verb + `"`
}
