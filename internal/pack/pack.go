package pack

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hcp/internal/hcp"
)

// Names of the two files that make a pack, and how large each may be.
const (
	SurfaceFile = "surface.json"
	PolicyFile  = "policy.json"
	MaxFile     = 1 << 20 // bytes
)

// Kinds of pack that this runtime can execute; others load and are refused at
// step 8.
const (
	KindWrap      = "wrap"
	KindComposite = "composite"
)

// BuiltinID is the pack that is part of the binary and never installed.
const BuiltinID = "hcp-cli"

// Workspace modes.
const (
	ModeNone      = "none"
	ModeEphemeral = "ephemeral"
	ModeWorkspace = "workspace"
	ModeProject   = "project"
)

// Pack is one loaded pack. It is read-only and may be shared by goroutines.
type Pack struct {
	ID          string
	Version     string // "": none given
	Kind        string // KindWrap, KindComposite or a kind we do not execute
	Description string
	Root        string // the folder it came from; "" for a built-in pack
	Digest      string // hex sha256 of surface.json and policy.json
	Wrap        Wrap
	Binding     Binding
	Commands    []Command // in the manifest's order
	Surface     hcp.Value // the whole manifest, for what lists unknown fields
	Policy      hcp.Value // the whole policy file; Missing when there is none

	rows  []namedRow
	index func() *index // compiles every template, once
}

// Wrap says how the pack's program is called (§6.4).
type Wrap struct {
	Bin          string
	ArgvTemplate []string // for commands without cli[]; nil means ["{{verb}}"]
	JSONFlag     []string // nil: not declared, so "--json"; empty: append nothing
	Workspace    Workspace
	AgentEnv     []hcp.KeyValue // in the manifest's order
}

// Workspace says where the program works. Load fills in the defaults.
type Workspace struct {
	Mode      string
	HomeEnv   []string // variables that point at the jail
	FileFlags []string // flags whose values are files
}

// Binding says what credentials the pack needs and how its program takes them
// (formats.md).
type Binding struct {
	Family  string // FamilyPublic when not declared
	Deliver []Deliver
}

// Deliver hands one credential field over: in the variable Env, as the file File,
// or as that file with its path in the variable.
type Deliver struct{ Field, Env, File string }

// Command is one named operation.
type Command struct {
	Key         string // verb_key
	Description string
	CLI         []string // nil: not declared, so wrap.argv_template
	Args        *Schema  // nil: not declared, so the placeholders, all optional
	JSONFlag    []string // nil: not declared; empty: append nothing
	Aliases     map[string][]string
	Title       Title
	Preview     []string
	Stdin       bool
	Timeout     time.Duration // 0: none of its own

	template func() *template // compiles on first use
}

// Title holds the words a host shows, tried in order (C-3). nil: none declared.
type Title struct{ Live, Done []string }

type namedRow struct {
	key string
	row hcp.PolicyRow
}

// Load reads the pack in folder root. An absent root or surface.json is
// fs.ErrNotExist; any other error's text is "<path>: <what>", ready for
// hcp.PackBroken. The folder's name must be the pack's id. A pack without
// policy.json has no rows, so that step 3 refuses its every command.
func Load(root string) (*Pack, error) {
	p, err := loadAny(root)
	if err != nil {
		return nil, err
	}
	if filepath.Base(root) != p.ID {
		return nil, &hcp.TrustError{Path: filepath.Join(root, SurfaceFile),
			Why: "pack_id " + p.ID + " is not the folder's name"}
	}
	return p, nil
}

// loadAny is Load for a folder of any name.
func loadAny(root string) (*Pack, error) {
	if root == "" { // never the current folder by accident
		return nil, fs.ErrNotExist
	}
	const tries = 5
	for range tries {
		before, err := os.Stat(root)
		if err != nil {
			return nil, absentOr(root, err)
		}
		surface, policy, err := readFiles(root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		// An install that replaced the folder in between would have us join
		// one pack's manifest to another one's policy.
		after, statErr := os.Stat(root)
		switch {
		case statErr != nil:
			return nil, absentOr(root, statErr)
		case !os.SameFile(before, after):
			continue
		case err != nil:
			return nil, err
		}
		return Parse(root, surface, policy)
	}
	return nil, &hcp.TrustError{Path: root, Why: "changed while it was read"}
}

// readFiles reads both files; policy is nil when there is none.
func readFiles(root string) (surface, policy []byte, err error) {
	surface, err = hcp.ReadTrusted(filepath.Join(root, SurfaceFile), MaxFile)
	if err != nil {
		return nil, nil, err
	}
	policy, err = hcp.ReadTrusted(filepath.Join(root, PolicyFile), MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return surface, nil, nil
	}
	return surface, policy, err
}

func absentOr(root string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return pathError(root, err)
}

// Parse is Load from memory, without the test of the folder's name. policy nil
// means that there is no policy.json.
func Parse(root string, surface, policy []byte) (*Pack, error) {
	p := &Pack{Root: root, Digest: digest(surface, policy)}
	if err := p.decodeSurface(surface); err != nil {
		return nil, &hcp.TrustError{Path: filepath.Join(root, SurfaceFile), Why: err.Error()}
	}
	if err := p.decodePolicy(policy); err != nil {
		return nil, &hcp.TrustError{Path: filepath.Join(root, PolicyFile), Why: err.Error()}
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		c.template = sync.OnceValue(func() *template { return compile(p, c) })
	}
	p.index = sync.OnceValue(func() *index { return newIndex(p) })
	return p, nil
}

// digest keeps the two files apart by the first one's length, so that no byte
// can move from one to the other unseen.
func digest(surface, policy []byte) string {
	h := sha256.New()
	h.Write(surface)
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(surface)))
	h.Write(n[:])
	h.Write(policy)
	return hex.EncodeToString(h.Sum(nil))
}

// Command returns the command of that verb_key, or nil if none is declared.
func (p *Pack) Command(key string) *Command {
	for i := range p.Commands {
		if p.Commands[i].Key == key {
			return &p.Commands[i]
		}
	}
	return nil
}

// Row returns a command's policy row; false means that step 3 refuses (P-3).
func (p *Pack) Row(key string) (hcp.PolicyRow, bool) {
	for _, r := range p.rows {
		if r.key == key {
			return r.row, true
		}
	}
	return hcp.PolicyRow{}, false
}

// RowKeys lists the verb_keys that policy.json has rows for, in its order.
func (p *Pack) RowKeys() []string {
	var keys []string
	for _, r := range p.rows {
		keys = append(keys, r.key)
	}
	return keys
}

// templateOf compiles c's template; a Command that did not come from Parse is
// compiled each time.
func (p *Pack) templateOf(c *Command) *template {
	if c.template != nil {
		return c.template()
	}
	return compile(p, c)
}

// lines is the pack's index; a Pack that did not come from Parse builds it each
// time.
func (p *Pack) lines() *index {
	if p.index != nil {
		return p.index()
	}
	return newIndex(p)
}
