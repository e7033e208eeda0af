// Package pipeline evaluates an envelope in nine steps, in the spec's order,
// and stops at the first refusal (§6.3). It hides the order and what a step may
// look at; nothing else decides whether a call may run. It reads no file and no
// environment itself: a Runtime brings both, and an empty one denies.
package pipeline

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"hcp/internal/adapter"
	"hcp/internal/audit"
	"hcp/internal/binding"
	"hcp/internal/hcp"
	"hcp/internal/pack"
)

// Activation is what activating a pack on a session recorded (formats.md).
type Activation struct {
	Digest string
	Bin    hcp.BinRecord
}

// Audit says how the log is kept ([audit] in hcp.toml).
type Audit struct {
	Log        *audit.Log
	DenyReads  bool // a read is refused too when its start cannot be recorded
	SyncReads  bool // fdatasync for reads as well
	SyncWrites bool
}

// Runtime is one session's view of the store and the machine.
type Runtime struct {
	Session string
	// Pack loads an installed pack; fs.ErrNotExist means there is none. Any
	// other error's text is "<path>: <what>".
	Pack func(id string) (*pack.Pack, error)
	// Active gives what activation recorded; any error means not active, and
	// all but fs.ErrNotExist that the record is damaged.
	Active func(id string) (Activation, error)
	// Renew records a bin that a system upgrade replaced; nil: not recorded.
	Renew func(id string, a Activation)
	// Suggest names the installed pack nearest to id, or ""; nil: none.
	Suggest func(id string) string
	Caller  Caller
	Grants  []hcp.Grant
	Denies  []hcp.Deny
	// ImplicitRead: no grant is configured anywhere, so that the owner may
	// read on activated packs (formats.md).
	ImplicitRead bool
	Hub          binding.Hub
	Host         *adapter.Host
	Approvals    Approvals
	Audit        Audit
	Now          func() time.Time
}

// call is one envelope on its way through the steps. A step reads what earlier
// steps put here.
type call struct {
	*Runtime
	env  hcp.Envelope
	face adapter.Face
	dry  bool   // explain: nothing is minted, spawned or recorded
	why  string // what decided the step just passed, for explain
	id   string // one per call, in every record of it

	pack       *pack.Pack
	activation Activation
	command    *pack.Command
	row        hcp.PolicyRow
	principal  hcp.Principal
	capability string
	grant      hcp.Grant
	approval   string // id of the human agreement that was used up; "": none
	minted     binding.Minted
	argv       []string // explain only
	started    bool     // exec.start is in the log
	outcome    adapter.Outcome
	result     hcp.Result
}

type step struct {
	n   hcp.Step
	run func(*call, context.Context) *hcp.Denial
}

// table is the pipeline: the spec's nine, in the spec's order.
func table() [9]step {
	return [9]step{
		{hcp.StepPack, (*call).resolvePack},
		{hcp.StepActivation, (*call).checkActivation},
		{hcp.StepPolicy, (*call).resolvePolicy},
		{hcp.StepPrincipal, (*call).authenticate},
		{hcp.StepCapability, (*call).assertCapability},
		{hcp.StepConfirm, (*call).enforceConfirm},
		{hcp.StepBinding, (*call).mintBinding},
		{hcp.StepSandbox, (*call).runAdapter},
		{hcp.StepAudit, (*call).recordEnd},
	}
}

// Exec runs one envelope from any face to its result. A refusal is a result too
// (E-8); there is no error.
func (r *Runtime) Exec(ctx context.Context, e hcp.Envelope, f adapter.Face) hcp.Result {
	c := &call{Runtime: r, env: e, face: f, id: audit.NewID()}
	if d := e.Check(); d != nil {
		return c.refuse(d)
	}
	for _, s := range table() {
		if d := c.take(ctx, s); d != nil {
			return c.refuse(d)
		}
	}
	return c.result
}

// take evaluates one step. A panic in it is a refusal: a programming error must
// not make more possible, and its words are nobody's business.
func (c *call) take(ctx context.Context, s step) (d *hcp.Denial) {
	defer func() {
		if recover() != nil {
			d = hcp.InternalFault(s.n)
		}
	}()
	c.why = ""
	return s.run(c, ctx)
}

// refuse records a refusal and gives its result. That record is the runtime's
// own act, not a step: where it cannot be written the call is refused all the
// same, and the result says that the log lacks it.
func (c *call) refuse(d *hcp.Denial) hcp.Result {
	r := hcp.Refuse(c.env, d)
	if d.Step == hcp.StepSandbox && c.pack != nil && c.pack.Kind == adapter.KindWrap {
		// Step 8 of a wrap: the members a wrap's result always has (formats.md).
		out, errOut := "", ""
		r.Stdout, r.Stderr = &out, &errOut
		if d.Exit == hcp.ExitNoBin {
			exit := d.Exit
			r.Exit = &exit
		}
	}
	if err := c.record(recordDeny, d, nil); err != nil && d.Step != hcp.StepAudit {
		r.Audit = auditIncomplete
	}
	return r
}

// missing tells whether a loader's error is only that there is nothing.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Untrusted is Active's error for a session file that others could have
// written: that is no missing activation but a broken store (formats.md).
type Untrusted struct{ What string } // "<path>: <why>"

func (u *Untrusted) Error() string { return u.What }
