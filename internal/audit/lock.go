package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"hcp/internal/hcp"
)

const (
	lockName  = "lock"
	lockWait  = 2 * time.Second
	lockPause = 2 * time.Millisecond // the longest between two tries
)

// turn queues the writers of one Log: flock alone would let whoever has just
// finished go first again, and starve the rest.
type turn chan struct{}

// take waits for the writer's turn, as long as for the lock.
func (t turn) take(start time.Time) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(lockWait - time.Since(start))
	defer timer.Stop()
	select {
	case t <- struct{}{}:
		return nil
	case <-timer.C:
		return errLocked
	}
}

func (t turn) give() { <-t }

// errLocked is what a writer gets who waited in vain.
var errLocked = errors.New("log is locked")

// lockForWriting takes the log's lock and makes the folder and the lock file
// where there is none. The wait counts from start. Closing the file, or dying,
// gives the lock back.
func lockForWriting(dir string, start time.Time) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := openFile(path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if f, err = create(path, os.O_EXCL); errors.Is(err, fs.ErrExist) {
			f, err = openFile(path, os.O_RDWR) // another was faster
		}
	}
	if err != nil {
		return nil, err
	}
	return f, flock(f, syscall.LOCK_EX, start)
}

// lockForReading waits until no writer is at work. It makes nothing: a log on a
// read-only medium, without a lock file, can be read too; then there is no file
// to close.
func lockForReading(dir string) (*os.File, error) {
	f, err := openFile(filepath.Join(dir, lockName), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return f, flock(f, syscall.LOCK_SH, time.Now())
}

// flock tries until lockWait after start; on failure the file is closed.
func flock(f *os.File, how int, start time.Time) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		waited := time.Since(start)
		switch {
		case err == nil:
			return nil
		case err == syscall.EINTR:
			continue
		case err != syscall.EWOULDBLOCK:
			f.Close()
			return os.NewSyscallError("flock", err)
		case waited > lockWait:
			f.Close()
			return errLocked
		}
		time.Sleep(pause(waited))
	}
}

// pause is how long to wait for the next try. A writer that comes back at once
// finds the lock free before any sleeper looks, so who has waited long must look
// more often than who has just come, or a busy log would starve somebody.
func pause(waited time.Duration) time.Duration {
	switch {
	case waited < lockPause:
		return lockPause / 16
	case waited < lockWait/8:
		return lockPause
	case waited < lockWait/4:
		return lockPause / 4
	}
	return lockPause / 32
}

// openFile opens one of the log's files, which must be trusted (formats.md).
func openFile(path string, flag int) (*os.File, error) {
	f, err := hcp.OpenTrusted(path, flag)
	return f, plainErrno(err)
}

// plainErrno takes the path off a refusal that is nothing but an errno, since
// "denied: audit: <errno>" shows the errno alone.
func plainErrno(err error) error {
	var te *hcp.TrustError
	if !errors.As(err, &te) {
		return err
	}
	for _, errno := range []syscall.Errno{
		syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT,
		syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOTDIR,
	} {
		if te.Why == errno.Error() {
			return errno
		}
	}
	return err
}

// create makes a file of the log's, 0600 whatever the umask is.
func create(path string, flag int) (*os.File, error) {
	if err := hcp.CheckTrustedDir(filepath.Dir(path)); err != nil {
		return nil, plainErrno(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// publish writes a file whole or not at all: beside its place, synced, then
// renamed. The lock must be held. keep leaves it open, for appending.
func publish(path string, data []byte) (keep *os.File, err error) {
	temp := path + ".new"
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := create(temp, os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if _, err = f.Write(data); err == nil {
		err = datasync(f)
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		f.Close()
		os.Remove(temp)
		return nil, err
	}
	syncDir(filepath.Dir(path))
	return f, nil
}

// syncDir makes a new name survive a power failure. Some file systems cannot;
// the file itself is whole all the same.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
