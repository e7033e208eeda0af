package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcp/internal/hcp"
	"hcp/internal/pack"
	"hcp/internal/sandbox"
)

// drafted writes a draft to a folder and checks it as hcp check does; errors
// fail the test, and every command must render.
func drafted(t *testing.T, tool *Tool, chosen []*Command, opt DraftOptions) (*pack.Pack, []pack.Finding) {
	t.Helper()
	d, err := Draft(tool, chosen, opt)
	if err != nil {
		t.Fatalf("%s: %v", tool.ID.Name, err)
	}
	dir := filepath.Join(t.TempDir(), d.ID)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found := pack.Lint{ForbiddenEnv: sandbox.ForbiddenSetting}.Check(dir)
	for _, f := range found {
		if f.Level == pack.LevelError {
			t.Errorf("%s: %s %s: %s\n%s", tool.ID.Name, f.Code, f.Where, f.Message, d.Files[0].Data)
		}
	}
	p, err := pack.Load(dir)
	if err != nil {
		t.Fatalf("%s: %v\n%s", tool.ID.Name, err, d.Files[0].Data)
	}
	for i := range p.Commands {
		renders(t, p, &p.Commands[i])
	}
	return p, found
}

// renders gives every argument a value, renders, types the line into the shim's
// matcher, and sees that the same comes out.
func renders(t *testing.T, p *pack.Pack, c *pack.Command) {
	t.Helper()
	args := hcp.Args{}
	for _, prop := range c.Args.Properties {
		v := hcp.StringValue("x/y")
		switch s := prop.Schema; {
		case len(s.Enum) > 0:
			v = s.Enum[0]
		case s.List() && len(s.Items.Enum) > 0:
			v = hcp.Value{Kind: hcp.Array, Items: s.Items.Enum[:1]}
		case s.List():
			v = hcp.Value{Kind: hcp.Array, Items: []hcp.Value{hcp.StringValue("3")}}
		case len(s.Types) == 1 && s.Types[0] != "string":
			v = hcp.IntValue(3)
		}
		args = args.Set(prop.Name, v)
	}
	if d := p.Validate(c, args); d != nil {
		t.Errorf("%s %s: %s", p.ID, c.Key, d.Message)
		return
	}
	argv, d := p.Render(c, args)
	if d != nil {
		t.Errorf("%s %s: %s", p.ID, c.Key, d.Message)
		return
	}
	if d := p.Guard(c, args, argv); d != nil {
		t.Errorf("%s %s: %s", p.ID, c.Key, d.Message)
	}
	var words []string
	for _, tok := range argv {
		words = append(words, tok.Text)
	}
	if line := p.Match(words); line.Fault != nil || line.VerbKey != c.Key {
		t.Errorf("%s %s: %q reads back as %s: %v", p.ID, c.Key, words, line.VerbKey, line.Fault)
	}
	if row, ok := p.Row(c.Key); !ok || row.Operation != "read" && !(row.Confirm && len(c.Preview) > 0) {
		t.Errorf("%s %s: row %+v, preview %q", p.ID, c.Key, row, c.Preview)
	}
	if len(c.Title.Live) == 0 || len(c.Title.Done) == 0 {
		t.Errorf("%s %s: no titles", p.ID, c.Key)
	}
	if strings.ContainsAny(c.Description, "\n\x1b") {
		t.Errorf("%s %s: description %q", p.ID, c.Key, c.Description)
	}
}

// oneCommand is a tool with one command of its own making.
func oneCommand(name string, c Command) *Tool {
	c.Probed = true
	return &Tool{ID: Identity{Name: name}, Commands: []*Command{{Probed: true, Page: Page{TakesCommand: true}}, &c}}
}

func value(names ...string) Flag {
	return Flag{Names: names, Value: ValueRequired, Type: "string", Help: "Some text"}
}
func toggle(names ...string) Flag {
	return Flag{Names: names, Value: ValueNone, Type: "boolean", Help: "Show more"}
}

