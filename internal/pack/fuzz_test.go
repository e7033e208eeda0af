package pack

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hcp/internal/hcp"
)

// chooser turns fuzz bytes into choices; at their end it always picks the first.
type chooser struct{ data []byte }

func (c *chooser) n(max int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return int(b) % max
}

func pick[T any](c *chooser, list []T) T { return list[c.n(len(list))] }

var fuzzSchemas = []string{"", "", `{}`, `{"type":"string"}`, `{"type":"number"}`, `{"type":"integer"}`, `{"type":"boolean"}`,
	`{"type":["integer","string"]}`, `{"type":"array"}`, `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"integer"}}`,
	`{"enum":["--draft"]}`, `{"enum":["--x","--no-x"]}`, `{"enum":["--no-x","--x"]}`, `{"enum":["-a","--b","--c"]}`, `{"enum":["a","b:"]}`,
	`{"enum":["a","-x","-5"]}`, `{"enum":["=","to"]}`, `{"minimum":-5}`, `{"type":"array","items":{"enum":["-a","b"]}}`}

var fuzzTokens = []string{"{{A}}", "{{A}}", "{{A}}", "{{B}}", "--f", "-o", "--f={{A}}", "-o={{A}}", "-n{{A}}", "-{{A}}", "x={{A}}", "{{A}}.t",
	"{{A}}:{{B}}", "{{A}}{{B}}", "--g=p{{A}}", "--g=q{{A}}s", "--f=x", "to", "a", "json", "-y", "--json", "--confirm", "--", "-5", "-", "--x",
	"--fo{{A}}", "{{A}}/{{B}}/c", "--apply", "-h", "{{ A }}", "", "{{confirm}}", "-f", "--format", "--memo", "{{A}}=", "={{A}}"}

var fuzzWords = []string{"x", "a", "to", "", "-", "--", "-5", "-5.0", "5", "-x", "--confirm", "--confirm=true", "--confirm=false", "--apply", "--json",
	"--help", "-h", "--mock", "a b", "=", "x=y", "é", "\n", "true", "false", "--f", "--f=", "--f=v", "-o", "-o=v", "-n", "-n5", "--draft", "--x", "--no-x",
	"b:", "a:b", ":", "p", "--g=pz", "-1e5", "cmd", "sub", "cmd sub", "json", "-oj", "x=1", "1.t", ".t", "/", "1/2/c", "--foo", "--format", "-y", "--g=qs", "--g=qzs", "-a", "--b"}

// fuzzPack makes a pack of one command from fuzz bytes; nil when the manifest
// itself is refused.
func fuzzPack(c *chooser) *Pack {
	names := []string{"p", "q", "r", "s", "t", "u"}
	cli := []string{"p"}
	cli = append(cli, pick(c, [][]string{{"cmd"}, {"cmd", "sub"}, {}})...)
	next := 0
	name := func() string {
		if c.n(16) == 15 {
			return names[c.n(len(names))] // now and then one that is there already
		}
		next++
		return names[(next-1)%len(names)]
	}
	for range 1 + c.n(7) {
		tok := pick(c, fuzzTokens)
		if strings.Contains(tok, "A") {
			tok = strings.ReplaceAll(tok, "{{A}}", "{{"+name()+"}}")
		}
		if strings.Contains(tok, "{{B}}") {
			tok = strings.ReplaceAll(tok, "{{B}}", "{{"+name()+"}}")
		}
		cli = append(cli, tok)
	}
	var props []string
	var required []string
	for _, n := range names {
		if s := pick(c, fuzzSchemas); s != "" {
			props = append(props, fmt.Sprintf("%q:%s", n, s))
		}
		if c.n(3) == 1 {
			required = append(required, n)
		}
	}
	req, _ := json.Marshal(append([]string{}, required...))
	argv, _ := json.Marshal(cli)
	more := pick(c, []string{"", `,"json_flag":[]`, `,"json_flag":["-o","json"]`, `,"json_flag":["--as=json"]`})
	args := ""
	if c.n(4) > 0 {
		args = fmt.Sprintf(`,"args":{"required":%s,"properties":{%s}}`, req, strings.Join(props, ","))
	}
	p, err := Parse("", surface(fmt.Sprintf(`,"verbs":{"v":{"cli":%s%s%s}}`, argv, more, args)), nil)
	if err != nil {
		return nil
	}
	return p
}

