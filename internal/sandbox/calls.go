package sandbox

import (
	"io/fs"
	"runtime"
	"sync"
	"syscall"
)

// calls knows the children that live, so that what one of them leaves behind is
// ended with it and nobody else's is.
type calls struct {
	mu   sync.Mutex
	live map[int]string // pid → the call's TMPDIR, which marks its descendants
}

// Calls are what drivers of one process that run calls at the same time have to
// have in common: which orphan is whose. The zero value is nothing in common.
type Calls struct{ shared *calls }

// NewCalls is for a process that may run several calls at once, whatever drivers
// it selects for them.
func NewCalls() Calls { return Calls{newCalls()} }

// lend makes the drivers know of each other's children.
func (c Calls) lend(drivers ...Driver) {
	for _, d := range drivers {
		if d, ok := d.(interface{ share(*calls) }); ok && c.shared != nil {
			d.share(c.shared)
		}
	}
}

func newCalls() *calls { return &calls{live: map[int]string{}} }

func (c *calls) start(st starter, l *launch, mark string) (process, error) {
	c.mu.Lock() // a sweep must not meet a child that is not entered yet
	defer c.mu.Unlock()
	p, err := st.start(l)
	if err != nil {
		return nil, err
	}
	c.live[p.pid()] = mark
	return p, nil
}

func (c *calls) remove(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.live, pid)
}

// forward sends a signal to the child, and to its group if it has its own.
func (c *calls) forward(pid, group int, sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.live[pid]; ok {
		kill(pid, group, sig)
	}
}

// signal sends a signal to the child, its group, and every descendant that left
// the group.
func (c *calls) signal(pid, group int, sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.live[pid]; !ok {
		return
	}
	others := append(descendants(pid), c.orphans(pid)...)
	kill(pid, group, sig) // first: a shell that waits must not see its child go before it hears itself
	for _, p := range others {
		if g, err := syscall.Getpgid(p); group == 0 || err == nil && g != group {
			syscall.Kill(p, sig)
		}
	}
}

func kill(pid, group int, sig syscall.Signal) {
	if group > 0 {
		syscall.Kill(-group, sig)
		return
	}
	syscall.Kill(pid, sig)
}

// plainStart starts a child with nothing around it.
type plainStart struct{}

// start forks without os.StartProcess, which would first fork another process to
// find out whether it can be waited for by descriptor. We wait by number: the
// child is ours, and stays unreaped until its last descendant is gone.
func (plainStart) start(l *launch) (process, error) {
	fds := make([]uintptr, len(l.attr.Files))
	for i, f := range l.attr.Files {
		fds[i] = f.Fd()
	}
	pid, err := syscall.ForkExec(l.path, l.argv, &syscall.ProcAttr{Dir: l.attr.Dir, Env: l.attr.Env, Files: fds, Sys: l.attr.Sys})
	if err != nil {
		return nil, &fs.PathError{Op: "start", Path: l.path, Err: err}
	}
	runtime.KeepAlive(l.attr.Files)
	return child{pid}, nil
}

// child is a process that is our own child.
type child struct{ n int }

func (c child) pid() int { return c.n }

func (c child) reap() int {
	var ws syscall.WaitStatus
	for {
		_, err := syscall.Wait4(c.n, &ws, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return -1
		case ws.Signaled():
			return 128 + int(ws.Signal())
		default:
			return ws.ExitStatus()
		}
	}
}
