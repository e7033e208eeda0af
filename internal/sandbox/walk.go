package sandbox

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"hcp/internal/hcp"
)

// changedSince lists the plain files at or below rel whose ctime is not before
// since (nanoseconds): new, changed or renamed ones, since a child can set a
// file's mtime but not its ctime. That saves a walk before the call. It looks
// at maxTreeEntries entries at most and follows no link.
func changedSince(dir string, starts []string, since int64) []hcp.File {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	w := walk{root: root, dir: dir, since: since}
	for _, rel := range starts {
		if info, err := root.Lstat(rel); err == nil {
			w.visit(rel, info, 0)
		}
	}
	return w.found
}

type walk struct {
	root    *os.Root
	dir     string
	since   int64
	entries int
	found   []hcp.File
}

func (w *walk) visit(rel string, info fs.FileInfo, depth int) {
	if w.entries++; w.entries > maxTreeEntries || depth > maxTreeDepth {
		return
	}
	if !info.IsDir() {
		if st, ok := info.Sys().(*syscall.Stat_t); ok && plain(info) && ctime(st) >= w.since {
			w.found = append(w.found, hcp.File{Ref: workspaceRef + rel, Path: filepath.Join(w.dir, rel), Bytes: info.Size()})
		}
		return
	}
	// ReadDir through the FS sorts by name, so that equal calls report alike.
	entries, err := fs.ReadDir(w.root.FS(), rel)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			w.visit(path.Join(rel, e.Name()), info, depth+1)
		}
	}
}
