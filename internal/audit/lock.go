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
	lockName = "lock"
	lockWait = 2 * time.Second
	// The longest pause between two tries: short, so that under a hundred
	// writers every one gets its turn long before the wait is over.
	lockPause = 2 * time.Millisecond
)

// errLocked is what a writer gets who waited in vain.
var errLocked = errors.New("log is locked")

// lockForWriting takes the log's lock and makes the folder and the lock file
// where there is none. Closing the file, or dying, gives the lock back.
func lockForWriting(dir string) (*os.File, error) {
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
	return f, flock(f, syscall.LOCK_EX)
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
	return f, flock(f, syscall.LOCK_SH)
}

// flock tries until the deadline; on failure the file is closed.
func flock(f *os.File, how int) error {
	pause := 50 * time.Microsecond
	for deadline := time.Now().Add(lockWait); ; {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case err == syscall.EINTR:
			continue
		case err != syscall.EWOULDBLOCK:
			f.Close()
			return os.NewSyscallError("flock", err)
		case time.Now().After(deadline):
			f.Close()
			return errLocked
		}
		time.Sleep(pause)
		pause = min(2*pause, lockPause)
	}
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
