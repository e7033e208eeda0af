package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hcp/internal/hcp"
)

// formats.md: all keys are optional. Zero grants is the owner's implicit read,
// which the pipeline gives by HasGrants.
func TestDefaults(t *testing.T) {
	want := &Config{
		Principal: hcp.Principal{ID: "user:anna", Tenant: "local", Owner: true},
		Sandbox: Sandbox{Min: DefaultMin, Driver: "auto", Timeout: 2 * time.Minute, MaxOutput: 8 << 20, ArgumentGuard: true,
			Network: map[string]string{"public": "host", "local": "none", "user": "host", "mothership": "host"}},
		Audit: Audit{OnFailure: "deny", Sync: "writes", MaxSegment: 16 << 20},
	}
	p := newStore(t)
	for name, setUp := range map[string]func(){
		"missing":         func() {},
		"folder missing":  func() { os.Remove(p.Home) },
		"empty":           func() { os.Mkdir(p.Home, 0o700); write(t, p.ConfigFile, "") },
		"byte order mark": func() { write(t, p.ConfigFile, bom) },
		"comment only":    func() { write(t, p.ConfigFile, "# nothing") },
		"empty tables":    func() { write(t, p.ConfigFile, "[harness]\n[principal]\n[sandbox]\n[sandbox.network]\n[audit]\n") },
		"managed empty":   func() { write(t, p.Managed, "") },
	} {
		setUp()
		c, err := Load(p, "anna")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d := cmp.Diff(want, c); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestOwnerID(t *testing.T) {
	for in, want := range map[string]string{
		"anna": "user:anna", "Anna": "user:anna", "a.b_c": "user:a-b-c", `CORP\anna`: "user:corp-anna", "": "user:user",
		"-x": "user:x", "...": "user:user", "\xff\x00é1": "user:1", strings.Repeat("a", 99): "user:" + strings.Repeat("a", 64),
	} {
		got := ownerID(in)
		if got != want || !hcp.ValidPrincipal(got) {
			t.Errorf("ownerID(%q) = %q, want %q", in, got, want)
		}
	}
}

// The example says every key there is, and what it says is read (architecture.md,
// Tests).
func TestExample(t *testing.T) {
	data, err := os.ReadFile("../../hcp.toml.example")
	if err != nil {
		t.Fatal(err)
	}
	p := newStore(t)
	write(t, p.ConfigFile, string(data))
	c, err := Load(p, "x")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
	if len(c.Grants) != 2 || len(c.Denies) != 1 || len(c.Principals) != 1 || len(c.Bindings) != 3 || !c.HasGrants {
		t.Fatalf("blocks were lost: %+v", c)
	}
	lines := strings.Split(string(data), "\n")
	for i, w := range []string{c.Grants[0].Where, c.Grants[1].Where, c.Denies[0].Where, c.Bindings[0].Where, c.Bindings[1].Where, c.Bindings[2].Where} {
		want := []string{"[[grants]]", "[[grants]]", "[[denies]]", "[[bindings]]", "[[bindings]]", "[[bindings]]"}[i]
		rest, ok := strings.CutPrefix(w, p.ConfigFile+":")
		n, _ := parseDigits(rest)
		if !ok || n < 1 || lines[n-1] != want {
			t.Errorf("Where %q is not at a %s", w, want)
		}
	}
	wantDeny := hcp.Deny{Rule: hcp.Rule{Principal: "agent:claude", Capability: "verb.exec.write", Packs: []string{"ledger"}, Verbs: []string{"close"}, Where: c.Denies[0].Where}, Expires: at}
	wantGrant := hcp.Grant{Rule: hcp.Rule{Principal: "agent:claude", Capability: "verb.exec.write", Packs: []string{"ledger"}, Verbs: []string{"transfer", "mail.*"}, Where: c.Grants[1].Where}, Approval: "human", Expires: at}
	wantPack := PackConfig{Network: "host", Timeout: 5 * time.Minute, Read: []string{"/etc/ssl"}, Sockets: []string{"/run/example.sock"}, Path: []string{"/usr/local/bin", "/usr/bin"}, Env: []hcp.KeyValue{{Name: "GH_HOST", Value: "git.example.com"}}}
	wantExec := Binding{Pack: "gh", Family: "user", Principal: "user:anna", Provider: "exec", MinTTL: time.Minute, Timeout: 10 * time.Second,
		Command: []string{"/usr/local/bin/gh-token", "--json"}, PassEnv: []string{"LANG"}, Where: c.Bindings[0].Where}
	for _, d := range []string{
		cmp.Diff(wantDeny, c.Denies[0]), cmp.Diff(wantGrant, c.Grants[1]), cmp.Diff(wantPack, c.Packs["gh"]), cmp.Diff(wantExec, c.Bindings[0]),
		cmp.Diff(hcp.Principal{ID: "user:anna", Tenant: "local", Owner: true}, c.Principal),
		cmp.Diff(TokenPrincipal{Principal: hcp.Principal{ID: "agent:claude", Tenant: "local"}}, c.Principals[0]),
		cmp.Diff("landlock", c.Sandbox.Min), cmp.Diff([]string{"/usr/bin/jq"}, c.Sandbox.Allow),
	} {
		if d != "" {
			t.Error(d)
		}
	}
	wantAllKeys(t, p, string(data))
}

// wantAllKeys compares the keys that the sections ask for with those in a text.
func wantAllKeys(t *testing.T, p Places, text string) {
	t.Helper()
	l, err := parseLayer(p.ConfigFile, text)
	if err != nil {
		t.Fatal(err)
	}
	asked, found := map[string]bool{}, map[string]bool{}
	l.watch = func(t *table, name string) {
		var keys []string
		for part := range strings.SplitSeq(t.key(name), pathSep) {
			if !strings.HasPrefix(part, indexMark) {
				keys = append(keys, part)
			}
		}
		key := strings.Join(keys, ".")
		asked[key] = true
		found[key] = found[key] || t.has(name)
	}
	readUser(l, defaults("x"))
	if len(asked) < 50 {
		t.Fatalf("only %d keys were asked for", len(asked))
	}
	for key := range asked {
		if !found[key] {
			t.Errorf("the example does not show %s", key)
		}
	}
	for _, key := range []string{"\n# forbid_native_local = true", "\n# store = \"/"} {
		if !strings.Contains(text, key) {
			t.Errorf("the example does not show %q", key)
		}
	}
}

// S-1: both keys, as booleans, in [harness]; anything else is the sandbox or an
// error, never native-local.
func TestS1_DoubleOptIn(t *testing.T) {
	p := newStore(t)
	for _, c := range []struct {
		text   string
		native bool
		err    string
	}{
		{"[harness]\nsandbox = false\nnative_local = true", true, ""},
		{"harness = {native_local = true, sandbox = false}", true, ""},
		{"harness.sandbox = false\nharness.native_local = true", true, ""},
		{"[harness]\nsandbox = false", false, ""},
		{"[harness]\nnative_local = true", false, ""},
		{"[harness]\nsandbox = true\nnative_local = true", false, ""},
		{"[harness]\nsandbox = false\nnative_local = false", false, ""},
		{"[harness]\nsandbox = false\nnative_local = \"true\"", false, ":3: harness.native_local: must be true or false, not a string"},
		{"[harness]\nsandbox = 0\nnative_local = true", false, ":2: harness.sandbox: must be true or false, not a number"},
		{"[harness]\nsandbox = false\nnative-local = true", false, ":3: unknown key harness.native-local"},
		{"[harness]\nSandbox = false\nnative_local = true", false, ":2: unknown key harness.Sandbox (write it sandbox)"},
		{"sandbox = false\nnative_local = true", false, ":1: sandbox: must be a table, not a boolean"},
		{"[harness]\nsandbox = false\n[sandbox]\nnative_local = true", false, ":4: unknown key sandbox.native_local"},
		{"[sandbox]\ndriver = \"native-local\"", false, ":2: sandbox.driver: native-local is no driver; it takes both keys of [harness]"},
	} {
		write(t, p.ConfigFile, c.text)
		got, err := Load(p, "anna")
		want := c.err
		if want != "" {
			want = p.ConfigFile + want
		}
		if text(err) != want {
			t.Errorf("%q: %q, want %q", c.text, text(err), want)
		} else if err == nil && got.NativeLocal != c.native {
			t.Errorf("%q: native-local is %v", c.text, got.NativeLocal)
		}
	}
}

// trust.md and formats.md: what others could have written is not read.
func TestUntrustedFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(path string) error
		err   string // after the path, or after the folder with "/.."
	}{
		{"group may write", func(f string) error { return os.Chmod(f, 0o664) }, ": is writable by group or others (mode 0664)"},
		{"others may write", func(f string) error { return os.Chmod(f, 0o602) }, ": is writable by group or others (mode 0602)"},
		{"folder", func(f string) error { return os.Chmod(filepath.Dir(f), 0o777) }, "/..: is writable by group or others (mode 0777)"},
		{"symlink", func(f string) error { os.Rename(f, f+".real"); return os.Symlink(f+".real", f) }, ": is a symbolic link"},
		{"dangling symlink", func(f string) error { os.Remove(f); return os.Symlink("/nowhere", f) }, ": is a symbolic link"},
		{"folder in its place", func(f string) error { os.Remove(f); return os.Mkdir(f, 0o700) }, ": is not a regular file"},
		{"too large", func(f string) error { return os.Truncate(f, maxConfig+1) }, ": larger than 1048576 bytes"},
	} {
		for _, managed := range []bool{false, true} {
			p := newStore(t)
			path := p.ConfigFile
			if managed {
				path = p.Managed
			}
			write(t, path, "version = 1\n")
			if err := c.spoil(path); err != nil {
				t.Fatal(err)
			}
			want := path + c.err
			if rest, ok := strings.CutPrefix(c.err, "/.."); ok {
				want = filepath.Dir(path) + rest
			}
			if _, err := Load(p, "anna"); text(err) != want {
				t.Errorf("%s: %q, want %q", c.name, text(err), want)
			}
			// Nothing is appended to what is not trusted, and nothing beside it.
			if err := AppendGrant(p, "anna", goodGrant); text(err) != want {
				t.Errorf("%s: AppendGrant: %q, want %q", c.name, text(err), want)
			}
		}
	}
}

func TestForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a file away")
	}
	p := newStore(t)
	write(t, p.ConfigFile, "")
	if err := os.Chown(p.ConfigFile, 12345, 12345); err != nil {
		t.Skip(err)
	}
	if _, err := Load(p, "anna"); text(err) != p.ConfigFile+": belongs to uid 12345" {
		t.Error(err)
	}
}

func TestNetworkAndTimeout(t *testing.T) {
	p := newStore(t)
	write(t, p.ConfigFile, "[sandbox]\ntimeout='3s'\nnetwork.user='none'\n[packs.gh]\nnetwork='host'\ntimeout='1m'\n[packs.x]\n")
	c, err := Load(p, "anna")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][3]string{
		{"gh", "local", "host"}, {"x", "local", "none"}, {"y", "user", "none"}, {"y", "", "host"}, {"y", "mothership", "host"}, {"y", "odd", "none"},
	} {
		if got := c.Network(row[0], row[1]); got != row[2] {
			t.Errorf("network of %s, %s: %s", row[0], row[1], got)
		}
	}
	if c.Timeout("gh") != time.Minute || c.Timeout("x") != 3*time.Second || c.Timeout("y") != 3*time.Second {
		t.Error("timeouts")
	}
	if (&Config{}).Network("x", "user") != NetworkNone {
		t.Error("the zero Config gives a network")
	}
}
