package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"hcp/internal/hcp"
)

// loaders are variables that make some program run other code, or hold what
// must not reach a child.
var loaders = []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PS4", "SHELLOPTS",
	"BASHOPTS", "IFS", "CDPATH", "GLOBIGNORE", "PROMPT_COMMAND", "BASH_FUNC_ls%%", "ZDOTDIR", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME",
	"PYTHONINSPECT", "PYTHONWARNINGS", "PERL5OPT", "PERL5LIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "NODE_OPTIONS", "NODE_PATH",
	"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0",
	"GIT_CONFIG_GLOBAL", "GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_TEMPLATE_DIR", "GCONV_PATH", "LOCPATH", "NLSPATH",
	"HOSTALIASES", "RES_OPTIONS", "TERMINFO", "TERMCAP", "MALLOC_TRACE", "RIPGREP_CONFIG_PATH", "LESSOPEN", "LUA_INIT", "LUA_INIT_5_4",
	"OPENSSL_CONF", "DOTNET_STARTUP_HOOKS", "npm_config_node_options", "MAKEFLAGS", "RUSTC_WRAPPER", "VIMINIT", "PATH", "HCP_SANDBOX",
	"HCP_DEPTH", "HCP_HOME", "HCP_PRINCIPAL"}

// S-4, S-5: everything set in the parent, nothing of it in the child.
func TestS4_EnvironmentFromNothing(t *testing.T) {
	dir := base(t)
	cmd := runnerCmd(dir, "env")
	cmd.Env = []string{"LANG=de_DE.UTF-8", "LC_TIME=C", "LC_ALL=../../evil", "TZ=Europe/Berlin", "TERM=xterm-256color", "AWS_SECRET_ACCESS_KEY=x",
		"SSH_AUTH_SOCK=/run/agent", "HOME=/real/home", "HCP_MOCK=1", "MOCK=1", "PAGER=/tmp/evil", "EDITOR=vim -- /etc/passwd", "USER=root2"}
	for _, name := range loaders {
		// A broken loader variable would keep the test binary from starting.
		if !strings.HasPrefix(name, "LD_") {
			cmd.Env = append(cmd.Env, name+"=/tmp/evil")
		}
	}
	cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH=/nowhere")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, string(out))
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		names = append(names, name)
		want := map[string]string{"PATH": fixedPath, "USER": "anna", "LANG": "de_DE.UTF-8", "LC_TIME": "C", "TZ": "Europe/Berlin", "TERM": "xterm-256color",
			"HCP_SANDBOX": "sandbox", "HCP_DEPTH": "1", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat",
			"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}[name]
		if want != "" && value != want {
			t.Errorf("%s=%q, want %q", name, value, want)
		}
		if want == "" && name != "PWD" && !strings.HasPrefix(value, filepath.Join(dir, "jails", "call-")) {
			t.Errorf("%s=%q is not in the jail", name, value)
		}
	}
	sort.Strings(names)
	names = slices.DeleteFunc(names, func(n string) bool { return n == "PWD" || n == "_" || n == "SHLVL" || n == "OLDPWD" }) // the shell's own
	want := strings.Fields("GIT_CONFIG_NOSYSTEM GIT_PAGER GIT_TERMINAL_PROMPT HCP_DEPTH HCP_SANDBOX HOME LANG LC_TIME MANPAGER NO_COLOR PAGER PATH TERM TMPDIR TZ USER XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME")
	if !slices.Equal(names, want) {
		t.Errorf("got  %v\nwant %v", names, want)
	}
}

