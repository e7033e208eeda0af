package pack

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"hcp/internal/hcp"
)

func TestLongLinesTakeLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	p, err := Parse("", surface(`,"verbs":{"a":{"cli":["p","a","--l","{{ls}}","{{v}}"],"args":{"properties":{"v":{"type":"array","items":{"enum":["-a","x"]}},"ls":{"type":"array"}}}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{
		"words":         append([]string{"a"}, strings.Split(strings.Repeat("x,", 200000)+"x", ",")...),
		"flags":         append([]string{"a"}, strings.Split(strings.Repeat("--l,x,", 100000)+"x", ",")...),
		"unknown flags": strings.Split(strings.Repeat("--zz,", 200000)+"a", ","),
		"no command":    strings.Split(strings.Repeat("b,", 200000)+"b", ","),
		"long word":     {strings.Repeat("b", 1<<20)},
	}
	for name, words := range lines {
		start := time.Now()
		p.Match(words)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
	items := make([]string, 30000)
	for i := range items {
		items[i] = "-a"
	}
	args := hcp.Args{{Name: "v", Value: hcp.StringsValue(items)}}
	start := time.Now()
	argv, d := p.Render(&p.Commands[0], args)
	if d != nil || p.Guard(&p.Commands[0], args, argv) != nil || p.Validate(&p.Commands[0], args) != nil {
		t.Error("refused")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("guard: %v", took)
	}
}

func TestPackIsSharedByGoroutines(t *testing.T) { // one process, many calls: batch and MCP
	p := testPack(t, "ledger")
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			line := p.Match([]string{"transfer", fmt.Sprint(i), "--to", "x", "--confirm"})
			c := p.Command(line.VerbKey)
			argv, d := p.Render(c, line.Args)
			if d != nil || argv[1].Text != fmt.Sprint(i) {
				t.Errorf("%d: %v %v", i, argv, d)
			}
		})
	}
	wg.Wait()
}

func TestZeroValuesDeny(t *testing.T) {
	p := &Pack{}
	if _, ok := p.Row("a"); ok || p.Command("a") != nil {
		t.Error("the zero pack has a command")
	}
	if line := p.Match([]string{"a"}); line.VerbKey != "a" || line.Fault == nil {
		t.Errorf("%+v", line)
	}
	q := testPack(t, "ledger")
	argv, d := q.Render(&Command{Key: "m.x"}, nil) // not from Parse: compiled on the spot
	if d != nil || strings.Join(texts(argv), " ") != "x --json" {
		t.Errorf("%v %v", argv, d)
	}
}

func BenchmarkMatch(b *testing.B) {
	p := testPack(b, "ledger")
	for b.Loop() {
		p.Match([]string{"transfer", "2.80", "--to", "x", "--confirm"})
	}
}

func BenchmarkParseAndMatch(b *testing.B) {
	p := testPack(b, "ledger")
	data, policy := p.Surface.AppendJSON(nil), p.Policy.AppendJSON(nil)
	for b.Loop() {
		q, err := Parse("", data, policy)
		if err != nil {
			b.Fatal(err)
		}
		q.Match([]string{"transfer", "2.80", "--to", "x", "--confirm"})
	}
}
