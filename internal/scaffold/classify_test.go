package scaffold

import (
	"slices"
	"strings"
	"testing"
)

// judged classifies one leaf of a tool that nobody knows.
func judged(path, summary string, page Page) Effect {
	page.Summary = summary
	c := &Command{Path: strings.Fields(path), Page: page, Probed: true}
	t := &Tool{ID: Identity{Name: "frobtool"}, Commands: []*Command{{Probed: true, Page: Page{TakesCommand: true}}, c}}
	if len(c.Path) == 0 {
		t.Commands = t.Commands[1:]
	}
	Classify(t)
	return c.Effect
}

func TestClassifyWords(t *testing.T) {
	for _, row := range []struct {
		path, summary string
		want          Effect
	}{
		{"list", "", Read}, {"sites:list", "", Read}, {"pr list", "List pull requests", Read}, {"ls", "", Read}, {"ps", "", Read}, {"info", "", Read}, {"stat", "", Read},
		{"why", "", Read}, {"bin", "Get the path to a binary", Read}, {"plan", "Show changes required by the configuration", Read}, {"outdated", "", Read}, {"version", "", Read}, {"status", "Show the working tree status", Read}, {"list-units", "", Read}, {"is-active", "", Read},
		{"remote-ls", "", Read}, {"showAll", "", Read}, {"get pods", "", Read}, {"api-versions", "Print the versions", Read}, {"snapshots", `The "snapshots" command lists all snapshots`, Read},
		{"printthings", "Print all things.", Read}, {"logs", "Fetch the logs of a container", Read}, {"images", "List images in local storage", Read}, {"check-update", "Check for available updates", Read},
		{"version", "Print the client and server version", Read}, {"completion", "Output shell completion code for the shell (bash, zsh, fish)", Read},

		{"frobnicate", "", Write}, {"frobnicate", "Frobnicate the thing", Write}, {"create", "", Write}, {"env:set", "", Write}, {"remote-add", "", Write}, {"tag", "Create, list, delete or verify a tag", Write},
		{"version", "Bump a package version", Write}, {"show", "Show or set the title", Write}, {"version", "Shows the version or bumps it", Write}, {"get", "Get the dependencies of the project", Write},
		{"get-or-create", "", Write}, {"settings", "Manage settings", Write}, {"status", "Set the status", Write}, {"log-rotate", "", Write}, {"env-frob", "", Write}, {"roll-log", "", Write},
		{"dump", "dump all processes for resurrecting them later", Write}, {"read-tree", "Reads tree information into the index", Write}, {"hash-object", "Compute object ID and optionally creates a blob", Write},
		{"view", "View the page in your browser", Write}, {"scan", "Scan and rewrite code", Write}, {"events", "", Write}, {"unpin", "", Write}, {"reinstall", "", Write}, {"remove", "Remove dependencies from the manifest", Write},
		{"ping", "ping the daemon - if not up it will launch it", Write}, {"run", "Run one time search or rewrite in command line (default command)", Write}, {"test", "Run the tests", Write},
		{"report", "Report the bug", Write}, {"source", "Get the source of a package", Write}, {"log", "Log messages to output", Write}, {"spec", "", Write}, {"plan", "", Write}, {"export", "Export all data", Write}, {"docs", "Open the documentation", Write},

		{"delete", "", Destructive}, {"rm", "", Destructive}, {"sites:delete", "", Destructive}, {"delete pod", "", Destructive}, {"prune", "", Destructive}, {"forget", "Remove snapshots", Destructive},
		{"uninstall", "Uninstall packages", Destructive}, {"wipe-all", "", Destructive}, {"reap", "Delete what is old", Destructive}, {"down", "Stop and remove containers", Destructive},

		{"exec", "", Exec}, {"run", "", Exec}, {"run", "Run a command in a new container", Exec}, {"shell", "", Exec}, {"devenv", "Run commands in developer environment", Exec},
		{"spin", "Display a spinner while running a command", Exec}, {"dlx", "", Exec},
	} {
		if got := judged(row.path, row.summary, Page{}); got != row.want {
			t.Errorf("%s (%s): %s, want %s", row.path, row.summary, got, row.want)
		}
	}
}

