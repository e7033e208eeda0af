package binding

import (
	"bytes"
	"context"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"hcp/internal/hcp"
)

const (
	keyringTimeout = 3 * time.Second  // for a look-up: a silent D-Bus hangs for ever
	storeTimeout   = 60 * time.Second // for storing: the keyring may ask the person to unlock it
)

// keyringDirs are where the platform's own tool is; the caller's PATH is not
// asked.
func keyringDirs() []string {
	return []string{"/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin"}
}

func keyringName() string {
	if runtime.GOOS == "darwin" {
		return "security"
	}
	return "secret-tool"
}

// tool finds the keyring's tool.
func (e Entry) tool() (path, reason string) {
	dirs := e.toolDirs
	if dirs == nil {
		dirs = keyringDirs()
	}
	for _, dir := range dirs {
		if path, reason = trustedHelper([]string{filepath.Join(dir, keyringName())}); reason != reasonMissing {
			return path, reason
		}
	}
	return "", reasonMissing
}

// keyringEnv names the user's own bus by its fixed place: an address that the
// caller brings along could lead to a keyring of the caller's making.
func keyringEnv() []string {
	uid := strconv.Itoa(os.Geteuid())
	env := append(fixedEnv(), "XDG_RUNTIME_DIR=/run/user/"+uid, "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/"+uid+"/bus")
	if u, err := user.LookupId(uid); err == nil {
		env = append(env, "HOME="+u.HomeDir)
	}
	return env
}

// keyringArgs are the tool's arguments after its name. No value is among them.
func keyringArgs(goos, what string, e Entry) []string {
	if goos == "darwin" {
		switch what {
		case "lookup":
			return []string{"find-generic-password", "-s", e.Service, "-a", e.Account, "-w"}
		case "clear":
			return []string{"delete-generic-password", "-s", e.Service, "-a", e.Account}
		}
		return []string{"-i"}
	}
	attributes := []string{"service", e.Service, "account", e.Account}
	if what == "store" {
		return append([]string{what, "--label=" + e.Service}, attributes...)
	}
	return append([]string{what}, attributes...)
}

func (e Entry) keyring(ctx context.Context, what string, stdin []byte, timeout time.Duration) ([]byte, string) {
	if !label(e.Service) || !label(e.Account) {
		return nil, reasonNone
	}
	path, reason := e.tool()
	if reason != "" {
		return nil, reason
	}
	p := program{path: path, argv: append([]string{path}, keyringArgs(runtime.GOOS, what, e)...),
		env: keyringEnv(), stdin: stdin, timeout: timeout}
	return p.run(ctx)
}

// label: a word that no tool takes for a flag, and no quoting changes.
func label(s string) bool {
	if s == "" || s[0] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			return false
		}
	}
	return true
}

// lookup is the provider keyring. The secret is a JSON object of fields, or the
// bare value of the only field that the pack takes.
func (e Entry) lookup(ctx context.Context, r Request) (credential, string) {
	out, reason := e.keyring(ctx, "lookup", nil, keyringTimeout)
	if reason != "" {
		return credential{}, reason
	}
	out = bytes.TrimSuffix(out, []byte("\n"))
	if len(out) > 0 && out[0] == '{' {
		if v, err := hcp.ParseJSON(out, maxDepth); err == nil {
			fields, ok := fieldsOf(v)
			if !ok {
				return credential{}, reasonResponse
			}
			return credential{fields: fields}, ""
		}
		return credential{}, reasonResponse
	}
	name, ok := onlyField(r.Deliver)
	if !ok || len(out) == 0 {
		return credential{}, reasonResponse
	}
	return credential{fields: map[string]string{name: string(out)}}, ""
}

func onlyField(list []Deliver) (string, bool) {
	name := ""
	for _, d := range list {
		if name != "" && d.Field != name {
			return "", false
		}
		name = d.Field
	}
	return name, name != ""
}
