package sandbox

import (
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// janitorMagic starts what a janitor is told; the folder's path follows. That a
// process has a sealed file with it in the right place is hcp's own doing, and
// nothing that a name or an argument can bring about.
const (
	janitorMagic   = "hcp janitor\n"
	janitorOrderFd = 3
)

// forkJanitor starts hcp itself again: it is there on every machine, whatever
// else is not. A program that does not call MaybeChild fails on the argument.
func forkJanitor(cred string, in, null uintptr) (pid int, err error) {
	order, err := sealedFile([]byte(janitorMagic + cred))
	if err != nil {
		return 0, err
	}
	defer unix.Close(order)
	return syscall.ForkExec("/proc/self/exe", []string{"hcp-janitor", "--hcp-janitor"}, &syscall.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: []uintptr{in, null, null, uintptr(order)},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
}

// runJanitor is a janitor's whole life.
func runJanitor(order []byte) {
	// Who ends hcp may tell everything around it to end, and hcp last.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	for buf := make([]byte, 1); ; {
		if n, err := unix.Read(0, buf); n <= 0 && err != unix.EINTR {
			break
		}
	}
	if removeTree(string(order[len(janitorMagic):])) != nil {
		unix.Exit(1)
	}
	unix.Exit(0)
}
