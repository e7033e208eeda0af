package hcp

import (
	"fmt"
	"strconv"
)

// Step numbers the pipeline (§6.3). The zero Step is "before the pipeline":
// the envelope or the configuration itself was no good.
type Step int

// The nine steps, in the order in which they are evaluated.
const (
	StepPack Step = iota + 1
	StepActivation
	StepPolicy
	StepPrincipal
	StepCapability
	StepConfirm
	StepBinding
	StepSandbox
	StepAudit
)

var stepNames = [...]string{"envelope", "pack", "activation", "policy", "principal", "capability", "confirm", "binding", "sandbox", "audit"}

// String gives the step's name as `hcp explain` shows it.
func (s Step) String() string {
	if s < 0 || int(s) >= len(stepNames) {
		return "step?"
	}
	return stepNames[s]
}

// Process exit codes that hcp itself picks (cli.md). Any other code is the
// child's own.
const (
	ExitOK      = 0
	ExitFailure = 1
	ExitWarning = 2
	ExitTimeout = 124
	ExitNoBin   = 127
	ExitSignal  = 128 // plus the signal's number
)

// Denial says that a call may not run, or was ended. It is a value and not an
// error on purpose: a refusal and a fault cannot be mixed up. Make one with the
// constructors below; they hold the spec's exact words.
type Denial struct {
	Step     Step
	Message  string    // the envelope's error: one line, never a hint
	Hint     string    // what would fix it; "" for none
	Exit     int       // the process exit code; 0 means ExitFailure
	Preview  []string  // the card's lines, with confirm required; nil for none
	Approval *Approval // who must agree, with confirm required; nil for none
}

// Approval names a pending human agreement.
type Approval struct {
	ID      string
	Expires string // RFC 3339
}

// WithHint returns the denial with a hint put to it.
func (d *Denial) WithHint(format string, a ...any) *Denial {
	d.Hint = fmt.Sprintf(format, a...)
	return d
}

func deny(s Step, format string, a ...any) *Denial {
	return &Denial{Step: s, Message: fmt.Sprintf(format, a...)}
}

// InvalidEnvelope refuses a malformed envelope (E-8).
func InvalidEnvelope(format string, a ...any) *Denial {
	return deny(0, "invalid envelope: "+format, a...)
}

// ConfigDenied refuses everything because a trusted file is not to be trusted
// or not to be read; what is "<path>:<line>: <what>" or "<path>: <what>".
func ConfigDenied(what string) *Denial { return deny(0, "denied: config: %s", what) }

// UnknownPack is step 1's refusal (P-1).
func UnknownPack(id string) *Denial {
	return deny(StepPack, "unknown pack %s", nameOrQuote(id, ValidID(id)))
}

// PackBroken refuses a pack folder that does not load (formats.md), at step 1.
func PackBroken(what string) *Denial { return deny(StepPack, "denied: config: %s", what) }

// NotActivated is step 2's refusal (P-2).
func NotActivated(id string) *Denial {
	return deny(StepActivation, "pack %s not activated", id).WithHint("hcp activate %s", id)
}

// NoPolicy is step 3's refusal, for a command that is not declared and for one
// without a row alike (P-3, X-1).
func NoPolicy(verb string) *Denial {
	return deny(StepPolicy, "no policy for %s", nameOrQuote(verb, ValidVerbKey(verb)))
}

// NeedsProject is the spec's refusal of land brain without a project (P-4).
func NeedsProject() *Denial {
	return deny(StepPrincipal, "denied: privacy.land brain requires project_id").
		WithHint("name one with --project, HCP_PROJECT or project in hcp.toml")
}

// UnknownLand refuses a privacy.land that the spec does not know.
func UnknownLand(land string) *Denial {
	return deny(StepPrincipal, "denied: privacy.land %s unknown", nameOrQuote(land, ValidID(land)))
}

// UnknownPrincipal refuses a token that belongs to nobody (trust.md).
func UnknownPrincipal() *Denial { return deny(StepPrincipal, "denied: unknown principal") }

