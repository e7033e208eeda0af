// Package scaffold turns a foreign CLI's help into a draft pack (hcp wrap). It
// hides the dialects of help texts and how commands are judged from words. It
// starts nothing and reads no environment: probing is a function that it is
// handed, and it never asks for an argv other than words it discovered plus one
// help token. What it cannot read it leaves out and says so; it never invents.
package scaffold

import "context"

// Arity says whether a flag takes a value.
type Arity string

// The three arities. An optional value is only ever joined by "=".
const (
	ValueNone     Arity = "none"
	ValueRequired Arity = "required"
	ValueOptional Arity = "optional"
)

// Effect is what a command does to the world. The zero value is unknown, which
// is drafted as a gated write.
type Effect string

// The effects of wrap.md, stage 5. Exec is a command that runs what its
// arguments say.
const (
	Read        Effect = "read"
	Write       Effect = "write"
	Destructive Effect = "destructive"
	Exec        Effect = "exec"
)

// Flag is one option of a command.
type Flag struct {
	Names    []string // with their dashes, as the help spells them; a --no-x pair has both
	Value    Arity
	Metavar  string   // the value's name in the help, without brackets; "" none
	Type     string   // JSON Schema type of the value: string, integer, number, boolean (Value none)
	Enum     []string // the values that the help lists; nil: it lists none
	Default  string   // as the help spells it; "" none
	Help     string   // description, one line
	Repeat   bool     // may be given more than once
	Required bool
	Global   bool // of every command of the CLI (inherited, "global options")
}

// Positional is one argument that is not a flag.
type Positional struct {
	Name     string // without brackets, as the usage line spells it
	Required bool
	Variadic bool     // takes all that follow
	Enum     []string // nil: any
	Help     string   // one line; "" none
}

// Entry is a sub-command as its parent's page lists it.
type Entry struct {
	Name    string   // one word
	Aliases []string // other words for it
	Help    string   // one line
	Section string   // heading it stands under; "" none
}

// Deeper is a sub-command that a page lists below one of its own: "cache clear".
type Deeper struct {
	Under []string // the words between the page's command and the entry
	Entry Entry
}

// Page is what one help text says. The zero Page says nothing.
type Page struct {
	Dialect       string // the parser that read it: "pflag", "clap", …
	Summary       string // first sentence of what it does; "" none
	Usage         []string
	Commands      []Entry // in the page's order
	Flags         []Flag
	Positionals   []Positional
	Deeper        []Deeper // sub-commands of its sub-commands, when it lists those too
	TakesCommand  bool     // the usage line wants a sub-command
	EndOfOptions  bool     // "--" before positionals is honoured, as far as the page or its dialect tells
	Examples      []string // lines of an examples section
	Text          string   // the help as it was read, normalised
	HelpArgv      []string // the argv that gave it
	Unparsed      bool     // it is help, but nothing in it could be read
	Abbreviations bool     // the dialect takes "--fla" for "--flag"
}

// Command is one command of a tool, judged.
type Command struct {
	Path   []string // words after the bin; empty: the bin itself
	Page   Page
	Listed Entry    // as its parent lists it; zero for the root
	Probed bool     // false: only its parent's line is known
	Shared bool     // asked for its help it answers with the bin's own: it may be no sub-command at all
	Effect Effect   // by Classify; "" unknown
	Why    string   // the evidence for Effect, for people
	JSON   []string // argv tokens that select JSON; empty and not nil: JSON is the default; nil: there is none
	// Mode are flags under which a bin that runs what its arguments say only
	// reads, as psql --list does; nil: there are none. Its draft always has them.
	Mode []string
	// Fields is the value that a "--json fields" flag is drafted with; "" none.
	Fields string
}

// Drafted is the effect of the command as a draft has it.
func (c *Command) Drafted() Effect {
	if len(c.Mode) > 0 {
		return Read
	}
	return c.Effect
}

// Tool is a CLI as far as it was read: the root first, then in the order of help.
type Tool struct {
	ID       Identity
	About    string // what its man page says it is, for a help that says nothing of that; "" unknown
	Commands []*Command
	Notes    []Note
}

// Note is something a person should look at.
type Note struct {
	Where string // "gh pr list", a file, …
	What  string // one line
}

// Identity is what is known of a bin without running it (wrap.md, stage 1).
type Identity struct {
	Name      string // base name it was asked for by
	Path      string // real path
	SHA256    string // of the file, hex
	Framework string // cobra, clap, …; "" unknown
	Script    string // the interpreter of a script, "" for a program
	ManPage   string // path of its man page, "" none

	Bin         string   // wrap.bin of the draft: the bare name where PATH has it, else the absolute path
	Completions []string // paths of installed completions, fish first; nil: none
}

// Answer is what a probe printed.
type Answer struct {
	Stdout, Stderr []byte
	Exit           int
	Failed         string // why there is no answer: "timeout", "output over 4MiB", …; "" none
	Cached         bool
}

// Prober runs the bin with an argv (without the bin) in the sandbox, or takes
// the answer from the cache. Several may run at the same time.
type Prober func(ctx context.Context, argv []string) Answer
