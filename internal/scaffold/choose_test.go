package scaffold

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// toolOf makes a tool of leaves that were read, "path: effect".
func toolOf(name string, rows ...string) *Tool {
	t := &Tool{ID: Identity{Name: name}, Commands: []*Command{{Probed: true, Effect: Write, Page: Page{TakesCommand: true}}}}
	for _, row := range rows {
		path, effect, _ := strings.Cut(row, ": ")
		t.Commands = append(t.Commands, &Command{Path: strings.Fields(path), Probed: true, Effect: Effect(effect), Page: Page{Summary: "Something"}})
	}
	return t
}

func takenPaths(list []*Command) string {
	var s []string
	for _, c := range list {
		s = append(s, strings.Join(c.Path, " "))
	}
	return strings.Join(s, ", ")
}

func TestChoose(t *testing.T) {
	small := toolOf("frob", "add: write", "list: read", "run: exec", "delete: destructive", "show: read", "help: read", "completion: read", "login: write", "frobnicate: ")
	c, err := Choose(small, nil, false)
	if err != nil || takenPaths(c.Commands) != "list, show, add, frobnicate, delete" {
		t.Errorf("small: %s, %v", takenPaths(c.Commands), err)
	}
	left := map[string]string{}
	for _, l := range c.Left {
		left[strings.Join(l.Path, " ")] = l.Why
	}
	if left["run"] != "runs what its arguments say (--only run)" || left["help"] != "not for an agent" || left["login"] == "" || len(left) != 5 {
		t.Errorf("left out: %v", left)
	}
	var rows []string
	for i := range 30 {
		rows = append(rows, fmt.Sprintf("group%d list: read", i), fmt.Sprintf("group%d create: write", i), fmt.Sprintf("group%d delete: destructive", i))
	}
	big := toolOf("frob", rows...)
	c, _ = Choose(big, nil, false)
	reads := 0
	for _, cmd := range c.Commands {
		reads += btoi(cmd.Effect == Read)
	}
	if len(c.Commands) != 12 || reads != 8 || c.Commands[0].Effect != Read || c.Commands[11].Effect != Write {
		t.Errorf("big: %s", takenPaths(c.Commands))
	}
	c, _ = Choose(big, nil, true)
	if len(c.Commands) != 90 || len(c.Notes) != 1 || !strings.Contains(c.Notes[0].What, "make a pack of each group, such as --only group0 --id frob-group0") {
		t.Errorf("--all: %d, %v", len(c.Commands), c.Notes)
	}
}

func TestChooseOnly(t *testing.T) {
	tool := toolOf("frob", "pr list: read", "pr view: read", "pr run: exec", "sites:list: read", "run: exec", "über: read")
	tool.Commands = append(tool.Commands, &Command{Path: []string{"pr"}, Probed: true, Page: Page{TakesCommand: true}})
	for _, row := range []struct{ only, want, err string }{
		{"pr list", "pr list", ""}, {"pr.list", "pr list", ""}, {"PR.LIST", "pr list", ""}, {"pr", "pr list, pr view", ""}, {"sites:list", "sites:list", ""}, {"sites.list", "sites:list", ""},
		{"run", "run", ""}, {"pr.run", "pr run", ""}, {"sites", "sites:list", ""},
		{"pr lst", "", `frob has no command "pr lst"; did you mean pr.list?`}, {"zzz", "", `frob has no command "zzz"`}, {"über", "", `"über" has no verb_key: "über" has characters that no verb_key has`},
		{"", "", `frob has no command ""`},
	} {
		c, err := Choose(tool, []string{row.only}, false)
		if got := takenPaths(c.Commands); got != row.want || err == nil != (row.err == "") || err != nil && err.Error() != row.err {
			t.Errorf("--only %s: %s, %v", row.only, got, err)
		}
	}
}

// What a page lists below a command is never reached by an argument of it.
func TestDraftOfGroup(t *testing.T) {
	tool := toolOf("frob", "remote: write", "remote remove: destructive")
	tool.Commands[1].Page.Positionals = []Positional{{Name: "name", Variadic: true}}
	c, err := Choose(tool, []string{"frob", "remote.remove"}, false)
	if err == nil {
		t.Errorf("the tool itself: %s", takenPaths(c.Commands))
	}
	p, _ := drafted(t, tool, tool.Commands[1:2], DraftOptions{})
	if got := strings.Join(p.Commands[0].CLI, " "); got != "frob remote" {
		t.Error(got)
	}
}

// Commands that only the tool's own page lists get the arguments that it shows.
func TestListedCommands(t *testing.T) {
	entries := []Entry{{Name: "list-units", Help: "List units", Section: "Unit Commands"}, {Name: "start", Help: "Start units", Section: "Unit Commands"}, {Name: "cat", Help: "Show files", Section: "Unit Commands"}}
	tool := &Tool{ID: Identity{Name: "frobctl"}, Commands: []*Command{{Probed: true, Page: Page{TakesCommand: true, Commands: entries,
		Text: "Unit Commands:\n  list-units [PATTERN...]      List units\n  start UNIT...                Start units\n  cat UNIT [FILE|URL]   Show files\n"}}}}
	Classify(tool)
	c, err := Choose(tool, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := drafted(t, tool, c.Commands, DraftOptions{})
	var got []string
	for _, cmd := range p.Commands {
		got = append(got, strings.Join(cmd.CLI, " "))
	}
	if want := []string{"frobctl list-units {{patterns}}", "frobctl cat {{unit}} {{file}}", "frobctl start {{units}}"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestFindings(t *testing.T) {
	tool := toolOf("frob", "list: read", "sites list: read")
	tool.Commands[0].Page.Commands = []Entry{{Name: "list"}, {Name: "other"}, {Name: "shared"}}
	tool.Commands[1].JSON = []string{}
	tool.Commands[1].Page.Flags = []Flag{value("-n", "--name")}
	tool.Commands[1].Page.Positionals = []Positional{{Name: "x", Required: true}}
	tool.Commands = append(tool.Commands, &Command{Path: []string{"other"}}, &Command{Path: []string{"shared"}, Shared: true})
	data, err := json.Marshal(Findings(tool))
	want := `{"subcommands":["list","other"],"commands":{"":{"flags":[],"positionals":[],"effect":"write","json":null},` +
		`"list":{"flags":[{"names":["-n","--name"],"value":"required"}],"positionals":[{"name":"x","required":true,"variadic":false}],"effect":"read","json":[]},` +
		`"sites list":{"flags":[],"positionals":[],"effect":"read","json":null}}}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
}
