package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FileChange is one file of a Batch as it is to become.
type FileChange struct {
	Path   string // as it is named; a symbolic link is followed and stays one
	Before string // what Snapshot found; written over only while it is still there
	Exists bool   // it was there
	After  string
	Remove bool        // it is to go; After counts for nothing
	Mode   fs.FileMode // of a new file; one that is there keeps its own
	DirTo  fs.FileMode // of folders that are made for it

	target string
	temp   string
	mode   fs.FileMode
}

// Snapshot reads a file that a Batch may change. It must be a regular file of
// the caller's own, at most 64 MiB; a link must lead to one. A missing file is
// no error. The error is an *Error.
func Snapshot(path string) (FileChange, error) {
	c := FileChange{Path: path}
	if err := c.find(); err != nil {
		return c, fileError(path, err)
	}
	if !c.Exists {
		return c, nil
	}
	data, err := os.ReadFile(c.target)
	if err != nil {
		return c, fileError(path, err)
	}
	c.Before, c.After = string(data), string(data)
	return c, nil
}

// OthersRead tells whether a file that is there can be read by others.
func (c FileChange) OthersRead() bool { return c.mode&0o044 != 0 }

// find follows links to the file itself and looks at what it is.
func (c *FileChange) find() error {
	c.target, c.Exists = c.Path, false
	if _, err := os.Lstat(c.Path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	target, err := filepath.EvalSymlinks(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("is a symbolic link to nothing")
	}
	if err != nil {
		return err
	}
	info, err := os.Lstat(target)
	if err != nil {
		return err
	}
	const most = 64 << 20
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	case !ok || int64(st.Uid) != int64(os.Geteuid()):
		return errors.New("belongs to another user")
	case info.Size() > most:
		return errors.New("is larger than 64 MiB")
	}
	c.target, c.mode, c.Exists = target, info.Mode().Perm(), true
	return nil
}

// Batch changes several files, all of them or none: every new text is on the
// disk beside its file before the first file is replaced, in the order given,
// and a failure puts back what was replaced until then. A file that is no longer
// as its snapshot stops the batch. It holds the lock on hcp.toml's folder, so
// that no grant is lost. The error is an *Error.
func Batch(p Places, changes []FileChange) error {
	dir := filepath.Dir(p.ConfigFile)
	if err := makeDir(dir); err != nil {
		return err
	}
	return locked(dir, func() error {
		var made []string
		err := prepare(changes, &made)
		if err == nil {
			err = commit(changes)
		}
		for _, c := range changes {
			if c.temp != "" {
				os.Remove(c.temp) // gone already where it took its file's place
			}
		}
		if err != nil {
			for i := len(made) - 1; i >= 0; i-- {
				os.Remove(made[i])
			}
		}
		return err
	})
}

func prepare(changes []FileChange, made *[]string) error {
	for i := range changes {
		c := &changes[i]
		if err := c.stillAsSeen(); err != nil {
			return fileError(c.Path, err)
		}
		if c.Remove {
			continue
		}
		if err := makeDirs(filepath.Dir(c.target), c.DirTo, made); err != nil {
			return fileError(c.Path, err)
		}
		if !c.Exists {
			c.mode = c.Mode
		}
		temp := filepath.Join(filepath.Dir(c.target), fmt.Sprintf(".%s.hcp-%d", filepath.Base(c.target), os.Getpid()))
		c.temp = temp
		if err := writeTemp(temp, c.mode, func(f *os.File) error { _, err := f.WriteString(c.After); return err }); err != nil {
			return fileError(c.Path, err)
		}
	}
	return nil
}

// stillAsSeen looks once more: the other program may have written meanwhile.
func (c *FileChange) stillAsSeen() error {
	now, err := Snapshot(c.Path)
	if err != nil {
		return err
	}
	if now.Exists != c.Exists || now.Before != c.Before {
		return errors.New("was changed by another program meanwhile; nothing was done, run it again")
	}
	c.target, c.mode = now.target, now.mode
	return nil
}

// makeDirs makes a folder and those above it, and notes which.
func makeDirs(dir string, mode fs.FileMode, made *[]string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeDirs(parent, mode, made); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, mode)
	if err == nil {
		*made = append(*made, dir)
	} else if errors.Is(err, fs.ErrExist) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return nil
		}
	}
	return err
}

func commit(changes []FileChange) error {
	for i := range changes {
		c := &changes[i]
		err := c.stillAsSeen()
		switch {
		case err != nil:
		case c.Remove && c.Exists:
			err = os.Remove(c.target)
		case !c.Remove:
			err = os.Rename(c.temp, c.target)
		}
		if err != nil {
			for j := i - 1; j >= 0; j-- {
				changes[j].putBack()
			}
			return fileError(c.Path, err)
		}
		syncDir(filepath.Dir(c.target))
	}
	return nil
}

// putBack undoes one replacement as well as it can: it runs because something
// failed already.
func (c *FileChange) putBack() {
	if !c.Exists {
		os.Remove(c.target)
		return
	}
	if c.temp == "" {
		c.temp = filepath.Join(filepath.Dir(c.target), fmt.Sprintf(".%s.hcp-%d", filepath.Base(c.target), os.Getpid()))
	}
	if writeTemp(c.temp, c.mode, func(f *os.File) error { _, err := f.WriteString(c.Before); return err }) == nil {
		os.Rename(c.temp, c.target)
	}
}

// RemoveEmptyDirs removes folders, the last one first, as far as they are empty.
func RemoveEmptyDirs(dirs []string) {
	for i := len(dirs) - 1; i >= 0; i-- {
		os.Remove(dirs[i])
	}
}

// MissingDirs lists the folders above path that are not there, outermost first.
func MissingDirs(path string) []string {
	var list []string
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return list
		}
		list = append([]string{dir}, list...)
	}
}
