package sandbox

import (
	"path/filepath"
	"strconv"
	"strings"

	"hcp/internal/hcp"
)

// fixedPath is the child's PATH: no shim folder, nothing of the caller's.
const fixedPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// checkEnv refuses names that would load code or speak for hcp (sandbox.md).
func checkEnv(s *Spec) *hcp.Denial {
	for _, kv := range s.AgentEnv {
		if ForbiddenSetting(kv.Name, kv.Value) {
			return mayNotSet("agent_env", kv.Name)
		}
	}
	for _, kv := range s.BindingEnv {
		if kv.Name == "HCP_BINDING" && kv.Value == hcp.FamilyMock {
			continue // the mock Binding's own mark (trust.md)
		}
		if ForbiddenSetting(kv.Name, kv.Value) {
			return mayNotSet("agent_env", kv.Name)
		}
	}
	for _, kv := range s.BindingFiles {
		if kv.Name == "" || kv.Name == "." || kv.Name == ".." || strings.ContainsAny(kv.Name, "/\x00") {
			return hcp.SandboxDenied("credential file name %s", hcp.Quote(kv.Name))
		}
		if kv.Env != "" && ForbiddenSetting(kv.Env, "") {
			return mayNotSet("agent_env", kv.Env)
		}
	}
	if s.Mode == ModeWorkspace {
		for _, name := range s.HomeEnv {
			if ForbiddenEnv(name) {
				return mayNotSet("home_env", name)
			}
		}
	}
	return nil
}

func mayNotSet(who, name string) *hcp.Denial {
	if !validEnvName(name) {
		name = hcp.Quote(name)
	}
	return hcp.SandboxDenied("%s may not set %s", who, name)
}

// environ is an environment in which each name stands once.
type environ []string

func (e *environ) set(name, value string) {
	for i, kv := range *e {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			(*e)[i] = name + "=" + value
			return
		}
	}
	*e = append(*e, name+"="+value)
}

// childEnv builds the child's environment from nothing (S-4, S-5, R-10). What
// points into the jail is set last: no manifest can move HOME elsewhere.
func childEnv(s *Spec, d dirs) []string {
	e := make(environ, 0, 32)
	e.set("PATH", fixedPath)
	e.set("HOME", d.home)
	e.set("USER", saneUser(s.Base.User))
	e.set("TMPDIR", d.tmp)
	e.set("XDG_CONFIG_HOME", filepath.Join(d.home, ".config"))
	e.set("XDG_CACHE_HOME", filepath.Join(d.home, ".cache"))
	e.set("XDG_DATA_HOME", filepath.Join(d.home, ".local/share"))
	e.set("XDG_STATE_HOME", filepath.Join(d.home, ".local/state"))
	e.set("XDG_RUNTIME_DIR", d.tmp)
	setLocale(&e, s.Base.Getenv)
	if !s.StdoutTerminal {
		for _, kv := range [...][2]string{{"NO_COLOR", "1"}, {"PAGER", "cat"}, {"GIT_PAGER", "cat"}, {"MANPAGER", "cat"}} {
			e.set(kv[0], kv[1])
		}
	}
	e.set("GIT_TERMINAL_PROMPT", "0")
	e.set("GIT_CONFIG_NOSYSTEM", "1")
	for _, list := range [...][]hcp.KeyValue{s.AgentEnv, s.BindingEnv} {
		for _, kv := range list {
			e.set(kv.Name, kv.Value)
		}
	}
	for _, f := range s.BindingFiles {
		if f.Env != "" {
			e.set(f.Env, filepath.Join(d.cred, f.Name))
		}
	}
	e.set("HOME", d.home)
	if s.Mode == ModeWorkspace {
		for _, name := range s.HomeEnv {
			e.set(name, d.home)
		}
	}
	if d.cred != "" {
		e.set("CREDENTIALS_DIRECTORY", d.cred)
	}
	e.set("HCP_SANDBOX", sandboxWord(s.Native))
	e.set("HCP_DEPTH", strconv.Itoa(s.Depth+1))
	return e
}

// trustProject tells git that the caller's project may be worked in although
// another user may own it: behind the walls, files of others look foreign. It
// names that one folder; the manifest cannot (sandbox.md, GIT_CONFIG_*). A
// program that .git/config names to watch files is not started for that trust.
func trustProject(root string) []string {
	return []string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=" + root,
		"GIT_CONFIG_KEY_1=core.fsmonitor", "GIT_CONFIG_VALUE_1=false"}
}

func sandboxWord(native bool) string {
	if native {
		return nativeName
	}
	return "sandbox"
}

func saneUser(name string) string {
	if name == "" || name[0] == '-' || !only(name, "._-$@") {
		return "user"
	}
	return name
}

// setLocale takes over what says how to talk to a person, if it cannot name a
// file: LANG and TERM with a slash, or TZ with a path, make libraries open it.
// What the caller has not set stays unset: a locale costs every child a dozen
// files to open.
func setLocale(e *environ, getenv func(string) string) {
	if getenv == nil {
		return
	}
	for _, name := range [...]string{"LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY",
		"LC_PAPER", "LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"} {
		if v := getenv(name); v != "" && only(v, "._@-") {
			e.set(name, v)
		}
	}
	if v := getenv("TERM"); v != "" && only(v, "._+-") {
		e.set("TERM", v)
	}
	if v := getenv("TZ"); v != "" && v[0] != '/' && !strings.Contains(v, "..") && only(v, "/_+-,.<>") {
		e.set("TZ", v)
	}
}

// only tells whether s is short and made of ASCII letters, digits and extra.
func only(s, extra string) bool {
	if len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte(extra, c) < 0 {
			return false
		}
	}
	return true
}
