package sandbox

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// resolver finds out what paths lead to. A call's paths have most of their
// folders in common, and each is looked at once.
type resolver struct {
	folders map[string]string
	links   int // followed so far
}

// maxLinks bounds the symlinks of one call's paths: a loop ends there.
const maxLinks = 200

// folder gives a folder without symlinks; the part that does not exist stays as
// it is written.
func (r *resolver) folder(path string) string {
	if path == "/" || path == "." {
		return path
	}
	if real, ok := r.folders[path]; ok {
		return real
	}
	real, _, _ := r.file(path)
	if r.folders == nil {
		r.folders = make(map[string]string, 32)
	}
	r.folders[path] = real
	return real
}

// file gives what a clean absolute path leads to, and whether that is a folder;
// ok is false when there is nothing.
func (r *resolver) file(path string) (real string, dir, ok bool) {
	if path == "/" {
		return path, true, true
	}
	real = path
	if up := filepath.Dir(path); up != "/" {
		real = r.folder(up) + path[len(up):]
	}
	var st unix.Stat_t
	if unix.Lstat(real, &st) != nil {
		return real, false, false
	}
	if st.Mode&unix.S_IFMT != unix.S_IFLNK {
		return real, st.Mode&unix.S_IFMT == unix.S_IFDIR, true
	}
	to, err := os.Readlink(real)
	if r.links++; err != nil || r.links > maxLinks {
		return real, false, false
	}
	if !filepath.IsAbs(to) {
		return r.relative(filepath.Dir(real), to)
	}
	return r.relative("/", to)
}

// relative follows a link's text element by element: ".." leaves the folder
// that the elements before it lead to.
func (r *resolver) relative(at, to string) (real string, dir, ok bool) {
	real, dir, ok = at, true, true
	for name := range strings.SplitSeq(to, "/") {
		switch name {
		case "", ".":
			continue
		case "..":
			real = filepath.Dir(real)
			continue
		}
		if real, dir, ok = r.file(filepath.Join(real, name)); !ok {
			return real, false, false
		}
	}
	return real, dir, true
}
