package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hcp/internal/hcp"
)

// callPrefix starts the name of every folder that lives as long as one call.
const callPrefix = "call-"

// credFolder holds a call's credential files, below the call's own folder.
const credFolder = "/cred"

// dirs are the folders of one call. root holds all of the private ones, and an
// exclusive flock on it says that the call lives: the lock ends with the
// process, however that ends. To make and remove a folder costs up to 0.4 ms
// on a disk, as much as to start a program: where nothing else needs a place in
// root, it is the private HOME and TMPDIR itself.
type dirs struct {
	root string
	lock *os.File
	cwd  string // where the child starts
	home string
	tmp  string // TMPDIR and XDG_RUNTIME_DIR
	cred string // "" when there are no credential files
	refs string // where "workspace:" and relative file values point

	janitor *janitor // nil where there are no credential files
}

// makeDirs makes a call's folders. On a denial nothing is left.
func makeDirs(p *Plan) (d dirs, den *hcp.Denial) {
	s := &p.spec
	if d.root, d.lock, den = lockedDir(s.Jails); den != nil {
		return d, den
	}
	defer func() {
		if den != nil {
			d.remove()
		}
	}()
	var made []string
	d.tmp, d.home, d.cwd, d.refs = d.root, d.root, s.PackRoot, s.Workspace
	switch {
	case s.Mode == ModeWorkspace:
		d.cwd, d.home = s.Workspace, s.Workspace
	case s.Mode == ModeProject:
		d.cwd = p.cwd
	case s.Mode == ModeEphemeral:
		d.cwd = d.root + "/work"
		d.refs = d.cwd
		made = append(made, d.cwd)
	case s.Native && filepath.IsAbs(s.Cwd):
		d.cwd = s.Cwd // §10.3: the cwd jail is relaxed
	}
	if len(s.BindingFiles) > 0 {
		d.cred = d.root + credFolder
		made = append(made, d.cred)
	}
	if len(made) > 0 {
		d.tmp = d.root + "/tmp"
		made = append(made, d.tmp)
		if d.home == d.root {
			d.home = d.root + "/home"
			made = append(made, d.home)
		}
	}
	for _, dir := range made {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return d, failed("jail", err)
		}
	}
	if d.cred != "" {
		sweepCredentials(s.Jails)
		var err error
		if d.janitor, err = startJanitor(d.cred); err != nil {
			return d, failed("credentials", err)
		}
	}
	return d, d.fill(p)
}

func (d *dirs) fill(p *Plan) *hcp.Denial {
	if p.needsWorkspace() {
		if den := makeWorkspace(p.spec.Workspace); den != nil {
			return den
		}
	}
	if info, err := os.Stat(d.cwd); err != nil {
		return failed("working directory", err)
	} else if !info.IsDir() {
		return failed("working directory", syscall.ENOTDIR)
	}
	for _, kv := range p.spec.BindingFiles {
		if err := writeSecret(filepath.Join(d.cred, kv.Name), kv.Value); err != nil {
			return failed("credentials", err)
		}
	}
	return nil
}

func writeSecret(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

func (p *Plan) needsWorkspace() bool {
	if p.spec.Mode == ModeWorkspace {
		return true
	}
	for _, t := range p.tokens {
		if t.inJail {
			return true
		}
	}
	return false
}

// makeWorkspace makes the Principal's folder of a pack, and refuses one that is
// a symlink.
func makeWorkspace(dir string) *hcp.Denial {
	if !filepath.IsAbs(dir) {
		return hcp.SandboxDenied("workspace: no folder for it")
	}
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			info, err = os.Lstat(dir)
		}
	}
	switch {
	case err != nil:
		return failed("workspace", err)
	case !info.IsDir():
		return failed("workspace", syscall.ENOTDIR)
	case info.Mode().Perm() != 0o700: // a child may have changed it; it stays private
		if err := os.Chmod(dir, 0o700); err != nil {
			return failed("workspace", err)
		}
	}
	return nil
}

