package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// Waiting is a call that a person has to agree to, as the store keeps it.
type Waiting struct {
	Bound     [sha256.Size]byte // everything the agreement is for
	Principal string
	PackID    string
	VerbKey   string
	Preview   []string
}

// Approvals keeps what people agreed to. The zero Approvals agrees to nothing.
type Approvals struct {
	// Take uses an agreement up: its id and true once, for exactly that call.
	Take func(bound [sha256.Size]byte) (id string, agreed bool, err error)
	// Ask makes a call wait for a person; a repeat finds it waiting.
	Ask func(w Waiting) (hcp.Approval, error)
	// Peek tells whether Take would agree, and uses nothing up; nil: it would not.
	Peek func(bound [sha256.Size]byte) bool
}

// checkApproval holds a grant that asks for a human to it, also where Policy
// asks for no confirm (trust.md). By now the arguments are known to be good: a
// person is not asked about a call that could not run.
func (c *call) checkApproval() *hcp.Denial {
	if c.grant.Approval != hcp.ApprovalHuman {
		return nil
	}
	if !c.env.Args.Confirmed() {
		return c.confirmRequired()
	}
	bound := c.bound()
	if c.dry && c.Approvals.Peek != nil && c.Approvals.Peek(bound) {
		return nil
	}
	if !c.dry && c.Approvals.Take != nil {
		id, agreed, err := c.Approvals.Take(bound)
		if err != nil {
			return hcp.ConfigDenied(err.Error())
		}
		if agreed {
			c.approval = id
			return nil
		}
	}
	return c.askApproval(bound)
}

func (c *call) askApproval(bound [sha256.Size]byte) *hcp.Denial {
	d := hcp.ConfirmRequired().WithHint("%s asks for a person's agreement to every call", c.grant.Where)
	d.Preview = c.card()
	if c.dry || c.Approvals.Ask == nil {
		return d
	}
	a, err := c.Approvals.Ask(Waiting{Bound: bound, Principal: c.principal.ID, PackID: c.pack.ID, VerbKey: c.command.Key,
		Preview: append(d.Preview, c.fingerprint(bound))})
	if err != nil {
		return hcp.ConfigDenied(err.Error())
	}
	d.Approval = &a
	return d.WithHint("the owner runs: hcp approve %s; then repeat this call", a.ID)
}

// fingerprint is the card's last line: what two cards that look alike differ in.
func (c *call) fingerprint(bound [sha256.Size]byte) string {
	return fmt.Sprintf("call %s by %s on session %s", hex.EncodeToString(bound[:4]), c.principal.ID, c.Session)
}

// bound is what an agreement is for: this pack, this bin, this command with
// these arguments in whatever order, this principal, this session.
func (c *call) bound() [sha256.Size]byte {
	args := slices.Clone(c.env.Args.Without(hcp.ArgConfirm, hcp.ArgApply))
	for i, m := range args {
		// A scalar counts as it is written, on whatever face (formats.md).
		if text, ok := hcp.CLIText(m.Value); ok && m.Value.Kind != hcp.Array {
			args[i].Value = hcp.StringValue(text)
		}
	}
	slices.SortFunc(args, func(a, b hcp.Member) int { return strings.Compare(a.Name, b.Name) })
	bin := c.activation.Bin
	id := hcp.Value{Kind: hcp.Array, Items: []hcp.Value{
		hcp.StringValue(c.pack.ID), hcp.StringValue(c.pack.Digest), hcp.StringValue(c.command.Key),
		{Kind: hcp.Object, Members: args}, hcp.StringValue(c.principal.ID), hcp.StringValue(c.principal.Tenant), hcp.StringValue(c.Session),
		hcp.StringValue(bin.Path), hcp.StringValue(fmt.Sprint(bin.Dev, bin.Inode, bin.Size, bin.Mtime, bin.Ctime)),
	}}
	return sha256.Sum256(id.AppendJSON(nil))
}