func TestClassifyEvidence(t *testing.T) {
	one := func(f Flag) Page { return Page{Flags: []Flag{f}} }
	for _, row := range []struct {
		name string
		page Page
		want Effect
	}{
		{"nothing", Page{}, Read},
		{"acts without it", one(toggle("--dry-run")), Write},
		{"force", one(toggle("-f", "--force")), Write},
		{"yes", one(toggle("-y", "--yes")), Write},
		{"optional file", one(Flag{Names: []string{"--output"}, Value: ValueRequired, Metavar: "FILE"}), Read},
		{"optional fix", one(toggle("--fix")), Read},
		{"optional program", one(value("-x", "--exec")), Read},
		{"needed file", one(Flag{Names: []string{"--output"}, Value: ValueRequired, Metavar: "FILE", Required: true}), Write},
		{"a place to write to", Page{Positionals: []Positional{{Name: "OUTFILE", Required: true}}}, Write},
		{"of every command", one(Flag{Names: []string{"--yes"}, Value: ValueNone, Global: true}), Read},
	} {
		if got := judged("list", "List things", row.page); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
	pos := Page{Positionals: []Positional{{Name: "COMMAND", Required: true}, {Name: "ARG", Variadic: true}}}
	if got := judged("within", "", pos); got != Exec {
		t.Errorf("COMMAND ARG…: %s", got)
	}
	if got := judged("add", "Add a server", pos); got != Write {
		t.Errorf("add COMMAND ARG…: %s", got)
	}
	if got := judged("", "A program to find entries in your filesystem", one(value("-x", "--exec"))); got != Read {
		t.Errorf("the tool itself: %s", got)
	}
	if got := judged("", "Transfer a URL", Page{}); got != Write {
		t.Errorf("the tool itself: %s", got)
	}
}

// A flag that most commands have says nothing of one.
func TestClassifyFlagsOfTheTool(t *testing.T) {
	tool := &Tool{ID: Identity{Name: "frobtool"}, Commands: []*Command{{Probed: true, Page: Page{TakesCommand: true}}}}
	for _, name := range []string{"list", "show", "add", "delete", "search", "sync"} {
		tool.Commands = append(tool.Commands, &Command{Path: []string{name}, Probed: true, Page: Page{Flags: []Flag{toggle("--yes")}}})
	}
	Classify(tool)
	if got := tool.Commands[1].Effect; got != Read {
		t.Errorf("list: %s (%s)", got, tool.Commands[1].Why)
	}
}

// Every label of the overlay is an effect, and nothing that is named for a deed
// is labelled read.
func TestOverlay(t *testing.T) {
	seen, lex := 0, newLexicon()
	for line := range strings.Lines(overlayText) {
		if line[0] == ' ' || line[0] == '#' {
			continue
		}
		head, _, _ := strings.Cut(line, ":")
		names, effect, ok := strings.Cut(head, " ")
		if !ok || !slices.Contains([]Effect{Read, Write, Destructive, Exec}, Effect(effect)) {
			t.Errorf("line %q", line)
		}
		for name := range strings.SplitSeq(names, ",") {
			seen++
			for path, e := range overlayFor(name) {
				leaf := path[strings.LastIndexByte(path, ' ')+1:]
				if e == Read && leaf != "" && lex.leaf[leaf] > wordNoun && !readsDespite(name, leaf) {
					t.Errorf("%s %s is labelled read", name, path)
				}
				if path != strings.Join(strings.Fields(path), " ") || strings.Contains(path, ",") {
					t.Errorf("%s: path %q", name, path)
				}
			}
		}
	}
	if seen < 60 {
		t.Errorf("%d names", seen)
	}
	if overlayFor("frobtool") != nil || overlayFor("pip3.11")["list"] != Read || overlayFor("/usr/bin/git")["push"] != Write || overlayFor("jq")[""] != Read {
		t.Error("a name is not found, or found too much")
	}
}

// readsDespite are known commands that read, though they are named for a deed.
func readsDespite(tool, leaf string) bool {
	return slices.Contains([]string{"git cherry", "pip freeze", "kubectl wait", "oc wait", "brew uses", "helm upgrade", "uv freeze"}, tool+" "+leaf) || leaf == "annotate"
}

func TestSelectJSON(t *testing.T) {
	for _, row := range []struct {
		name string
		page Page
		want []string
	}{
		{"enum", Page{Flags: []Flag{{Names: []string{"-o", "--output"}, Value: ValueRequired, Enum: []string{"json", "yaml"}}}}, []string{"-o", "json"}},
		{"help", Page{Flags: []Flag{{Names: []string{"--format"}, Value: ValueRequired, Help: "Output format: table, json"}}}, []string{"--format", "json"}},
		{"metavar", Page{Flags: []Flag{{Names: []string{"--reporter"}, Value: ValueRequired, Metavar: "text|json"}}}, []string{"--reporter", "json"}},
		{"usage", Page{Text: "usage: x [--reporter=<text|\n  json|github>]", Flags: []Flag{{Names: []string{"--reporter"}, Value: ValueRequired}}}, []string{"--reporter", "json"}},
		{"optional", Page{Flags: []Flag{{Names: []string{"--output"}, Value: ValueOptional, Enum: []string{"json"}}}}, []string{"--output=json"}},
		{"switch", Page{Flags: []Flag{toggle("--json")}}, []string{"--json"}},
		{"one dash", Page{Flags: []Flag{{Names: []string{"-json"}, Value: ValueNone, Help: "Produce output in JSON"}}}, []string{"-json"}},
		{"fields", Page{Flags: []Flag{{Names: []string{"--json"}, Value: ValueRequired, Metavar: "fields", Help: "Output JSON with the specified fields"}}}, []string{"--json", "{{fields}}"}},
		{"by default", Page{Summary: "list all processes in JSON format"}, []string{}},
		{"pretty", Page{Flags: []Flag{{Names: []string{"--indent"}, Value: ValueNone, Help: "Enable pretty printed JSON."}}}, []string{}},
		{"csv instead", Page{Flags: []Flag{{Names: []string{"--csv"}, Value: ValueNone, Help: "Output CSV"}, {Names: []string{"--nl"}, Value: ValueNone, Help: "Output newline-delimited JSON"}}}, []string{}},
		{"body", Page{Flags: []Flag{{Names: []string{"--json"}, Value: ValueRequired, Metavar: "data", Help: "HTTP POST JSON"}}}, nil},
		{"input", Page{Flags: []Flag{{Names: []string{"--json"}, Value: ValueNone, Help: "Treat input as JSON"}}}, nil},
		{"file", Page{Flags: []Flag{{Names: []string{"--output"}, Value: ValueRequired, Help: "Write a json file to this path"}}}, nil},
		{"other forms", Page{Flags: []Flag{{Names: []string{"--format"}, Value: ValueRequired, Enum: []string{"text", "xml"}, Help: "not json"}}}, nil},
		{"jsonc", Page{Flags: []Flag{{Names: []string{"--jsonc"}, Value: ValueNone, Help: "Emit a jsonc file"}}}, nil},
		{"log", Page{Flags: []Flag{{Names: []string{"--log-json"}, Value: ValueNone, Help: "Output one JSON object per log line"}}}, nil},
		{"not alone", Page{Text: "If flag -json is specified without -m, it is an error.", Flags: []Flag{{Names: []string{"-json"}, Value: ValueNone}}}, nil},
		{"nothing", Page{}, nil},
	} {
		c := &Command{Path: []string{"list"}, Page: row.page}
		SelectJSON(&Tool{Commands: []*Command{c}})
		if !slices.Equal(c.JSON, row.want) || (c.JSON == nil) != (row.want == nil) {
			t.Errorf("%s: %q, want %q", row.name, c.JSON, row.want)
		}
	}
	c := &Command{Path: []string{"list"}, Page: Page{Text: "FLAGS\n  --json fields\n\nJSON FIELDS\n  id, title, url,\n  author\n\nEXAMPLES\n", Flags: []Flag{{Names: []string{"--json"}, Value: ValueRequired, Metavar: "fields"}}}}
	SelectJSON(&Tool{Commands: []*Command{c}})
	if c.Fields != "id,title,url,author" {
		t.Errorf("fields %q", c.Fields)
	}
}

// TestClassifyMode: a bin that runs what it is told has a draft of what only
// shows something, where its help has a flag for that.
func TestClassifyMode(t *testing.T) {
	for _, row := range []struct {
		name, page string
		want       []string
	}{
		{"psql", "Usage: psql [OPTION]... [DBNAME]\n\nOptions:\n  -c, --command=COMMAND  run only single command\n  -l, --list  list available databases, then exit\n  -V, --version  output version information, then exit\n", []string{"--list"}},
		{"sqlite3", "Usage: sqlite3 [OPTIONS] FILENAME [SQL]\n\nOptions:\n  -list  set output mode\n  -readonly  open the database read-only\n  -safe  enable safe-mode\n", []string{"-readonly", "-safe"}},
		{"sqlite3", "Usage: sqlite3 [OPTIONS] FILENAME [SQL]\n\nOptions:\n  -list  list all and exit\n  -readonly  open the database read-only\n", nil},
		{"mysql", "Usage: mysql [OPTIONS] [database]\n\nOptions:\n  -e, --execute=name  Execute command and quit\n", nil},
	} {
		tool := &Tool{ID: Identity{Name: row.name}, Commands: []*Command{{Path: []string{}, Page: Parse(row.page, nil), Probed: true}}}
		Classify(tool)
		c := tool.Commands[0]
		if !slices.Equal(c.Mode, row.want) || c.Effect != Exec || (c.Drafted() == Read) != (row.want != nil) {
			t.Errorf("%s: %q, %s, drafted %s", row.name, c.Mode, c.Effect, c.Drafted())
		}
		choice, err := Choose(tool, nil, false)
		if err != nil || len(choice.Commands) != 0 {
			t.Errorf("%s: taken unasked: %v", row.name, err)
		}
		choice, err = Choose(tool, []string{row.name}, false)
		if err != nil || len(choice.Commands) != 1 {
			t.Fatal(row.name, err)
		}
		p, _ := drafted(t, tool, choice.Commands, DraftOptions{})
		if p.Commands[0].Key != row.name {
			t.Errorf("key %s", p.Commands[0].Key)
		}
	}
}

// TestChoosesItself: what its first argument decides has no policy of its own.
func TestChoosesItself(t *testing.T) {
	tool := &Tool{ID: Identity{Name: "kit"}, Commands: []*Command{
		{Path: []string{}, Page: Page{Commands: []Entry{{Name: "show"}, {Name: "care"}, {Name: "run"}}}, Probed: true},
		{Path: []string{"show"}, Page: Parse("Usage: kit show <name>\n\nShow a thing.\n", []string{"show"}), Probed: true},
		{Path: []string{"care"}, Page: Parse("Usage: kit care <subcommand> [<options>]\n\nShow the care taken.\n", []string{"care"}), Probed: true},
	}}
	Classify(tool)
	choice, err := Choose(tool, nil, true)
	if err != nil || len(choice.Commands) != 1 {
		t.Fatalf("%v %v", choice.Commands, err)
	}
	choice, err = Choose(tool, []string{"care"}, false)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := drafted(t, tool, choice.Commands, DraftOptions{})
	if names := p.Placeholders(&p.Commands[0]); len(names) != 0 {
		t.Errorf("placeholders %q", names)
	}
}

func TestSecretsByName(t *testing.T) {
	kinds := newKindTable()
	for flag, want := range map[string]bool{
		"-newkeypass": true, "-secretkeyid": true, "-passout": true, "-passcerts": true, "-inkey": true, "--dbpassword": true, "--pass": true, "-oldpassin": false, "--bypass": false, "--passive": false, "--compass-dir": false,
	} {
		f := Flag{Names: []string{flag}, Value: ValueRequired, Metavar: "val"}
		if got := kinds.of(&f) == flagCredential; got != want {
			t.Errorf("%s: credential %v", flag, got)
		}
	}
}
