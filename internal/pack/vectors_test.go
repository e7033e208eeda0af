package pack

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hcp/internal/hcp"
)

// row is one line of test/vectors/*.json.
type row[In, Want any] struct {
	Name string
	Spec string
	In   In
	Want Want
}

// vectors loads a file strictly: no rows, an unknown field or a row without a
// name or a reason fails the test.
func vectors[In, Want any](t *testing.T, name string) []row[In, Want] {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "test", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	var rows []row[In, Want]
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&rows); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("%s: trailing data", name)
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no rows", name)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if r.Name == "" || r.Spec == "" || seen[r.Name] {
			t.Fatalf("%s: row %q: name missing or twice, or no spec", name, r.Name)
		}
		seen[r.Name] = true
	}
	return rows
}

// testPack parses a pack of testdata. The files' modes in a checkout are not
// ours to rely on, so it does not go through Load.
func testPack(t testing.TB, id string) *Pack {
	t.Helper()
	dir := filepath.Join("testdata", "packs", id)
	surface, err := os.ReadFile(filepath.Join(dir, SurfaceFile))
	if err != nil {
		t.Fatal(err)
	}
	policy, err := os.ReadFile(filepath.Join(dir, PolicyFile))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(dir, surface, policy)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func argsOf(t testing.TB, raw json.RawMessage) hcp.Args {
	t.Helper()
	if len(raw) == 0 {
		return nil
	}
	v, err := hcp.ParseJSON(raw, 16)
	if err != nil {
		t.Fatal(err)
	}
	return v.Members
}

// sorted gives args a form to compare: order does not matter in a vector.
func object(t testing.TB, args hcp.Args) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(args.AppendJSON(nil)))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

type matchIn struct {
	Pack string
	Line []string
}

type matchWant struct {
	VerbKey string `json:"verb_key"`
	Args    json.RawMessage
	Fault   string
	Hint    string
	JSON    bool
	Help    bool
	Suggest string
	Guard   string // the argument that the guard refuses
	Invalid string // what Validate refuses
}

func TestMatchVectors(t *testing.T) { // T-1, T-7, template.md Match
	for _, r := range vectors[matchIn, matchWant](t, "match.json") {
		t.Run(r.Name, func(t *testing.T) {
			p := testPack(t, r.In.Pack)
			line := p.Match(r.In.Line)
			got := matchWant{VerbKey: line.VerbKey, JSON: line.JSON, Help: line.Help, Suggest: line.Suggest}
			if line.Fault != nil {
				got.Fault = line.Fault.Message
				if r.Want.Hint != "" {
					got.Hint = line.Fault.Hint
				}
			}
			if c := p.Command(line.VerbKey); c != nil && line.Fault == nil && !line.Help {
				got.Guard, got.Invalid = refusals(p, c, line.Args)
			}
			want := r.Want
			if d := cmp.Diff(object(t, argsOf(t, want.Args)), object(t, line.Args)); d != "" {
				t.Errorf("args (-want +got):\n%s", d)
			}
			want.Args = nil
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// refusals says what the guard and the schema refuse. A required argument that
// is not there is no business of matching.
func refusals(p *Pack, c *Command, args hcp.Args) (guard, invalid string) {
	if d := p.Validate(c, args); d != nil && d.Message[:min(len(d.Message), 21)] != "invalid args: missing" {
		invalid = d.Message[len("invalid args: "):]
	}
	argv, d := p.Render(c, args)
	if d != nil {
		return "", invalid
	}
	return guarded(p, c, args, argv), invalid
}

// guarded names the argument that the guard refuses; "" for none.
func guarded(p *Pack, c *Command, args hcp.Args, argv []Token) string {
	d := p.Guard(c, args, argv)
	if d == nil {
		return ""
	}
	for _, m := range args {
		if d.Message == hcp.LooksLikeFlag(m.Name).Message {
			return m.Name
		}
	}
	return d.Message
}

type renderIn struct {
	Pack    string
	VerbKey string `json:"verb_key"`
	Args    json.RawMessage
}

type renderWant struct {
	Argv  []string
	Error string
	Guard string
}

func TestRenderVectors(t *testing.T) {
	for _, r := range vectors[renderIn, renderWant](t, "render.json") {
		t.Run(r.Name, func(t *testing.T) {
			p := testPack(t, r.In.Pack)
			c := p.Command(r.In.VerbKey)
			if c == nil {
				t.Fatalf("no command %s", r.In.VerbKey)
			}
			args := argsOf(t, r.In.Args)
			var got renderWant
			argv, d := p.Render(c, args)
			if d != nil {
				got.Error = d.Message
			} else {
				got.Argv, got.Guard = texts(argv), guarded(p, c, args, argv)
			}
			if d := cmp.Diff(r.Want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

type titleIn struct {
	Pack    string
	VerbKey string `json:"verb_key"`
	Args    json.RawMessage
	Result  json.RawMessage
}

type titleWant struct {
	Live, Done *string
	Preview    []string
}

func TestTitleVectors(t *testing.T) { // C-3, C-5
	for _, r := range vectors[titleIn, titleWant](t, "title.json") {
		t.Run(r.Name, func(t *testing.T) {
			c := testPack(t, r.In.Pack).Command(r.In.VerbKey)
			args := argsOf(t, r.In.Args)
			got := titleWant{Preview: append([]string{}, c.PreviewLines(args)...)}
			if s, ok := c.LiveTitle(args); ok {
				got.Live = &s
			}
			if s, ok := c.DoneTitle(args, r.In.Result); ok {
				got.Done = &s
			}
			if d := cmp.Diff(r.Want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
