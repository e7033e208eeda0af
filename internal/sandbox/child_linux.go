package sandbox

import "runtime"

// MaybeChild is the first line of main. It keeps every other goroutine off the
// process's first thread: orphans that a child leaves behind become children of
// that thread, which is how they are told from the programs that hcp itself
// started beside a call. Where hcp was started by itself as the first process
// of a namespace, or as the janitor of a call, it does not come back (runInit,
// runJanitor). Otherwise it costs two system calls.
func MaybeChild() {
	runtime.LockOSThread()
	if order := initOrder(); order != nil {
		runInit(order)
	}
	if order := sealedOrder(janitorOrderFd, janitorMagic); order != nil {
		runJanitor(order)
	}
}
