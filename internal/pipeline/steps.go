package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/binding"
	"hcp/internal/hcp"
)

// resolvePack is step 1. No path is ever built from an id that is none.
func (c *call) resolvePack(context.Context) *hcp.Denial {
	id := c.env.PackID
	if !hcp.ValidID(id) {
		return hcp.UnknownPack(id)
	}
	p, err := c.Pack(id)
	switch {
	case missing(err):
		return c.unknownPack(id)
	case err != nil:
		return hcp.PackBroken(err.Error())
	case p == nil:
		return hcp.UnknownPack(id)
	}
	c.pack = p
	c.why = "version " + p.Version
	if p.Root != "" {
		c.why += " in " + p.Root
	}
	return nil
}

func (c *call) unknownPack(id string) *hcp.Denial {
	d := hcp.UnknownPack(id)
	if c.Suggest != nil {
		if near := c.Suggest(id); near != "" {
			return d.WithHint("did you mean %s?", near)
		}
	}
	return d.WithHint("hcp list")
}

// checkActivation is step 2. The built-in pack is always active.
func (c *call) checkActivation(context.Context) *hcp.Denial {
	if c.builtin() {
		c.why = "built in"
		return nil
	}
	id := c.pack.ID
	a, err := c.Active(id)
	var bad *Untrusted
	switch {
	case missing(err):
		return hcp.NotActivated(id)
	case errors.As(err, &bad):
		return hcp.ConfigDenied(bad.What)
	case err != nil:
		return hcp.NotActivated(id).WithHint("its session file cannot be used (%v); run: hcp activate %s", err, id)
	case a.Digest == "" || a.Digest != c.pack.Digest:
		return hcp.NotActivated(id).WithHint("changed since activation; run: hcp activate %s", id)
	}
	c.activation = a
	c.why = "on session " + c.Session
	return nil
}

func (c *call) builtin() bool { return c.pack.ID == adapter.BuiltinPack && c.pack.Root == "" }

// resolvePolicy is step 3: an undeclared command and one without a row are the
// same refusal (P-3, X-1).
func (c *call) resolvePolicy(context.Context) *hcp.Denial {
	key := c.env.VerbKey
	if !hcp.ValidVerbKey(key) {
		return c.noPolicy(key)
	}
	cmd := c.pack.Command(key)
	row, ok := c.pack.Row(key)
	if cmd == nil || !ok || c.env.Unknown {
		return c.noPolicy(key)
	}
	c.command, c.row = cmd, row
	c.why = fmt.Sprintf("operation %s, land %s, confirm %v", row.Operation, landOf(row), row.Confirm)
	return nil
}

