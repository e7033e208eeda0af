//go:build !linux

package sandbox

import "syscall"

// forkJanitor takes the shell: here a program that was replaced while it runs
// cannot be started again.
func forkJanitor(cred string, in, null uintptr) (pid int, err error) {
	return syscall.ForkExec("/bin/sh", []string{"hcp-janitor", "-c", janitorScript, "hcp-janitor", cred}, &syscall.ProcAttr{
		Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Files: []uintptr{in, null, null},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
}

const janitorScript = `trap '' HUP INT QUIT TERM; while read -r x; do :; done; rm -rf -- "$1" || { chmod -R u+rwx -- "$1"; rm -rf -- "$1"; }`
