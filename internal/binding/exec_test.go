package binding

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hcp/internal/hcp"
)

// P-7: each way in which a helper fails is one reason, within its time, and
// leaves no process behind.
func TestP7_HelperFailures(t *testing.T) {
	const version = `{"apiVersion":"%s","kind":"%s","status":%s}`
	say := func(a ...any) string { return "printf '%s' '" + fmt.Sprintf(version, a...) + "'" }
	cases := map[string]struct{ body, reason string }{
		"hangs":               {"sleep 61.77", reasonTimeout},
		"hangs, deaf":         {"trap '' TERM INT HUP; while :; do sleep 61.77; done", reasonTimeout},
		"answers, then hangs": {answer(canary, "") + "; exec >&-; sleep 61.77", reasonTimeout},
		"prompts":             {"read x </dev/tty && " + answer(canary, ""), "helper exit 2"},
		"prompts on stdin":    {"read x; read y; exit 7", "helper exit 7"},
		"waits for its child": {"sleep 61.77 & wait", reasonTimeout},
		"leaves a child":      {"sleep 61.77 & exit 3", "helper exit 3"},
		"a child says no":     {"(sleep 61.77; echo) & exit 0", reasonResponse},
		"daemon":              {"(setsid sleep 61.77 >/dev/null 2>&1 </dev/null &) ; exit 0", reasonResponse},
		"daemon with pipe":    {"(setsid sleep 61.77 &) ; exit 4", "helper exit 4"},
		"daemon, clean, late": {"env -i setsid sleep 61.77 & sleep 61.77", reasonTimeout},
		"leaves a tree":       {"f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & fi; sleep 61.77; }; f 4", reasonTimeout},
		"1 GB":                {"yes 61.77 | head -c 1000000000", reasonResponse},
		"1 GB of stderr":      {"yes 61.77 | head -c 1000000000 >&2; exit 5", "helper exit 5"},
		"just too much":       {"head -c 65537 /dev/zero | tr '\\0' ' '", reasonResponse},
		"nothing":             {"exit 0", reasonResponse},
		"exit 1":              {"echo " + canary + " >&2; echo " + canary + "; exit 1", "helper exit 1"},
		"answers, exit 9":     {answer(canary, "") + "; exit 9", "helper exit 9"},
		"killed":              {"kill -9 $$", reasonKilled},
		"no JSON":             {"echo " + canary, reasonResponse},
		"a token and JSON":    {answer(canary, "") + "; echo x", reasonResponse},
		"wrong version":       {say("hcp/v2", "ExecCredential", `{"fields":{"token":"`+canary+`"}}`), reasonResponse},
		"version's case":      {`echo '{"apiversion":"hcp/v1","kind":"ExecCredential","status":{"fields":{"token":"x"}}}'`, reasonResponse},
		"kubernetes":          {say("client.authentication.k8s.io/v1", "ExecCredential", `{"token":"`+canary+`"}`), reasonResponse},
		"wrong kind":          {say("hcp/v1", "execcredential", `{"fields":{"token":"`+canary+`"}}`), reasonResponse},
		"duplicate key":       {say("hcp/v1", "ExecCredential", `{"fields":{"token":"a","token":"`+canary+`"}}`), reasonResponse},
		"no status":           {say("hcp/v1", "ExecCredential", "null"), reasonResponse},
		"no fields":           {say("hcp/v1", "ExecCredential", "{}"), reasonResponse},
		"a number":            {say("hcp/v1", "ExecCredential", `{"fields":{"token":12345678}}`), reasonResponse},
		"other field":         {say("hcp/v1", "ExecCredential", `{"fields":{"Token":"`+canary+`"}}`), "missing field token"},
		"empty field":         {say("hcp/v1", "ExecCredential", `{"fields":{"token":"","user":"x"}}`), "empty field token"},
		"LF":                  {say("hcp/v1", "ExecCredential", `{"fields":{"token":"`+canary+`\\n"}}`), reasonResponse},
		"CR":                  {say("hcp/v1", "ExecCredential", `{"fields":{"token":"`+canary+`\\rhost=evil"}}`), reasonResponse},
		"NUL":                 {say("hcp/v1", "ExecCredential", `{"fields":{"token":"`+canary+`\\u0000"}}`), reasonResponse},
		"not UTF-8":           {answer(`\377`, "") + "; printf '\\377'", reasonResponse},
		"bad time":            {answer(canary, "tomorrow"), reasonResponse},
		"expired":             {answer(canary, in(-time.Second)), reasonExpired},
		"expired long ago":    {answer(canary, "0001-01-02T00:00:00Z"), reasonExpired},
		"expires too soon":    {answer(canary, in(50*time.Second)), reasonSoon},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := helper(t, strings.ReplaceAll(c.body, "\\\\", "\\"))
			if c.reason == reasonTimeout {
				h.Entries[0].Timeout = time.Second
			}
			start := time.Now()
			refused(t, h, c.reason)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
			noSurvivor(t, "61.77")
		})
	}
}

