package sandbox

import (
	"context"
	"path/filepath"
	"time"

	"hcp/internal/hcp"
)

const (
	processName = "process"
	nativeName  = "native-local"
)

// starter puts a child on its way, on the calling OS thread, which the caller
// has locked and keeps until the child is gone. It is what a driver is made of:
// all else about a jail is the same for each.
type starter interface {
	start(l *launch) (process, error)
}

type processDriver struct{ calls *calls }

// Process gives the driver that holds a child by §10.2 alone: the allow-list,
// the folder it starts in and its built environment. It is for operators who
// chose no walls, and for native-local. One value serves any number of calls at
// once and should be the process's only one: it knows which orphan is whose.
func Process() Driver { return &processDriver{calls: newCalls()} }

func (d *processDriver) share(c *calls) { d.calls = c }

func (d *processDriver) Name() string { return processName }

func (d *processDriver) Prepare(_ context.Context, p *Plan) (Jail, *hcp.Denial) {
	name := processName
	if p.spec.Native {
		name = nativeName
	}
	return newJail(p, name, plainStart{}, d.calls)
}

// jail is a Jail whose child is started by any starter.
type jail struct {
	plan   *Plan
	driver string
	starter
	calls *calls
	dirs  dirs
	relay *relay
	since int64 // ctime that a file changed by this call is not before
}

func newJail(p *Plan, driver string, st starter, c *calls) (Jail, *hcp.Denial) {
	j := &jail{plan: p, driver: driver, starter: st, calls: c, relay: listen(p.spec.Foreground)}
	var d *hcp.Denial
	if j.dirs, d = makeDirs(p); d != nil {
		j.relay.stop()
		return nil, d
	}
	if p.needsWorkspace() {
		j.since = j.dirs.clock(p.spec.Workspace)
	}
	return j, nil
}

func (j *jail) RewriteArgv() (Argv, *hcp.Denial) {
	words := make([]string, 0, len(j.plan.tokens))
	refs := false
	for _, t := range j.plan.tokens {
		if !t.inJail {
			words = append(words, t.text)
			continue
		}
		refs = true
		path := filepath.Join(j.dirs.refs, t.path)
		if t.slash {
			path += "/"
		}
		words = append(words, t.text+path)
	}
	if !refs {
		return Argv{words}, nil
	}
	if j.plan.spec.Mode == ModeEphemeral {
		return Argv{words}, stage(j.plan.spec.Workspace, j.dirs.refs, j.plan.tokens)
	}
	return Argv{words}, checkRefs(j.dirs.refs, j.plan.tokens)
}

func (j *jail) Spawn(ctx context.Context, argv Argv) Ended {
	began := time.Now()
	o := j.spawn(ctx, argv)
	o.Took = time.Since(began)
	if o.Ran {
		o.Driver = j.driver
	}
	return Ended{o}
}

// Writeback: an ephemeral jail gives its outputs unless hcp ended the call, for
// they may be half of what they should be; elsewhere the files are where they
// belong and are reported as they are.
func (j *jail) Writeback(e Ended) ([]hcp.File, *hcp.Denial) {
	s := &j.plan.spec
	switch s.Mode {
	case ModeEphemeral:
		if e.outcome.Denied != nil {
			return nil, nil
		}
		return writeBack(j.dirs.refs, s.Workspace, j.plan.tokens)
	case ModeWorkspace:
		return changedSince(s.Workspace, []string{"."}, j.since), nil
	}
	var outputs []string
	for _, t := range j.plan.tokens {
		if t.inJail && t.output {
			outputs = append(outputs, t.path)
		}
	}
	if outputs == nil {
		return nil, nil
	}
	return changedSince(s.Workspace, outputs, j.since), nil
}

func (j *jail) Cleanup() {
	j.dirs.remove()
	go j.relay.stop() // nothing waits for it, and it is slow to give signals back
}
