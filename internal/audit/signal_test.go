package audit

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes a write over RLIMIT_FSIZE fail with EFBIG.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
