//go:build !linux

package audit

import "os"

// datasync waits until the file's content is on the disk.
func datasync(f *os.File) error { return f.Sync() }
