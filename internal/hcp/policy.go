package hcp

import (
	"strings"
	"time"
)

// Capabilities (§9.4).
const (
	CapRead    = "verb.exec.read"
	CapWrite   = "verb.exec.write"
	CapConnect = "pack.connect"
)

// Operations a policy row may name.
const (
	OpRead  = "read"
	OpWrite = "write"
)

// Lands a policy row may name. An empty land is LandNone.
const (
	LandNone  = "none"
	LandLocal = "local"
	LandBrain = "brain"
)

// Binding families (§8). An empty family is FamilyPublic.
const (
	FamilyPublic     = "public"
	FamilyLocal      = "local"
	FamilyUser       = "user"
	FamilyMothership = "mothership"
	FamilyMock       = "mock" // only ever asked for by an envelope
)

// PolicyRow is one command's row in policy.json. The zero row names no
// operation, and no capability fits it.
type PolicyRow struct {
	Operation string // OpRead or OpWrite
	Land      string // as written; step 4 refuses what it does not know
	Confirm   bool
}

// Capability is what a Principal must hold to run verb under this row (P-5).
// "connect" needs pack.connect whatever its row says. "" fits no grant.
func (r PolicyRow) Capability(verb string) string {
	switch {
	case verb == "connect":
		return CapConnect
	case r.Operation == OpRead:
		return CapRead
	case r.Operation == OpWrite:
		return CapWrite
	}
	return ""
}

// Principal is who a call runs for (step 4). The zero Principal is nobody.
type Principal struct {
	ID      string // such as "user:anna"
	Tenant  string
	Project string // project_id for land brain; "": none in scope
	Owner   bool   // the one person whose store this is; false for tokens
}

// Approval modes of a grant.
const (
	ApprovalEnvelope = "envelope" // confirm:true in the envelope is enough
	ApprovalHuman    = "human"    // the owner must agree too
)

// Rule is what grants and denies share: whom and what it speaks of. In a deny,
// an empty field covers everything; a grant always names Principal, Capability
// and Packs.
type Rule struct {
	Principal  string // exact, or "*"
	Capability string
	Packs      []string // exact ids, or "*"
	Verbs      []string // exact keys, "*", or a trailing ".*"; nil is every verb
	Where      string   // "<path>:<line>", for explain
}

// Grant allows what its Rule covers until it expires.
type Grant struct {
	Rule
	Approval string    // ApprovalEnvelope or ApprovalHuman; "" is ApprovalEnvelope
	Expires  time.Time // zero: never
}

// Deny refuses what its Rule covers, whatever any grant says, until it expires.
type Deny struct {
	Rule
	Expires time.Time // zero: never
}

// Covers tells whether the rule speaks of this call. Empty fields cover all, so
// a loader must refuse a grant that leaves out what a grant has to name.
func (r Rule) Covers(principal, capability, pack, verb string) bool {
	return (r.Principal == "" || r.Principal == "*" || r.Principal == principal) &&
		(r.Capability == "" || r.Capability == capability) &&
		coversName(r.Packs, pack) && coversVerb(r.Verbs, verb)
}

func coversName(list []string, name string) bool {
	if len(list) == 0 {
		return true
	}
	for _, p := range list {
		if p == "*" || p == name {
			return true
		}
	}
	return false
}

// coversVerb: "mail.*" covers mail.a and mail.a.b, not mail itself.
func coversVerb(list []string, verb string) bool {
	if len(list) == 0 {
		return true
	}
	for _, p := range list {
		if p == "*" || p == verb {
			return true
		}
		if family, ok := strings.CutSuffix(p, "*"); ok && strings.HasSuffix(family, ".") &&
			len(verb) > len(family) && strings.HasPrefix(verb, family) {
			return true
		}
	}
	return false
}
