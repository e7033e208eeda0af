package pipeline

import (
	"context"

	"hcp/internal/hcp"
)

// Explanation is what `hcp explain` shows: each step, the argv that would run,
// and what would fix the first refusal.
type Explanation struct {
	Allowed bool
	Denial  *hcp.Denial // nil when allowed
	Argv    []string    // nil when it could not be rendered
	Steps   [9]StepReport
}

// StepReport is one step's part of an explanation.
type StepReport struct {
	Step hcp.Step
	OK   *bool // nil: not evaluated
	Why  string
}

// Explain evaluates an envelope as Exec would and mints, spawns, writes and
// records nothing.
func (r *Runtime) Explain(ctx context.Context, e hcp.Envelope) Explanation {
	c := &call{Runtime: r, env: e, dry: true}
	var x Explanation
	for i, s := range table() {
		x.Steps[i].Step = s.n
	}
	d := e.Check()
	for i, s := range table() {
		if d != nil {
			break
		}
		d = c.take(ctx, s)
		x.Steps[i].Why = c.why
		x.Steps[i].OK = yes(true)
	}
	x.Argv, x.Denial, x.Allowed = c.argv, d, d == nil
	if d != nil {
		x.fail(d)
	}
	return x
}

// fail puts the refusal where it belongs: a check that runs early for safety
// belongs to a later step, and what comes after that was not evaluated.
func (x *Explanation) fail(d *hcp.Denial) {
	for i := range x.Steps {
		s := &x.Steps[i]
		switch {
		case s.Step == d.Step:
			s.OK, s.Why = yes(false), d.Message
		case s.Step > d.Step || d.Step == 0:
			s.OK, s.Why = nil, ""
		}
	}
}

func yes(b bool) *bool { return &b }

// Available tells why a call of a command would be refused whatever its
// arguments and without asking for its confirm; nil: it may run. It mints
// nothing.
func (r *Runtime) Available(ctx context.Context, packID, verb string) *hcp.Denial {
	c := &call{Runtime: r, env: hcp.Envelope{PackID: packID, VerbKey: verb}, dry: true}
	for _, s := range table() {
		if s.n >= hcp.StepConfirm {
			break
		}
		if d := c.take(ctx, s); d != nil {
			return d
		}
	}
	if d := c.checkAdapter(); d != nil {
		return d
	}
	if d := c.probeBinding(c.bindingRequest()); d != nil {
		return d
	}
	return c.Host.BinReady(c.adapterCall())
}

// Unexplained is the explanation of a call that was refused before any step.
func Unexplained(d *hcp.Denial) Explanation {
	x := Explanation{Denial: d}
	for i, s := range table() {
		x.Steps[i].Step = s.n
	}
	return x
}