// Unauthenticated refuses a call without a token where tokens are in use and no
// person is at a terminal (trust.md).
func Unauthenticated() *Denial {
	return deny(StepPrincipal, "denied: unauthenticated invoker").WithHint("set HCP_PRINCIPAL")
}

// ForeignStore refuses to act on another user's store (trust.md).
func ForeignStore() *Denial {
	return deny(StepPrincipal, "denied: store belongs to another user").
		WithHint("run hcp as the user who owns the store, without sudo")
}

// OwnerOnly refuses a store-changing command to anyone but the owner (cli.md).
func OwnerOnly() *Denial {
	return deny(StepPrincipal, "denied: owner only").WithHint("the owner runs this in a terminal, without HCP_PRINCIPAL")
}

// MissingCapability is step 5's refusal (P-5).
func MissingCapability(capability, pack, verb string) *Denial {
	return deny(StepCapability, "denied: missing %s for %s.%s", capability, pack, verb)
}

// ConfirmRequired is step 6's refusal (P-6), for a human approval too.
func ConfirmRequired() *Denial { return deny(StepConfirm, "confirm required") }

// InvalidArgs refuses arguments against the command's schema: after step 6,
// before the mint (formats.md).
func InvalidArgs(format string, a ...any) *Denial {
	return deny(StepBinding, "invalid args: "+format, a...)
}

// BindingDenied is step 7's refusal (P-7): nothing was minted, and there is no
// fall-back.
func BindingDenied(family, pack, reason string) *Denial {
	return deny(StepBinding, "denied: binding %s for %s: %s", family, pack, reason)
}

// AdapterKind refuses a pack kind that this runtime cannot execute.
func AdapterKind(kind string) *Denial {
	return deny(StepSandbox, "adapter %s not executable in hcp", nameOrQuote(kind, kind != "" && ValidID(dashed(kind))))
}

func dashed(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c == '_' {
			b[i] = '-'
		}
	}
	return string(b)
}

// NotAllowlisted refuses a bin that is not on the allow-list (P-8, S-2).
func NotAllowlisted(bin string) *Denial {
	d := deny(StepSandbox, "sandbox: bin \"%s\" not allowlisted", printable(bin))
	d.Exit = ExitNoBin
	return d
}

// BinNotFound refuses a bin that is not there (sandbox.md).
func BinNotFound(bin string) *Denial {
	d := deny(StepSandbox, "sandbox: bin \"%s\" not found", printable(bin))
	d.Exit = ExitNoBin
	return d
}

// printable keeps a name or path whole and on one line inside a message,
// without quotes around it.
func printable(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// SandboxDenied is any other refusal of step 8; format gets "sandbox: " in
// front.
func SandboxDenied(format string, a ...any) *Denial {
	return deny(StepSandbox, "sandbox: "+format, a...)
}

// HostPath refuses a host-absolute path.
func HostPath() *Denial {
	return SandboxDenied("host path not allowed").
		WithHint("put the file into the workspace (hcp workspace put) and name it workspace:<name>")
}

// PathLeaves refuses a file reference that leaves the jail.
func PathLeaves() *Denial { return SandboxDenied("path leaves the workspace") }

// LooksLikeFlag is the argument guard's refusal (template.md).
func LooksLikeFlag(arg string) *Denial {
	return SandboxDenied("argument \"%s\" looks like a flag", printable(arg))
}

// Recursive ends a loop of hcp calling itself (cli.md).
func Recursive(pack, verb string) *Denial {
	return deny(StepSandbox, "recursive call: %s.%s", pack, verb)
}

// AuditFailed refuses a call whose start could not be recorded (trust.md).
func AuditFailed(reason string) *Denial { return deny(StepAudit, "denied: audit: %s", reason) }

// NoSkill answers for a pack that brings no SKILL.md.
func NoSkill(id string) *Denial { return deny(StepSandbox, "pack %s has no Skill", id) }

// InternalFault is what a programming error in a step turns into: denied, with
// the step's name and nothing of the panic.
func InternalFault(s Step) *Denial { return deny(s, "denied: internal fault at step %s", s) }
