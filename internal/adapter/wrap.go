package adapter

import (
	"context"
	"time"

	"hcp/internal/hcp"
	"hcp/internal/sandbox"
)

// wrap renders the argv, holds it to the guard and the path rules, checks the
// allow-list and spawns, in that order (§6.4, guide).
func (h *Host) wrap(ctx context.Context, c Call, f Face) Outcome {
	args, d := h.render(c)
	if d != nil {
		return Outcome{Denied: d}
	}
	spec := h.spec(c, f, args)
	if d := sandbox.CheckArgs(spec); d != nil {
		return Outcome{Denied: d}
	}
	bin, renewed, d := h.openBin(c)
	if d != nil {
		return Outcome{Denied: d}
	}
	spec.Bin = bin // Run closes it
	streams := collect(f, &spec, c.Redact)
	out := sandbox.Run(ctx, h.Driver, spec)
	streams.finish()
	for i := range out.Files {
		out.Files[i].Ref, out.Files[i].Path = c.Redact.String(out.Files[i].Ref), c.Redact.String(out.Files[i].Path)
	}
	return Outcome{
		Result:  streams.result(out),
		Denied:  out.Denied,
		Ran:     out.Ran,
		Bytes:   out.Stdout + out.Stderr,
		Took:    out.Took,
		Renewed: renewed,
	}
}

// render gives the argv after the bin, held to the argument guard.
func (h *Host) render(c Call) ([]sandbox.Arg, *hcp.Denial) {
	tokens, d := c.Pack.Render(c.Command, c.Args)
	if d != nil {
		return nil, d
	}
	if h.Guard {
		if d := c.Pack.Guard(c.Command, c.Args, tokens); d != nil {
			return nil, d
		}
	}
	args := make([]sandbox.Arg, len(tokens))
	for i, t := range tokens {
		args[i] = sandbox.Arg{Text: t.Text, FromArg: t.Arg != "", ValueAt: t.ValueAt, Flag: t.Flag, AfterEnd: t.AfterEnd}
	}
	return args, nil
}

func (h *Host) plan(c Call) ([]string, *hcp.Denial) {
	args, d := h.render(c)
	if d != nil {
		return nil, d
	}
	argv := []string{c.Pack.Wrap.Bin}
	if c.Bin.Path != "" {
		argv[0] = c.Bin.Path
	}
	for _, a := range args {
		argv = append(argv, a.Text)
	}
	if d := sandbox.CheckArgs(h.spec(c, Face{}, args)); d != nil {
		return argv, d
	}
	return argv, h.BinReady(c)
}

func (h *Host) openBin(c Call) (*sandbox.Bin, *hcp.BinRecord, *hcp.Denial) {
	bin, renewed, d := sandbox.OpenBin(c.Pack.Wrap.Bin, c.Bin, h.Allow, c.Pack.Root, h.EUID)
	if d != nil && d.Hint == "" {
		d = d.WithHint("hcp activate %s", c.Pack.ID)
	}
	return bin, renewed, d
}

func (h *Host) spec(c Call, f Face, args []sandbox.Arg) sandbox.Spec {
	w := c.Pack.Wrap
	s := sandbox.Spec{
		Pack: c.Pack.ID, Verb: c.Command.Key, Operation: c.Operation, Name: w.Bin, Args: args,
		Mode: w.Workspace.Mode, HomeEnv: w.Workspace.HomeEnv, FileFlags: w.Workspace.FileFlags,
		PackRoot: c.Pack.Root, Jails: h.Jails, Cwd: h.Cwd, Home: h.Home, Store: h.Store,
		Workspace: h.Workspace(c.Principal.Tenant, c.Principal.ID, c.Pack.ID),
		Base:      sandbox.Base{User: h.User, Getenv: h.Getenv},
		Depth:     h.Depth, AgentEnv: w.AgentEnv, BindingEnv: c.Env, BindingFiles: c.Files,
		Timeout: h.timeout(c), MaxOutput: f.limit(h.MaxOutput), Native: h.Native,
		StdoutTerminal: f.Terminal, Foreground: f.Foreground, Network: h.network(c),
	}
	opened := h.PackSandbox[c.Pack.ID]
	s.AgentEnv = append(append([]hcp.KeyValue{}, s.AgentEnv...), opened.Env...)
	s.Read, s.Sockets, s.ProjectGitWritable = opened.Read, opened.Sockets, opened.ProjectGitWritable
	if c.Mock {
		s.BindingEnv = append(append([]hcp.KeyValue{}, c.Env...), hcp.KeyValue{Name: "HCP_BINDING", Value: hcp.FamilyMock})
	}
	if c.Command.Stdin {
		s.Stdin = f.Stdin
	}
	return s
}

func (h *Host) network(c Call) string {
	if h.Network == nil {
		return ""
	}
	family := c.Pack.Binding.Family
	if family == "" {
		family = hcp.FamilyPublic
	}
	return h.Network(c.Pack.ID, family)
}

// timeout is the operator's word for the pack, else the shorter of the
// command's own and the general one: a manifest cannot lengthen the limit.
func (h *Host) timeout(c Call) time.Duration {
	if t := h.Timeouts[c.Pack.ID]; t > 0 {
		return t
	}
	if t := c.Command.Timeout; t > 0 && (h.Timeout <= 0 || t < h.Timeout) {
		return t
	}
	return h.Timeout
}
