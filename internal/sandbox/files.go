package sandbox

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"hcp/internal/hcp"
)

const (
	maxTreeEntries = 10_000 // files and folders that one walk or copy looks at
	maxTreeDepth   = 64
)

// errNotPlain is a symlink, a hard link, a device, a fifo or a socket: nothing
// of the kind goes into a jail or comes out of it.
var errNotPlain = errors.New("not a plain file")

// checkRefs refuses a reference whose path leaves the folder by a symlink that
// lies in it.
func checkRefs(dir string, tokens []token) *hcp.Denial {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return failed("workspace", err)
	}
	defer root.Close()
	for _, t := range tokens {
		if !t.inJail {
			continue
		}
		var errno syscall.Errno
		if _, err := root.Stat(t.path); err != nil && !errors.As(err, &errno) {
			return hcp.PathLeaves() // os.Root's own refusal: the kernel had no say
		}
	}
	return nil
}

// stage copies what the references name from the Principal's workspace into a
// fresh jail. What is not there is the child's to report or to make.
func stage(from, to string, tokens []token) *hcp.Denial {
	c, d := openCopier("staging", from, to)
	if d != nil {
		return d
	}
	defer c.close()
	c.strict = true
	for _, t := range tokens {
		if !t.inJail {
			continue
		}
		if err := c.dst.MkdirAll(path.Dir(t.path), 0o700); err != nil {
			return failed("staging", err)
		}
		if t.output {
			continue
		}
		if err := c.tree(t.path, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return hcp.SandboxDenied("staging %s: %s", hcp.Quote(workspaceRef+t.path), hcp.Reason(err))
		}
	}
	return nil
}

// writeBack copies the outputs of an ephemeral jail into the workspace (S-10).
func writeBack(from, to string, tokens []token) ([]hcp.File, *hcp.Denial) {
	var c *copier
	for _, t := range tokens {
		if !t.output || !t.inJail {
			continue
		}
		if c == nil {
			var d *hcp.Denial
			if c, d = openCopier("writeback", from, to); d != nil {
				return nil, d
			}
			c.sync = true
			defer c.close()
		}
		if err := c.tree(t.path, 0); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotPlain) {
			return c.files(to), failed("writeback", err)
		}
	}
	if c == nil {
		return nil, nil
	}
	return c.files(to), nil
}

// copier copies plain files between two folders and never leaves either.
type copier struct {
	src, dst *os.Root
	strict   bool // a file that is not plain is an error, not left out
	sync     bool
	entries  int
	copied   []string
	sizes    []int64
}

func openCopier(stage, from, to string) (*copier, *hcp.Denial) {
	src, err := os.OpenRoot(from)
	if err != nil {
		return nil, failed(stage, err)
	}
	dst, err := os.OpenRoot(to)
	if err != nil {
		src.Close()
		return nil, failed(stage, err)
	}
	return &copier{src: src, dst: dst}, nil
}

func (c *copier) close() {
	c.src.Close()
	c.dst.Close()
}

func (c *copier) files(dir string) []hcp.File {
	var out []hcp.File
	for i, rel := range c.copied {
		out = append(out, hcp.File{Ref: workspaceRef + rel, Path: filepath.Join(dir, rel), Bytes: c.sizes[i]})
	}
	return out
}

// tree copies a file, or a folder with what is in it.
func (c *copier) tree(rel string, depth int) error {
	info, err := c.src.Lstat(rel)
	if err != nil {
		return err
	}
	if c.entries++; c.entries > maxTreeEntries || depth > maxTreeDepth {
		return errors.New("too many files")
	}
	if !info.IsDir() {
		err := c.file(rel, info)
		if !c.strict && depth > 0 && errors.Is(err, errNotPlain) {
			return nil
		}
		return err
	}
	if err := c.dst.MkdirAll(rel, 0o700); err != nil {
		return err
	}
	names, err := listDir(c.src, rel, info)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := c.tree(path.Join(rel, name), depth+1); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// listDir reads the folder that was looked at, not one put in its place.
func listDir(r *os.Root, rel string, want fs.FileInfo) ([]string, error) {
	f, err := r.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !os.SameFile(info, want) {
		return nil, errNotPlain
	}
	return f.Readdirnames(maxTreeEntries)
}

// file copies one plain file: to a new name first, so that a reader or a crash
// never meets half of it, and so that what lies in its place is not followed.
func (c *copier) file(rel string, want fs.FileInfo) error {
	in, err := openPlain(c.src, rel, want)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := c.dst.MkdirAll(path.Dir(rel), 0o700); err != nil {
		return err
	}
	temp := path.Join(path.Dir(rel), ".hcp-"+rand.Text())
	out, err := c.dst.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, want.Mode().Perm()&0o700|0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, in)
	if c.sync && err == nil {
		err = out.Sync()
	}
	err = errors.Join(err, out.Close())
	if err == nil {
		err = c.dst.Rename(temp, rel)
	}
	if err != nil {
		c.dst.Remove(temp)
		return err
	}
	c.copied, c.sizes = append(c.copied, rel), append(c.sizes, n)
	return nil
}

// openPlain opens a regular file with one name. O_NONBLOCK keeps a fifo in its
// place from hanging us, and what was opened must be what was looked at.
func openPlain(r *os.Root, rel string, want fs.FileInfo) (*os.File, error) {
	if !plain(want) {
		return nil, errNotPlain
	}
	f, err := r.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	// A name that is made or taken away changes a file's ctime: if that is still
	// what it was when the file had one name, it has had no other meanwhile.
	info, err := f.Stat()
	if err == nil && plain(info) && fileID("", info) == fileID("", want) {
		// While a name is being taken away, its file has one name less already and
		// can still be opened by it. To list the folder is to wait for that to end.
		if err = listed(r, path.Dir(rel)); err == nil {
			info, err = r.Lstat(rel)
		}
	}
	if err != nil || !plain(info) || fileID("", info) != fileID("", want) {
		f.Close()
		return nil, errNotPlain
	}
	return f, nil
}

// listed reads one entry of a folder, which takes the folder's lock.
func listed(r *os.Root, dir string) error {
	d, err := r.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = d.Readdirnames(1)
	return err
}

func plain(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && st.Nlink == 1
}
