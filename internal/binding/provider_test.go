package binding

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hcp/internal/hcp"
)

// P-7: the entry that names the principal comes before the one for everybody,
// in whatever order; another's is never used.
func TestP7_EntryForRequest(t *testing.T) {
	all := Entry{Pack: "gh", Family: "user", Service: "all"}
	anna := Entry{Pack: "gh", Family: "user", Principal: "user:anna", Service: "anna"}
	agent := Entry{Pack: "gh", Family: "user", Principal: "agent:claude", Service: "agent"}
	ship := Entry{Pack: "gh", Family: "mothership", Service: "ship"}
	git := Entry{Pack: "git", Family: "user", Service: "git"}
	cases := []struct {
		list                    []Entry
		principal, family, want string
	}{
		{[]Entry{all, anna, agent}, "user:anna", "user", "anna"},
		{[]Entry{agent, anna, all}, "user:anna", "user", "anna"},
		{[]Entry{agent, all, anna}, "agent:codex", "user", "all"},
		{[]Entry{agent, git, ship}, "user:anna", "user", ""},
		{[]Entry{agent, git, ship}, "user:anna", "mothership", "ship"},
		{[]Entry{agent}, "", "user", ""},
		{[]Entry{{Pack: "gh"}}, "user:anna", "user", ""},
		{[]Entry{{Pack: "gh", Family: "public"}}, "user:anna", "", "none needed"},
	}
	for i, c := range cases {
		r := request()
		r.Principal.ID, r.Family = c.principal, c.family
		h := Hub{Entries: c.list}
		if c.want == "none needed" {
			if m, reason := h.Mint(context.Background(), r); reason != "" || m.Provider != "" {
				t.Errorf("%d: %v, %q", i, m, reason)
			}
			continue
		}
		if e, ok := h.entry(r); e.Service != c.want || ok != (c.want != "") {
			t.Errorf("%d: %+v, %v", i, e, ok)
		}
	}
	refused(t, Hub{Entries: []Entry{{Pack: "gh", Family: "user", Provider: "magic"}}}, reasonNone)
}

func fileHub(path string) Hub { return hub(Entry{Provider: "file", Path: path}) }

// P-7: a file is read only if nobody but its owner can see or change it.
func TestP7_ProviderFile(t *testing.T) {
	const good = `{"token":"` + canary + `","other":"\n"}`
	cases := map[string]struct {
		content string
		spoil   func(string) string
		reason  string
	}{
		"good":        {good, nil, ""},
		"read only":   {good, func(p string) string { os.Chmod(p, 0o400); return p }, ""},
		"group reads": {good, func(p string) string { os.Chmod(p, 0o640); return p }, reasonUntrusted},
		"all read":    {good, func(p string) string { os.Chmod(p, 0o604); return p }, reasonUntrusted},
		"open folder": {good, func(p string) string { os.Chmod(filepath.Dir(p), 0o777); return p }, reasonUntrusted},
		"link":        {good, func(p string) string { os.Symlink(p, p+"l"); return p + "l" }, reasonUntrusted},
		"folder":      {good, filepath.Dir, reasonUntrusted},
		"fifo":        {good, fifo, reasonUntrusted},
		"not there":   {good, func(p string) string { return p + "x" }, reasonNone},
		"no folder":   {good, func(p string) string { return p + "x/y" }, reasonNone},
		"relative":    {good, func(p string) string { return "c.json" }, reasonNone},
		"empty":       {"", nil, reasonResponse},
		"no JSON":     {canary, nil, reasonResponse},
		"a list":      {`["` + canary + `"]`, nil, reasonResponse},
		"a number":    {`{"token":12345678}`, nil, reasonResponse},
		"twice":       {`{"token":"a","token":"` + canary + `"}`, nil, reasonResponse},
		"other field": {`{"TOKEN":"` + canary + `"}`, nil, "missing field token"},
		"empty field": {`{"token":""}`, nil, "empty field token"},
		"two lines":   {`{"token":"a\nHCP=` + canary + `"}`, nil, reasonResponse},
		"huge":        {good + strings.Repeat(" ", maxCredential), nil, reasonResponse},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.json")
			os.WriteFile(path, []byte(c.content), 0o600)
			if c.spoil != nil {
				path = c.spoil(path)
			}
			h := fileHub(path)
			if c.reason != "" {
				refused(t, h, c.reason)
			} else if m := minted(t, h, request()); m.Env[0].Value != canary || m.Provider != "file" || !m.Expires.IsZero() || !m.Secrets[0].Equal(hcp.NewSecret(canary)) {
				t.Errorf("%v", m)
			}
			looks := c.reason == reasonUntrusted || c.reason == reasonNone
			if got := h.Probe(request()); looks && got != c.reason || !looks && got != "" {
				t.Errorf("probe says %q", got)
			}
		})
	}
}

func fifo(p string) string {
	if err := mkfifo(p + "f"); err != nil {
		return filepath.Dir(p)
	}
	return p + "f"
}

