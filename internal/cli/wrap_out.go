package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hcp/internal/hcp"
	"hcp/internal/scaffold"
)

// freeTarget refuses a folder that is there already, or whose place is not.
// shown is how the user would write it.
func freeTarget(dir, shown string) error {
	if _, err := os.Lstat(dir); err == nil {
		return existsAlready(shown)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %s", hcp.Printable(shown, ""), hcp.Reason(err))
	}
	parent := filepath.Dir(dir)
	info, err := os.Stat(parent)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %s", hcp.Printable(parent, ""), hcp.Reason(err))
	case !info.IsDir():
		return fmt.Errorf("%s: %s", hcp.Printable(parent, ""), hcp.Reason(syscall.ENOTDIR))
	}
	return nil
}

func existsAlready(dir string) error {
	return fmt.Errorf("%s exists already; remove it, or name another folder with --out", hcp.Printable(dir, ""))
}

// writeDraft writes a folder in one step: it is made beside its place and then
// renamed, so that nobody ever sees half of it. What a killed run left beside
// it goes with the next.
func writeDraft(dir, shown string, files []scaffold.File) (err error) {
	if err := freeTarget(dir, shown); err != nil {
		return err
	}
	parent, prefix := filepath.Dir(dir), "."+filepath.Base(dir)+".hcp-wrap-"
	sweepDrafts(parent, prefix)
	temp, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return fmt.Errorf("%s: %s", hcp.Printable(parent, ""), hcp.Reason(err))
	}
	defer func() {
		if err != nil {
			os.RemoveAll(temp)
		}
	}()
	lock, err := os.Open(temp)
	if err == nil {
		defer lock.Close()
		err = errors.Join(syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), os.Chmod(temp, 0o755))
	}
	for _, f := range files {
		if err == nil {
			err = writeSynced(filepath.Join(temp, f.Name), f.Data)
		}
	}
	if err == nil {
		err = os.Rename(temp, dir)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, syscall.ENOTDIR):
		return existsAlready(shown)
	}
	return fmt.Errorf("%s: %s", hcp.Printable(shown, ""), hcp.Reason(err))
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// maxLockFile bounds a lock that is read.
const maxLockFile = 4 << 20

// readBounded reads a regular file of at most that many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("larger than %d bytes", most)
	}
	return data, err
}

// sweepDrafts removes what killed runs left: a live one holds the lock.
func sweepDrafts(parent, prefix string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) }) {
		path := filepath.Join(parent, e.Name())
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(path)
		}
		f.Close()
	}
}
