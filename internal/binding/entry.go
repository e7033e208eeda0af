package binding

import (
	"time"

	"hcp/internal/hcp"
)

// What can stand as an Entry's Provider.
const (
	providerExec    = "exec"
	providerFile    = "file"
	providerKeyring = "keyring"
)

const (
	defaultTimeout = 10 * time.Second // of a helper
	maxCredential  = 64 << 10         // bytes of a helper's answer, a credential file or a keyring's secret
	maxDepth       = 8                // of the JSON in them
)

// Entry is one [[bindings]]: where a credential comes from (trust.md). Only the
// fields of its Provider are looked at. The zero Entry fits no request.
type Entry struct {
	Pack      string
	Family    string
	Principal string        // exact; "": every principal
	Provider  string        // exec, file or keyring
	MinTTL    time.Duration // what must be left of an expiring credential; 0: anything
	Timeout   time.Duration // exec: of the helper; 0: 10 s
	Command   []string      // exec: argv, its first element an absolute path
	PassEnv   []string      // exec: names of the caller's variables that the helper gets
	Path      string        // file: absolute
	Service   string        // keyring
	Account   string        // keyring

	toolDirs []string // where the keyring's tool is; nil: where the platform has it
}

// entry picks the one for a request: (principal if named, pack, family). One
// that names the principal comes before one for everybody.
func (h Hub) entry(r Request) (found Entry, ok bool) {
	for _, e := range h.Entries {
		if e.Pack != r.Pack || e.Family != r.family() || e.Family == "" {
			continue
		}
		if e.Principal != "" && e.Principal == r.Principal.ID {
			return e, true
		}
		if e.Principal == "" && !ok {
			found, ok = e, true
		}
	}
	return found, ok
}

// Provider names who Mint would ask for a request; "" when nobody is to be asked.
func (h Hub) Provider(r Request) string {
	if r.Mock {
		return hcp.FamilyMock
	}
	e, _ := h.entry(r)
	return e.Provider
}

// expiring tells whether the provider can give a credential that expires.
func (e Entry) expiring() bool { return e.Provider == providerExec }

func (e Entry) timeout() time.Duration {
	if e.Timeout <= 0 {
		return defaultTimeout
	}
	return e.Timeout
}

// probe only looks at files: the helper, the credential file, the keyring's
// tool. It tells what Mint would say of them.
func (e Entry) probe() string {
	switch e.Provider {
	case providerExec:
		_, reason := trustedHelper(e.Command)
		return reason
	case providerFile:
		f, reason := openCredential(e.Path)
		if reason == "" {
			f.Close()
		}
		return reason
	case providerKeyring:
		_, reason := e.tool()
		return reason
	}
	return reasonNone
}

// credential is what a provider gave: values by field, and when they end.
type credential struct {
	fields  map[string]string
	expires time.Time // zero: not known to expire
}

// field takes the value that one delivery asks for. A helper that answers with
// an empty secret has failed, whatever its exit code says.
func (c credential) field(d Deliver) (value, reason string) {
	value, ok := c.fields[d.Field]
	name := hcp.Printable(d.Field, "")
	switch {
	case !ok:
		return "", "missing field " + name
	case value == "":
		return "", "empty field " + name
	case d.File == "" && unclean(value):
		return "", reasonResponse // no variable of a protocol made of lines may hold one
	}
	return value, ""
}

// ends judges a credential's expiry: "" when enough of it is left.
func (c credential) ends(now time.Time, minTTL time.Duration) string {
	switch left := c.expires.Sub(now); {
	case c.expires.IsZero():
		return ""
	case left <= 0:
		return reasonExpired
	case left < minTTL:
		return reasonSoon
	}
	return ""
}

// unclean finds what turns one value into two for a reader of lines
// (CVE-2020-5260, CVE-2024-52006), and what ends a C string.
func unclean(value string) bool {
	for i := 0; i < len(value); i++ {
		if c := value[i]; c == 0 || c == '\r' || c == '\n' {
			return true
		}
	}
	return false
}

// fieldsOf reads a JSON object whose members are all strings.
func fieldsOf(v hcp.Value) (map[string]string, bool) {
	if v.Kind != hcp.Object {
		return nil, false
	}
	fields := make(map[string]string, len(v.Members))
	for _, m := range v.Members {
		if m.Value.Kind != hcp.String {
			return nil, false
		}
		fields[m.Name] = m.Value.Text
	}
	return fields, true
}
