package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hcp/internal/hcp"
)

// Library is the folder of installed packs. One Library changes it at a time,
// whatever the number of processes.
type Library struct{ Dir string }

// Names of folders in the making and in the leaving. No pack id starts with a
// dot, so List never shows them.
const (
	newPrefix  = ".new-"
	oldPrefix  = ".old-"
	gonePrefix = ".gone-"
)

// Root is where the pack of that id is, or would be. A bad id gives "": no path
// is ever built from one.
func (l Library) Root(id string) string {
	if !hcp.ValidID(id) {
		return ""
	}
	return filepath.Join(l.Dir, id)
}

// List gives the sorted ids of the installed packs; none when the folder is not
// there.
func (l Library) List() ([]string, error) {
	entries, err := os.ReadDir(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, pathError(l.Dir, err)
	}
	var ids []string
	for _, e := range entries {
		if !hcp.ValidID(e.Name()) {
			continue
		}
		if info, err := os.Stat(filepath.Join(l.Dir, e.Name())); err == nil && info.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Install copies the pack in folder src into the library, whole or not at all,
// and returns its id. An installed id is refused unless replace. Errors are one
// line and name the path.
func (l Library) Install(src string, replace bool) (string, error) {
	if src == "" {
		return "", errors.New("no folder given")
	}
	root, err := os.OpenRoot(src)
	if err != nil {
		return "", pathError(src, err)
	}
	defer root.Close()
	id, err := idIn(root, src)
	if err != nil {
		return "", err
	}
	return id, l.install(id, replace, source{fsys: root.FS(), name: src, open: func(name string) (fs.File, error) {
		// Not through a link that was put there since it was looked at, and no
		// waiting for a fifo.
		return root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	}})
}

// idIn reads the manifest before anything is copied.
func idIn(root *os.Root, src string) (string, error) {
	var data [2][]byte
	for i, name := range []string{SurfaceFile, PolicyFile} {
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) && name == PolicyFile {
			continue
		}
		switch {
		case err != nil:
			return "", pathError(filepath.Join(src, name), err)
		case !info.Mode().IsRegular():
			return "", &hcp.TrustError{Path: filepath.Join(src, name), Why: "is not a regular file"}
		case info.Size() > MaxFile:
			return "", &hcp.TrustError{Path: filepath.Join(src, name), Why: fmt.Sprintf("larger than %d bytes", MaxFile)}
		}
		if data[i], err = root.ReadFile(name); err != nil {
			return "", pathError(filepath.Join(src, name), err)
		}
	}
	p, err := Parse(src, data[0], data[1])
	if err != nil {
		return "", err
	}
	return p.ID, nil
}

// InstallFS is Install from a file system such as the packs in the binary.
// Files below bin/ become executable, because an embedded file has no mode.
func (l Library) InstallFS(fsys fs.FS, id string, replace bool) error {
	return l.install(id, replace, source{fsys: fsys, name: id, open: fsys.Open, binExec: true})
}

func (l Library) install(id string, replace bool, src source) error {
	if id == BuiltinID {
		return errors.New("pack id " + id + " is built in")
	}
	if !hcp.ValidID(id) {
		return fmt.Errorf("%s is not a pack id", hcp.Quote(id))
	}
	unlock, err := l.lock(true)
	if err != nil {
		return err
	}
	defer unlock()
	l.sweep()
	dst := l.Root(id)
	_, err = os.Lstat(dst)
	switch {
	case err == nil && !replace:
		return fmt.Errorf("pack %s is already installed; use --replace", id)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return pathError(dst, err)
	}
	there := err == nil
	tmp, err := os.MkdirTemp(l.Dir, newPrefix+id+"-")
	if err != nil {
		return pathError(l.Dir, err)
	}
	defer os.RemoveAll(tmp)
	if err := src.copyTo(tmp); err != nil {
		return err
	}
	p, err := loadAny(tmp)
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), tmp, src.name))
	}
	if p.ID != id {
		return &hcp.TrustError{Path: filepath.Join(src.name, SurfaceFile), Why: "pack_id " + p.ID + " is not " + id}
	}
	return l.swap(tmp, dst, id, there)
}

// swap puts tmp in dst's place. A reader sees the old pack, for a moment none,
// and then the new one; never parts of both.
func (l Library) swap(tmp, dst, id string, there bool) error {
	if !there {
		return pathError(dst, os.Rename(tmp, dst))
	}
	old := filepath.Join(l.Dir, oldPrefix+id)
	if err := os.Rename(dst, old); err != nil {
		return pathError(dst, err)
	}
	if err := os.Rename(tmp, dst); err != nil {
		return pathError(dst, errors.Join(err, os.Rename(old, dst)))
	}
	os.RemoveAll(old) // what is left of it goes with the next install
	return nil
}

// Uninstall removes an installed pack.
func (l Library) Uninstall(id string) error {
	dst := l.Root(id)
	if dst == "" {
		return fmt.Errorf("%s is not a pack id", hcp.Quote(id))
	}
	unlock, err := l.lock(false)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("pack %s is not installed", id)
	}
	if err != nil {
		return err
	}
	defer unlock()
	l.sweep()
	if _, err := os.Lstat(dst); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("pack %s is not installed", id)
	}
	gone := filepath.Join(l.Dir, gonePrefix+id)
	if err := os.Rename(dst, gone); err != nil {
		return pathError(dst, err)
	}
	return pathError(gone, os.RemoveAll(gone))
}

// lock makes this the only process that changes the folder. The lock goes with
// the process, so a kill leaves none behind.
func (l Library) lock(create bool) (unlock func(), err error) {
	if create {
		if err := os.MkdirAll(l.Dir, 0o755); err != nil {
			return nil, pathError(l.Dir, err)
		}
	}
	f, err := os.Open(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, pathError(l.Dir, err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, pathError(l.Dir, err)
	}
	return func() { f.Close() }, nil
}

// sweep clears what a killed install or uninstall left. A pack that was set
// aside and never replaced comes back.
func (l Library) sweep() {
	entries, err := os.ReadDir(l.Dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(l.Dir, e.Name())
		if id, old := strings.CutPrefix(e.Name(), oldPrefix); old && hcp.ValidID(id) {
			if _, err := os.Lstat(l.Root(id)); errors.Is(err, fs.ErrNotExist) {
				os.Rename(path, l.Root(id))
				continue
			}
			os.RemoveAll(path)
		}
		if strings.HasPrefix(e.Name(), newPrefix) || strings.HasPrefix(e.Name(), gonePrefix) {
			os.RemoveAll(path)
		}
	}
}

// pathError says what went wrong with a path in one line; nil stays nil.
func pathError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &hcp.TrustError{Path: path, Why: hcp.Reason(err)}
}
