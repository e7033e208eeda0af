package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hcp/internal/hcp"
)

const nsName = "ns"

// initPatience is how long an init may take to start the child. It needs
// milliseconds; a dead network file system would hold it for ever.
const initPatience = 20 * time.Second

// Stages of the ns driver's set-up: hcp's own, then the init's, in order.
const (
	stageOrder       = "order"
	stagePipe        = "status pipe"
	stageNamespaces  = "namespaces"
	stageInit        = "init"
	stagePropagation = "mount propagation"
	stageRoot        = "new root"
	stageProc        = "proc"
	stageMounts      = "mounts"
	stageHost        = "host root"
	stageIDMap       = "id map"
	stageNetwork     = "network"
	stageLoopback    = "loopback"
	stageLimits      = "limits"
	stageCwd         = "working directory"
	stageChild       = "child"
)

type nsDriver struct {
	calls *calls
	// fail makes a stage fail in tests, in hcp or in the init; nil: none does.
	fail func(stage string) error
}

// NS gives the driver that holds a child in namespaces of its own: another root
// in which only what the policy lists is there, no process of the host, no
// network unless it is allowed, with Landlock and seccomp behind. It needs user
// namespaces. hcp starts itself again as the first process in there
// (MaybeChild), and all that the child left dies with that one. One value serves
// any number of calls at once.
func NS() Driver { return &nsDriver{calls: newCalls()} }

func (d *nsDriver) share(c *calls) { d.calls = c }

func (d *nsDriver) Name() string { return nsName }

func (d *nsDriver) Prepare(_ context.Context, p *Plan) (Jail, *hcp.Denial) {
	st := &nsStart{driver: d, bin: p.spec.Bin}
	made, den := newJail(p, nsName, st, d.calls)
	if den != nil {
		return nil, den
	}
	if st.pol, den = policyOf(made, p); den != nil {
		made.Cleanup()
		return nil, den
	}
	if len(st.pol.absent) == 0 {
		return made, nil
	}
	guard, err := openGitGuard(st.pol.absent)
	if err != nil {
		made.Cleanup()
		return nil, failed("project", err)
	}
	return &nsJail{Jail: made, guard: guard}, nil
}

// nsStart starts one call's child.
type nsStart struct {
	driver *nsDriver
	pol    policy
	bin    *Bin
}

func (s *nsStart) start(l *launch) (process, error) {
	o := order{policy: s.pol, path: l.path, argv: l.argv, env: l.attr.Env, dir: l.attr.Dir, foreground: !l.attr.Sys.Setsid}
	if s.bin != nil && l.path == descriptorPath(s.bin.file) {
		o.program = true
	}
	p, err := s.driver.start(&o, s.bin, l.attr.Files)
	if err != nil {
		return nil, err
	}
	// A sweep that looks for orphans knows the init by this.
	s.driver.calls.live[p.init] = l.dirs.tmp
	return p, nil
}

