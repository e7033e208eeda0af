package sandbox

import "runtime"

// MaybeChild is the first line of main. It keeps every other goroutine off the
// process's first thread: orphans that a child leaves behind become children of
// that thread, and nothing else ever does, which is how they are told from the
// programs hcp itself started. It costs no system call.
func MaybeChild() { runtime.LockOSThread() }
