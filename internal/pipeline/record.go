package pipeline

import (
	"time"

	"hcp/internal/audit"
	"hcp/internal/hcp"
)

// Types of an execution's records (trust.md).
const (
	recordStarted = "exec.start"
	recordEnded   = "exec.end"
	recordDeny    = "exec.deny"
)

const auditIncomplete = "incomplete"

// recordStart writes exec.start, before anything is minted or spawned. A call
// whose start cannot be recorded does not happen, unless the owner lets reads
// pass without (audit.on_failure).
func (c *call) recordStart() *hcp.Denial {
	if c.dry {
		return nil
	}
	if err := c.record(recordStarted, nil, nil); err != nil {
		if c.row.Operation == hcp.OpRead && !c.Audit.DenyReads {
			return nil
		}
		return hcp.AuditFailed(hcp.Reason(err)).WithHint("hcp doctor")
	}
	c.started = true
	return nil
}

// record appends one record of this call.
func (c *call) record(kind string, d *hcp.Denial, r *hcp.Result) error {
	if c.dry || c.Audit.Log == nil {
		return nil
	}
	var o object
	o.add("who", c.who())
	o.add("what", c.what())
	if kind == recordStarted || d != nil {
		args, err := c.Audit.Log.Args(c.env.Args)
		if err != nil {
			return err
		}
		o.add("args", args)
	}
	o.add("why", c.whyAllowed())
	if d != nil {
		o.add("denied", object{}.num("step", int64(d.Step)).text("error", d.Message).value())
	}
	if c.started || kind == recordStarted {
		o.put("bin", c.activation.Bin.Path)
		o.add("cred", c.cred(r != nil))
	}
	if kind == recordStarted {
		o.add("sandbox", c.sandboxUsed(&hcp.Result{})) // which driver, only the end knows
	}
	if r != nil {
		o.add("sandbox", c.sandboxUsed(r))
		o.add("result", c.resultOf(r))
	}
	return c.Audit.Log.Append(audit.Record{Type: kind, ID: c.id, Fields: o}, c.sync(kind))
}

// sync: writes by default; a refusal changed nothing and need not wait for the
// disk.
func (c *call) sync(kind string) bool {
	if c.row.Operation == hcp.OpWrite && (c.started || kind == recordStarted) {
		return c.Audit.SyncWrites
	}
	return c.Audit.SyncReads
}

func (c *call) who() hcp.Value {
	return object{}.text("principal", c.principal.ID).text("tenant", c.principal.Tenant).
		text("project", c.principal.Project).text("session", c.Session).text("invoker", c.Caller.Invoker).
		text("agent", c.Caller.Agent).num("uid", int64(c.Caller.UID)).value()
}

func (c *call) what() hcp.Value {
	o := object{}.text("pack_id", c.env.PackID)
	if c.pack != nil {
		o = o.text("version", c.pack.Version).text("digest", c.pack.Digest)
	}
	o = o.text("verb_key", c.env.VerbKey)
	if c.command != nil {
		o = o.text("operation", c.row.Operation).text("capability", c.capability).text("land", landOf(c.row))
	}
	return o.value()
}

func (c *call) whyAllowed() hcp.Value {
	return object{}.text("grant", c.grant.Where).flag("confirm", c.env.Args.Confirmed()).text("approval", c.approval).value()
}

// cred says what kind of credential the call had, never its value; the end adds
// when it expires.
func (c *call) cred(end bool) hcp.Value {
	provider := c.minted.Provider
	if !end && provider == "" && c.command != nil {
		provider = c.Hub.Provider(c.bindingRequest()) // who will be asked, before it is
	}
	o := object{}.text("family", c.credFamily()).text("provider", provider)
	if end && !c.minted.Expires.IsZero() {
		o = o.text("expires", c.minted.Expires.UTC().Format(time.RFC3339))
	}
	return o.value()
}

func (c *call) credFamily() string {
	if c.minted.Family != "" {
		return c.minted.Family
	}
	return c.family()
}

func (c *call) sandboxUsed(r *hcp.Result) hcp.Value {
	network := ""
	if c.Host.Network != nil {
		network = c.Host.Network(c.pack.ID, c.family())
	}
	return object{}.text("driver", r.Sandbox).text("mode", c.pack.Wrap.Workspace.Mode).text("network", network).value()
}

func (c *call) resultOf(r *hcp.Result) hcp.Value {
	o := object{}.flag("ok", r.OK)
	if r.Exit != nil {
		o = o.num("exit", int64(*r.Exit))
	}
	if r.Denied {
		o = o.text("error", r.Error)
	}
	return o.num("bytes", c.outcome.Bytes).num("ms", int64(c.outcome.Took/time.Millisecond)).value()
}

// object builds a record's fields in order; empty texts are left out.
type object []hcp.Member

func (o *object) add(name string, v hcp.Value) { *o = append(*o, hcp.Member{Name: name, Value: v}) }

func (o *object) put(name, s string) {
	if s != "" {
		o.add(name, hcp.StringValue(s))
	}
}

func (o object) text(name, s string) object      { o.put(name, s); return o }
func (o object) num(name string, n int64) object { o.add(name, hcp.IntValue(n)); return o }
func (o object) flag(name string, b bool) object { o.add(name, hcp.BoolValue(b)); return o }
func (o object) value() hcp.Value                { return hcp.Value{Kind: hcp.Object, Members: o} }

// Record writes an owner's act, such as activating a pack, to the log.
func (r *Runtime) Record(kind string, fields ...hcp.Member) error {
	if r.Audit.Log == nil {
		return nil
	}
	c := &call{Runtime: r}
	c.principal, _ = r.Caller.Identify()
	all := append([]hcp.Member{{Name: "who", Value: c.who()}}, fields...)
	return r.Audit.Log.Append(audit.Record{Type: kind, ID: audit.NewID(), Fields: all}, r.Audit.SyncWrites)
}
