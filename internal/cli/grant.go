package cli

import (
	"errors"
	"time"

	"hcp/internal/config"
	"hcp/internal/hcp"
)

type grantCmd struct {
	Capability string   `arg:"" help:"verb.exec.read, verb.exec.write or pack.connect."`
	To         string   `help:"Principal (default: the owner)." placeholder:"PRINCIPAL"`
	Pack       []string `help:"Pack id, or * (repeatable)." placeholder:"ID" required:"" sep:"none"`
	Verb       []string `help:"Command, family.* or * (repeatable; default: every command)." placeholder:"KEY" sep:"none"`
	Approval   string   `help:"human: the owner agrees to every call." placeholder:"MODE"`
	Expires    string   `help:"When it ends: 30d, 12h, or a time such as 2027-01-31T00:00:00Z." placeholder:"WHEN"`
}

func (c *grantCmd) Run(env *Env, _ *int) error {
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	g := config.GrantSpec{Principal: first(c.To, s.config.Principal.ID), Capability: c.Capability,
		Packs: c.Pack, Verbs: c.Verb, Approval: c.Approval}
	if c.Expires != "" {
		var err error
		if g.Expires, err = config.Expiry(c.Expires, env.Now()); err != nil {
			return err
		}
	}
	if err := config.AppendGrant(s.places, s.user, g); err != nil {
		var bad *config.SpecError
		if errors.As(err, &bad) {
			return err
		}
		return refused(unreadable(err))
	}
	if err := s.recordGrant(g, c.expiry(g)); err != nil {
		env.complain("hcp", "warning: granted, but not recorded: "+hcp.Reason(err))
	}
	if !s.config.HasGrants {
		env.complain("hcp", "note: this is the first grant, so that the owner's implicit read has ended",
			"hcp grant verb.exec.read --pack '*'")
	}
	env.sayf("granted %s to %s; see %s\n", g.Capability, g.Principal, s.places.ConfigFile)
	return nil
}

// recordGrant puts a grant into the log; expires is "" for never.
func (s *store) recordGrant(g config.GrantSpec, expires string) error {
	return s.runtime().Record("grant", hcp.Member{Name: "grant", Value: hcp.Value{Kind: hcp.Object, Members: []hcp.Member{
		{Name: "principal", Value: hcp.StringValue(g.Principal)}, {Name: "capability", Value: hcp.StringValue(g.Capability)},
		{Name: "packs", Value: hcp.StringsValue(g.Packs)}, {Name: "verbs", Value: hcp.StringsValue(g.Verbs)},
		{Name: "approval", Value: hcp.StringValue(first(g.Approval, hcp.ApprovalEnvelope))}, {Name: "expires", Value: hcp.StringValue(expires)}}}})
}

// expiry is when a grant ends, for the record; "" for never.
func (c *grantCmd) expiry(g config.GrantSpec) string {
	if g.Expires.IsZero() {
		return ""
	}
	return g.Expires.UTC().Format(time.RFC3339)
}