// start brings an init up and comes back when it has started the child, or has
// said why not. On an error nothing is left of it.
func (d *nsDriver) start(o *order, bin *Bin, files []*os.File) (*nsProcess, error) {
	if d.fail != nil {
		for _, stage := range initStages() {
			if d.fail(stage) != nil {
				o.fault = stage
			}
		}
	}
	o.uid, o.gid = os.Geteuid(), os.Getegid()
	memfd, err := -1, d.faulty(stageOrder)
	if err == nil {
		memfd, err = sealedFile(o.encode())
	}
	if err != nil {
		return nil, &setupError{stageOrder, err}
	}
	defer unix.Close(memfd)
	var pipe [2]int
	if err = d.faulty(stagePipe); err == nil {
		err = unix.Pipe2(pipe[:], unix.O_CLOEXEC)
	}
	if err != nil {
		return nil, &setupError{stagePipe, err}
	}
	p := &nsProcess{calls: d.calls, status: pipe[0]}
	fds := []uintptr{files[0].Fd(), files[1].Fd(), files[2].Fd(), uintptr(pipe[1]), uintptr(memfd)}
	if o.program {
		fds = append(fds, bin.file.Fd())
	}
	if err = d.faulty(stageNamespaces); err == nil {
		p.init, err = syscall.ForkExec("/proc/self/exe", initArgs(), &syscall.ProcAttr{Dir: "/", Env: initEnv(), Files: fds, Sys: initAttr(o)})
	}
	unix.Close(pipe[1])
	if err != nil {
		unix.Close(pipe[0])
		return nil, &setupError{stageNamespaces, err}
	}
	if err := p.started(o); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

func (d *nsDriver) faulty(stage string) error {
	if d.fail == nil {
		return nil
	}
	return d.fail(stage)
}

// initArgs are for people who look at a list of processes. A program that does
// not call MaybeChild fails on them, and starts nothing over again.
func initArgs() []string { return []string{"hcp-init", "--hcp-init"} }

// initEnv is nothing of hcp's: what the child gets travels in the order.
func initEnv() []string { return []string{"GOMAXPROCS=2"} }

// initAttr asks for a child that shares hcp's memory until it executes: to copy
// the page tables, as Go does for a new user namespace, takes longer than all
// the mounts. The init then maps its user by itself; until it has, it is nobody
// there, and what the set-up needs is kept through exec as ambient capabilities.
func initAttr(o *order) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_VM | unix.CLONE_VFORK |
			unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP},
		Pdeathsig:   syscall.SIGKILL,
		Setsid:      !o.foreground,
	}
}

// sealedFile gives a file in memory that nobody can change any more.
func sealedFile(data []byte) (fd int, err error) {
	fd, err = unix.MemfdCreate("hcp", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // before Linux 6.3
		fd, err = unix.MemfdCreate("hcp", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return -1, err
	}
	for len(data) > 0 && err == nil {
		var n int
		n, err = unix.Write(fd, data)
		data = data[max(n, 0):]
	}
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, orderSeals)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// nsProcess is a child and the init that holds it.
type nsProcess struct {
	calls  *calls
	init   int // both by their numbers in hcp's namespace
	child  int
	status int // the init's reports
	report report
}

func (p *nsProcess) pid() int { return p.child }

// started waits for the init's first report.
func (p *nsProcess) started(o *order) error {
	fds := []unix.PollFd{{Fd: int32(p.status), Events: unix.POLLIN}}
	for stop := time.Now().Add(initPatience); ; {
		n, err := unix.Poll(fds, int(time.Until(stop).Milliseconds()))
		if n > 0 {
			break
		}
		if err != unix.EINTR || time.Now().After(stop) {
			return &setupError{stageInit, unix.ETIMEDOUT}
		}
	}
	var r report
	switch err := r.read(p.status); {
	case err != nil:
		return &setupError{stageInit, errors.New("ended early")}
	case r.kind == reportExec:
		return &fs.PathError{Op: "start", Path: o.path, Err: syscall.Errno(r.value)}
	case r.kind == reportFailed:
		return &setupError{r.stage, syscall.Errno(r.value)}
	case r.kind != reportStarted:
		return &setupError{stageInit, errors.New("unknown report")}
	}
	// The init reaps its child only in dying, so that it is there to be found.
	for _, kids := range [...]func() []int{func() []int { return childrenOf(p.init, p.init) }, func() []int { return descendants(p.init) }} {
		if list := kids(); len(list) > 0 {
			p.child = list[0]
			return nil
		}
	}
	return &setupError{stageChild, errors.New("not to be found in /proc")}
}

// wait comes back when the init has reported the child's end, or is gone.
func (p *nsProcess) wait() { p.report.read(p.status) }

func (p *nsProcess) reap() int {
	p.end()
	p.calls.remove(p.init)
	if p.report.kind == reportEnded {
		return int(p.report.value)
	}
	return 128 + int(unix.SIGKILL) // the init was killed, and the child by that
}

// end ends the init, and with it everything in its namespace: when it has been
// reaped, nothing of it is left.
func (p *nsProcess) end() {
	unix.Kill(p.init, unix.SIGKILL)
	for {
		if _, err := unix.Wait4(p.init, nil, 0, nil); err != unix.EINTR {
			break
		}
	}
	unix.Close(p.status)
}

// childFile is the init's name for a descriptor of its own.
func childFile(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }
