package config

import (
	"errors"
	"io/fs"
	"strconv"
	"time"

	"hcp/internal/hcp"
)

// DefaultMin is the weakest driver that is accepted when no file says
// sandbox.min (sandbox.md). A machine that cannot meet it refuses every call,
// until its owner writes a lower one.
const DefaultMin = DriverLandlock

// Sandbox drivers, and the word that leaves the choice to the machine.
const (
	DriverAuto     = "auto"
	DriverNS       = "ns"
	DriverLandlock = "landlock"
	DriverProcess  = "process"
)

// What a child may reach of the network.
const (
	NetworkNone = "none"
	NetworkHost = "host"
)

// Binding providers.
const (
	ProviderExec    = "exec"
	ProviderFile    = "file"
	ProviderKeyring = "keyring"
)

// Words of [audit]: what follows when a record cannot be written, and which
// records are forced to the disk.
const (
	OnFailureDeny       = "deny"
	OnFailureDenyWrites = "deny-writes"
	SyncAlways          = "always"
	SyncWrites          = "writes"
	SyncNever           = "never"
)

// Config is what both layers together say. Every field is set, defaults too;
// only Load makes one that may be acted on.
type Config struct {
	Principal  hcp.Principal    // the owner; Owner is true
	Principals []TokenPrincipal // the others, ids and hashes unique; nil: none
	Grants     []hcp.Grant      // in the file's order, expired ones too; nil: none
	Denies     []hcp.Deny       // of both layers, managed first; nil: none

	// HasGrants tells whether a [[grants]] is written anywhere, expired or not.
	// Without one the owner has an implicit read (formats.md).
	HasGrants bool

	// NativeLocal is the double opt-in (S-1): true only when [harness] says both
	// sandbox = false and native_local = true and no managed layer is against it.
	NativeLocal bool

	Sandbox  Sandbox
	Packs    map[string]PackConfig // by pack_id; nil: none
	Bindings []Binding             // in the file's order; nil: none
	Audit    Audit
}

// TokenPrincipal is a Principal who proves itself by a token (trust.md).
type TokenPrincipal struct {
	hcp.Principal          // Owner is false
	TokenSHA256   [32]byte // of the token's bytes; compare in constant time
}

// Sandbox is [sandbox], the stronger minimum of both layers put in.
type Sandbox struct {
	Min           string            // DriverNS, DriverLandlock or DriverProcess
	Driver        string            // DriverAuto, or a driver not weaker than Min
	Allow         []string          // clean absolute paths of further bins; nil: none
	Timeout       time.Duration     // of a call, more than 0
	MaxOutput     int64             // bytes of stdout and stderr together, more than 0
	ArgumentGuard bool              // refuse a value that would be read as a flag
	Network       map[string]string // by Binding family, all four present
}

// PackConfig is one [packs.<id>]. Its zero value is a pack without a table.
type PackConfig struct {
	Network            string         // NetworkNone or NetworkHost; "": by family
	Timeout            time.Duration  // 0: the sandbox's
	Read               []string       // further readable absolute paths; nil: none
	Sockets            []string       // unix sockets the child may reach, ns only; nil: none
	Path               []string       // absolute folders searched at activation; nil: the caller's PATH
	Env                []hcp.KeyValue // set for the pack's child, such as a git identity; sorted by name
	ProjectGitWritable bool           // the landlock driver may let a project write touch .git
}

// Binding is one [[bindings]]: where a credential comes from (trust.md). Only
// the fields of its Provider are set.
type Binding struct {
	Pack      string
	Family    string // hcp.FamilyUser or hcp.FamilyMothership
	Principal string // exact; "": every principal
	Provider  string // ProviderExec, ProviderFile or ProviderKeyring
	MinTTL    time.Duration
	Timeout   time.Duration // exec: of the helper
	Command   []string      // exec: argv, its first element absolute
	PassEnv   []string      // exec: names of the caller's variables; nil: none
	Path      string        // file: absolute
	Service   string        // keyring
	Account   string        // keyring
	Where     string        // "<path>:<line>"
}

// Audit is [audit].
type Audit struct {
	OnFailure  string // OnFailureDeny or OnFailureDenyWrites
	Sync       string // SyncAlways, SyncWrites or SyncNever
	MaxSegment int64  // bytes, at least 4 KiB
}

