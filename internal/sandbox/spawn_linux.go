package sandbox

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweepLimit bounds how long we chase descendants that fork faster than they
// die.
const sweepLimit = 5 * time.Second

func sysProcAttr(foreground bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: !foreground, Pdeathsig: syscall.SIGKILL}
}

// closeOnExec marks what hcp itself inherited: Go marks only what it opened.
func closeOnExec() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// adoptOrphans makes what a child leaves behind ours, and not init's.
func adoptOrphans() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

func descriptorPath(f *os.File) string {
	return "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
}

func (c child) wait() {
	for unix.Waitid(unix.P_PID, c.n, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// sweep kills whatever an ended, not yet reaped child left behind: its group,
// and the orphans that became ours, generation after generation.
func (c *calls) sweep(pid, group int) {
	if group > 0 {
		syscall.Kill(-group, syscall.SIGKILL)
	}
	for stop := time.Now().Add(sweepLimit); ; {
		c.mu.Lock()
		var ours []int
		for _, p := range c.orphans(pid) {
			// Behind Landlock only what the call itself started takes our signals.
			if syscall.Kill(p, syscall.SIGKILL) != syscall.EPERM {
				ours = append(ours, p)
			}
		}
		c.mu.Unlock()
		if len(ours) == 0 || time.Now().After(stop) {
			return
		}
		if !reapAll(ours) {
			time.Sleep(time.Millisecond)
		}
	}
}

func reapAll(pids []int) (all bool) {
	all = true
	for _, p := range pids {
		if got, err := unix.Wait4(p, nil, unix.WNOHANG, nil); got == 0 && err == nil {
			all = false
		}
	}
	return all
}

// orphans are the processes without a parent of their own that a call left
// behind. They hang on the process's first thread, which starts no other child
// while a call lives (MaybeChild). When several calls live, one that its session, group or
// environment gives to no call waits for the last of them. c.mu is held.
func (c *calls) orphans(pid int) (out []int) {
	for _, p := range childrenOf(os.Getpid(), os.Getpid()) {
		if _, direct := c.live[p]; direct {
			continue
		}
		if owner := c.owner(p); owner == pid || owner == 0 && len(c.live) <= 1 {
			out = append(out, p)
		}
	}
	return out
}

func (c *calls) owner(p int) int {
	if len(c.live) <= 1 {
		return 0
	}
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(p) + "/stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) > 3 { // state ppid pgrp session
		for _, f := range fields[2:4] {
			n, _ := strconv.Atoi(string(f))
			if _, ok := c.live[n]; ok {
				return n
			}
		}
	}
	environ, _ := os.ReadFile("/proc/" + strconv.Itoa(p) + "/environ")
	for pid, mark := range c.live {
		if bytes.Contains(environ, []byte("TMPDIR="+mark+"\x00")) {
			return pid
		}
	}
	return 0
}

// descendants of a living process, itself left out.
func descendants(pid int) (out []int) {
	for todo := []int{pid}; len(todo) > 0 && len(out) < maxTreeEntries; todo = todo[1:] {
		tasks, err := os.ReadDir("/proc/" + strconv.Itoa(todo[0]) + "/task")
		if err != nil {
			continue
		}
		for _, t := range tasks {
			tid, _ := strconv.Atoi(t.Name())
			kids := childrenOf(todo[0], tid)
			out, todo = append(out, kids...), append(todo, kids...)
		}
	}
	return out
}

func childrenOf(pid, tid int) (out []int) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(tid) + "/children")
	if err != nil {
		return nil
	}
	for _, f := range bytes.Fields(data) {
		if n, err := strconv.Atoi(string(f)); err == nil {
			out = append(out, n)
		}
	}
	return out
}
