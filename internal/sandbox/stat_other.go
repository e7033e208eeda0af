//go:build !linux

package sandbox

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// openBinFlags: without O_PATH a program that may not be read cannot be pinned
// by an open file, and does not run.
const openBinFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

func ctime(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }
