package pipeline

import (
	"hcp/internal/hcp"
)

// ruling is what grants and denies say of one call. The zero ruling denies.
type ruling struct {
	allowed bool
	where   string // the deny or grant that decided, "" when nothing spoke
	grant   hcp.Grant
}

// rule weighs every deny and every grant; their order never matters. Of several
// grants that fit, one that asks for no human comes first: it allows by itself.
func (c *call) rule(capability string) ruling {
	who, id, verb, now := c.principal.ID, c.pack.ID, c.command.Key, c.Now()
	for _, d := range c.Denies {
		if (d.Expires.IsZero() || now.Before(d.Expires)) && d.Covers(who, capability, id, verb) {
			return ruling{where: d.Where}
		}
	}
	if capability == "" {
		return ruling{}
	}
	if c.builtin() && capability == hcp.CapRead {
		return ruling{allowed: true, where: "built in", grant: hcp.Grant{Rule: hcp.Rule{Where: "built in"}}}
	}
	var best ruling
	for _, g := range c.Grants {
		if !grantSpeaks(g) || !(g.Expires.IsZero() || now.Before(g.Expires)) || !g.Covers(who, capability, id, verb) {
			continue
		}
		if !best.allowed || best.grant.Approval == hcp.ApprovalHuman {
			best = ruling{allowed: true, where: g.Where, grant: g}
		}
	}
	if !best.allowed && c.ImplicitRead && c.principal.Owner && capability == hcp.CapRead {
		return ruling{allowed: true, where: "the owner's implicit read"}
	}
	return best
}

// grantSpeaks refuses a grant with an empty field: empty covers everything, and
// a grant has to name what it gives.
func grantSpeaks(g hcp.Grant) bool {
	return g.Principal != "" && g.Capability != "" && len(g.Packs) > 0
}