func landOf(row hcp.PolicyRow) string {
	if row.Land == "" {
		return hcp.LandNone
	}
	return row.Land
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (c *call) noPolicy(key string) *hcp.Denial {
	d := hcp.NoPolicy(key)
	if cmd := c.pack.Command(key); cmd != nil && c.env.Unknown {
		return d.WithHint("did you mean %s %s?", c.pack.ID, strings.Join(c.pack.Words(cmd), " "))
	}
	if near := first(c.pack.Suggest(key, true), c.pack.Suggest(key, false)); near != "" && near != key {
		return d.WithHint("did you mean %s?", near)
	}
	return d.WithHint("hcp show %s", c.pack.ID)
}

// authenticate is step 4: who calls, and whether a project is in scope where the
// land needs one.
func (c *call) authenticate(context.Context) *hcp.Denial {
	p, d := c.Caller.Identify()
	if d != nil {
		return d
	}
	c.principal = p
	switch landOf(c.row) {
	case hcp.LandNone, hcp.LandLocal:
	case hcp.LandBrain:
		if p.Project == "" {
			return hcp.NeedsProject()
		}
	default:
		return hcp.UnknownLand(c.row.Land)
	}
	c.why = p.ID
	return nil
}

// assertCapability is step 5: any deny that fits denies, else a grant that fits
// and has not expired allows (trust.md).
func (c *call) assertCapability(context.Context) *hcp.Denial {
	need := c.row.Capability(c.command.Key)
	c.capability = need
	ruling := c.rule(need)
	if !ruling.allowed {
		d := hcp.MissingCapability(need, c.pack.ID, c.command.Key)
		if ruling.where != "" {
			return d.WithHint("denied by %s", ruling.where)
		}
		return d.WithHint("hcp grant %s --to %s --pack %s --verb %s", need, c.principal.ID, c.pack.ID, c.command.Key)
	}
	c.grant = ruling.grant
	c.why = need + " by " + ruling.where
	return nil
}

// enforceConfirm is step 6.
func (c *call) enforceConfirm(context.Context) *hcp.Denial {
	switch {
	case !c.row.Confirm:
		c.why = "not asked for"
		return nil
	case c.env.Args.Confirmed():
		c.why = "confirmed in the envelope"
		return nil
	}
	return c.confirmRequired()
}

// mintBinding is step 7. Before it come the checks that must not cost a mint:
// the arguments, the adapter's kind, a human's agreement; and the record that
// the call begins, without which nothing is minted (§9.6).
func (c *call) mintBinding(ctx context.Context) *hcp.Denial {
	for _, check := range []func() *hcp.Denial{c.checkArgs, c.checkAdapter, c.checkApproval, c.recordStart} {
		if d := check(); d != nil {
			return d
		}
	}
	req := c.bindingRequest()
	if c.dry {
		return c.probeBinding(req)
	}
	m, reason := c.Hub.Mint(ctx, req)
	if reason != "" {
		return c.bindingDenied(reason)
	}
	c.minted = m
	return nil
}

func (c *call) probeBinding(req binding.Request) *hcp.Denial {
	if reason := c.Hub.Probe(req); reason != "" {
		return c.bindingDenied(reason)
	}
	c.why = "family " + c.family()
	if req.Mock {
		c.why = "mock, as the envelope asks"
	}
	return nil
}

// bindingDenied says what would mend a Binding that gives nothing.
func (c *call) bindingDenied(reason string) *hcp.Denial {
	d := hcp.BindingDenied(c.family(), c.pack.ID, reason)
	if reason == binding.NotConfigured {
		return d.WithHint("hcp binding set %s --family %s, or [[bindings]] in hcp.toml", c.pack.ID, c.family())
	}
	return d.WithHint("hcp binding status %s", c.pack.ID)
}

func (c *call) checkArgs() *hcp.Denial {
	if f := c.env.Fault; f != nil {
		d := hcp.InvalidArgs("%s", f.Message)
		d.Hint = f.Hint
		return d
	}
	return c.pack.Validate(c.command, c.env.Args)
}

func (c *call) checkAdapter() *hcp.Denial {
	if d := c.Host.Executable(c.pack); d != nil {
		return d
	}
	return c.Host.Recursing(c.adapterCall())
}

func (c *call) family() string {
	if c.pack.Binding.Family == "" {
		return hcp.FamilyPublic
	}
	return c.pack.Binding.Family
}

func (c *call) bindingRequest() binding.Request {
	r := binding.Request{Principal: c.principal, Pack: c.pack.ID, Verb: c.command.Key, Operation: c.row.Operation,
		Family: c.family(), Mock: c.env.Args.Mock()}
	for _, d := range c.pack.Binding.Deliver {
		r.Deliver = append(r.Deliver, binding.Deliver{Field: d.Field, Env: d.Env, File: d.File})
	}
	return r
}

func (c *call) adapterCall() adapter.Call {
	return adapter.Call{Pack: c.pack, Command: c.command, Args: c.env.Args, Operation: c.row.Operation,
		Principal: c.principal, Bin: c.activation.Bin, Env: c.minted.Env, Files: c.minted.Files, Mock: c.minted.Mock,
		Redact: hcp.NewRedactor(c.minted.Secrets...)}
}

// runAdapter is step 8. A child that ran and was ended by hcp is a result with
// that error, not a refusal: it may have had its effect.
func (c *call) runAdapter(ctx context.Context) *hcp.Denial {
	if c.dry {
		argv, d := c.Host.Plan(c.adapterCall())
		c.argv, c.why = argv, "would run"
		return d
	}
	c.outcome = c.Host.Run(ctx, c.adapterCall(), c.face)
	if r := c.outcome.Renewed; r != nil && c.Renew != nil {
		c.Renew(c.pack.ID, Activation{Digest: c.activation.Digest, Bin: *r})
	}
	if d := c.outcome.Denied; d != nil && !c.outcome.Ran {
		return d
	}
	c.result = c.finished()
	return nil
}

func (c *call) finished() hcp.Result {
	r := c.outcome.Result
	r.PackID, r.VerbKey = c.env.PackID, c.env.VerbKey
	if d := c.outcome.Denied; d != nil {
		r.OK, r.Result, r.Error, r.Hint, r.Denied = false, nil, d.Message, d.Hint, true
		if r.Code = d.Exit; r.Code == 0 {
			r.Code = hcp.ExitFailure
		}
	}
	return r
}

// recordEnd is step 9. The effect has happened: a log that cannot be written
// must not turn a success into a failure that an agent would repeat.
func (c *call) recordEnd(context.Context) *hcp.Denial {
	if c.dry {
		c.why = "would be recorded"
		return nil
	}
	if err := c.record(recordEnded, nil, &c.result); err != nil {
		c.result.Audit = auditIncomplete
	}
	return nil
}