// Whatever a help text says, the draft passes hcp check.
func TestDraftOfAnything(t *testing.T) {
	long := strings.Repeat("word ", 60)
	evil := "List\x1b[31m red \u202eevil\u200b {{x}} `code` | pipe <b> \\ \"quoted\" {{ {{{{y}}}} --- : # end"
	flags := map[string][]Flag{
		"ours":        {toggle("--confirm"), toggle("--json"), toggle("--apply"), value("--mode"), toggle("--help"), toggle("-h"), toggle("--mock"), value("--confirm-by")},
		"ours valued": {value("--confirm"), value("--json"), value("--apply"), toggle("--mode"), value("-h"), value("-h", "--height")},
		"twice":       {value("--name"), toggle("--name"), value("--Name"), value("-n", "--name"), toggle("--no-name", "--name"), value("--na.me"), value("--na_me"), value("--na-me")},
		"numbers":     {toggle("-1"), value("-9"), toggle("--2up"), value("-5", "--five")},
		"odd":         {value("--"), value("-"), value(""), {}, value("no-dash"), value("--ü"), value("--a b"), value("--{{x}}"), value("---three"), value("+x"), toggle("/help")},
		"pairs":       {toggle("--color", "--no-color"), toggle("--no-fork", "--fork"), toggle("--no-edit"), toggle("-x", "--no-x", "--x")},
		"optional": {{Names: []string{"--when"}, Value: ValueOptional, Enum: []string{"always", "never"}}, {Names: []string{"-w"}, Value: ValueOptional},
			{Names: []string{"-when"}, Value: ValueOptional}},
		"enums": {{Names: []string{"--sort"}, Value: ValueRequired, Enum: []string{"-asc", "desc", ""}}, {Names: []string{"--by"}, Value: ValueRequired, Enum: []string{"a", "a"}},
			{Names: []string{"--of"}, Value: ValueRequired, Enum: []string{"{{a}}", "b"}}, {Names: []string{"--level"}, Type: "integer", Value: ValueRequired, Enum: []string{"1", "2"}, Default: "7"}},
		"defaults": {{Names: []string{"--n"}, Type: "integer", Value: ValueRequired, Default: "0x10"}, {Names: []string{"--f"}, Type: "number", Value: ValueRequired, Default: "1e"},
			{Names: []string{"--g"}, Type: "number", Value: ValueRequired, Default: ".5"}, {Names: []string{"--i"}, Type: "integer", Value: ValueRequired, Default: "+3"},
			{Names: []string{"--k"}, Type: "integer", Value: ValueRequired, Default: "007"}, {Names: []string{"--s"}, Value: ValueRequired, Default: evil}},
		"words":    {{Names: []string{"--text"}, Value: ValueRequired, Help: evil, Metavar: evil}, {Names: []string{"-t"}, Value: ValueRequired, Metavar: "confirm"}, {Names: []string{"-m"}, Value: ValueRequired, Metavar: "mode"}},
		"short":    {toggle("-a"), toggle("-A"), value("-b"), value("-B"), toggle("-l"), value("-L"), toggle("-lx")},
		"needed":   {{Names: []string{"--token"}, Value: ValueRequired, Required: true}, {Names: []string{"--id"}, Value: ValueRequired, Required: true}, {Names: []string{"--really"}, Value: ValueNone, Required: true}},
		"json":     {{Names: []string{"-o", "--output"}, Value: ValueRequired, Enum: []string{"json", "table"}}, {Names: []string{"--out"}, Value: ValueRequired}, toggle("--json")},
		"reporter": {{Names: []string{"--reporter"}, Value: ValueRequired, Help: "text or json"}},
		"fields":   {{Names: []string{"--json"}, Value: ValueRequired, Metavar: "fields"}},
		"single":   {toggle("-json"), value("-var"), value("-state-out"), toggle("-auto-approve")},
		"repeated": {{Names: []string{"--label"}, Value: ValueRequired, Repeat: true, Type: "string"}, {Names: []string{"--n"}, Value: ValueRequired, Repeat: true, Type: "integer", Default: "3"}},
		"yes":      {toggle("-y", "--yes"), toggle("--no-input"), toggle("--yes"), toggle("-f", "--force")},
	}
	places := map[string][]Positional{
		"none":     nil,
		"one":      {{Name: "name", Required: true}},
		"reserved": {{Name: "confirm", Required: true}, {Name: "mode", Required: true}, {Name: "apply"}},
		"same":     {{Name: "FILE", Required: true}, {Name: "file", Required: true}, {Name: "File", Variadic: true}},
		"gap":      {{Name: "a"}, {Name: "b", Required: true}, {Name: "c"}},
		"source":   {{Name: "source", Required: true, Variadic: true}, {Name: "dest", Required: true}},
		"odd":      {{Name: "", Required: true}, {Name: "{{x}}", Required: true}, {Name: "ü|b", Required: true}, {Name: "--", Enum: []string{"-a", "b"}}},
		"choice":   {{Name: "what", Required: true, Enum: []string{"-l", "--all"}}},
		"listed":   {{Name: "kind", Enum: []string{"a", "b"}, Variadic: true, Help: evil + long}},
	}
	effects := []Effect{Read, Write, Destructive, Exec, ""}
	for fname, fl := range flags {
		for pname, pos := range places {
			for i, end := range []bool{false, true} {
				c := Command{Path: []string{"list"}, Effect: effects[(len(fname)+len(pname)+i)%len(effects)], Page: Page{Summary: evil + long, Flags: fl, Positionals: pos, EndOfOptions: end, Dialect: []string{"", "pflag"}[i]}}
				tool := oneCommand("tool", c)
				SelectJSON(tool)
				if c.Path == nil {
					t.Fatal(fname, pname)
				}
				drafted(t, tool, tool.Commands[1:], DraftOptions{})
				tool.Commands[1].Path = nil
				drafted(t, tool, tool.Commands[1:], DraftOptions{ID: "x-1", Bin: "/usr/bin/tool"})
				if t.Failed() {
					t.Fatalf("flags %q, positionals %q, -- %v", fname, pname, end)
				}
			}
		}
	}
}

