package pack

import (
	"strings"
	"testing"
)

func TestTokens(t *testing.T) { // what path rules and the guard look at
	p := testPack(t, "gh")
	argv, d := p.Render(p.Command("pr.create"), argsOf(t, []byte(`{"title":"T","labels":["a"],"draft":true}`)))
	if d != nil {
		t.Fatal(d)
	}
	want := []Token{{Text: "pr"}, {Text: "create"}, {Text: "--title=T", Arg: "title", ValueAt: 8, Flag: "--title"},
		{Text: "--draft", Arg: "draft"}, {Text: "--label"}, {Text: "a", Arg: "labels", Flag: "--label"}}
	for i := range want {
		if argv[i] != want[i] {
			t.Errorf("token %d: %+v, want %+v", i, argv[i], want[i])
		}
	}
	x := testPack(t, "x")
	argv, _ = x.Render(x.Command("note"), argsOf(t, []byte(`{"text":"t"}`)))
	if last := argv[len(argv)-1]; !last.AfterEnd || last.Arg != "text" {
		t.Errorf("%+v", last)
	}
}

func TestCompileFindsImpossible(t *testing.T) { // template.md Compile
	enum := func(s string) string { return `,"args":{"properties":{"v":{"enum":` + s + `}}}` }
	cases := []struct{ cli, more, want string }{
		{`"--f","a","--f","{{v}}"`, "", "flag --f is both fixed and given a value"},
		{`"--f","{{v}}","--f"`, "", "flag --f is both fixed and given a value"},
		{`"--f={{v}}","--f=x"`, "", "flag --f is both fixed and given a value"},
		{`"-y","-y"`, "", "flag -y is there twice"},
		{`"--f","{{v}}","--f={{w}}"`, "", "flag --f takes two values"},
		{`"{{v}}","--x={{v}}"`, "", "{{v}} is there twice"},
		{`"{{v}}{{w}}"`, "", "cannot tell the placeholders of {{v}}{{w}} apart"},
		{`"{{v}}:{{w}}"`, "", "cannot tell the placeholders of {{v}}:{{w}} apart"},
		{`"{{v}}:{{w}}"`, enum(`["a:","b"]`), "cannot tell the placeholders of {{v}}:{{w}} apart"},
		{`"{{v}}:{{w}}"`, enum(`["a","b"]`), ""},
		{`"{{v}}:{{w}}"`, `,"args":{"properties":{"v":{"type":"integer"}}}`, ""},
		{`"{{v}}-{{w}}"`, `,"args":{"properties":{"v":{"type":"integer"}}}`, "cannot tell the placeholders of {{v}}-{{w}} apart"},
		{`"--","{{v}}","--"`, `,"json_flag":[]`, "-- is there twice"},
		{`"--","{{v}}"`, "", "-- needs json_flag [], or the JSON flag would become a word"},
		{`"--","{{v}}"`, `,"json_flag":[]`, ""},
		{`"--","-v","{{v}}"`, `,"json_flag":[]`, "flag -v behind -- goes with {{v}}"},
		{`"--help"`, "", "--help is fixed: it would hide the help of the command"},
		{`"{{confirm}}"`, "", "{{confirm}} is reserved by the protocol"},
		{`"{{v}}","{{w}}"`, `,"args":{"properties":{"v":{"type":"array"}}}`, "list {{v}} is not the last word"},
		{`"{{v}}"`, enum(`["--a","b"]`), "the enum of {{v}} mixes words and flags"},
		{`"-{{v}}"`, "", "a value of -{{v}} could read as --"},
		{`"-{{v}}"`, `,"args":{"properties":{"v":{"type":"integer"}}}`, ""},
		{`"-n{{v}}","-n5"`, "", "a value of -n{{v}} could read as -n5"},
		{`"--fo{{v}}","--foo","{{w}}"`, "", "a value of --fo{{v}} could read as --foo"},
		{`"--f=a{{v}}","--f={{w}}"`, "", "a value of --f=a{{v}} could read as --f=a"},
		{`"--f=a{{v}}","--f=b{{w}}"`, "", ""},
		{`"--f=a{{v}}","--f=ab{{w}}"`, "", "a value of --f=a{{v}} could read as --f=ab"},
	}
	for _, c := range cases {
		p, err := Parse("", surface(`,"verbs":{"a":{"cli":["p","a",`+c.cli+`]`+c.more+`}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		errs, _ := p.Problems(&p.Commands[0])
		got := ""
		if len(errs) > 0 {
			got = errs[0]
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.cli, got, c.want)
		}
	}
}

func TestImpossibleTemplateRendersAndRefusesLines(t *testing.T) { // T-1, fail closed
	p, err := Parse("", surface(`,"verbs":{"a":{"cli":["p","a","{{v}}","{{v}}"]}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	argv, d := p.Render(&p.Commands[0], argsOf(t, []byte(`{"v":"x"}`)))
	if d != nil || strings.Join(texts(argv), " ") != "a x x --json" {
		t.Errorf("%v %v", texts(argv), d)
	}
	line := p.Match([]string{"a", "x", "x", "--confirm"})
	if line.Fault == nil || line.Fault.Message != "a cannot be typed: {{v}} is there twice" || !line.Args.Confirmed() {
		t.Errorf("%+v", line)
	}
}

func TestTwoCommandsOnePath(t *testing.T) {
	p, err := Parse("", surface(`,"verbs":{"a":{"cli":["p","x"]},"b":{"cli":["p","x"]},"c":{"cli":["p","y"],"aliases":{"de":["x","z"]}},"d":{"cli":["p"]},"e":{"cli":["p","{{q}}"]}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "b: the words x belong to a|e: a second command without words|c: the words x belong to a"
	if got := strings.Join(p.PathProblems(), "|"); got != want {
		t.Errorf("got %s", got)
	}
	if line := p.Match([]string{"x"}); line.VerbKey != "a" || line.Fault != nil {
		t.Errorf("%+v", line) // canonical wins, and the manifest's order
	}
	if line := p.Match([]string{"z"}); line.VerbKey != "c" {
		t.Errorf("%+v", line)
	}
}

func TestSpell(t *testing.T) { // the line to repeat
	cases := []struct{ pack, verb, args, want string }{
		{"ledger", "transfer", `{"amount":2.80,"payee":"demo transit","confirm":true}`, "ledger transfer 2.8 --to 'demo transit' --confirm"},
		{"ledger", "transfer", `{"amount":"1","payee":"x"}`, "ledger transfer 1 --to x"},
		{"ledger", "transfer", `{"amount":"1","payee":"it's\n","mode":"mock"}`, `ledger transfer 1 --to $'it\'s\n' --mock`},
		{"ledger", "transfer", `{"amount":"1","payee":"-x"}`, "ledger transfer 1 --to=-x"},
		{"ledger", "transfer", `{"payee":"x","confirm":true}`, "hcp exec ledger transfer -- payee=x confirm=true"},
		{"x", "note", `{"text":"-a","apply":true}`, "x note --confirm -- -a"},
		{"transit", "plan", `{"from":"today","to":"X"}`, "hcp exec transit plan -- from=today to=X"},
		{"transit", "plan.today", `{}`, "transit plan today"},
		{"gh", "pr.create", `{"title":"a","draft":true,"labels":["x",2]}`, "gh pr create --title=a --draft --label x --label 2"},
		{"x", "join", `{"list":{"a":1}}`, `hcp exec x join -- 'list:={"a":1}'`},
		{"x", "kill", `{"pid":""}`, "x kill"},
	}
	for _, c := range cases {
		p := testPack(t, c.pack)
		if got := p.Spell(p.Command(c.verb), argsOf(t, []byte(c.args)), c.pack); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.args, got, c.want)
		}
	}
}

func TestHelpData(t *testing.T) {
	p := testPack(t, "ledger")
	c := p.Command("transfer")
	if got := p.Usage(c); got != "transfer <amount> --to <payee> [--memo <memo>]" {
		t.Error(got)
	}
	if got := strings.Join(p.ArgNames(c), " "); got != "amount payee memo" {
		t.Error(got)
	}
	params := p.Params(c)
	if len(params) != 3 || params[1].Flag != "--to" || !params[1].Required || params[2].Required || params[0].Form != "<amount>" {
		t.Errorf("%+v", params)
	}
	g := testPack(t, "gh")
	if got := g.Usage(g.Command("pr.create")); got != "pr create --title=<title> [--draft] [--label <labels>…] [--base=<bases>…]" {
		t.Error(got)
	}
	if got := p.Suggest("setup.al", true); got != "setup.all" {
		t.Error(got)
	}
}
