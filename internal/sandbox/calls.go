package sandbox

import (
	"os"
	"sync"
	"syscall"
)

// calls knows the children that live, so that what one of them leaves behind is
// ended with it and nobody else's is.
type calls struct {
	mu   sync.Mutex
	live map[int]string // pid → the call's TMPDIR, which marks its descendants
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

func (plainStart) start(l *launch) (process, error) {
	p, err := os.StartProcess(l.path, l.argv, l.attr)
	if err != nil {
		return nil, err
	}
	return child{p}, nil
}

// child is a process that is our own child.
type child struct{ p *os.Process }

func (c child) pid() int { return c.p.Pid }

func (c child) reap() int {
	state, err := c.p.Wait()
	if err != nil {
		return -1
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}