func TestDraftNames(t *testing.T) {
	var all []*Command
	for _, path := range [][]string{{"a.b"}, {"a", "b"}, {"sites:list"}, {"sites", "list"}, {"showAll"}, {"show_all"}, {"show-all"}, {"SHOW"}, {"überweisen"}, {"{{x}}"}, {"-x"}, {""}, {"--"},
		{"a b"}, {"run"}, {"confirm"}, {"help"}, {strings.Repeat("long", 40)}, {strings.Repeat("a", 63), strings.Repeat("b", 63), "c"}, {"..."}, {"_"}, {"a/b"}, {"x", "confirm"}, {"@scope"}, {"c++"}, {"7zip"}, {"tool"}, {"tool", "x"}} {
		all = append(all, &Command{Path: path, Probed: true, Effect: Read, Page: Page{Summary: "List things"}})
	}
	all = append(all, &Command{Probed: true, Effect: Read}, &Command{Probed: true, Effect: Read})
	tool := &Tool{ID: Identity{Name: "tool"}, Commands: all}
	p, _ := drafted(t, tool, all, DraftOptions{})
	if len(p.Commands) < 12 {
		t.Errorf("%d commands", len(p.Commands))
	}
	for _, name := range []string{"hcp", "HCP", "pip3.11", "7z", "a.b", "git_lfs", "[", "Ünicode-tool", "-x", strings.Repeat("n", 200)} {
		tool.ID.Name = name
		d, err := Draft(tool, all[:3], DraftOptions{})
		if name == "[" && err == nil || name != "[" && (err != nil || !hcp.ValidID(d.ID)) {
			t.Errorf("%q: %q, %v", name, d.ID, err)
		}
	}
	for _, id := range []string{"Up", "a b", "hcp", "-x", "ü", "a/b"} {
		if _, err := Draft(tool, all[:1], DraftOptions{ID: id}); err == nil || !strings.Contains(err.Error(), "is not a pack id") {
			t.Errorf("--id %q: %v", id, err)
		}
	}
	if _, err := Draft(tool, nil, DraftOptions{ID: "x"}); err == nil {
		t.Error("a draft of nothing")
	}
}

// A launcher or interpreter gets no argument: what they say would be run.
func TestDraftOfLauncher(t *testing.T) {
	tool := oneCommand("python3", Command{Path: []string{"list"}, Effect: Read, Page: Page{Summary: "List", Flags: []Flag{value("--name")}, Positionals: []Positional{{Name: "x", Required: true}}}})
	p, _ := drafted(t, tool, tool.Commands[1:], DraftOptions{})
	if n := len(p.Commands[0].Args.Properties); n != 0 {
		t.Errorf("%d arguments", n)
	}
}