func fuzzValue(c *chooser, depth int) hcp.Value {
	switch c.n(8) {
	case 0, 1, 2:
		return hcp.StringValue(pick(c, fuzzWords))
	case 3:
		return hcp.Value{Kind: hcp.Number, Text: pick(c, []string{"0", "-0", "5", "-5", "2.80", "1e21", "-1e-7", "9007199254740993", "5.0"})}
	case 4:
		return hcp.BoolValue(c.n(2) == 0)
	case 5:
		return hcp.Value{Kind: hcp.Null}
	case 6:
		v := hcp.Value{Kind: hcp.Array}
		for range c.n(4) {
			if depth < 2 {
				v.Items = append(v.Items, fuzzValue(c, depth+1))
			}
		}
		return v
	}
	n := min(c.n(6), len(c.data))
	s := strings.ToValidUTF8(string(c.data[:n]), "?")
	c.data = c.data[n:]
	return hcp.StringValue(s)
}

func fuzzArgs(c *chooser, t *template) hcp.Args {
	var args hcp.Args
	for _, name := range t.names {
		if v := fuzzValue(c, 0); c.n(5) > 0 && !hcp.Reserved(name) {
			args = append(args, hcp.Member{Name: name, Value: v})
		}
	}
	if c.n(3) == 0 {
		args = args.Set(hcp.ArgConfirm, hcp.BoolValue(true))
	}
	return args
}

// gap tells whether a plain word is left out before another one, which shifts
// what follows: the one thing the round trip does not promise.
func (t *template) gap(args hcp.Args) bool {
	missing := false
	for i := range t.elems {
		e := &t.elems[i]
		if !e.slot() {
			continue
		}
		there := true
		for _, p := range e.parts {
			list, _ := t.values(p.name, args)
			there = there && (p.name == "" || len(list) > 0)
		}
		if there && missing {
			return true
		}
		missing = missing || !there
	}
	return false
}

// partial tells whether a token with two placeholders has one value only: it is
// dropped whole, and so is the value it has.
func (t *template) partial(args hcp.Args) bool {
	for i := range t.elems {
		have, lack := false, false
		for _, p := range t.elems[i].parts {
			if p.name != "" {
				list, _ := t.values(p.name, args)
				have, lack = have || len(list) > 0, lack || len(list) == 0
			}
		}
		if have && lack {
			return true
		}
	}
	return false
}

func fuzzSeeds(f *testing.F) {
	f.Helper()
	n := 0
	for i := range 64 {
		seed := make([]byte, 96)
		for j := range seed {
			seed[j] = byte(i*37 + j*j*11 + i*j)
		}
		f.Add(seed)
		n++
	}
	if n == 0 {
		f.Fatal("no seeds")
	}
}

// FuzzTemplateRoundTrip: T-2. For a template without problems and valid args
// without a gap, Match(Render(a)) = N(a) and Render(N(a)) = Render(a).
func FuzzTemplateRoundTrip(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &chooser{data}
		p := fuzzPack(c)
		if p == nil {
			return
		}
		cmd := &p.Commands[0]
		tpl := p.templateOf(cmd)
		if len(tpl.problems) > 0 {
			return
		}
		args := fuzzArgs(c, tpl)
		roundTrip(t, p, cmd, args)
	})
}

