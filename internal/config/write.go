package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"hcp/internal/hcp"
)

// lockWait is how long a writer waits for others: each holds the lock for one
// small file and its fsync, and a hundred may come at once.
const lockWait = 10 * time.Second

// makeDir makes a folder of ours, and those above it, for us alone, and holds
// one that was there already to the rule of trust.
func makeDir(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = hcp.CheckTrustedDir(dir)
	}
	if err != nil {
		return fileError(dir, err)
	}
	return nil
}

// locked runs f while it holds the lock on a folder. The lock is the kernel's
// (flock), so it dies with its process, and it leaves no lock file behind. A
// folder that is not there is fs.ErrNotExist.
func locked(dir string, f func() error) error {
	if err := hcp.CheckTrustedDir(dir); err != nil {
		return asError(dir, err)
	}
	d, err := os.Open(dir)
	if err != nil {
		return asError(dir, err)
	}
	defer d.Close()
	if err := flock(d, time.Now().Add(lockWait)); err != nil {
		return asError(dir, err)
	}
	return f()
}

var errLocked = errors.New("locked by another process")

func flock(f *os.File, until time.Time) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 16*time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return err
		case time.Now().After(until):
			return errLocked
		}
		time.Sleep(pause)
	}
}

// asError gives a fault our form, but leaves fs.ErrNotExist to be told apart.
func asError(path string, err error) error {
	var mine *Error
	if errors.As(err, &mine) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fileError(path, err)
}

// replace puts data in path's place in one step. The caller holds the folder's
// lock, so the temporary file's name can be the same each time: one that a
// killed writer left behind is used up by the next.
func replace(path string, data []byte, mode fs.FileMode) error {
	return viaTemp(path, mode, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}, os.Rename)
}

// viaTemp writes a temporary file beside path and then moves it to its place
// with put. Whatever fails, the old file is whole and no temporary file is left.
func viaTemp(path string, mode fs.FileMode, write func(*os.File) error, put func(temp, path string) error) error {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	err := writeTemp(temp, mode, write)
	if err == nil {
		if err = keepOwner(temp, path); err == nil {
			err = put(temp, path)
		}
	}
	if err != nil {
		os.Remove(temp)
		return fileError(path, err)
	}
	syncDir(filepath.Dir(path))
	return nil
}

func writeTemp(temp string, mode fs.FileMode, write func(*os.File) error) error {
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(mode) // the umask may not take anything from an existing file's mode
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// keepOwner leaves a file with its owner when root rewrites it.
func keepOwner(temp, path string) error {
	info, err := os.Lstat(path)
	if err != nil || os.Geteuid() != 0 {
		return nil // a new file, or one that only we could own
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return os.Lchown(temp, int(st.Uid), int(st.Gid))
}

// syncDir makes a rename or removal last, as far as the file system can. The
// change itself is made by then, so a failure here is no failure of the call.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