func TestDraftLeavesOut(t *testing.T) {
	tool := oneCommand("tool", Command{Path: []string{"log"}, Effect: Read, Page: Page{Summary: "Show commit logs", Dialect: "pflag", EndOfOptions: true, Positionals: []Positional{{Name: "path", Variadic: true}}, Flags: []Flag{
		{Names: []string{"--output"}, Value: ValueRequired, Metavar: "FILE", Help: "Output to a specific file"}, value("--token"), value("--server"), value("--kubeconfig"), value("--profile"),
		value("-c", "--config"), value("--host"), value("--url"), value("--user"), value("--password"), value("--proxy"), value("--exec"), value("--editor"), value("--pager"), value("--ssh-command"),
		{Names: []string{"--delete"}, Value: ValueNone}, {Names: []string{"--fix"}, Value: ValueNone, Help: "Fix what can be fixed"}, {Names: []string{"-w"}, Value: ValueNone}, {Names: []string{"--prune"}, Value: ValueNone, Help: "Delete what is old"},
		{Names: []string{"--in-place"}, Value: ValueNone}, {Names: []string{"-o"}, Value: ValueRequired, Help: "Set an arbitrary configuration option"}, value("--vettool"), value("--engine"), {Names: []string{"--cursor"}, Value: ValueRequired, Help: "Show what is after the mark and update it"},
		{Names: []string{"--vacuum-size"}, Value: ValueRequired, Help: "Reduce disk usage"}, {Names: []string{"--unknown"}, Value: ValueRequired}, {Names: []string{"--patch"}, Value: ValueNone, Help: "Choose interactively"}, toggle("--interactive"), toggle("--force"), {Names: []string{"--color"}, Value: ValueOptional, Enum: []string{"always", "never"}}, toggle("--no-pager"),
		{Names: []string{"--limit"}, Value: ValueRequired, Type: "integer", Help: "How many"}}}})
	p, _ := drafted(t, tool, tool.Commands[1:], DraftOptions{})
	if got := strings.Join(p.Commands[0].CLI, " "); got != "tool log --color=never --no-pager --limit={{limit}} -- {{paths}}" {
		t.Error(got)
	}
	tool.Commands[1].Effect = Destructive
	tool.Commands[1].Page.Flags = []Flag{toggle("-y", "--yes"), toggle("--no-input"), toggle("--force"), {Names: []string{"--dry-run"}, Value: ValueNone, Help: "Show what would be done"}}
	p, _ = drafted(t, tool, tool.Commands[1:], DraftOptions{})
	if got := strings.Join(p.Commands[0].CLI, " "); got != "tool log {{dry_run}} --yes --no-input -- {{paths}}" {
		t.Error(got)
	}
}

// A "--" in the middle of a usage line parts two kinds of arguments.
func TestDraftAroundEnd(t *testing.T) {
	for _, row := range []struct {
		usage string
		pos   []Positional
		want  string
	}{
		{"tool log [<options>] [<revision>] [[--] <path>...]", []Positional{{Name: "revision"}, {Name: "path", Variadic: true}}, "tool log --no-pager -- {{paths}}"},
		{"tool exec POD [-c C] -- COMMAND [args...]", []Positional{{Name: "POD", Required: true}, {Name: "COMMAND", Required: true}, {Name: "args", Variadic: true}}, "tool log {{pod}} --no-pager -- {{command}} {{args}}"},
		{"tool log [--] FILE", []Positional{{Name: "FILE", Required: true}}, "tool log --no-pager -- {{file}}"},
		{"tool log --all FILE", []Positional{{Name: "FILE", Required: true}}, "tool log --no-pager -- {{file}}"},
		{"tool log FILE --", []Positional{{Name: "FILE", Required: true}}, "tool log --no-pager -- {{file}}"},
	} {
		tool := oneCommand("tool", Command{Path: []string{"log"}, Effect: Read, Page: Page{Usage: []string{row.usage}, Dialect: "pflag", EndOfOptions: true, Positionals: row.pos, Flags: []Flag{toggle("--no-pager")}}})
		p, found := drafted(t, tool, tool.Commands[1:], DraftOptions{})
		if got := strings.Join(p.Commands[0].CLI, " "); got != row.want {
			t.Errorf("%s: %s", row.usage, got)
		}
		for _, f := range found {
			if f.Code == "template" {
				t.Errorf("%s: %s", row.usage, f.Message)
			}
		}
	}
}

// A flag with two values has no form in a template; a filter gets its input.
func TestDraftOfFilter(t *testing.T) {
	tool := &Tool{ID: Identity{Name: "frobq"}, Commands: []*Command{{Probed: true, Effect: Read, JSON: []string{}, Page: Page{Summary: "frobq - commandline JSON processor [version 1]",
		Text:        "  --arg a v        set variable $a to value <v>;\n  --indent n       use n spaces\n",
		Flags:       []Flag{{Names: []string{"--arg"}, Value: ValueRequired, Help: "set variable $a to value <v>;"}, {Names: []string{"--indent"}, Value: ValueRequired, Type: "integer", Help: "use n spaces"}},
		Positionals: []Positional{{Name: "filter", Required: true}, {Name: "FILE", Variadic: true}}}}}}
	p, _ := drafted(t, tool, tool.Commands, DraftOptions{})
	c := p.Commands[0]
	if got := strings.Join(c.CLI, " "); got != "frobq --indent {{indent}} {{filter}} {{files}}" || !c.Stdin || c.Description != "Commandline JSON processor." {
		t.Errorf("%s, stdin %v, %s", got, c.Stdin, c.Description)
	}
}