// A key of several lines can be delivered as a file, though not as a variable.
func TestFileOfSeveralLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	os.WriteFile(path, []byte(`{"key":"-----BEGIN-----\nabc\n-----END-----\n"}`), 0o600)
	r := request()
	r.Deliver = []Deliver{{Field: "key", File: "key.pem"}}
	if m := minted(t, fileHub(path), r); m.Files[0].Value != "-----BEGIN-----\nabc\n-----END-----\n" {
		t.Errorf("%q", m.Files)
	}
}

// `hcp binding set` and `remove`: the file is whole, ours alone, and read back.
func TestStoreFile(t *testing.T) {
	dir := t.TempDir()
	e := Entry{Pack: "gh", Family: "user", Provider: "file", Path: dir + "/new/deep/gh.json"}
	h := Hub{Entries: []Entry{e}}
	ctx := context.Background()
	for _, value := range []string{canary + "1", canary + `"\é` + "\u2028\x7f", canary + "3"} {
		if err := e.Store(ctx, map[string]hcp.Secret{"token": hcp.NewSecret(value), "user": hcp.NewSecret("x")}); err != nil {
			t.Fatal(err)
		}
		if got := minted(t, h, request()).Env[0].Value; got != value {
			t.Errorf("%q came back as %q", value, got)
		}
	}
	if mode(t, e.Path) != 0o600 || mode(t, dir+"/new") != 0o700 {
		t.Errorf("modes %o, %o", mode(t, e.Path), mode(t, dir+"/new"))
	}
	os.Remove(e.Path)
	os.Symlink(dir+"/elsewhere", e.Path)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := e.Store(ctx, map[string]hcp.Secret{"token": hcp.NewSecret(canary)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if list, _ := os.ReadDir(filepath.Dir(e.Path)); len(list) != 1 || !list[0].Type().IsRegular() {
		t.Errorf("left: %v", list)
	}
	if _, err := os.Stat(dir + "/elsewhere"); err == nil {
		t.Error("a link was followed")
	}
	if err := e.Remove(ctx); err != nil {
		t.Error(err)
	}
	if err := e.Remove(ctx); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed twice: %v", err)
	}
	refused(t, h, reasonNone)
}

// No error of storing holds a value, and nothing half-made stays.
func TestStoreRefused(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(dir+"/open", 0o755)
	os.Chmod(dir+"/open", 0o777)
	os.WriteFile(dir+"/file", nil, 0o600)
	os.MkdirAll(dir+"/folder/c.json/x", 0o755)
	good := map[string]hcp.Secret{"token": hcp.NewSecret(canary)}
	cases := map[string]struct {
		e      Entry
		fields map[string]hcp.Secret
	}{
		"no fields":   {Entry{Provider: "file", Path: dir + "/a/c.json"}, nil},
		"empty field": {Entry{Provider: "file", Path: dir + "/a/c.json"}, map[string]hcp.Secret{"token": {}, "b": hcp.NewSecret(canary)}},
		"too large":   {Entry{Provider: "file", Path: dir + "/a/c.json"}, map[string]hcp.Secret{"token": hcp.NewSecret(strings.Repeat(canary, 5000))}},
		"relative":    {Entry{Provider: "file", Path: "c.json"}, good},
		"open folder": {Entry{Provider: "file", Path: dir + "/open/c.json"}, good},
		"under file":  {Entry{Provider: "file", Path: dir + "/file/c.json"}, good},
		"a folder":    {Entry{Provider: "file", Path: dir + "/folder/c.json"}, good},
		"helper":      {Entry{Provider: "exec", Command: []string{"/bin/true"}}, good},
		"nothing":     {Entry{}, good},
		"no tool":     {Entry{Provider: "keyring", Service: "s", Account: "a", toolDirs: []string{dir}}, good},
		"flag":        {Entry{Provider: "keyring", Service: "-s", Account: "a"}, good},
	}
	for name, c := range cases {
		err := c.e.Store(context.Background(), c.fields)
		if err == nil || strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") || path == dir+"/a" {
			t.Errorf("left: %s", path)
		}
		return err
	})
}

// keyringHub has a stand-in for secret-tool that keeps one secret in a file.
func keyringHub(t *testing.T, body string) (Hub, string) {
	t.Helper()
	if runtime.GOOS == "darwin" {
		t.Skip("the stand-in is for secret-tool")
	}
	dir := t.TempDir()
	os.Chmod(dir, 0o755)
	if body == "" {
		body = `case $1 in lookup) cat ` + dir + `/kept 2>/dev/null;; store) cat >` + dir + `/kept;; clear) rm ` + dir + `/kept;; esac`
	}
	os.WriteFile(dir+"/secret-tool", []byte("#!/bin/sh\necho \"$@\" >>"+dir+"/log; env >"+dir+"/env\n"+body+"\n"), 0o700)
	return hub(Entry{Provider: "keyring", Service: "hcp gh", Account: "anna", toolDirs: []string{"/no/such", dir}}), dir
}

