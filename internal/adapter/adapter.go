// Package adapter runs one resolved command (step 8, §6.4, §6.6): a wrap
// through the sandbox, the built-in composite in process. It hides how a
// manifest's words become an argv and how a child's streams become a result.
// It never sees Policy, grants or a confirm: what reaches it was allowed, and
// it can only refuse more.
package adapter

import (
	"context"
	"io"
	"os"
	"time"

	"hcp/internal/hcp"
	"hcp/internal/pack"
	"hcp/internal/sandbox"
)

// Kinds of pack that this runtime executes.
const (
	KindWrap      = pack.KindWrap
	KindComposite = pack.KindComposite
)

// BuiltinPack is the id of the one composite pack.
const BuiltinPack = pack.BuiltinID

// Face says what the face that sent the envelope does with the child's streams.
// The zero Face wants nothing but the exit code.
type Face struct {
	Stdin      *os.File  // reaches the child only where the command declares stdin; nil: never
	Stdout     io.Writer // live copy of the child's stdout; nil: none
	Stderr     io.Writer // live copy of the child's stderr; nil: none
	Capture    bool      // the result is wanted: collect both streams, up to max_output
	Foreground bool      // share the terminal's foreground process group
	Terminal   bool      // stdout is a terminal
}

// Host is what this machine and its configuration give every call.
type Host struct {
	Driver      sandbox.Driver
	Allow       []string // configured absolute paths of further bins
	Guard       bool     // argument guard (template.md)
	Timeout     time.Duration
	MaxOutput   int64 // bytes of stdout and stderr together
	Timeouts    map[string]time.Duration
	Jails       string                                      // folder of the per-call jails
	Store       []string                                    // folders of the store, closed to mode project
	Workspace   func(tenant, principal, pack string) string // the Principal's folder for a pack
	Cwd, Home   string
	User        string
	Getenv      func(string) string // asked for TERM, LANG, LC_* and TZ only
	Depth       int                 // the caller's HCP_DEPTH
	DepthOK     bool                // false: over the limit or no number
	Native      bool                // native-local, by double opt-in (S-7)
	EUID        int
	Network     func(pack, family string) string // "none" or "host"
	PackSandbox map[string]PackSandbox           // what the operator gives a pack's calls; no entry: nothing
	Composite   Composite
}

// PackSandbox is what the operator opens up for one pack ([packs.x]).
type PackSandbox struct {
	Read               []string       // further paths its child may read
	Env                []hcp.KeyValue // set for its child, later than agent_env
	Sockets            []string       // unix sockets it may reach (driver ns)
	ProjectGitWritable bool           // the landlock driver may let a project write touch .git
}

// Call is one command that may run.
type Call struct {
	Pack      *pack.Pack
	Command   *pack.Command
	Args      hcp.Args
	Operation string
	Principal hcp.Principal
	Bin       hcp.BinRecord
	Env       []hcp.KeyValue       // minted variables
	Files     []hcp.CredentialFile // minted files
	Mock      bool
	Redact    *hcp.Redactor // of every minted value; nil: nothing was minted
}

// Outcome is what running a command gave.
type Outcome struct {
	Result  hcp.Result // without the ids, which the pipeline knows
	Denied  *hcp.Denial
	Ran     bool  // a child started: Denied then says how it was ended
	Bytes   int64 // stdout and stderr
	Took    time.Duration
	Renewed *hcp.BinRecord // a system upgrade to record (formats.md); nil: none
}

// Executable tells whether the runtime runs this kind of pack at all. It is
// asked before the mint, although the answer belongs to step 8.
func (h *Host) Executable(p *pack.Pack) *hcp.Denial {
	if p.Kind == KindWrap || p.Kind == KindComposite && p.ID == BuiltinPack {
		return nil
	}
	return hcp.AdapterKind(p.Kind)
}

// Recursing refuses a call too deep in calls of itself (cli.md).
func (h *Host) Recursing(c Call) *hcp.Denial {
	if h.DepthOK {
		return nil
	}
	return hcp.Recursive(c.Pack.ID, c.Command.Key)
}

// Run executes the call. Denied is set when it was refused or ended.
func (h *Host) Run(ctx context.Context, c Call, f Face) Outcome {
	if c.Pack.Kind == KindComposite {
		return h.composite(ctx, c)
	}
	return h.wrap(ctx, c, f)
}

// Plan is the argv that Run would start, beginning with the bin's path; it
// starts, writes and mints nothing. With a denial the argv is what could be
// rendered, possibly nil.
func (h *Host) Plan(c Call) ([]string, *hcp.Denial) {
	if c.Pack.Kind == KindComposite {
		return nil, nil
	}
	return h.plan(c)
}

// BinReady tells whether the call's bin may run, for availability.
func (h *Host) BinReady(c Call) *hcp.Denial {
	if c.Pack.Kind == KindComposite {
		return nil
	}
	bin, _, d := h.openBin(c)
	if d == nil {
		bin.Close()
	}
	return d
}