// lockedDir makes a fresh folder and holds its lock. Between the making and the
// locking a sweep may take it for a stale one: then another is made.
func lockedDir(parent string) (string, *os.File, *hcp.Denial) {
	if !filepath.IsAbs(parent) {
		return "", nil, hcp.SandboxDenied("jail: no folder for it")
	}
	for try := 0; ; try++ {
		dir, err := os.MkdirTemp(parent, callPrefix)
		if errors.Is(err, fs.ErrNotExist) && try == 0 {
			if err = os.MkdirAll(parent, 0o700); err == nil {
				continue
			}
		}
		if err != nil {
			return "", nil, failed("jail", err)
		}
		lock, err := lockDir(dir)
		if err == nil {
			return dir, lock, nil
		}
		if try >= 10 {
			os.Remove(dir)
			return "", nil, failed("jail", err)
		}
	}
}

// lockDir takes the lock of a folder that is still in its place, or fails at
// once.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		var here, there unix.Stat_t
		err = errors.Join(unix.Fstat(int(f.Fd()), &here), unix.Lstat(dir, &there))
		if err == nil && (here.Dev != there.Dev || here.Ino != there.Ino) {
			err = syscall.ENOENT
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// remove takes the call's folders away and then lets the lock go.
func (d *dirs) remove() {
	if d.root == "" {
		return
	}
	if d.cred != "" {
		removeTree(d.cred) // first: the rest may be large
		d.janitor.dismiss(d.cred)
	}
	removeTree(d.root)
	d.lock.Close()
	d.root = ""
}

// removeTree removes a folder. The common one holds empty folders and costs a
// few calls; one in which a child took its own rights away is opened up first.
func removeTree(root string) error {
	for _, sub := range [...]string{"", "/tmp", "/home", "/work", ""} {
		if unix.Rmdir(root+sub) == nil && sub == "" {
			return nil
		}
	}
	if os.RemoveAll(root) == nil {
		return nil
	}
	if r, err := os.OpenRoot(root); err == nil {
		openUp(r, ".", 0)
		r.Close()
	}
	return os.RemoveAll(root)
}

// openUp gives the owner rights on every folder below, links not followed.
func openUp(r *os.Root, dir string, depth int) {
	info, err := r.Lstat(dir)
	if err != nil || !info.IsDir() || depth > maxTreeDepth {
		return
	}
	r.Chmod(dir, 0o700)
	f, err := r.Open(dir)
	if err != nil {
		return
	}
	names, _ := f.Readdirnames(-1)
	f.Close()
	for _, name := range names {
		openUp(r, filepath.Join(dir, name), depth+1)
	}
}

// SweepStale removes the folders of calls whose process is gone, killed before
// it could clean up. A live call's folder is locked, and stays. removed counts
// the folders; a jailsDir that does not exist holds none.
func SweepStale(jailsDir string) (removed int, err error) {
	entries, err := os.ReadDir(jailsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	var errs []error
	if err != nil {
		errs = append(errs, err)
	}
	for _, e := range entries {
		if !e.IsDir() || len(e.Name()) <= len(callPrefix) || e.Name()[:len(callPrefix)] != callPrefix {
			continue
		}
		dir := filepath.Join(jailsDir, e.Name())
		lock, err := lockDir(dir)
		if err != nil {
			continue // alive, or gone by itself
		}
		if err := removeTree(dir); err != nil {
			errs = append(errs, err)
		} else {
			removed++
		}
		lock.Close()
	}
	return removed, errors.Join(errs...)
}

// clock reads the file system's own time from the folder just made: what the
// child writes from now on is not older. Two looks with a change in between make
// kernels that can give the fine time. Another file system may keep a coarser
// one, a tick behind.
func (d *dirs) clock(workspace string) int64 {
	var here, there syscall.Stat_t
	fd := int(d.lock.Fd())
	syscall.Fchmod(fd, 0o700)
	if syscall.Fstat(fd, &here) != nil {
		return 0
	}
	now := ctime(&here)
	if syscall.Stat(workspace, &there) == nil && there.Dev != here.Dev {
		now -= int64(10 * time.Millisecond)
	}
	return now
}
