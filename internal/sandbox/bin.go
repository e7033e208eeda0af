package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hcp/internal/hcp"
)

// Resolve is what activation knows when it looks for a pack's bin (S-2).
type Resolve struct {
	Bin      string   // wrap.bin as the manifest says it
	PackRoot string   // "./…" is looked up here and may not leave it
	Path     []string // the caller's PATH entries; relative ones are not searched
	Extra    []string // folders that configuration puts in front of Path
	Allow    []string // sandbox.allow: a bare name that no folder has may be one of these
	ShimDirs []string // folders of shims; never searched, told by device and inode
	Self     string   // hcp's own executable; never a bin, told by device and inode
	Private  []string // more folders that no Prefix may hold, as the user's home and the pack; nil for none

	fallback []string // searched last, for what a version manager hides
}

// Reasons for which no bin is recorded (hcp.BinRecord.Why).
const (
	whyNotFound  = "not found"
	whyWritable  = "is writable by group or others"
	whyFolder    = "lies below a folder that others may write to"
	whySelf      = "is hcp itself"
	whyLeaves    = "leaves the pack"
	whyShim      = "lies in a shim folder"
	whyNoRegular = "is not a regular file"
	whyNoExec    = "is not executable"
	whyName      = "is neither a bare name, a ./path nor an absolute path"
)

// ResolveBin finds the one file that a pack's wrap.bin is, and pins it. It is
// called at activation only: no call ever searches PATH. A record without a
// Path says in Why what stood in the way.
func ResolveBin(r Resolve) hcp.BinRecord {
	r.fallback = strings.Split(fixedPath, ":")
	found, why := r.find()
	if why != "" {
		return hcp.BinRecord{Why: why}
	}
	return r.record(found)
}

// find gives the path as it was found, before symlinks.
func (r Resolve) find() (found, why string) {
	switch bin := r.Bin; {
	case bin == "" || strings.IndexByte(bin, 0) >= 0:
		return "", whyName
	case bin[0] == '.':
		if !filepath.IsLocal(bin) {
			return "", whyLeaves
		}
		return filepath.Join(r.PackRoot, bin), ""
	case filepath.IsAbs(bin):
		return filepath.Clean(bin), ""
	case strings.Contains(bin, "/"):
		return "", whyName
	default:
		return r.search(bin)
	}
}

// search looks for a bare name. A file that is hcp itself is a shim in a folder
// nobody told us of, and is passed over, and so is a version manager's shim that
// something stands behind; any other first match is the answer, usable or not:
// to go on would run something else than the caller's shell.
func (r Resolve) search(name string) (found, why string) {
	found, passed, why := r.walk(name, isShimScript)
	if found == "" && passed != "" {
		return passed, ""
	}
	return found, why
}

// walk gives the first file of that name that pass does not pass over, or the
// first that it did. The fallback comes last: for a bin, only where something
// was passed over; what is nowhere on the caller's PATH is not installed.
func (r Resolve) walk(name string, pass func(file string) bool) (found, passed, why string) {
	why = whyNotFound
	fits := func(file string) bool {
		switch {
		case !runnable(file):
		case r.isSelf(file):
			why = whySelf
		case !pass(file):
			found = file
		case passed == "":
			passed = file
		}
		return found != ""
	}
	inDirs := func(dirs []string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool {
			return filepath.IsAbs(dir) && !r.isShimDir(dir) &&
				(fits(filepath.Join(dir, name)) || slices.ContainsFunc(managed(dir, name), fits))
		})
	}
	allowed := func(file string) bool {
		return filepath.IsAbs(file) && filepath.Base(file) == name && fits(filepath.Clean(file))
	}
	if inDirs(r.Extra) || inDirs(r.Path) || slices.ContainsFunc(r.Allow, allowed) || passed != "" && inDirs(r.fallback) {
		return found, passed, ""
	}
	return "", passed, why
}

// isShimScript tells a version manager's shim (pyenv, rbenv, asdf): a script
// that looks for the program by what the sandbox does not show.
func isShimScript(file string) bool {
	return filepath.Base(filepath.Dir(file)) == "shims" && shebang(file) != ""
}

// managed gives what a shim of pyenv and its kin stands for: the program of the
// versions that the manager's own file names. None where it names none.
func managed(dir, name string) (files []string) {
	root, base := filepath.Split(filepath.Clean(dir))
	if base != "shims" || !runnable(filepath.Join(dir, name)) {
		return nil
	}
	file := filepath.Join(root, "version")
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for _, version := range strings.Fields(string(data)) {
		if version[0] != '.' && !strings.ContainsAny(version, "/\x00") {
			files = append(files, filepath.Join(root, "versions", version, "bin", name))
		}
	}
	return files
}

func runnable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

func (r Resolve) isSelf(file string) bool { return r.Self != "" && sameFile(file, r.Self) }

func (r Resolve) isShimDir(dir string) bool {
	for _, s := range r.ShimDirs {
		if sameFile(dir, s) {
			return true
		}
	}
	return false
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// record pins a found file, its interpreters and what they need to read.
func (r Resolve) record(found string) hcp.BinRecord {
	id, why := pin(found)
	switch {
	case why != "":
	case r.isSelf(id.Path):
		why = whySelf
	case r.isShimDir(filepath.Dir(found)) || r.isShimDir(filepath.Dir(id.Path)):
		why = whyShim
	case r.Bin != "" && r.Bin[0] == '.' && !r.inPack(id.Path):
		why = whyLeaves
	}
	if why != "" {
		return hcp.BinRecord{Why: why}
	}
	rec := hcp.BinRecord{FileID: id, Found: found}
	if why := r.interpreters(&rec); why != "" {
		return hcp.BinRecord{Why: why}
	}
	rec.Prefix = r.prefixes(rec)
	return rec
}

func (r Resolve) inPack(file string) bool {
	root, err := filepath.EvalSymlinks(r.PackRoot)
	if err != nil {
		return false
	}
	rel, ok := below(root, file)
	return ok && rel != "."
}

// pin resolves a path and checks that only its owner can change what it names.
func pin(found string) (id hcp.FileID, why string) {
	real, err := filepath.EvalSymlinks(found)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return id, whyNotFound
	}
	if err != nil {
		return id, "cannot be resolved: " + strings.TrimPrefix(hcp.Reason(err), "EvalSymlinks: ")
	}
	info, err := os.Lstat(real)
	if err != nil {
		return id, "cannot be read: " + hcp.Reason(err)
	}
	if why := distrustBin(info); why != "" {
		return id, why
	}
	if !safeAbove(real) || !safeAbove(found) {
		return id, whyFolder
	}
	return fileID(real, info), ""
}

func distrustBin(info fs.FileInfo) string {
	switch perm := info.Mode().Perm(); {
	case !info.Mode().IsRegular():
		return whyNoRegular
	case perm&0o111 == 0:
		return whyNoExec
	case perm&0o022 != 0:
		return whyWritable
	}
	return ""
}

// safeAbove tells whether nobody else can put another file in this one's place:
// no folder above it is writable by others, sticky ones excepted.
func safeAbove(file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return false
		}
		if dir == "/" || dir == "." {
			return true
		}
	}
}

func fileID(path string, info fs.FileInfo) hcp.FileID {
	id := hcp.FileID{Path: path, Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Dev, id.Inode, id.Ctime = uint64(st.Dev), uint64(st.Ino), ctime(st)
	}
	return id
}
