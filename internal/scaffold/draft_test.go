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
