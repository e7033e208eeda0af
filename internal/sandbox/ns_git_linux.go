package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hcp/internal/hcp"
)

// gitGuard holds what protectGit cannot: a name that is not there cannot be
// made read-only. A child may make it, and the user's next git command would
// run or follow it, so it is taken away when the child and all it started are
// dead. The folders are held open from before the child started.
type gitGuard struct {
	roots []*os.Root
	names [][]string // of each root
}

func openGitGuard(absent []absentName) (*gitGuard, error) {
	g := &gitGuard{}
	for at, a := range absent {
		if at == 0 || a.dir != absent[at-1].dir {
			root, err := os.OpenRoot(a.dir)
			if err != nil {
				g.close()
				return nil, err
			}
			g.roots, g.names = append(g.roots, root), append(g.names, nil)
		}
		last := len(g.names) - 1
		g.names[last] = append(g.names[last], a.name)
	}
	return g, nil
}

func (g *gitGuard) close() {
	for _, r := range g.roots {
		r.Close()
	}
}

// clear removes every name that has come, and refuses the call for it.
func (g *gitGuard) clear() *hcp.Denial {
	var removed []string
	for i, root := range g.roots {
		for _, name := range g.names[i] {
			what, err := removeNew(root, name)
			if err != nil {
				return hcp.SandboxDenied("%s in .git cannot be removed: %s", what, hcp.Reason(err)).
					WithHint("remove it before the next git command: the child made it")
			}
			if what != "" && !slices.Contains(removed, what) {
				removed = append(removed, what)
			}
		}
	}
	switch {
	case removed == nil:
		return nil
	case slices.Contains(removed, gitName):
		return hcp.SandboxDenied("removed .git from the project").
			WithHint("a child may not make a repository of the project: git would run what its config says")
	}
	return hcp.SandboxDenied("removed %s from .git", strings.Join(removed, ", ")).
		WithHint("the child made what git would run or follow later")
}

// removeNew removes a name, and says which it was; "" for none. A folder on the
// way that has become a link is itself what came.
func removeNew(root *os.Root, name string) (what string, err error) {
	if parent := filepath.Dir(name); parent != "." {
		info, err := lstatOpened(root, parent)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", nil
		case err != nil:
			return name, err
		case info.Mode()&fs.ModeSymlink != 0:
			name = parent
		case !info.IsDir():
			return "", nil
		}
	}
	if _, err := lstatOpened(root, name); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return name, err
	}
	if root.RemoveAll(name) == nil {
		return name, nil
	}
	openUp(root, name, 0)
	return name, root.RemoveAll(name)
}

// lstatOpened looks also where the child took its own rights away.
func lstatOpened(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(name)
	if !errors.Is(err, syscall.EACCES) {
		return info, err
	}
	for _, dir := range [...]string{".", filepath.Dir(name)} {
		root.Chmod(dir, 0o700)
	}
	return root.Lstat(name)
}

// nsJail is a jail whose project has names that must not come.
type nsJail struct {
	Jail
	guard *gitGuard
}

// Spawn comes back when nothing of the child is left. What it made for git
// counts more than how it ended.
func (j *nsJail) Spawn(ctx context.Context, argv Argv) Ended {
	e := j.Jail.Spawn(ctx, argv)
	if d := j.guard.clear(); d != nil {
		e.outcome.Denied = d
	}
	return e
}

func (j *nsJail) Cleanup() {
	j.guard.close()
	j.Jail.Cleanup()
}
