//go:build !linux

package binding

import (
	"os"
	"syscall"
	"unsafe"
)

func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func onOwnThread(f func()) { f() }

// waitNoReap stays until the process has ended and leaves it unreaped, so that
// its number, and its group's, are still its own.
func waitNoReap(pid int) {
	const idPid = 1
	var info [128]byte // siginfo_t, which nobody looks at
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_WAITID, idPid, uintptr(pid), uintptr(unsafe.Pointer(&info)),
			syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if e != syscall.EINTR {
			return
		}
	}
}

// killAll ends the process's group. What left it is not found here.
func killAll(pid int, _ string, _ ...*os.File) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
