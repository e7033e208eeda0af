package sandbox

import (
	"context"
	"io"
	"os"
	"time"

	"hcp/internal/hcp"
)

// Workspace modes (§10.6). An empty mode is ModeNone; any other word is
// refused.
const (
	ModeNone      = "none"      // the child starts in the pack root
	ModeEphemeral = "ephemeral" // a fresh folder, gone after the call
	ModeWorkspace = "workspace" // the Principal's own folder of the pack, kept
	ModeProject   = "project"   // the caller's folder, inside its project
)

// Arg is one token of the argv that the template rendered.
type Arg struct {
	Text     string
	FromArg  bool   // false: a literal of the template, never rewritten or refused
	ValueAt  int    // byte offset in Text where the argument's value starts
	Flag     string // the flag whose value this token is, "" for none; the flag of "--f=v" may be left out
	AfterEnd bool   // stands behind a "--": "-x=…" is then no flag
}

// Base is what a child's environment may take over from the caller.
type Base struct {
	User   string                   // login name; one that does not look sane becomes "user"
	Getenv func(name string) string // asked for TERM, LANG, LC_* and TZ only; nil: none of them
}

// Spec is one call. Paths are absolute. The zero Spec runs nothing.
type Spec struct {
	Pack, Verb, Operation string // for names only

	Bin  *Bin   // from OpenBin; Run closes it
	Name string // wrap.bin as the manifest says it, for messages
	Args []Arg  // without argv[0]

	Mode      string   // see ModeNone; "" is ModeNone
	PackRoot  string   // the child's folder in mode none
	Workspace string   // the Principal's folder of the pack (WorkspaceDir); made when needed, 0700
	Jails     string   // folder for what lives as long as one call; made when needed, 0700
	Cwd       string   // the caller's folder: mode project, and native-local in mode none
	Home      string   // the caller's real home, which is never a project; "" unknown
	Store     []string // the store's folders: no project contains or lies in one, and no child sees them

	Network            string   // "none" or "host"; "" is none. A driver with walls holds the child to it
	Read               []string // further paths that the child may read
	Sockets            []string // unix sockets that the child may reach (driver ns only)
	ProjectGitWritable bool     // the landlock driver may let a project write touch .git too

	HomeEnv   []string // wrap.workspace.home_env, used in mode workspace; HOME always points there
	FileFlags []string // flags whose value is a file (§10.6), as the pack declares or defaults them

	Base         Base
	Depth        int                  // the caller's depth (see Depth); the child gets one more
	AgentEnv     []hcp.KeyValue       // wrap.agent_env
	BindingEnv   []hcp.KeyValue       // minted credentials; later than AgentEnv
	BindingFiles []hcp.CredentialFile // minted files: 0400; each Name is a plain file name, each Env a variable like those of BindingEnv

	Timeout   time.Duration // 0: none
	MaxOutput int64         // stdout plus stderr, bytes; 0: no limit (a streaming face)

	Stdin          *os.File  // nil: /dev/null
	Stdout, Stderr io.Writer // nil: discarded. Each is written by one goroutine, the two at the same time
	Foreground     bool      // share the terminal's foreground group, so that Ctrl-C reaches the child
	StdoutTerminal bool      // what is printed goes to a terminal: leave NO_COLOR and pagers alone

	Native bool // native-local (§10.3), decided by configuration only
}

// Outcome is what became of a call.
type Outcome struct {
	Exit   int         // the child's code, or 128+n for signal n; 0 when it never ran
	Driver string      // the driver that ran it; "" when it never ran
	Denied *hcp.Denial // hcp refused or ended the call; nil: the child ended by itself
	Ran    bool        // the child was started
	Files  []hcp.File  // what came out of the jail (S-10)
	Stdout int64       // bytes the child wrote
	Stderr int64
	Took   time.Duration // from start to end of the child
	Pipe   bool          // nobody reads our Stdout any more (EPIPE); the child was told by SIGPIPE
}

// Driver holds a child by some means (S-9). Prepare is the only way to a Jail,
// and a Jail takes what the step before it returned: a wrong order does not
// compile. A driver that cannot hold the child as it promises refuses in
// Prepare, before the child ran.
type Driver interface {
	Name() string
	Prepare(ctx context.Context, p *Plan) (Jail, *hcp.Denial)
}

// Jail is one call's set of folders and the child in it. Cleanup runs exactly
// once, whatever the others returned.
type Jail interface {
	// RewriteArgv puts file references into the jail and stages what they name.
	RewriteArgv() (Argv, *hcp.Denial)
	// Spawn starts the child and comes back when nothing of it is left.
	Spawn(ctx context.Context, argv Argv) Ended
	// Writeback takes files out, following no link.
	Writeback(e Ended) ([]hcp.File, *hcp.Denial)
	Cleanup()
}

// Argv is a rewritten argument list without argv[0]; only RewriteArgv makes one.
type Argv struct{ words []string }

// Ended is a child that is gone; only Spawn makes one.
type Ended struct{ outcome Outcome }

// Run takes a call through prepare → rewriteArgv → spawn → writeback → cleanup
// (§10.6) and is the only caller of the five. It never returns while anything
// the child started is known to live.
func Run(ctx context.Context, driver Driver, s Spec) Outcome {
	if s.Bin == nil {
		return Outcome{Denied: hcp.NotAllowlisted(s.Name)}
	}
	defer s.Bin.Close()
	if driver == nil {
		return Outcome{Denied: hcp.SandboxDenied("isolation unavailable: no driver")}
	}
	p, d := planOf(s)
	if d != nil {
		return Outcome{Denied: d}
	}
	jail, d := driver.Prepare(ctx, p)
	if d != nil {
		return Outcome{Denied: d}
	}
	defer jail.Cleanup()
	argv, d := jail.RewriteArgv()
	if d != nil {
		return Outcome{Denied: d}
	}
	ended := jail.Spawn(ctx, argv)
	o := ended.outcome
	if !o.Ran {
		return o
	}
	if o.Files, d = jail.Writeback(ended); d != nil && o.Denied == nil {
		o.Denied = d
	}
	return o
}

// CheckArgs tells whether a call would be refused for its paths,
// its project or the names it puts into the environment. It writes nothing and
// starts nothing; s.Bin may be nil.
func CheckArgs(s Spec) *hcp.Denial {
	_, d := planOf(s)
	return d
}

// Plan is a call that passed every check which needs no jail: all that a driver
// knows when it prepares.
type Plan struct {
	spec    Spec
	tokens  []token
	project string // root of the caller's project, canonical; mode project only
	cwd     string // the caller's folder in it, canonical
}

func planOf(s Spec) (*Plan, *hcp.Denial) {
	p := &Plan{spec: s}
	if p.spec.Mode == "" {
		p.spec.Mode = ModeNone
	}
	switch p.spec.Mode {
	case ModeNone, ModeEphemeral, ModeWorkspace:
	case ModeProject:
		var d *hcp.Denial
		if p.project, p.cwd, d = findProject(s.Cwd, s.Home, s.Store); d != nil {
			return nil, d
		}
	default:
		return nil, hcp.SandboxDenied("workspace mode %s unknown", hcp.Quote(s.Mode))
	}
	if d := checkEnv(&p.spec); d != nil {
		return nil, d
	}
	var d *hcp.Denial
	p.tokens, d = p.planArgs()
	return p, d
}

// failed is a refusal for something that the machine would not do.
func failed(stage string, err error) *hcp.Denial {
	return hcp.SandboxDenied("%s: %s", stage, hcp.Reason(err))
}
