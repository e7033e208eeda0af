package binding

import "syscall"

// memoryBacked tells whether a folder's file system never writes to a disk of
// its own (it may still be swapped out).
func memoryBacked(dir string) bool {
	const tmpfs, ramfs = 0x01021994, 0x858458f6
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return false
	}
	kind := uint32(st.Type)
	return kind == tmpfs || kind == ramfs
}
