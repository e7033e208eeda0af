package sandbox

import (
	"context"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"hcp/internal/hcp"
)

const landlockName = "landlock"

// Stages of the landlock driver's set-up, in order.
const (
	stagePrivileges = "no_new_privs"
	stageDumpable   = "dumpable"
	stageCaps       = "capabilities"
	stageLandlock   = "landlock" // is it there
	stageRuleset    = "landlock ruleset"
	stageRestrict   = "landlock restrict"
	stageSeccomp    = "seccomp"
)

type landlockDriver struct {
	calls *calls
	quiet quiet
	// fail makes a stage fail in tests; nil: none does.
	fail func(stage string) error
}

// Landlock gives the driver that holds a child by Landlock, seccomp and
// no_new_privs. They act on one OS thread, which then starts the child and is
// given up when the child is gone. One value serves any number of calls at
// once. NotCovered says what this driver cannot hold.
func Landlock() Driver { return &landlockDriver{calls: newCalls()} }

func (d *landlockDriver) share(c *calls) { d.calls = c }

func (d *landlockDriver) Name() string { return landlockName }

func (d *landlockDriver) Prepare(_ context.Context, p *Plan) (Jail, *hcp.Denial) {
	s := &p.spec
	if s.Mode == ModeProject && s.Operation == hcp.OpWrite && !s.ProjectGitWritable {
		return nil, hcp.SandboxDenied("project write needs the ns driver").
			WithHint("or set project_git_writable = true in [packs.%s] of hcp.toml: the child may then change .git/hooks and .git/config", s.Pack)
	}
	st := &landlockStart{driver: d}
	made, den := newJail(p, landlockName, st, d.calls)
	if den != nil {
		return nil, den
	}
	j := &landlockJail{Jail: made, start: st}
	if st.pol, den = policyOf(made, p); den == nil && len(st.pol.Hidden) > 0 {
		den = hcp.SandboxDenied("%s lies in a folder that the child may read", printablePath(st.pol.Hidden[0])).
			WithHint("the landlock driver cannot hide hcp's own folders there; move them, or use the ns driver")
	}
	if den != nil {
		j.Cleanup()
		return nil, den
	}
	return j, nil
}

// policyOf is what the child in a jail of ours may see.
func policyOf(made Jail, p *Plan) (policy, *hcp.Denial) {
	j, ok := made.(*jail)
	if !ok {
		return policy{}, hcp.SandboxDenied("jail: of another driver")
	}
	return buildPolicy(p, &j.dirs)
}

// landlockJail is a jail whose child is started by a thread that is given up.
type landlockJail struct {
	Jail
	start *landlockStart
}

// Spawn runs on a thread that is given up: its marks are for good. The thread
// stays as long as the child does: its death would be the child's.
func (j *landlockJail) Spawn(ctx context.Context, argv Argv) Ended {
	done := make(chan Ended, 1)
	onLostThread(func() { done <- j.Jail.Spawn(ctx, argv) })
	ended := <-done
	j.start.leave()
	return ended
}

// onLostThread runs f on a goroutine whose thread ends with it, which is what
// the runtime does with a thread that is still locked. A thread that started
// another child of hcp's is left alone: with its end that child would become
// the main thread's, and pass for an orphan (calls.orphans).
func onLostThread(f func()) {
	locked := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		close(locked)
		if len(childrenOf(os.Getpid(), unix.Gettid())) > 0 {
			onLostThread(f) // comes back when f has another thread
			runtime.UnlockOSThread()
			return
		}
		f()
	}()
	<-locked
}

// landlockStart puts up the walls around one thread, once, and starts the child
// behind them.
type landlockStart struct {
	driver *landlockDriver
	pol    policy
	up     bool // the walls stand: a second try to start the child adds none
	quiet  bool // this call has made hcp unreadable
}

func (s *landlockStart) start(l *launch) (process, error) {
	if !s.up {
		if err := s.walls(); err != nil {
			return nil, err
		}
		s.up = true
	}
	return plainStart{}.start(l)
}

// walls opens what has to be opened first, and then gives up step by step what
// the child must not have.
func (s *landlockStart) walls() error {
	abi, ruleset := 0, -1
	defer func() {
		if ruleset >= 0 {
			unix.Close(ruleset)
		}
	}()
	steps := [...]struct {
		stage string
		do    func() error
	}{
		{stageLandlock, func() (err error) { abi, err = landlockABI(); return err }},
		{stageRuleset, func() (err error) { ruleset, err = landlockRuleset(abi, &s.pol, true); return err }},
		{stageDumpable, s.enter},
		{stagePrivileges, noNewPrivs},
		{stageCaps, dropCaps},
		{stageRestrict, func() error { return restrictSelf(ruleset) }},
		{stageSeccomp, func() error {
			return syscallRules{network: s.pol.Network, alone: true, trunc: abi < 3, thread: unix.Gettid()}.install()
		}},
	}
	for _, step := range steps {
		err := error(nil)
		if s.driver.fail != nil {
			err = s.driver.fail(step.stage)
		}
		if err == nil {
			err = step.do()
		}
		if err != nil {
			return &setupError{step.stage, err}
		}
	}
	return nil
}

func (s *landlockStart) enter() error {
	err := s.driver.quiet.enter()
	s.quiet = err == nil
	return err
}

func (s *landlockStart) leave() {
	if s.quiet {
		s.driver.quiet.leave()
		s.quiet = false
	}
}

// quiet makes hcp's own memory, environment and files unreadable through /proc
// while a child lives. The child shares a Landlock domain with the thread that
// started it, and so may look at that thread, which has all of hcp's memory.
type quiet struct {
	mu   sync.Mutex
	live int
	was  int
}

func (q *quiet) enter() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.live == 0 {
		was, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		if err != nil {
			return err
		}
		if q.was = was; was != 0 {
			if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
				return err
			}
		}
	}
	q.live++
	return nil
}

func (q *quiet) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.live--; q.live == 0 && q.was == 1 {
		unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
	}
}
