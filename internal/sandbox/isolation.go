package sandbox

import (
	"errors"
	"strings"

	"hcp/internal/hcp"
)

const unavailablePrefix = "isolation unavailable: "

// setupError is a wall that could not be put up. The child has not run.
type setupError struct {
	stage string // one word or two: what was being set up
	err   error
}

func (e *setupError) Error() string { return unavailablePrefix + e.stage + ": " + hcp.Reason(e.err) }

func (e *setupError) Unwrap() error { return e.err }

// unavailable refuses a call because a stage of the set-up failed (sandbox.md).
// It is the one refusal after which another driver may be tried.
func unavailable(stage string, err error) *hcp.Denial {
	d := hcp.SandboxDenied("%s%s: %s", unavailablePrefix, stage, hcp.Reason(err))
	d.Hint = setupHint(stage, err)
	return d
}

func isUnavailable(d *hcp.Denial) bool {
	return d != nil && strings.HasPrefix(d.Message, "sandbox: "+unavailablePrefix)
}

// unavailableWhy is the stage and the reason of such a refusal.
func unavailableWhy(d *hcp.Denial) string {
	return strings.TrimPrefix(d.Message, "sandbox: "+unavailablePrefix)
}

// errNotHere is a driver that another system has.
var errNotHere = errors.New("not on this system")
