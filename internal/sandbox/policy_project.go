package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const gitName = ".git"

// absentName is a name that git would run or follow, and that a folder does not
// have when the call starts.
type absentName struct{ dir, name string }

// seeProject adds the caller's project. In a writable one what git runs or
// follows on the host later (hooks, config, attributes) stays read-only, and
// the folders above it keep their names.
func (pol *policy) seeProject(root string, write bool) {
	a := accessRead
	if write {
		a = accessWrite
	}
	pol.see(a, root)
	dot := filepath.Join(root, gitName)
	info, err := os.Lstat(dot)
	if err != nil {
		if write {
			pol.absent = append(pol.absent, absentName{root, gitName})
		}
		return
	}
	if info.IsDir() {
		pol.protectGit(dot, write)
		return
	}
	if write {
		pol.Protected = append(pol.Protected, dot)
	}
	if !info.Mode().IsRegular() {
		return // a symlink: git's folder is elsewhere, and stays there
	}
	own, common := gitFolders(dot)
	for _, dir := range [...]string{common, own} {
		if dir != "" {
			pol.see(a, dir)
			pol.protectGit(dir, write)
		}
	}
}

func (pol *policy) protectGit(dir string, write bool) {
	if !write {
		return
	}
	pol.Pinned = append(pol.Pinned, dir)
	for _, name := range [...]string{"hooks", "config", "config.worktree", "info/attributes", "commondir", "gitdir", "modules"} {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			pol.Protected = append(pol.Protected, path)
		} else if parent, err := os.Lstat(filepath.Dir(path)); err != nil || parent.IsDir() {
			pol.absent = append(pol.absent, absentName{dir, name})
		}
	}
}

// gitFolders follows a project's .git file to git's own folder for it, and to
// the one it shares with the main worktree. A .git file is the project's, and a
// child may have written it: it counts only where the other end points back, so
// that it cannot name just any folder.
func gitFolders(file string) (own, common string) {
	to, ok := strings.CutPrefix(oneLine(file), "gitdir: ")
	if !ok {
		return "", ""
	}
	own = leadingTo(filepath.Dir(file), to)
	if own == "" {
		return "", ""
	}
	// A worktree: <common>/worktrees/<name>, with a gitdir file that names us.
	if worktrees := filepath.Dir(own); filepath.Base(worktrees) == "worktrees" {
		back := leadingTo(own, oneLine(filepath.Join(own, "gitdir")))
		if back == file {
			return own, filepath.Dir(worktrees)
		}
		return "", ""
	}
	// A submodule: <a folder above>/.git/modules/….
	for at := filepath.Dir(filepath.Dir(file)); ; at = filepath.Dir(at) {
		if modules := filepath.Join(at, ".git", "modules"); own != modules && inFolder(modules, own) {
			return own, ""
		}
		if at == "/" {
			return "", ""
		}
	}
}

// leadingTo resolves what a file of git's says about another place; "" for
// nothing that exists.
func leadingTo(dir, to string) string {
	if to == "" {
		return ""
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	real, err := filepath.EvalSymlinks(to)
	if err != nil {
		return ""
	}
	return real
}

// oneLine reads a file of one short line; "" for any other.
func oneLine(file string) string {
	f, err := os.OpenFile(file, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > 8<<10 {
		return ""
	}
	data := make([]byte, info.Size())
	n, _ := f.Read(data)
	return strings.TrimRight(string(data[:n]), "\r\n")
}