func roundTrip(t *testing.T, p *Pack, cmd *Command, args hcp.Args) bool {
	t.Helper()
	tpl := p.templateOf(cmd)
	if p.Validate(cmd, args) != nil || tpl.gap(args) || tpl.partial(args) {
		return false
	}
	argv, d := p.Render(cmd, args)
	if d != nil || p.Guard(cmd, args, argv) != nil {
		return false
	}
	say := func(what string, line Line) {
		t.Helper()
		t.Fatalf("%s\ncli %q json_flag %q\nargs %s\nargv %q\nline %+v fault %+v\nN %s", what, cmd.CLI, cmd.JSONFlag, args.AppendJSON(nil), texts(argv), line, line.Fault, tpl.normal(args).AppendJSON(nil))
	}
	line := p.Match(texts(argv))
	if line.Fault != nil || line.Help || line.VerbKey != cmd.Key {
		say("does not match", line)
	}
	if !sameArgs(withoutReserved(line.Args), tpl.normal(args)) {
		say("other arguments", line)
	}
	again, d := p.Render(cmd, line.Args)
	if d != nil || !slices.Equal(texts(again), texts(argv)) {
		say(fmt.Sprintf("renders otherwise: %q %v", texts(again), d), line)
	}
	return true
}

// FuzzMatch: no line makes it panic; a line that matches renders to one that
// matches the same; confirm is there exactly when it was typed.
func FuzzMatch(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &chooser{data}
		p := fuzzPack(c)
		if p == nil {
			return
		}
		var words []string
		if c.n(4) > 0 {
			words = append(words, "cmd")
		}
		for range c.n(9) {
			if v := fuzzValue(c, 2); v.Kind == hcp.String {
				words = append(words, v.Text)
			} else {
				words = append(words, pick(c, fuzzWords))
			}
		}
		checkLine(t, p, words)
	})
}

func checkLine(t *testing.T, p *Pack, words []string) {
	t.Helper()
	line := p.Match(words)
	end := slices.Index(words, "--")
	if end < 0 {
		end = len(words)
	}
	typed := slices.ContainsFunc(words[:end], func(w string) bool {
		return slices.Contains([]string{"--confirm", "--confirm=true", "--apply", "--apply=true"}, w)
	})
	if line.Args.Confirmed() && !typed {
		t.Fatalf("%q: confirmed out of nothing: %+v", words, line)
	}
	if line.Fault != nil {
		if len(withoutReserved(line.Args)) > 0 || line.Fault.Message == "" {
			t.Fatalf("%q: %+v", words, line)
		}
		return
	}
	cmd := p.Command(line.VerbKey)
	if cmd == nil || line.Help {
		return
	}
	argv, d := p.Render(cmd, line.Args)
	if d != nil || p.Guard(cmd, line.Args, argv) != nil || len(p.templateOf(cmd).problems) > 0 {
		return
	}
	back := p.Match(texts(argv))
	if back.Fault != nil || back.VerbKey != line.VerbKey || !sameArgs(withoutReserved(back.Args), withoutReserved(line.Args)) {
		t.Fatalf("cli %q\n%q -> %+v\n%q -> %+v %+v", cmd.CLI, words, line, texts(argv), back, back.Fault)
	}
}

// TestRoundTripIsNotVacuous counts what the fuzz target would have skipped.
func TestRoundTripIsNotVacuous(t *testing.T) {
	done := 0
	state := uint32(1)
	for range 5000 {
		data := make([]byte, 96)
		for i := range data {
			state = state*1664525 + 1013904223
			data[i] = byte(state >> 24)
		}
		c := &chooser{data}
		p := fuzzPack(c)
		if p == nil || len(p.templateOf(&p.Commands[0]).problems) > 0 {
			continue
		}
		if roundTrip(t, p, &p.Commands[0], fuzzArgs(c, p.templateOf(&p.Commands[0]))) {
			done++
		}
	}
	if done < 250 {
		t.Errorf("only %d of 5000 random templates went round", done)
	}
	t.Logf("%d round trips", done)
}