// The private folders are there, empty and private, in every mode.
func TestPrivateFolders(t *testing.T) {
	for _, m := range []string{ModeNone, ModeEphemeral, ModeProject} {
		r := sh(t, base(t), `for d in "$HOME" "$TMPDIR" "$XDG_RUNTIME_DIR"; do ls -A "$d"; stat -c %a "$d"; done; mktemp >/dev/null`, func(s *Spec) {
			s.Mode = m
			s.BindingFiles = []hcp.CredentialFile{{Name: "token", Value: "s3cret"}}
		})
		if r.out != "700\n700\n700\n" || r.Exit != 0 {
			t.Errorf("%s: %q %q %v", m, r.out, r.err, r.Denied)
		}
		r = sh(t, base(t), `ls -A "$HOME"; stat -c %a "$HOME" "$TMPDIR"`, mode(m))
		if r.out != "700\n700\n" {
			t.Errorf("%s, no credentials: %q", m, r.out)
		}
	}
}

//
func TestR10_Merge(t *testing.T) {
	dir := base(t)
	ws := baseSpec(dir).Workspace
	r := sh(t, dir, `echo "$HOME|$LEDGER_HOME|$COLOR|$TOKEN|$LANG|$HCP_DEPTH"; env | grep -c ^COLOR=`, func(s *Spec) {
		s.Mode, s.HomeEnv, s.Depth = ModeWorkspace, []string{"HOME", "LEDGER_HOME"}, 3
		s.AgentEnv = []hcp.KeyValue{{Name: "COLOR", Value: "0"}, {Name: "HOME", Value: "/root"}, {Name: "LEDGER_HOME", Value: "/x"}, {Name: "LANG", Value: "C"}, {Name: "TOKEN", Value: "manifest"}}
		s.BindingEnv = []hcp.KeyValue{{Name: "TOKEN", Value: "minted"}, {Name: "COLOR", Value: "1"}}
	})
	if want := ws + "|" + ws + "|1|minted|C|4\n1\n"; r.out != want {
		t.Errorf("got %q want %q (%v)", r.out, want, r.Denied)
	}
	r = sh(t, dir, `echo "$NO_COLOR|$PAGER|$HCP_BINDING"`, func(s *Spec) {
		s.StdoutTerminal = true
		s.BindingEnv = []hcp.KeyValue{{Name: "HCP_BINDING", Value: "mock"}}
	})
	if r.out != "||mock\n" {
		t.Errorf("on a terminal, mock: %q %v", r.out, r.Denied)
	}
}

func TestForbiddenEnv(t *testing.T) {
	dir := base(t)
	refused := func(what, name, want string, change func(*Spec)) {
		t.Helper()
		r := sh(t, dir, ":", change)
		denied(t, r.Denied, want)
		if r.Ran {
			t.Errorf("%s: ran with %s", what, name)
		}
	}
	for _, name := range loaders {
		if !ForbiddenEnv(name) {
			t.Errorf("%s is allowed", name)
		}
		shown := name
		if strings.Contains(name, "%") {
			shown = hcp.Quote(name)
		}
		kv := []hcp.KeyValue{{Name: name, Value: "x"}}
		refused("agent_env", name, "sandbox: agent_env may not set "+shown, func(s *Spec) { s.AgentEnv = kv })
		refused("binding", name, "sandbox: agent_env may not set "+shown, func(s *Spec) { s.BindingEnv = kv })
	}
	refused("home_env", "PATH", "sandbox: home_env may not set PATH", func(s *Spec) { s.Mode, s.HomeEnv = ModeWorkspace, []string{"PATH"} })
	refused("mock in agent_env", "HCP_BINDING", "sandbox: agent_env may not set HCP_BINDING", func(s *Spec) { s.AgentEnv = []hcp.KeyValue{{Name: "HCP_BINDING", Value: "mock"}} })
	for _, bad := range [][2]string{{"", "x"}, {"A=B", "x"}, {"a b", "x"}, {"1A", "x"}, {"A\n", "x"}, {"É", "x"}, {"X", "() { :;}; id"}, {"X", "a\x00b"},
		{"PAGER", "/tmp/evil"}, {"GH_PAGER", "less; id"}, {"EDITOR", "vim -- /etc/passwd"}, {"GIT_ASKPASS", "./x"}, {"GIT_PAGER", "$(id)"}} {
		if !ForbiddenSetting(bad[0], bad[1]) {
			t.Errorf("%q=%q is allowed", bad[0], bad[1])
		}
	}
	for _, good := range [][2]string{{"PAGER", "cat"}, {"PAGER", ""}, {"LEDGER_COLOR", "0"}, {"GH_TOKEN", "a/b+c="}, {"PYTHONUNBUFFERED", "1"}, {"HTTPS_PROXY", "http://h:1"}, {"EDITOR", "true"}, {"_X1", "(y)"}} {
		if ForbiddenSetting(good[0], good[1]) {
			t.Errorf("%q=%q is refused", good[0], good[1])
		}
	}
}

