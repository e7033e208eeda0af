package sandbox

import (
	"os"
	"path/filepath"

	"hcp/internal/hcp"
)

// findProject gives the caller's project and its folder in it (sandbox.md): the
// nearest ancestor with a .git, else the folder itself. The whole disk, a home,
// and what contains or lies in the store are no projects.
func findProject(cwd, home string, store []string) (root, dir string, d *hcp.Denial) {
	none := hcp.SandboxDenied("no project here").WithHint("change into the project's own folder first")
	if !filepath.IsAbs(cwd) {
		return "", "", none
	}
	dir, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return "", "", none
	}
	root = gitRoot(dir)
	if _, in := below(root, canonical(home)); root == "/" || in && home != "" {
		return "", "", none
	}
	for _, s := range store {
		if s == "" {
			continue
		}
		s = canonical(s)
		_, within := below(s, root)
		_, around := below(root, s)
		if within || around {
			return "", "", none
		}
	}
	return root, dir, nil
}

func gitRoot(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == "/" {
			return dir
		}
	}
}

// canonical resolves the part of a path that exists: a store that was not made
// yet is still a store.
func canonical(p string) string {
	p = filepath.Clean(p)
	for at, rest := p, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == "/" || at == "." {
			return p
		}
	}
}
