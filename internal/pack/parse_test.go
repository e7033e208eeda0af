package pack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcp/internal/hcp"
)

const okPolicy = `{"pack_id":"p","rows":{"a":{"operation":"read"}}}`

// surface makes a manifest of pack p with more members put to it.
func surface(more string) []byte {
	return []byte(`{"pack_id":"p","kind":"wrap","wrap":{"bin":"./b"}` + more + `}`)
}

type badPack struct{ surface, policy, want string }

// badPacks lists manifests and the one error each of them gets.
func badPacks() []badPack {
	return []badPack{
		{``, ``, "s: empty input"},
		{`{`, ``, "s: not JSON: unexpected end of JSON input"},
		{`[]`, ``, "s: not an object"},
		{`{"pack_id":"p","pack_id":"p"}`, ``, `s: duplicate key "pack_id"`},
		{`{"kind":"wrap","wrap":{"bin":"b"}}`, ``, "s: pack_id: missing"},
		{`{"pack_id":"../x","kind":"wrap"}`, ``, `s: pack_id: "../x" is not a pack id`},
		{`{"pack_id":"hcp","kind":"wrap"}`, ``, `s: pack_id: "hcp" is not a pack id`},
		{`{"pack_id":"hcpx","kind":"wrap"}`, ``, `s: pack_id: "hcpx" is not a pack id`},
		{`{"pack_id":"p","surface_id":"q","kind":"wrap"}`, ``, "s: surface_id: differs from pack_id"},
		{`{"pack_id":"p","id":"q","kind":"wrap"}`, ``, "s: id: differs from pack_id"},
		{`{"pack_id":"p","wrap":{"bin":"b"}}`, ``, "s: kind: missing"},
		{`{"pack_id":"p","kind":"wrap"}`, ``, "s: wrap.bin: missing"},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"a\u0000"}}`, ``, "s: wrap.bin: contains a NUL character"},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b","driver":"docker"}}`, ``, "s: wrap.driver: a pack may not name a driver"},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b","workspace":{"driver":"s3"}}}`, ``, "s: wrap.workspace.driver: a pack may not name a driver"},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b","workspace":"s3://b"}}`, ``, "s: wrap.workspace: a pack may not name a place on the host or in an object store"},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b","workspace":{"path":"/srv"}}}`, ``, "s: wrap.workspace.path: a pack may not name a place on the host or in an object store"},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b","workspace":{"mode":"host"}}}`, ``, `s: wrap.workspace.mode: "host" is not none, ephemeral, workspace or project`},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b","workspace":{"mode":""}}}`, ``, `s: wrap.workspace.mode: "" is not none, ephemeral, workspace or project`},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b","agent_env":{"A":1}}}`, ``, "s: wrap.agent_env.A: not a string"},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b","agent_env":{"A=B":"1"}}}`, ``, `s: wrap.agent_env: "A=B" is not a variable name`},
		{`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b","json_flag":"--json"}}`, ``, "s: wrap.json_flag: not a list of strings"},
		{string(surface(`,"binding":{"family":"mock"}`)), ``, `s: binding.family: "mock" is not public, local, user or mothership`},
		{string(surface(`,"binding":{"deliver":[{"field":"t","argv":"--token"}]}`)), ``, `s: binding.deliver: unknown form "argv"`},
		{string(surface(`,"binding":{"deliver":[{"field":"t"}]}`)), ``, "s: binding.deliver: needs env or file"},
		{string(surface(`,"binding":{"deliver":[{"field":"t","env":"A","file":"b"},{"field":"u","env":"A"}]}`)), ``, `s: binding.deliver: "A" is used twice`},
		{string(surface(`,"binding":{"deliver":[{"field":"t","file":"../b"}]}`)), ``, `s: binding.deliver: "../b" is not a file name`},
		{string(surface(`,"binding":{"deliver":[{"env":"A"}]}`)), ``, "s: binding.deliver: field missing"},
		{string(surface(`,"verbs":{"A B":{}}`)), ``, `s: verbs."A B": not a verb_key`},
		{string(surface(`,"verbs":{"transfer":{"cli":"x"}}`)), ``, "s: verbs.transfer.cli: not a list of strings"},
		{string(surface(`,"verbs":{"transfer":{"cli":[1]}}`)), ``, "s: verbs.transfer.cli: not a list of strings"},
		{string(surface(`,"verbs":{"transfer":{"cli":[]}}`)), ``, "s: verbs.transfer.cli: empty"},
		{string(surface(`,"verbs":{"a":{"cli":["x","\u0000"]}}`)), ``, "s: verbs.a.cli: contains a NUL character"},
		{string(surface(`,"verbs":{"a":{"timeout":"0s"}}`)), ``, `s: verbs.a.timeout: not a duration above zero such as "30s"`},
		{string(surface(`,"verbs":{"a":{"timeout":""}}`)), ``, `s: verbs.a.timeout: not a duration above zero such as "30s"`},
		{string(surface(`,"verbs":{"a":{"timeout":30}}`)), ``, "s: verbs.a.timeout: not a string"},
		{string(surface(`,"verbs":{"a":{"stdin":"yes"}}`)), ``, "s: verbs.a.stdin: not true or false"},
		{string(surface(`,"verbs":{"a":{"title":{"live":1}}}`)), ``, "s: verbs.a.title.live: not a list of strings"},
		{string(surface(`,"verbs":{"a":{"aliases":{"de":["-x"]}}}`)), ``, `s: verbs.a.aliases.de: "-x" is not a word`},
		{string(surface(`,"verbs":{"a":{"args":{"type":"array"}}}`)), ``, `s: verbs.a.args.type: not "object"`},
		{string(surface(`,"verbs":{"a":{"args":{"properties":{"n":{"type":"int"}}}}}`)), ``, `s: verbs.a.args.properties.n.type: "int" is not a type`},
		{string(surface(`,"verbs":{"a":{"args":{"properties":{"n":{"enum":[]}}}}}`)), ``, "s: verbs.a.args.properties.n.enum: empty"},
		{string(surface(`,"verbs":{"a":{"args":{"properties":{"n":{"minimum":"1"}}}}}`)), ``, "s: verbs.a.args.properties.n.minimum: not a number"},
		{string(surface(`,"verbs":{"a":{"args":{"properties":{"n":true}}}}`)), ``, "s: verbs.a.args.properties.n: not an object"},
		{string(surface(``)), ` `, "p: empty input"},
		{string(surface(``)), `{"pack_id":"q"}`, "p: pack_id: is not p"},
		{string(surface(``)), `{"rows":{"a":{}}}`, "p: rows.a.operation: missing"},
		{string(surface(``)), `{"rows":{"a":{"operation":"Read"}}}`, `p: rows.a.operation: "Read" is not read or write`},
		{string(surface(``)), `{"rows":{"a":{"operation":"read","confirm":"true"}}}`, "p: rows.a.confirm: not true or false"},
		{string(surface(``)), `{"rows":{"a":{"operation":"read","privacy":"local"}}}`, "p: rows.a.privacy: not an object"},
		{strings.Repeat(`[`, 40) + strings.Repeat(`]`, 40), ``, "s: nested too deep"},
	}
}

