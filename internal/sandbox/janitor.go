package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// janitor is a process that outlives hcp by a moment, however hcp ends: it
// holds the reading end of a pipe whose other end only hcp has, and when that
// is closed it removes one call's credential files. Nothing else takes them
// away after a kill -9.
type janitor struct {
	pid  int
	held *os.File
}

// startJanitor is called before the first secret is written. The janitor has a
// session of its own, so that no Ctrl-C and no signal for hcp's group ends it,
// and holds nothing of hcp's but the pipe.
func startJanitor(cred string) (*janitor, error) {
	closeOnExec()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		w.Close()
		return nil, err
	}
	defer null.Close()
	// Not from the first thread: what hangs on that one passes for an orphan of
	// a call, and is killed (calls.orphans).
	type started struct {
		pid int
		err error
	}
	done := make(chan started, 1)
	go func() {
		in := int(r.Fd())
		err := syscall.SetNonblock(in, false) // to find nothing yet is no end
		s := started{err: err}
		if err == nil {
			s.pid, s.err = forkJanitor(cred, uintptr(in), null.Fd())
		}
		done <- s
	}()
	s := <-done
	if s.err != nil {
		w.Close()
		return nil, s.err
	}
	return &janitor{pid: s.pid, held: w}, nil
}

// dismiss ends the janitor of a call that comes to its proper end. Where the
// files are gone it has nothing to do; else it may try too.
func (j *janitor) dismiss(cred string) {
	if j == nil {
		return
	}
	if _, err := os.Lstat(cred); errors.Is(err, fs.ErrNotExist) {
		syscall.Kill(j.pid, syscall.SIGKILL) // ours and not reaped: the number is its own
	}
	j.held.Close()
	for {
		if _, err := syscall.Wait4(j.pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// sweepCredentials removes the credential files of calls whose process and
// janitor are both gone: a machine that lost its power. What else such a call
// left is SweepStale's.
func sweepCredentials(jailsDir string) {
	entries, err := os.ReadDir(jailsDir)
	if err != nil {
		return // there is none yet, or the call will fail on it by itself
	}
	for _, e := range entries {
		if !e.IsDir() || len(e.Name()) <= len(callPrefix) || e.Name()[:len(callPrefix)] != callPrefix {
			continue
		}
		dir := filepath.Join(jailsDir, e.Name())
		if _, err := os.Lstat(dir + credFolder); err != nil {
			continue
		}
		if lock, err := lockDir(dir); err == nil {
			removeTree(dir + credFolder)
			lock.Close()
		}
	}
}
