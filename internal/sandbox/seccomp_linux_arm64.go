package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	x32Bit    = 0 // no second ABI under this number
)

// archDenied are calls that only this machine has.
func archDenied() []uint32 { return nil }