// P-7: a good answer is delivered even if something still holds the pipe, and
// what holds it is ended.
func TestP7_HelperForksAndHoldsThePipe(t *testing.T) {
	for _, leave := range []string{"sleep 62.88 & ", "(setsid sleep 62.88 &); ", "setsid sh -c 'sleep 62.88 & sleep 62.88' & ",
		"env -i setsid sleep 62.88 2>/dev/null & ", "(env -i setsid sh -c 'trap \"\" TERM; sleep 62.88' &); "} {
		start := time.Now()
		m := minted(t, helper(t, leave+answer(canary, "")), request())
		if took := time.Since(start); took > 5*time.Second || m.Env[0].Value != canary {
			t.Errorf("%s: %v after %v", leave, m.Env, took)
		}
		noSurvivor(t, "62.88")
	}
}

// A helper does not go on when its hcp is killed.
func TestHelperEndsWithItsCaller(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	scriptIn(t, dir, "touch "+dir+"/started; exec sleep 66.22")
	cmd := exec.Command(self)
	cmd.Env = []string{"BINDING_TEST_CALLER=" + dir}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	within(t, func() bool { return len(running(t, "66.22")) == 1 })
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	within(t, func() bool { return len(running(t, "66.22")) == 0 })
}

func within(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !what(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come to be")
		}
	}
}

// Another user's helper or file is not trusted, whatever its mode.
func TestForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs to give files away")
	}
	h := helper(t, answer(canary, ""))
	os.Chown(h.Entries[0].Command[0], 12345, 12345)
	refused(t, h, reasonUntrusted)
	h = helper(t, answer(canary, ""))
	os.Chown(filepath.Dir(h.Entries[0].Command[0]), 12345, 12345)
	refused(t, h, reasonUntrusted)
	path := filepath.Join(t.TempDir(), "c.json")
	os.WriteFile(path, []byte(`{"token":"`+canary+`"}`), 0o600)
	os.Chown(path, 12345, 12345)
	refused(t, fileHub(path), reasonUntrusted)
	dir := memoryDir(t)
	os.Chown(dir, 12345, 12345)
	if openCache(dir+"/hcp", "k") != nil {
		t.Error("a cache in another's folder")
	}
}

// A real helper: git's own credentials, through a wrapper of three lines. Where
// git knows none it fails at once instead of asking.
func TestGitCredentialFill(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	home := t.TempDir()
	os.WriteFile(home+"/.gitconfig", []byte("[credential]\n\thelper = store\n"), 0o600)
	os.WriteFile(home+"/.git-credentials", []byte("https://anna:"+canary+"@github.com\n"), 0o600)
	h := helper(t, `t=$(printf 'protocol=https\nhost=github.com\n\n' | git credential fill) || exit 1
printf '{"apiVersion":"hcp/v1","kind":"ExecCredential","status":{"fields":{"token":"%s"}}}' "$(printf '%s\n' "$t" | sed -n 's/^password=//p')"`)
	h.Home = home
	if m := minted(t, h, request()); m.Env[0].Value != canary {
		t.Errorf("%v", m)
	}
	os.Remove(home + "/.git-credentials")
	start := time.Now()
	refused(t, h, "helper exit 1")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// A call that is given up ends its helper.
func TestHelperCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	if _, reason := helper(t, "sleep 63.99").Mint(ctx, request()); reason != reasonKilled {
		t.Errorf("reason %q", reason)
	}
	noSurvivor(t, "63.99")
}