func TestParseRefuses(t *testing.T) { // formats.md, S-12
	for _, c := range badPacks() {
		policy := []byte(c.policy)
		if c.policy == "" {
			policy = nil
		}
		_, err := Parse("/r", []byte(c.surface), policy)
		if err == nil {
			t.Errorf("%s %s: no error, want %q", c.surface, c.policy, c.want)
			continue
		}
		got := strings.NewReplacer("/r/surface.json", "s", "/r/policy.json", "p").Replace(err.Error())
		if got != c.want {
			t.Errorf("%s %s:\n got %q\nwant %q", c.surface, c.policy, got, c.want)
		}
	}
}

func TestParseDefaults(t *testing.T) { // R-9, formats.md
	p, err := Parse("", []byte(`{"surface_id":"p","kind":"openapi","future":1,
		"wrap":{"workspace":{"mode":"workspace"},"agent_env":{"Z":"1","A":"2"},"json_flag":[]},
		"verbs":{"b.c":{"timeout":"30s"},"a":{}}}`), []byte(`{"rows":{"a":{"operation":"write","confirm":true,"privacy":{"land":"moon"}},"ghost":{"operation":"read"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	w := p.Wrap.Workspace
	if w.Mode != "workspace" || len(w.HomeEnv) != 1 || w.HomeEnv[0] != "HOME" || strings.Join(w.FileFlags, " ") != "--file --json-file --output -o --env-file" {
		t.Errorf("workspace %+v", w)
	}
	if p.Wrap.JSONFlag == nil || len(p.Wrap.JSONFlag) != 0 || p.Wrap.AgentEnv[0].Name != "Z" {
		t.Errorf("wrap %+v", p.Wrap)
	}
	if p.Kind != "openapi" || p.Binding.Family != hcp.FamilyPublic || p.Commands[0].Key != "b.c" || p.Commands[0].Timeout.Seconds() != 30 {
		t.Errorf("pack %+v", p)
	}
	row, ok := p.Row("a")
	if !ok || row != (hcp.PolicyRow{Operation: "write", Land: "moon", Confirm: true}) {
		t.Errorf("row %+v", row)
	}
	if _, ok := p.Row("b.c"); ok || p.Command("ghost") != nil {
		t.Error("a command without a row, or a row without a command, was taken for whole")
	}
	q, err := Parse("", []byte(`{"pack_id":"p","kind":"wrap","wrap":{"bin":"b"}}`), nil)
	if err != nil || q.Wrap.Workspace.Mode != ModeNone || q.Wrap.Workspace.HomeEnv != nil || q.Wrap.JSONFlag != nil {
		t.Errorf("defaults %+v %v", q, err)
	}
}

func TestDigestKeepsFilesApart(t *testing.T) {
	if digest([]byte("ab"), []byte("c")) == digest([]byte("a"), []byte("bc")) {
		t.Error("a byte moved from one file to the other unseen")
	}
	if len(digest(nil, nil)) != 64 {
		t.Error("not sha256 in hex")
	}
}

// write puts a file into dir with the mode a trusted file needs.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) { // formats.md, places
	dir := filepath.Join(t.TempDir(), "p")
	for _, root := range []string{"", dir} {
		if _, err := Load(root); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("Load(%q): %v", root, err)
		}
	}
	write(t, filepath.Join(dir, SurfaceFile), string(surface(`,"verbs":{"a":{}}`)))
	p, err := Load(dir)
	if err != nil || p.Root != dir {
		t.Fatal(p, err)
	}
	if _, ok := p.Row("a"); ok {
		t.Error("a row without policy.json")
	}
	write(t, filepath.Join(dir, PolicyFile), okPolicy)
	if p, err = Load(dir); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Row("a"); !ok {
		t.Error("no row")
	}
	refused := func(want string) {
		t.Helper()
		if _, err := Load(dir); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	os.Chmod(filepath.Join(dir, PolicyFile), 0o666)
	refused(dir + "/policy.json: is writable by group or others (mode 0666)")
	os.Remove(filepath.Join(dir, PolicyFile))
	os.Symlink("/dev/null", filepath.Join(dir, PolicyFile))
	refused(dir + "/policy.json: is a symbolic link")
	os.Remove(filepath.Join(dir, PolicyFile))
	os.Truncate(filepath.Join(dir, SurfaceFile), MaxFile+1)
	refused(dir + "/surface.json: larger than 1048576 bytes")
	other := filepath.Join(filepath.Dir(dir), "other")
	os.Rename(dir, other)
	write(t, filepath.Join(other, SurfaceFile), string(surface("")))
	if _, err := Load(other); err == nil || err.Error() != other+"/surface.json: pack_id p is not the folder's name" {
		t.Error(err)
	}
}
