package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
)

// links are the shims of a store: symlinks in one folder, each named like a
// pack and pointing at the hcp binary. Whatever there is not such a link is
// somebody else's and never touched.
type links struct {
	dir    string
	target string // what a link points at: the path hcp was installed under
}

// linkState is what is found in a shim's place.
type linkState int

const (
	linkNone    linkState = iota
	linkGood              // points at our target
	linkStale             // a link of ours that points elsewhere or nowhere
	linkForeign           // a file, a folder, or a link to something else
)

// links finds the shim folder and the path to point at. The path hcp was called
// by is preferred over the resolved one, which an upgrade may remove
// (field reports: baked Cellar paths).
func (s *store) links() (links, error) {
	target, err := stableSelf(s.env)
	if err != nil {
		return links{}, err
	}
	return links{dir: s.places.Shims, target: target}, nil
}

// stableSelf is this program's path for others to start: the unresolved path it
// was found under, when that is the same file as the one that runs.
func stableSelf(env *Env) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", errors.New("cannot tell where hcp itself is")
	}
	me, err := os.Stat(self)
	if err != nil {
		return "", errors.New("the hcp that runs is no longer at " + hcp.Printable(self, ""))
	}
	var tries []string
	if arg := env.Args[0]; filepath.IsAbs(arg) {
		tries = append(tries, arg)
	} else if filepath.Base(arg) != arg {
		if cwd, err := env.Getwd(); err == nil {
			tries = append(tries, filepath.Join(cwd, arg))
		}
	} else {
		for _, dir := range pathDirs(env.Getenv("PATH")) {
			tries = append(tries, filepath.Join(dir, arg))
		}
	}
	tries = append(tries, filepath.Join(filepath.Dir(self), "hcp")) // beside a file that a version names
	for _, path := range tries {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, me) {
			return path, nil
		}
	}
	return self, nil
}

func (l links) path(id string) string { return filepath.Join(l.dir, id) }

// state looks at a shim's place. A link counts as ours when its target is named
// hcp, or is the hcp that runs: an earlier installation's link is stale, not
// foreign.
func (l links) state(id string) linkState {
	info, err := os.Lstat(l.path(id))
	if err != nil {
		return linkNone
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return linkForeign
	}
	to, err := os.Readlink(l.path(id))
	switch {
	case err != nil:
		return linkForeign
	case to == l.target:
		return linkGood
	case filepath.IsAbs(to) && (filepath.Base(to) == "hcp" || filepath.Base(to) == "hcpx"):
		return linkStale
	}
	there, err := os.Stat(l.path(id))
	if me, meErr := os.Stat(l.target); err == nil && meErr == nil && os.SameFile(there, me) {
		return linkStale
	}
	return linkForeign
}

// install makes one link, or repairs one of ours. It never replaces a foreign
// file. A reader sees the old link or the new one, never none.
func (l links) install(id string) error {
	switch l.state(id) {
	case linkGood:
		return nil
	case linkForeign:
		return fmt.Errorf("%s is not a shim of hcp; it is left as it is", hcp.Printable(l.path(id), ""))
	}
	tmp := filepath.Join(l.dir, "."+id+"."+strconv.Itoa(os.Getpid()))
	if err := os.Symlink(l.target, tmp); err != nil {
		return fmt.Errorf("%s: %s", l.dir, hcp.Reason(err))
	}
	if err := os.Rename(tmp, l.path(id)); err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("%s: %s", l.path(id), hcp.Reason(err))
	}
	return nil
}

// remove takes a link of ours away; false when there was none.
func (l links) remove(id string) (bool, error) {
	switch l.state(id) {
	case linkNone:
		return false, nil
	case linkForeign:
		return false, fmt.Errorf("%s is not a shim of hcp; it is left as it is", hcp.Printable(l.path(id), ""))
	}
	if err := os.Remove(l.path(id)); err != nil && !notExist(err) {
		return false, fmt.Errorf("%s: %s", l.path(id), hcp.Reason(err))
	}
	return true, nil
}

// ours lists the shims that are there, good and stale.
func (l links) ours() ([]string, error) {
	entries, err := os.ReadDir(l.dir)
	if notExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", l.dir, hcp.Reason(err))
	}
	var ids []string
	for _, e := range entries {
		if hcp.ValidID(e.Name()) && (l.state(e.Name()) == linkGood || l.state(e.Name()) == linkStale) {
			ids = append(ids, e.Name())
		}
	}
	sort.Strings(ids)
	return ids, nil
}

// locked runs do with the shim folder locked; the lock dies with the process.
func (l links) locked(do func() error) error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return fmt.Errorf("%s: %s", l.dir, hcp.Reason(err))
	}
	dir, err := os.Open(l.dir)
	if err != nil {
		return fmt.Errorf("%s: %s", l.dir, hcp.Reason(err))
	}
	defer dir.Close()
	const patience, pause = 2 * time.Second, 5 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			l.sweep()
			return do()
		}
		if waited >= patience {
			return fmt.Errorf("%s is locked by another hcp", l.dir)
		}
		time.Sleep(pause)
	}
}

// sweep removes the half-made links of a process that was killed. The folder is
// locked: nobody is making one.
func (l links) sweep() {
	entries, _ := os.ReadDir(l.dir)
	for _, e := range entries {
		id, pid, ok := strings.Cut(strings.TrimPrefix(e.Name(), "."), ".")
		if _, err := strconv.ParseUint(pid, 10, 32); ok && err == nil && e.Name()[0] == '.' && hcp.ValidID(id) && e.Type() == fs.ModeSymlink {
			_ = os.Remove(l.path(e.Name()))
		}
	}
}

// shadowed finds the program on PATH that a shim of that name would hide; the
// shim folders and our own binary do not count.
func (s *store) shadowed(id string) string {
	self, _ := os.Executable()
	me, _ := os.Stat(self)
	shims, _ := os.Stat(s.places.Shims)
	for _, dir := range pathDirs(s.env.Getenv("PATH")) {
		d, err := os.Stat(dir)
		if err != nil || shims != nil && os.SameFile(d, shims) {
			continue
		}
		info := programAt(dir, id)
		if info == nil || me != nil && os.SameFile(info, me) {
			continue
		}
		return filepath.Join(dir, id)
	}
	return ""
}

// shimmable refuses names that cannot be shims.
func (s *store) shimmable(id string) error {
	switch {
	case !hcp.ValidID(id):
		return errors.New(hcp.UnknownPack(id).Message)
	case id == adapter.BuiltinPack, id == "hcp", id == "hcpx":
		return fmt.Errorf("%s is reserved and has no shim", id)
	}
	if _, d := s.mustPack(id); d != nil {
		return &refusal{d}
	}
	return nil
}
