package config

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hcp/internal/hcp"
)

var goodGrant = GrantSpec{Principal: "agent:claude", Capability: hcp.CapWrite, Packs: []string{"ledger"}}

// trust.md: everything else stays byte for byte as it was.
func TestAppendGrantKeepsEveryByte(t *testing.T) {
	const block = "[[grants]]\nprincipal = \"agent:claude\"\ncapability = \"verb.exec.write\"\npacks = [\"ledger\"]\n"
	crlf := strings.ReplaceAll(block, "\n", "\r\n")
	p := newStore(t)
	for _, c := range []struct{ name, old, added string }{
		{"empty", "", block},
		{"byte order mark", bom, block},
		{"comment", "# mine\t \n", "\n" + block},
		{"no final newline", "version = 1", "\n\n" + block},
		{"comment without newline", "version = 1 # one", "\n\n" + block},
		{"blank lines at the end", "version = 1\n\n\n", "\n" + block},
		{"odd spacing and strings", "  version=1\n[principal]\nid=\"user:anna\" ;# x\nproject='''\n[[grants]]'''\n", ""},
		{"crlf", "version = 1\r\n[audit]\r\nsync = 'never'\r\n", "\r\n" + crlf},
		{"crlf, no final newline", "version = 1\r\n[audit]\r\nsync = 'never'", "\r\n\r\n" + crlf},
		{"in a table", "[packs.gh]\nnetwork='host'\n", "\n" + block},
		{"after a grant", grantHead + "packs=['*']\n", "\n" + block},
		{"multi-line string that looks like one", "[principal]\nproject = \"\"\"\\\n  x\\\n  \"\"\"\n", "\n" + block},
	} {
		write(t, p.ConfigFile, c.old)
		err := AppendGrant(p, "anna", goodGrant)
		if c.added == "" {
			if err == nil {
				t.Errorf("%s: a broken file was appended to", c.name)
			}
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := read(t, p.ConfigFile); got != c.old+c.added {
			t.Errorf("%s: %q, want %q", c.name, got, c.old+c.added)
		}
		if cfg, err := Load(p, "anna"); c.added != "" && (err != nil || len(cfg.Grants) == 0) {
			t.Errorf("%s: does not load: %v", c.name, err)
		}
	}
	wantNames(t, p.Home, "hcp.toml")
}

func TestAppendGrantWritesEveryField(t *testing.T) {
	p := newStore(t)
	os.Remove(p.Home) // the folder is made, too
	at := time.Date(2027, 1, 31, 12, 0, 0, 5, time.FixedZone("", 3600))
	g := GrantSpec{Principal: "*", Capability: hcp.CapConnect, Packs: []string{"gh", "*"}, Verbs: []string{"connect", "mail.*"}, Approval: "human", Expires: at}
	if err := AppendGrant(p, "anna", g); err != nil {
		t.Fatal(err)
	}
	c, err := Load(p, "anna")
	if err != nil {
		t.Fatal(err)
	}
	want := []hcp.Grant{{Rule: hcp.Rule{Principal: "*", Capability: hcp.CapConnect, Packs: g.Packs, Verbs: g.Verbs, Where: p.ConfigFile + ":1"}, Approval: "human", Expires: at.Truncate(time.Second).UTC()}}
	if d := cmp.Diff(want, c.Grants); d != "" {
		t.Error(d)
	}
	for path, mode := range map[string]os.FileMode{p.ConfigFile: 0o600, p.Home: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestAppendGrantKeepsMode(t *testing.T) {
	p := newStore(t)
	write(t, p.ConfigFile, "")
	if err := os.Chmod(p.ConfigFile, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := AppendGrant(p, "anna", goodGrant); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(p.ConfigFile); info.Mode().Perm() != 0o644 {
		t.Error(info.Mode())
	}
}

// A bad request names what was asked for and touches nothing.
func TestAppendGrantRefuses(t *testing.T) {
	p := newStore(t)
	for _, c := range []struct {
		change func(*GrantSpec)
		err    string
	}{
		{func(g *GrantSpec) { g.Principal = "" }, "principal missing"},
		{func(g *GrantSpec) { g.Principal = "a\"\n[harness]" }, `principal: must be a principal or "*", not "a\"\n[harness]"`},
		{func(g *GrantSpec) { g.Capability = "" }, "capability missing"},
		{func(g *GrantSpec) { g.Capability = "root" }, `capability: must be verb.exec.read, verb.exec.write or pack.connect, not "root"`},
		{func(g *GrantSpec) { g.Packs = nil }, "packs missing"},
		{func(g *GrantSpec) { g.Packs = []string{} }, "packs: must not be an empty list"},
		{func(g *GrantSpec) { g.Packs = []string{"a", "B"} }, `packs: "B" is not one of pack ids or "*"`},
		{func(g *GrantSpec) { g.Verbs = []string{} }, "verbs: must not be an empty list"},
		{func(g *GrantSpec) { g.Verbs = []string{"x y"} }, `verbs: "x y" is not one of verb keys, "*" or keys that end in ".*"`},
		{func(g *GrantSpec) { g.Approval = "never" }, `approval: must be envelope or human, not "never"`},
	} {
		g := goodGrant
		c.change(&g)
		err := AppendGrant(p, "anna", g)
		var spec *SpecError
		if text(err) != c.err || !errors.As(err, &spec) {
			t.Errorf("%q (%T), want %q", text(err), err, c.err)
		}
	}
	wantNames(t, p.Home)
	// An inline array cannot be appended to; the file stays as it is.
	const inline = "grants = [{principal='*',capability='verb.exec.read',packs=['*']}]\n"
	write(t, p.ConfigFile, inline)
	if err := AppendGrant(p, "anna", goodGrant); err == nil || read(t, p.ConfigFile) != inline {
		t.Errorf("%v, %q", err, read(t, p.ConfigFile))
	}
	big := "#" + strings.Repeat("x", maxConfig-10) + "\n"
	write(t, p.ConfigFile, big)
	if err := AppendGrant(p, "anna", goodGrant); text(err) != p.ConfigFile+": would be larger than 1 MiB" {
		t.Error(err)
	}
	wantNames(t, p.Home, "hcp.toml")
}

func TestAppendGrantParallel(t *testing.T) {
	p := newStore(t)
	const n = 20
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			g := goodGrant
			g.Packs = []string{fmt.Sprintf("p%d", i)}
			if err := AppendGrant(p, "anna", g); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c, err := Load(p, "anna")
	if err != nil || len(c.Grants) != n {
		t.Fatalf("%d grants, %v", len(c.Grants), err)
	}
	wantNames(t, p.Home, "hcp.toml")
}

func TestExpiry(t *testing.T) {
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"30d": now.AddDate(0, 0, 30), "90m": now.Add(90 * time.Minute), "2027-01-31T00:00:00Z": time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
		"": {}, "0d": {}, "-1h": {}, "d": {}, "1.5d": {}, "+3d": {}, "2020-01-01T00:00:00Z": {}, "tomorrow": {}, "99999999999999999999d": {},
	} {
		got, err := Expiry(in, now)
		if !got.Equal(want) || (err == nil) == want.IsZero() {
			t.Errorf("Expiry(%q) = %v, %v", in, got, err)
		}
	}
}

// cli.md: the first file gives the owner explicit grants and is never written
// over.
func TestInitFile(t *testing.T) {
	p := newStore(t)
	os.Remove(p.Home)
	created, err := InitFile(p, "Anna", []string{"ledger", "mail"})
	if err != nil || !created {
		t.Fatal(created, err)
	}
	c, err := Load(p, "someone-else")
	if err != nil {
		t.Fatal(err)
	}
	may := func(capability, pack string) bool {
		for _, g := range c.Grants {
			if g.Covers("user:anna", capability, pack, "x") {
				return true
			}
		}
		return false
	}
	if c.Principal.ID != "user:anna" || !may(hcp.CapRead, "other") || !may(hcp.CapWrite, "mail") || !may(hcp.CapConnect, "ledger") ||
		may(hcp.CapWrite, "other") || may(hcp.CapConnect, "other") || c.Grants[0].Covers("agent:x", hcp.CapRead, "mail", "x") {
		t.Errorf("%+v", c)
	}
	first := read(t, p.ConfigFile)
	if info, _ := os.Stat(p.ConfigFile); info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
	if created, err := InitFile(p, "anna", nil); created || err != nil || read(t, p.ConfigFile) != first {
		t.Error("a second run changed something", created, err)
	}
	if err := AppendGrant(p, "anna", goodGrant); err != nil {
		t.Error(err)
	}
	wantNames(t, p.Home, "hcp.toml")
}

func TestInitFileLeavesWhatIsThere(t *testing.T) {
	p := newStore(t)
	if err := os.Symlink("/nowhere/at/all", p.ConfigFile); err != nil {
		t.Fatal(err)
	}
	if created, err := InitFile(p, "anna", nil); created || err != nil {
		t.Error(created, err)
	}
	if to, err := os.Readlink(p.ConfigFile); err != nil || to != "/nowhere/at/all" {
		t.Error(to, err)
	}
	os.Remove(p.ConfigFile)
	if created, err := InitFile(p, "anna", []string{"Bad"}); created || err == nil {
		t.Error("a bad pack id was taken")
	}
	// An editor that came in between the look and the write wins.
	write(t, p.ConfigFile, "version = 1\n")
	if created, err := create(p.ConfigFile, "# ours\n"); created || err != nil || read(t, p.ConfigFile) != "version = 1\n" {
		t.Error(created, err)
	}
	wantNames(t, p.Home, "hcp.toml")
}

// Fifty at once: one creates, the others find it.
func TestInitFileParallel(t *testing.T) {
	p := newStore(t)
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 50 {
		wg.Go(func() {
			created, err := InitFile(p, "anna", []string{"ledger"})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if created {
				n++
			}
		})
	}
	wg.Wait()
	if n != 1 {
		t.Errorf("%d created it", n)
	}
	wantNames(t, p.Home, "hcp.toml")
}
