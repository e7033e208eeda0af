//go:build !linux

package binding

// memoryBacked: no folder that the platform makes for a user lives in memory.
func memoryBacked(string) bool { return false }
