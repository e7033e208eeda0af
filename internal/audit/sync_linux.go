package audit

import (
	"os"
	"syscall"
)

// datasync waits until the file's content is on the disk; times may follow
// later.
func datasync(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err == nil {
			return nil
		}
		if err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
