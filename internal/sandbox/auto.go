package sandbox

import (
	"context"
	"slices"

	"hcp/internal/hcp"
)

// Choice is what configuration says about drivers. Its zero value is the
// strongest driver that works, landlock at least. Nothing that an invoker sets
// may get in here.
type Choice struct {
	Driver   string // auto, ns, landlock or process; "" is auto
	Min      string // weakest driver accepted: ns, landlock or process; "" is landlock
	CacheDir string // folder of the proofs, a trusted one; made when needed, 0700; "": none are kept
	Exe      string // hcp's own executable, which a proof holds for
	Calls    Calls  // of this process, where several may run at once; zero: it runs one
}

const autoName = "auto"

// ranked are the drivers from the strongest to the weakest.
func ranked() []string { return []string{nsName, landlockName, processName} }

func driverNamed(name string) Driver {
	switch name {
	case nsName:
		return NS()
	case landlockName:
		return Landlock()
	}
	return Process()
}

// candidates are the drivers that a choice allows, strongest first; why says
// what is wrong with a choice that allows none.
func (c Choice) candidates() (names []string, why string) {
	floor := c.Min
	if floor == "" {
		floor = landlockName
	}
	weakest := slices.Index(ranked(), floor)
	if weakest < 0 {
		return nil, "sandbox.min " + hcp.Quote(c.Min) + " unknown"
	}
	if c.Driver == "" || c.Driver == autoName {
		return ranked()[:weakest+1], ""
	}
	switch at := slices.Index(ranked(), c.Driver); {
	case at < 0:
		return nil, "driver " + hcp.Quote(c.Driver) + " unknown"
	case at > weakest:
		return nil, "driver " + c.Driver + " is weaker than sandbox.min " + floor
	}
	return []string{c.Driver}, ""
}

// Select gives the driver that a choice means. It does not fail: a choice that
// nothing meets gives a driver that refuses every call. Auto takes the
// strongest driver that works: one whose set-up fails before the child ran
// gives way to the next that the choice allows, and Outcome.Driver says which
// ran. What failed is remembered in the cache, so that the next call of the
// same user on the same system does not try it first.
func Select(c Choice) Driver {
	names, why := c.candidates()
	if why != "" {
		return noDriver{why}
	}
	a := &auto{native: Process()}
	if len(names) > 1 && c.CacheDir != "" {
		a.proofs = openProofs(c)
		names = a.proofs.order(names)
	}
	for _, n := range names {
		a.drivers = append(a.drivers, driverNamed(n))
	}
	c.Calls.lend(append(a.drivers, a.native)...)
	return a
}

// noDriver refuses every call.
type noDriver struct{ why string }

func (noDriver) Name() string { return autoName }

func (n noDriver) Prepare(context.Context, *Plan) (Jail, *hcp.Denial) {
	return nil, hcp.SandboxDenied("%s%s", unavailablePrefix, n.why)
}

// auto holds the drivers that may run a call, the first to be tried first.
type auto struct {
	drivers []Driver
	native  Driver  // for native-local, which configuration decided on
	proofs  *proofs // nil: none are kept
}

func (a *auto) Name() string { return a.drivers[0].Name() }

func (a *auto) Prepare(ctx context.Context, p *Plan) (Jail, *hcp.Denial) {
	if p.spec.Native {
		return a.native.Prepare(ctx, p)
	}
	j := &autoJail{auto: a, plan: p}
	if d := j.prepare(ctx); d != nil {
		return nil, d
	}
	return j, nil
}

// failure is a driver whose set-up failed before the child ran.
type failure struct {
	driver string
	denial *hcp.Denial
}

// autoJail is the jail of the first driver that works.
type autoJail struct {
	Jail   // of the driver that is tried; nil: none is left
	auto   *auto
	plan   *Plan
	next   int       // index of the driver after it
	failed []failure // the drivers before it
}

// prepare goes on to the next driver that can prepare.
func (j *autoJail) prepare(ctx context.Context) *hcp.Denial {
	for j.next < len(j.auto.drivers) {
		drv := j.auto.drivers[j.next]
		j.next++
		made, d := drv.Prepare(ctx, j.plan)
		if d == nil {
			j.Jail = made
			return nil
		}
		if !isUnavailable(d) {
			return d
		}
		j.failed = append(j.failed, failure{drv.Name(), d})
	}
	return noneLeft(j.failed)
}

// Spawn tries one driver after the other. Each gets folders of its own, so that
// nothing of a failed set-up is left in them.
func (j *autoJail) Spawn(ctx context.Context, argv Argv) Ended {
	for {
		ended := j.Jail.Spawn(ctx, argv)
		if o := &ended.outcome; o.Ran || !isUnavailable(o.Denied) {
			if o.Ran {
				j.auto.proofs.note(j.failed)
			}
			return ended
		}
		j.failed = append(j.failed, failure{j.auto.drivers[j.next-1].Name(), ended.outcome.Denied})
		j.Cleanup()
		d := j.prepare(ctx)
		if d == nil {
			argv, d = j.Jail.RewriteArgv()
		}
		if d != nil {
			return Ended{Outcome{Denied: d}}
		}
	}
}

func (j *autoJail) Cleanup() {
	if j.Jail != nil {
		j.Jail.Cleanup()
		j.Jail = nil
	}
}

// noneLeft refuses a call that no driver would take: with the words of the
// weakest one that would have done, and what stopped the others as a hint.
func noneLeft(failed []failure) *hcp.Denial {
	last := slices.MaxFunc(failed, func(a, b failure) int {
		return slices.Index(ranked(), a.driver) - slices.Index(ranked(), b.driver)
	})
	d := *last.denial
	for _, f := range failed {
		if f == last {
			continue
		}
		if d.Hint != "" {
			d.Hint += "; "
		}
		d.Hint += "driver " + f.driver + ": " + unavailableWhy(f.denial)
		if f.denial.Hint != "" {
			d.Hint += " (" + f.denial.Hint + ")"
		}
	}
	return &d
}
