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

// Bin is a program that may run: verified, and held open so that what was
// verified is what starts.
type Bin struct {
	rec  hcp.BinRecord
	file *os.File // what is started: the program, or the interpreter of an env script
}

// Path is the program's path as it was found: argv[0].
func (b *Bin) Path() string { return b.rec.Found }

// Record is the record that Bin was verified against, or was made of for a
// program on the allow-list.
func (b *Bin) Record() hcp.BinRecord { return b.rec }

// Close lets the file go. Closing twice is harmless.
func (b *Bin) Close() { b.file.Close() }

// OpenBin verifies a recorded bin (S-2) without a look at PATH: device, inode,
// size, mtime and ctime of the file and of its interpreters must be what
// activation saw. name is wrap.bin as the manifest says it; packRoot's last
// element is the pack's id. allow holds the absolute paths that may run without
// a record. For a user other than root, what root replaced outside the pack is
// accepted: renewed is then the new record, for the caller to store.
func OpenBin(name string, rec hcp.BinRecord, allow []string, packRoot string, euid int) (b *Bin, renewed *hcp.BinRecord, d *hcp.Denial) {
	pack := filepath.Base(packRoot)
	if filepath.IsAbs(name) && slices.Contains(allow, name) {
		b, d = openAllowed(name, packRoot)
		return b, nil, d
	}
	if rec.Path == "" || !answers(rec, name) {
		return nil, nil, unrecorded(name, rec.Why, pack)
	}
	if b, err := openPinned(rec); err == nil {
		return b, nil, nil
	}
	if euid != 0 {
		fresh := Resolve{Bin: name, PackRoot: packRoot, Path: envSearch(rec)}.record(rec.Found)
		if fresh.Path != "" && upgraded(rec, fresh, packRoot) {
			if b, err := openPinned(fresh); err == nil {
				return b, &fresh, nil
			}
		}
	}
	if _, err := os.Stat(rec.Found); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil, notFound(name, pack)
	}
	return nil, nil, hcp.NotAllowlisted(name).WithHint("%s changed since activation; run: hcp activate %s", name, pack)
}

func openAllowed(name, packRoot string) (*Bin, *hcp.Denial) {
	rec := Resolve{Bin: name, PackRoot: packRoot, Path: strings.Split(fixedPath, ":")}.record(name)
	if rec.Path == "" {
		return nil, unrecorded(name, rec.Why, filepath.Base(packRoot))
	}
	b, err := openPinned(rec)
	if err != nil {
		return nil, hcp.NotAllowlisted(name)
	}
	return b, nil
}

func unrecorded(name, why, pack string) *hcp.Denial {
	switch why {
	case whyNotFound:
		return notFound(name, pack)
	case "":
		return hcp.NotAllowlisted(name).WithHint("run: hcp activate %s", pack)
	}
	return hcp.NotAllowlisted(name).WithHint("%s %s; mend that, then run: hcp activate %s", name, why, pack)
}

func notFound(name, pack string) *hcp.Denial {
	return hcp.BinNotFound(name).WithHint("install %s, then run: hcp activate %s", name, pack)
}

// answers tells whether a record can be one of this name's at all.
func answers(rec hcp.BinRecord, name string) bool {
	switch {
	case name == "":
		return false
	case name[0] == '.':
		return true // which file of the pack it is, the pack's digest pins
	case filepath.IsAbs(name):
		return rec.Found == filepath.Clean(name)
	}
	return filepath.Base(rec.Found) == name
}

// openPinned opens what starts and compares everything with the record.
func openPinned(rec hcp.BinRecord) (*Bin, error) {
	file, err := openSame(rec.FileID)
	if err != nil {
		return nil, err
	}
	for i, id := range rec.Interp {
		f, err := openSame(id)
		if err != nil {
			file.Close()
			return nil, err
		}
		if len(rec.Script) > 0 && i == len(rec.Interp)-1 {
			f, file = file, f // env's target is what starts
		}
		f.Close()
	}
	return &Bin{rec: rec, file: file}, nil
}

func openSame(want hcp.FileID) (*os.File, error) {
	f, err := os.OpenFile(want.Path, openBinFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || fileID(want.Path, info) != want) {
		err = errors.New("changed since activation")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// envSearch is where a renewed env script may find its interpreter: where it
// was found before.
func envSearch(rec hcp.BinRecord) []string {
	if len(rec.Script) == 0 {
		return nil
	}
	return []string{filepath.Dir(rec.Script[0])}
}

// upgraded tells whether what differs between two records is what root alone
// could have put there, outside the pack: a system upgrade. A script of the
// user's own stays what it was while its interpreter is upgraded.
func upgraded(old, fresh hcp.BinRecord, packRoot string) bool {
	var changed []string
	if fresh.FileID != old.FileID {
		changed = append(changed, fresh.Found, fresh.Path)
	}
	if !slices.Equal(fresh.Interp, old.Interp) {
		name, _, _ := strings.Cut(shebang(fresh.Path), " ")
		changed = append(changed, name)
		changed = append(changed, fresh.Script[:min(1, len(fresh.Script))]...)
		for _, id := range fresh.Interp {
			if !slices.Contains(old.Interp, id) {
				changed = append(changed, id.Path)
			}
		}
	}
	for _, p := range changed {
		real, ok := rootsOnly(p)
		_, inPack := below(canonical(packRoot), real)
		if !ok || inPack {
			return false
		}
	}
	return len(changed) > 0
}

// rootsOnly resolves a path element by element. ok means that every folder,
// symlink and the file itself belong to root and nobody else can write there.
func rootsOnly(p string) (real string, ok bool) {
	at, todo := "/", strings.Split(filepath.Clean(p), "/")
	for links := 0; ; {
		info, err := os.Lstat(at)
		if err != nil || !rootOwned(info) {
			return "", false
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(at)
			if links++; err != nil || links > 40 {
				return "", false
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(at), to)
			}
			at, todo = "/", append(strings.Split(filepath.Clean(to), "/"), todo...)
		}
		for len(todo) > 0 && todo[0] == "" {
			todo = todo[1:]
		}
		if len(todo) == 0 {
			return at, true
		}
		at, todo = filepath.Join(at, todo[0]), todo[1:]
	}
}

func rootOwned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	link := info.Mode()&fs.ModeSymlink != 0 // a link's own mode says nothing
	return ok && st.Uid == 0 && (link || info.Mode().Perm()&0o022 == 0)
}
