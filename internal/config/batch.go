package config

import (
	"errors"
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

// Batch changes several files, all of them or none, in phases: in each, every
// new text is on the disk beside its file before the first file is replaced, in
// the order given, and a failure puts back all that was replaced until then. A
// file that is no longer as its snapshot stops the batch. A journal in a phase of
// its own before (or, to undo, behind) the rest makes that even a batch that was
// killed can be taken back. The lock on hcp.toml's folder is held, so that no grant
// is lost. The error is an *Error.
func Batch(p Places, phases ...[]FileChange) error {
	dir := filepath.Dir(p.ConfigFile)
	if err := makeDir(dir); err != nil {
		return err
	}
	return locked(dir, func() error {
		for i, changes := range phases {
			if err := apply(changes); err != nil {
				for _, done := range phases[:i] {
					putBack(done)
				}
				return err
			}
		}
		return nil
	})
}

func apply(changes []FileChange) error {
	var made []string
	err := prepare(changes, &made)
	if err == nil {
		err = commit(changes)
	}
	if err == nil {
		return nil
	}
	for _, c := range changes {
		if c.temp != "" {
			os.Remove(c.temp)
		}
	}
	for i := len(made) - 1; i >= 0; i-- {
		os.Remove(made[i])
	}
	return err
}

// tempOf names the file that is written beside another before it takes its place:
// always the same, so that one which a killed batch left is used up by the next.
func tempOf(target string) string {
	return filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".hcp.tmp")
}

// SweepTemp removes what a killed batch may have left beside a file.
func SweepTemp(path string) {
	os.Remove(tempOf(path))
	if target, err := filepath.EvalSymlinks(path); err == nil {
		os.Remove(tempOf(target))
	}
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
		c.temp = tempOf(c.target)
		if err := writeTemp(c.temp, c.mode, func(f *os.File) error { _, err := f.WriteString(c.After); return err }); err != nil {
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
			putBack(changes[:i])
			return fileError(c.Path, err)
		}
		syncDir(filepath.Dir(c.target))
	}
	return nil
}

func putBack(done []FileChange) {
	for i := len(done) - 1; i >= 0; i-- {
		done[i].putBack()
	}
}

// putBack undoes one replacement as well as it can: it runs because something
// failed already.
func (c *FileChange) putBack() {
	if !c.Exists {
		os.Remove(c.target)
		return
	}
	if writeTemp(tempOf(c.target), c.mode, func(f *os.File) error { _, err := f.WriteString(c.Before); return err }) == nil {
		os.Rename(tempOf(c.target), c.target)
	}
}

// RemoveEmptyDirs removes folders, the last one first, as far as they are empty
// and still folders.
func RemoveEmptyDirs(dirs []string) {
	for i := len(dirs) - 1; i >= 0; i-- {
		_ = syscall.Rmdir(dirs[i])
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