// Network is what a child of this pack and Binding family may reach. A family
// that is not known reaches nothing.
func (c *Config) Network(pack, family string) string {
	if n := c.Packs[pack].Network; n != "" {
		return n
	}
	if family == "" {
		family = hcp.FamilyPublic
	}
	if n := c.Sandbox.Network[family]; n != "" {
		return n
	}
	return NetworkNone
}

// Timeout is how long a call of this pack may take by the configuration; a
// command's own timeout is the manifest's.
func (c *Config) Timeout(pack string) time.Duration {
	if t := c.Packs[pack].Timeout; t > 0 {
		return t
	}
	return c.Sandbox.Timeout
}

// Error is a configuration that is not to be acted on. Its text is what follows
// "denied: config: ": "<path>:<line>: <what>", or "<path>: <what>" when it is
// about the file as a whole.
type Error struct {
	Path string
	Line int // from 1; 0: the whole file
	What string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return printable(e.Path) + ": " + e.What
	}
	return where(e.Path, e.Line) + ": " + e.What
}

func where(path string, line int) string { return printable(path) + ":" + strconv.Itoa(line) }

// printable keeps odd bytes of a path visible and on one line, at full length.
func printable(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// fileError gives a fault of reading or writing path our form.
func fileError(path string, err error) error {
	var te *hcp.TrustError
	if errors.As(err, &te) {
		return &Error{Path: te.Path, What: te.Why}
	}
	return &Error{Path: path, What: hcp.Reason(err)}
}

// maxConfig is the largest configuration file that is read, in bytes.
const maxConfig = 1 << 20

// Load reads both layers. A missing hcp.toml gives the defaults, a missing
// managed file no layer; anything else that is wrong with either is an error,
// and its text is what follows "denied: config: ". osUser names the owner when
// the file does not.
func Load(p Places, osUser string) (*Config, error) {
	m, err := loadManaged(p)
	if err != nil {
		return nil, err
	}
	// The pin comes first: nothing is read of a store that is not the pinned one.
	if err := m.checkStore(p); err != nil {
		return nil, err
	}
	text, err := readConfig(p.ConfigFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return build(p, osUser, m, text)
}

// readConfig gives the file's text; a missing file is fs.ErrNotExist, any other
// error an *Error.
func readConfig(path string) (string, error) {
	data, err := hcp.ReadTrusted(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err != nil {
		return "", fileError(path, err)
	}
	return string(data), nil
}

// build makes the Config of a managed layer and the text of an hcp.toml.
func build(p Places, osUser string, m *managed, text string) (*Config, error) {
	l, err := parseLayer(p.ConfigFile, text)
	if err != nil {
		return nil, err
	}
	c := defaults(osUser)
	readUser(l, c)
	m.tighten(l, c)
	if err := l.err(); err != nil {
		return nil, err
	}
	if c.NativeLocal && m.forbidsNative() {
		return nil, errors.New("native-local is forbidden by " + printable(m.path))
	}
	fillWhere(l, c)
	c.Denies = append(m.denies, c.Denies...)
	return c, nil
}

func defaults(osUser string) *Config {
	return &Config{
		Principal: hcp.Principal{ID: ownerID(osUser), Tenant: defaultTenant, Owner: true},
		Sandbox: Sandbox{
			Min:           DefaultMin,
			Driver:        DriverAuto,
			Timeout:       2 * time.Minute,
			MaxOutput:     8 << 20,
			ArgumentGuard: true,
			Network: map[string]string{
				hcp.FamilyPublic:     NetworkHost,
				hcp.FamilyLocal:      NetworkNone,
				hcp.FamilyUser:       NetworkHost,
				hcp.FamilyMothership: NetworkHost,
			},
		},
		Audit: Audit{OnFailure: OnFailureDeny, Sync: SyncWrites, MaxSegment: 16 << 20},
	}
}

const defaultTenant = "local"

// ownerID makes a valid principal of an operating system's user name: ids are
// lower case, and a domain's backslash or a dot becomes a dash.
func ownerID(osUser string) string {
	var b []byte
	for i := 0; i < len(osUser) && len(b) < 64; i++ {
		c := osUser[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case (c < 'a' || c > 'z') && (c < '0' || c > '9'):
			c = '-'
		}
		if c != '-' || len(b) > 0 {
			b = append(b, c)
		}
	}
	if len(b) == 0 {
		return "user:user"
	}
	return "user:" + string(b)
}