// P-7: the keyring's tool gets the secret on its stdin, never in its arguments,
// and nothing of the caller's environment.
func TestP7_ProviderKeyring(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/tmp/evil")
	h, dir := keyringHub(t, "")
	ctx := context.Background()
	refused(t, h, "helper exit 1")
	if got := h.Probe(request()); got != "" {
		t.Errorf("probe says %q", got)
	}
	if err := h.Entries[0].Store(ctx, map[string]hcp.Secret{"token": hcp.NewSecret(canary)}); err != nil {
		t.Fatal(err)
	}
	if m := minted(t, h, request()); m.Env[0].Value != canary || m.Provider != "keyring" {
		t.Errorf("%v", m)
	}
	os.WriteFile(dir+"/kept", []byte("bare-value\n"), 0o600)
	if m := minted(t, h, request()); m.Env[0].Value != "bare-value" {
		t.Errorf("%v", m)
	}
	two := request()
	two.Deliver = append(two.Deliver, Deliver{Field: "user", Env: "GH_USER"})
	if _, reason := h.Mint(ctx, two); reason != reasonResponse {
		t.Errorf("a bare value for two fields: %q", reason)
	}
	for content, want := range map[string]string{"": reasonResponse, "\n": reasonResponse, `{"user":"x"}`: "missing field token", `{"token":1}`: reasonResponse, "{half": reasonResponse, "a\nb": reasonResponse} {
		os.WriteFile(dir+"/kept", []byte(content), 0o600)
		refused(t, h, want)
	}
	if err := h.Entries[0].Remove(ctx); err != nil {
		t.Error(err)
	}
	log, _ := os.ReadFile(dir + "/log")
	env, _ := os.ReadFile(dir + "/env")
	if !strings.Contains(string(log), "lookup service hcp gh account anna\nstore --label=hcp gh service hcp gh account anna\n") || strings.Contains(string(log), canary) {
		t.Errorf("log:\n%s", log)
	}
	if strings.Contains(string(env), "evil") || !strings.Contains(string(env), "unix:path=/run/user/") {
		t.Errorf("environment:\n%s", env)
	}
}

// P-7: a keyring that does not answer is given 3 s; one that is not there, or
// that others could have put there, none.
func TestP7_KeyringFailures(t *testing.T) {
	h, _ := keyringHub(t, "sleep 64.55")
	start := time.Now()
	refused(t, h, reasonTimeout)
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("took %v", took)
	}
	noSurvivor(t, "64.55")
	h, dir := keyringHub(t, "")
	os.Chmod(dir+"/secret-tool", 0o777)
	refused(t, h, reasonUntrusted)
	os.Remove(dir + "/secret-tool")
	refused(t, h, reasonMissing)
	if got := h.Probe(request()); got != reasonMissing {
		t.Errorf("probe says %q", got)
	}
}

func TestKeyringArguments(t *testing.T) {
	e := Entry{Service: "s", Account: "a"}
	for _, c := range [][]string{
		{"linux", "lookup", "lookup service s account a"},
		{"linux", "store", "store --label=s service s account a"},
		{"linux", "clear", "clear service s account a"},
		{"darwin", "lookup", "find-generic-password -s s -a a -w"},
		{"darwin", "store", "-i"},
		{"darwin", "clear", "delete-generic-password -s s -a a"},
	} {
		if got := strings.Join(keyringArgs(c[0], c[1], e), " "); got != c[2] {
			t.Errorf("%v: %q", c, got)
		}
	}
	for _, bad := range []string{"", "-x", "a\"b", "a\\b", "a\nb", "a\x00b"} {
		if label(bad) {
			t.Errorf("%q is no label", bad)
		}
	}
}

// `hcp binding status` looks, and mints nothing.
func TestStatus(t *testing.T) {
	h, runs := counting(t, in(time.Hour), "")
	h.CacheDir = memoryDir(t) + "/hcp"
	path := filepath.Join(t.TempDir(), "c.json")
	os.WriteFile(path, []byte(`{}`), 0o644)
	h.Entries = append(h.Entries, Entry{Pack: "git", Family: "mothership", Principal: "agent:claude", Provider: "file", Path: path}, Entry{Pack: "x", Family: "user", Provider: "exec", Command: []string{"/no/such"}})
	want := []Status{
		{PackID: "gh", Family: "user", Provider: "exec", OK: true},
		{PackID: "git", Family: "mothership", Principal: "agent:claude", Provider: "file", Detail: reasonUntrusted},
		{PackID: "x", Family: "user", Provider: "exec", Detail: reasonMissing},
	}
	if diff := cmp.Diff(want, h.Status()); diff != "" || runs() != 0 {
		t.Errorf("%d runs; (-want +got):\n%s", runs(), diff)
	}
	if _, err := os.Stat(h.CacheDir); err == nil {
		t.Error("looking made the cache's folder")
	}
	want[0].Expires = minted(t, h, request()).Expires.Format(time.RFC3339)
	if diff := cmp.Diff(want, h.Status()); diff != "" || runs() != 1 {
		t.Errorf("%d runs; (-want +got):\n%s", runs(), diff)
	}
	if !slices.ContainsFunc(h.Status(), func(s Status) bool { return s.Expires != "" }) || Hub.Status(Hub{}) == nil {
		t.Error("no expiry, or no list")
	}
}
