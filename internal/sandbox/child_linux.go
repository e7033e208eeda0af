package sandbox

import "runtime"

// MaybeChild is the first line of main. It keeps every other goroutine off the
// process's first thread: orphans that a child leaves behind become children of
// that thread, which is how they are told from the programs that hcp itself
// started beside a call. It costs no system call.
func MaybeChild() { runtime.LockOSThread() }
