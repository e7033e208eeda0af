package pack

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hcp/internal/hcp"
)

// Limits of a pack's folder (cli.md, hcp install).
const (
	maxPackBytes = 64 << 20
	maxPackFiles = 1000
)

// source is a pack's folder that is to be copied.
type source struct {
	fsys    fs.FS
	name    string // for errors
	open    func(name string) (fs.File, error)
	binExec bool // files below bin/ become executable
}

// copyTo copies regular files, folders and links that stay inside into the
// empty folder dst. Anything else is refused.
func (s source) copyTo(dst string) error {
	root, err := os.OpenRoot(dst)
	if err != nil {
		return pathError(dst, err)
	}
	defer root.Close()
	c := copier{source: s, dst: root, left: maxPackBytes}
	if err := fs.WalkDir(s.fsys, ".", c.visit); err != nil {
		return err
	}
	for _, name := range c.links {
		// Judged on the copy, which nobody else changes.
		if _, err := root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s.refuse(name, "a link that leads out of the pack")
		}
	}
	return nil
}

type copier struct {
	source
	dst     *os.Root
	left    int64 // bytes that may still be copied
	files   int
	folders int
	links   []string
}

func (s source) refuse(name, why string) error {
	return &hcp.TrustError{Path: filepath.Join(s.name, name), Why: why}
}

func (s source) failed(name string, err error) error {
	return pathError(filepath.Join(s.name, name), err)
}

func (c *copier) visit(name string, e fs.DirEntry, err error) error {
	if err != nil {
		return c.failed(name, err)
	}
	if name == "." {
		return pathError(c.dst.Name(), c.dst.Chmod(".", 0o755))
	}
	if e.IsDir() {
		c.folders++
	} else {
		c.files++
	}
	if c.files > maxPackFiles || c.folders > maxPackFiles {
		return c.refuse(".", fmt.Sprintf("more than %d files", maxPackFiles))
	}
	switch e.Type() {
	case fs.ModeDir:
		return c.failed(name, errors.Join(c.dst.Mkdir(name, 0o700), c.dst.Chmod(name, 0o755)))
	case fs.ModeSymlink:
		return c.link(name)
	case 0:
		return c.file(name)
	}
	return c.refuse(name, kindOf(e.Type())+" cannot be installed")
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a fifo"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

func (c *copier) link(name string) error {
	target, err := fs.ReadLink(c.fsys, name)
	if err != nil {
		return c.failed(name, err)
	}
	if strings.HasPrefix(target, "/") || !filepath.IsLocal(path.Join(path.Dir(name), target)) {
		return c.refuse(name, "a link that leads out of the pack")
	}
	c.links = append(c.links, name)
	return c.failed(name, c.dst.Symlink(target, name))
}

func (c *copier) file(name string) error {
	in, err := c.open(name)
	if err != nil {
		return c.failed(name, err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return c.failed(name, err)
	}
	if !info.Mode().IsRegular() {
		return c.refuse(name, "changed while it was copied")
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 || c.binExec && strings.HasPrefix(name, "bin/") {
		mode = 0o755
	}
	out, err := c.dst.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return c.failed(name, err)
	}
	n, err := io.Copy(out, io.LimitReader(in, c.left+1))
	if c.left -= n; err == nil && c.left < 0 {
		err = errors.Join(c.refuse(".", "larger than 64 MiB"), out.Close())
		return err
	}
	return c.failed(name, errors.Join(err, out.Chmod(mode), out.Close()))
}
