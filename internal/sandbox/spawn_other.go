//go:build !linux

package sandbox

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func sysProcAttr(foreground bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: !foreground}
}

// closeOnExec marks what hcp itself inherited: Go marks only what it opened.
func closeOnExec() {
	dir, err := os.Open("/dev/fd")
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

// adoptOrphans: no such thing here; a child that leaves its group is not found
// again.
func adoptOrphans() {}

// descriptorPath: programs start by their path here.
func descriptorPath(*os.File) string { return "" }

// wait is os.Process.Wait's own first half: waitid that leaves the child to be
// reaped.
func (c child) wait() {
	var info [128]byte // room for any siginfo_t
	const idPid = 1
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_WAITID, idPid, uintptr(c.n), uintptr(unsafe.Pointer(&info)),
			syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if e != syscall.EINTR {
			return
		}
	}
}

// sweep kills the group that an ended, not yet reaped child left behind.
func (c *calls) sweep(_, group int) {
	if group > 0 {
		syscall.Kill(-group, syscall.SIGKILL)
	}
}

func (c *calls) orphans(int) []int { return nil }

func descendants(int) []int { return nil }
