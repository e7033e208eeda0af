package sandbox

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// openBinFlags need no read permission: a program may be executable only.
const openBinFlags = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC

func ctime(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }
