package binding

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// sysProcAttr: a session of its own has no terminal to prompt on, and a helper
// whose hcp was killed must not go on.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// onOwnThread runs f on an OS thread that lives until f returns, since
// Pdeathsig is about the thread and not the process; and not on the main one,
// whose children may be taken for what a sandboxed call has left behind.
func onOwnThread(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if syscall.Gettid() != os.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { // the main thread is locked: this is another
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		f()
	}()
	<-done
}

// waitNoReap stays until the process has ended and leaves it unreaped, so that
// its number, and its group's, are still its own.
func waitNoReap(pid int) {
	const idPid = 1
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_WAITID, idPid, uintptr(pid), 0, syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if e != syscall.EINTR {
			return
		}
	}
}

const (
	maxRounds = 40   // of looking for processes that were started while others were killed
	maxTree   = 1024 // processes looked for outside of the group
)

// killAll ends a process that is not reaped yet, its group, its descendants and
// all that carry its mark or its pipes. The group is stopped first: it then
// forks no more, and who is whose child can still be seen.
func killAll(pid int, mark string, pipes ...*os.File) {
	held := pipeNames(pipes)
	_ = syscall.Kill(-pid, syscall.SIGSTOP)
	others := descendants(pid)
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	for range maxRounds {
		for _, p := range others {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		if others = marked(mark, held); len(others) == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// descendants of a living process, itself left out.
func descendants(pid int) (out []int) {
	for todo := []int{pid}; len(todo) > 0 && len(out) < maxTree; todo = todo[1:] {
		dir := "/proc/" + strconv.Itoa(todo[0]) + "/task"
		for _, tid := range names(dir) {
			data, _ := os.ReadFile(dir + "/" + tid + "/children")
			for _, f := range bytes.Fields(data) {
				if p, err := strconv.Atoi(string(f)); err == nil {
					out, todo = append(out, p), append(todo, p)
				}
			}
		}
	}
	return out
}

// marked finds the processes that have mark in their environment, or one of the
// pipes as their stdin or stdout. One that has ended has neither.
func marked(mark string, pipes []string) (out []int) {
	self := os.Getpid()
	for _, name := range names("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == self {
			continue
		}
		environ, err := os.ReadFile("/proc/" + name + "/environ")
		if err != nil {
			continue
		}
		if bytes.Contains(environ, []byte(mark)) || holds(name, pipes) {
			out = append(out, pid)
		}
	}
	return out
}

func holds(pid string, pipes []string) bool {
	for _, fd := range []string{"0", "1"} {
		target, err := os.Readlink("/proc/" + pid + "/fd/" + fd)
		if err == nil && slices.Contains(pipes, target) {
			return true
		}
	}
	return false
}

// pipeNames gives pipes the names that /proc has for them.
func pipeNames(pipes []*os.File) (out []string) {
	for _, p := range pipes {
		if info, err := p.Stat(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				out = append(out, "pipe:["+strconv.FormatUint(st.Ino, 10)+"]")
			}
		}
	}
	return out
}

func names(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.Readdirnames(-1)
	return list
}
