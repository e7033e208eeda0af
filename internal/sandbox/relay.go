package sandbox

import (
	"os"
	"os/signal"
	"syscall"
)

// relay takes hcp's signals while a call lives, to hand them to the child.
type relay struct {
	signals    chan os.Signal
	foreground bool
	ready      chan struct{} // closed when the signals are ours
}

// listen asks for the signals while the caller goes on: the runtime asks one
// thread for each of them, and that is worth doing beside the rest. The caller
// waits for ready before it relies on any.
func listen(foreground bool) *relay {
	r := &relay{signals: make(chan os.Signal, 16), foreground: foreground, ready: make(chan struct{})}
	go r.listen()
	return r
}

func (r *relay) listen() {
	defer close(r.ready)
	list := make([]os.Signal, 0, 9)
	for _, sig := range [...]os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2} {
		if !signal.Ignored(sig) { // nohup's wish is the child's too
			list = append(list, sig)
		}
	}
	// PIPE is taken so that a write to our own stdout fails instead of killing us.
	signal.Notify(r.signals, append(list, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGPIPE)...)
}

func (r *relay) stop() {
	<-r.ready
	signal.Stop(r.signals)
}

// passes tells whether the child gets a signal that hcp got. In the foreground
// the terminal has sent it INT and QUIT itself; hcp only waits.
func (r *relay) passes(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGPIPE:
		return false
	case syscall.SIGINT, syscall.SIGQUIT:
		return !r.foreground
	}
	return true
}
