package scaffold

import (
	"slices"
	"strings"
)

// runsCommands: "show a spinner while running a command".
func runsCommands(c *Command) bool {
	return speaksOf(c, "running a command", "runs a command", "run a command", "running the command", "run the command", "running commands", "run commands", "execute a command",
		"executes a command", "executing a command", "given command", "specified command", "run a program", "running a program", "execute a program", "run a script", "running a script")
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

// choosesItself tells whether a command's first argument says what it does,
// with a word that no page lists: no policy could tell one from another.
func choosesItself(t *Tool, c *Command) bool {
	return len(c.Path) > 0 && c.Page.TakesCommand && c.Effect != Exec && c.Why != "known command" && !hasChildren(t, c) &&
		len(c.Page.Positionals) > 0 && isCommandWord(c.Page.Positionals[0].Name)
}

// mode finds flags under which a bin that runs what its arguments say only
// reads: those that are known, else one that shows something and ends.
func (j *judge) mode(c *Command) []string {
	if strings.TrimRight(strings.ToLower(j.t.ID.Name), "0123456789.") == "sqlite" {
		if c.flag("-safe") != nil && c.flag("-readonly") != nil {
			return []string{"-readonly", "-safe"}
		}
		return nil
	}
	for i := range c.Page.Flags {
		f := &c.Page.Flags[i]
		help := strings.ToLower(f.Help)
		if f.Value == ValueNone && j.kinds.of(f) == flagPlain && strings.Contains(help, "exit") && j.lex.says(help).class == wordRead && j.lex.says(help).also == "" {
			return longFirst(f.Names)[:1]
		}
	}
	return nil
}

// flag is the command's flag of that name; nil none.
func (c *Command) flag(name string) *Flag {
	for i := range c.Page.Flags {
		if slices.Contains(c.Page.Flags[i].Names, name) {
			return &c.Page.Flags[i]
		}
	}
	return nil
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

// fetches: verbs of a description that get a thing as often as they tell of it.
func fetches(verb string) bool {
	return verb == "get" || verb == "fetch" || verb == "retrieve" || verb == "return" || verb == "give" || verb == "provide"
}

// ofInfo: "get information about …", "return the path of …".
func ofInfo(c *Command) bool {
	words := plainWords(firstSaid(c.Page.Summary) + " . " + firstSaid(c.Listed.Help))
	return slices.ContainsFunc(words, func(w string) bool {
		switch strings.TrimSuffix(w, "s") {
		case "info", "information", "detail", "path", "value", "name", "id", "list", "statu", "state", "count", "number", "metadata", "size", "version", "statistic", "log", "history", "report",
			"url", "address", "configuration", "config", "setting", "event", "summary", "usage", "property", "propertie", "documentation", "pid", "type", "content", "description", "token", "result", "metric":
			return true
		}
		return false
	})
}

// sameWord tells whether a verb is the command's name again.
func sameWord(c *Command, verb string) bool {
	if len(c.Path) == 0 || verb == "search" {
		return false
	}
	name := nameWords(c.Path[len(c.Path)-1])
	return slices.Contains(name, verb) || slices.ContainsFunc(name, func(w string) bool { return slices.Contains(verbBases(w), verb) })
}

// elsewhere: what puts its answer into something, or shows it by another
// program.
func elsewhere(c *Command) string {
	for _, text := range []string{c.Page.Summary, c.Listed.Help} {
		text = strings.ToLower(firstSaid(text))
		for _, w := range []string{" into the ", " into a ", " into your ", " in your browser", " in a browser", "web browser", " in the browser", " in an editor", " in your editor", "using common diff tools", "external tool", "diff tool", "merge tool"} {
			if strings.Contains(text, w) && !strings.HasPrefix(text, "look ") {
				return strings.TrimSpace(w)
			}
		}
	}
	return ""
}

// against looks for what a reading command would not have: a flag that says
// that it acts, a flag that must be given and writes, a place to write to.
func (j *judge) against(c *Command) string {
	if w := elsewhere(c); w != "" {
		return `its description says "` + w + `"`
	}
	for i := range c.Page.Flags {
		f := &c.Page.Flags[i]
		if f.Global || slices.ContainsFunc(f.Names, func(n string) bool { return j.every[n] && len(c.Path) > 0 }) {
			continue
		}
		kind := j.kinds.of(f)
		switch {
		case kind == flagActs:
			return "has " + longFirst(f.Names)[0] + ", so it acts without it"
		case actsByName(f) || kind == flagYes && asksNothing(f.Help):
			return "has " + longFirst(f.Names)[0] + ", so it changes something"
		case f.Required && (kind == flagWrites || kind == flagProgram):
			return "needs " + longFirst(f.Names)[0]
		}
	}
	for _, p := range c.Page.Positionals {
		for _, w := range p.Enum { // "[status|drop]"
			if class := j.class(strings.ToLower(w)); class == wordWrite || class == wordDestroy || class == wordExec {
				return "one of its values is " + w
			}
		}
		switch strings.Join(nameWords(p.Name), "-") {
		case "out", "outfile", "output", "out-file", "output-file", "dest", "destination", "dst", "target-dir", "output-dir", "outdir":
			return "writes to " + p.Name
		}
	}
	return ""
}

// actsByName: --force and --yes are for what changes something.
func actsByName(f *Flag) bool {
	return f.Value == ValueNone && slices.ContainsFunc(f.Names, func(n string) bool {
		switch n {
		case "--force", "--yes", "-y", "--assume-yes", "--assumeyes", "--auto-approve", "--noconfirm", "--no-confirm", "--skip-confirmation", "-force", "-yes", "-auto-approve":
			return true
		}
		return false
	})
}