// P-7: what is delivered, and nothing else.
func TestP7_HelperAnswer(t *testing.T) {
	r := request()
	r.Deliver = append(r.Deliver, Deliver{Field: "key", File: "key.pem"})
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	m := minted(t, helper(t, `printf '%s' '{"x":1,"apiVersion":"hcp/v1","kind":"ExecCredential","spec":{},"status":{"more":[1],"expirationTimestamp":"`+
		until.Format(time.RFC3339)+`","fields":{"key":"k\u0041","token":"`+canary+`","other":""}}}'; echo note >&2`), r)
	want := Minted{Family: "user", Provider: "exec", Expires: until, Env: []hcp.KeyValue{{Name: "GH_TOKEN", Value: canary}},
		Files: []hcp.CredentialFile{{Name: "key.pem", Value: "kA"}}, Secrets: []hcp.Secret{hcp.NewSecret(canary), hcp.NewSecret("kA")}}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	if minted(t, helper(t, answer(canary, in(2*time.Minute))), request()).Expires.IsZero() {
		t.Error("no expiry")
	}
}

// P-7: what a helper reads, and then the end of it.
func TestP7_HelperRequest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "request")
	minted(t, helper(t, "cat >"+file+"; "+answer("t", "")), request())
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"apiVersion":"hcp/v1","kind":"ExecCredential","spec":{"interactive":false,"pack_id":"gh","verb_key":"pr.list","operation":"read","family":"user","principal":"user:anna","tenant":"local"}}`
	if strings.TrimSuffix(string(got), "\n") != want {
		t.Errorf("request %s", got)
	}
}

// S-4, X-2: a helper's environment is built from nothing; of the caller's it
// has what pass_env names, but none of hcp's own and nothing that would lead it
// elsewhere.
func TestS4_HelperEnvironment(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "SSH_AUTH_SOCK", "HCP_PRINCIPAL", "LD_PRELOAD_X", "BASH_ENV_X", "GIT_CONFIG_COUNT"} {
		t.Setenv(name, canary)
	}
	h := helper(t, "env >"+dir+"/env; pwd >"+dir+"/pwd; ls -l /proc/self/fd >"+dir+"/fd; tty >"+dir+"/tty; "+answer("t", ""))
	h.Home = "/home/anna"
	h.Getenv = func(name string) (string, bool) { return "passed-" + name, name != "UNSET" }
	h.Entries[0].PassEnv = []string{"LANG", "PATH", "HOME", "GIT_TERMINAL_PROMPT", "HCP_PRINCIPAL", "AWS_PROFILE", "UNSET", "AWS_PROFILE", markName}
	leak, err := os.Open("/dev/null") // a file the caller left open
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	minted(t, h, request())
	data, err := os.ReadFile(dir + "/env")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, markName+"=") && !strings.HasPrefix(line, "PWD=") && !strings.HasPrefix(line, "_=") && !strings.HasPrefix(line, "SHLVL=") && !strings.HasPrefix(line, "OLDPWD=") {
			got = append(got, line)
		}
	}
	want := append(fixedEnv(), "HOME=/home/anna", "AWS_PROFILE=passed-AWS_PROFILE")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if pwd, _ := os.ReadFile(dir + "/pwd"); string(pwd) != "/\n" {
		t.Errorf("working directory %q", pwd)
	}
	if tty, _ := os.ReadFile(dir + "/tty"); !strings.HasPrefix(string(tty), "not a tty") {
		t.Errorf("tty says %q", tty)
	}
}

// Only a helper that nobody else can change is started, and probed as such.
func TestHelperTrust(t *testing.T) {
	body := "touch \"$0.ran\"; " + answer(canary, "")
	cases := map[string]struct {
		spoil  func(path string) string
		reason string
	}{
		"good":                  {func(p string) string { return p }, ""},
		"group may write":       {func(p string) string { os.Chmod(p, 0o770); return p }, reasonUntrusted},
		"others may write":      {func(p string) string { os.Chmod(p, 0o702); return p }, reasonUntrusted},
		"folder of all":         {func(p string) string { os.Chmod(filepath.Dir(p), 0o777); return p }, reasonUntrusted},
		"sticky folder of all":  {func(p string) string { os.Chmod(filepath.Dir(p), 0o777|os.ModeSticky); return p }, reasonUntrusted},
		"folder above":          {func(p string) string { os.Chmod(filepath.Dir(filepath.Dir(p)), 0o777); return p }, reasonUntrusted},
		"not there":             {func(p string) string { return p + "x" }, reasonMissing},
		"under a file":          {func(p string) string { return p + "/x" }, reasonMissing},
		"not executable":        {func(p string) string { os.Chmod(p, 0o600); return p }, reasonMissing},
		"a folder":              {filepath.Dir, reasonUntrusted},
		"relative":              {func(p string) string { return "helper" }, reasonMissing},
		"empty":                 {func(p string) string { return "" }, reasonMissing},
		"link":                  {func(p string) string { os.Symlink(p, p+"l"); return p + "l" }, ""},
		"link in a bad folder":  {badLink, reasonUntrusted},
		"link to itself":        {func(p string) string { os.Symlink(p+"l", p+"l"); return p + "l" }, reasonUntrusted},
		"no program":            {func(p string) string { os.WriteFile(p, []byte{0x7f, 'E', 'L', 'F', 0}, 0o700); return p }, reasonMissing},
		"interpreter not there": {func(p string) string { os.WriteFile(p, []byte("#!/no/such\n"), 0o700); return p }, reasonMissing},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			os.Mkdir(dir+"/up", 0o755)
			os.Mkdir(dir+"/up/bin", 0o755)
			path := c.spoil(scriptIn(t, dir+"/up/bin", body))
			h := hub(Entry{Provider: "exec", Command: []string{path}})
			if _, reason := h.Mint(context.Background(), request()); reason != c.reason {
				t.Errorf("reason %q, want %q", reason, c.reason)
			}
			if _, err := os.Stat(dir + "/up/bin/helper.ran"); c.reason != "" && err == nil {
				t.Error("it ran")
			}
			starts := name == "no program" || name == "interpreter not there" // only starting it tells
			if got := h.Probe(request()); got != c.reason && !starts {
				t.Errorf("probe says %q", got)
			}
		})
	}
}

func badLink(p string) string {
	dir := filepath.Join(filepath.Dir(p), "open")
	os.Mkdir(dir, 0o755)
	os.Chmod(dir, 0o777)
	os.Symlink(p, dir+"/l")
	return dir + "/l"
}

// a health command is given only what expires, and runs without one
// otherwise; nothing long-lived is even read for it.
func TestX4_HealthCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.json")
	os.WriteFile(file, []byte(`{"token":"`+canary+`"}`), 0o600)
	cases := map[string]struct {
		hub  Hub
		gets string
	}{
		"nothing configured": {Hub{}, ""},
		"expires":            {helper(t, answer(canary, in(time.Hour))), canary},
		"does not expire":    {helper(t, answer(canary, "")), ""},
		"expires too soon":   {helper(t, answer(canary, in(time.Second))), ""},
		"fails":              {helper(t, "exit 1"), ""},
		"not there":          {hub(Entry{Provider: "exec", Command: []string{"/no/such"}}), ""},
		"file":               {hub(Entry{Provider: "file", Path: file}), ""},
		"keyring":            {hub(Entry{Provider: "keyring", Service: "s", Account: "a"}), ""},
	}
	for name, c := range cases {
		for _, verb := range []string{"doctor", "status", "repo.status"} {
			r := request()
			r.Verb = verb
			m, reason := c.hub.Mint(context.Background(), r)
			got := ""
			for _, kv := range m.Env {
				got += kv.Value
			}
			if reason != "" || got != c.gets || m.Family != "user" || (m.Provider == "") != (got == "") || c.hub.Probe(r) != "" {
				t.Errorf("%s, %s: %v, %q", name, verb, m, reason)
			}
		}
	}
}