// Credential files: 0400, in a folder of their own, gone afterwards.
func TestCredentialFiles(t *testing.T) {
	r := sh(t, base(t), `cd "$CREDENTIALS_DIRECTORY" && ls && stat -c %a token && cat token && pwd`, func(s *Spec) {
		s.BindingFiles = []hcp.CredentialFile{{Name: "token", Value: "s3cret\n"}}
		s.AgentEnv = []hcp.KeyValue{{Name: "CREDENTIALS_DIRECTORY", Value: "/tmp"}}
	})
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if len(lines) != 4 || lines[0] != "token" || lines[1] != "400" || lines[2] != "s3cret" {
		t.Fatalf("%q %q", r.out, r.err)
	}
	if _, err := os.Stat(lines[3]); !os.IsNotExist(err) {
		t.Errorf("credentials outlive the call: %v", err)
	}
	for _, name := range []string{"", ".", "..", "a/b", "../x"} {
		r := sh(t, base(t), ":", func(s *Spec) { s.BindingFiles = []hcp.CredentialFile{{Name: name, Value: "x"}} })
		if r.Ran || r.Denied == nil {
			t.Errorf("file name %q: %+v", name, r.Outcome)
		}
	}
}

func TestLocaleIsSane(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"TERM", "../../x", ""}, {"TERM", "xterm\x1b[2J", ""}, {"TERM", strings.Repeat("x", 65), ""}, {"TERM", "screen.linux", "screen.linux"},
		{"TZ", "/etc/passwd", ""}, {"TZ", "../../etc/passwd", ""}, {"TZ", ":/x", ""}, {"TZ", "CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3"},
		{"LANG", "/tmp/evil", ""}, {"LANG", "", ""}, {"LANG", "de_DE@euro", "de_DE@euro"}, {"LC_ALL", "x/y", ""},
	} {
		env := childEnv(&Spec{Base: Base{Getenv: func(n string) string {
			if n == c.name {
				return c.value
			}
			return ""
		}}}, dirs{})
		got := ""
		for _, kv := range env {
			if v, ok := strings.CutPrefix(kv, c.name+"="); ok {
				got = v
			}
		}
		if got != c.want {
			t.Errorf("%s=%q gives %q, want %q", c.name, c.value, got, c.want)
		}
	}
	for in, want := range map[string]string{"": "user", "anna": "anna", "-x": "user", "a b": "user", "a\nb": "user", "svc.x-1$": "svc.x-1$"} {
		if got := saneUser(in); got != want {
			t.Errorf("user %q gives %q", in, got)
		}
	}
}

func TestDepth(t *testing.T) {
	for in, want := range map[string]int{"0": 0, "1": 1, "7": 7, "007": 7} {
		if n, ok := Depth(in, true); n != want || !ok {
			t.Errorf("%q: %d %v", in, n, ok)
		}
	}
	for _, in := range []string{"", "8", "-1", "+1", "x", "1 ", "99999999999999999999", "0x1"} {
		if _, ok := Depth(in, true); ok {
			t.Errorf("%q is accepted", in)
		}
	}
	if n, ok := Depth("rubbish", false); n != 0 || !ok {
		t.Error("absent is not 0")
	}
}
