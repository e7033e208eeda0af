package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/sandbox"
)

type workspaceCmd struct {
	Ls   workspaceLsCmd   `cmd:"" help:"List files."`
	Put  workspacePutCmd  `cmd:"" help:"Copy a file in."`
	Get  workspaceGetCmd  `cmd:"" help:"Copy a file out, into this folder, to FILE, or to stdout with -."`
	Path workspacePathCmd `cmd:"" help:"Print the workspace's folder."`
}

// workspaceOf is the caller's own workspace of a pack: a principal's, by token,
// or the owner's.
func workspaceOf(env *Env, id string) (string, error) {
	s, d := openStore(env, "", "")
	if d != nil {
		return "", refused(d)
	}
	if _, d := s.mustPack(id); d != nil {
		return "", refused(d)
	}
	if id == adapter.BuiltinPack {
		return "", fmt.Errorf("%s has no workspace", id)
	}
	who, d := s.runtime().Caller.Identify()
	if d != nil {
		return "", refused(d)
	}
	return sandbox.WorkspaceDir(s.places.Workspaces(), who.Tenant, who.ID, id), nil
}

// openWorkspace opens the folder so that no path can lead out of it.
func openWorkspace(dir string, create bool) (*os.Root, error) {
	if create {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("%s: %s", dir, hcp.Reason(err))
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return root, nil
}

// workspaceName is a file's name inside: relative, with or without the
// workspace: in front.
func workspaceName(name string) (string, error) {
	clean := path.Clean(strings.TrimPrefix(name, "workspace:"))
	if clean == "." || !filepath.IsLocal(clean) || strings.ContainsRune(clean, 0) {
		return "", errors.New(hcp.PathLeaves().Message)
	}
	return clean, nil
}

type workspaceLsCmd struct {
	Pack string `arg:"" help:"Pack id."`
	Dir  string `arg:"" optional:"" help:"Folder inside."`
	JSON bool   `help:"As JSON." name:"json"`
}

type fileLine struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Mtime string `json:"mtime"`
}

func (c *workspaceLsCmd) Run(env *Env, status *int) error {
	dir, err := workspaceOf(env, c.Pack)
	if err != nil {
		return err
	}
	start := "."
	if c.Dir != "" && path.Clean(strings.TrimPrefix(c.Dir, "workspace:")) != "." {
		if start, err = workspaceName(c.Dir); err != nil {
			return err
		}
	}
	lines, err := listFiles(dir, start)
	if err != nil {
		return err
	}
	if c.JSON {
		*status = env.printValue(lines, hcp.ExitOK)
		return nil
	}
	var rows [][]string
	for _, l := range lines {
		rows = append(rows, []string{fmt.Sprint(l.Bytes), l.Mtime, l.Name})
	}
	return env.table(rows)
}

// listFiles names the regular files below start, with "/" after folders left
// out: what can be got.
func listFiles(dir, start string) ([]fileLine, error) {
	lines := []fileLine{}
	root, err := openWorkspace(dir, false)
	if notExist(err) {
		return lines, nil // never used yet
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", dir, hcp.Reason(err))
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), start, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("workspace:%s: %s", name, hcp.Reason(err))
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if notExist(err) {
			return nil // gone meanwhile
		}
		if err != nil {
			return fmt.Errorf("workspace:%s: %s", name, hcp.Reason(err))
		}
		lines = append(lines, fileLine{name, info.Size(), info.ModTime().UTC().Format(time.RFC3339)})
		return nil
	})
	sort.Slice(lines, func(i, j int) bool { return lines[i].Name < lines[j].Name })
	return lines, err
}

type workspacePutCmd struct {
	Pack string `arg:"" help:"Pack id."`
	File string `arg:"" help:"File to copy; - is stdin and needs a name."`
	Name string `arg:"" optional:"" help:"Name inside (default: the file's own)."`
}

func (c *workspacePutCmd) Run(env *Env, _ *int) error {
	dir, err := workspaceOf(env, c.Pack)
	if err != nil {
		return err
	}
	name := first(c.Name, filepath.Base(c.File))
	if c.File == "-" && c.Name == "" {
		return errors.New("put - takes stdin and needs a name")
	}
	if name, err = workspaceName(name); err != nil {
		return err
	}
	in := env.Stdin
	if c.File != "-" {
		if in, err = openPlain(c.File); err != nil {
			return err
		}
		defer in.Close()
	}
	root, err := openWorkspace(dir, true)
	if err != nil {
		return fmt.Errorf("%s: %s", dir, hcp.Reason(err))
	}
	defer root.Close()
	n, err := putFile(root, name, in)
	if err != nil {
		return fmt.Errorf("workspace:%s: %s", name, hcp.Reason(err))
	}
	env.sayf("workspace:%s (%d bytes)\n", hcp.Printable(name, ""), n)
	return nil
}

// openPlain opens a regular file without waiting for a fifo's other end.
func openPlain(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", file, hcp.Reason(err))
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s: is not a regular file", file)
	}
	return f, nil
}

// putFile copies into the workspace: a reader sees the old file or the whole
// new one.
func putFile(root *os.Root, name string, in io.Reader) (n int64, err error) {
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return 0, err
		}
	}
	tmp := path.Join(path.Dir(name), fmt.Sprintf(".put-%d-%s", os.Getpid(), path.Base(name)))
	out, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(tmp)
		}
	}()
	n, err = io.Copy(out, in)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return n, err
	}
	return n, root.Rename(tmp, name)
}

type workspaceGetCmd struct {
	Pack string `arg:"" help:"Pack id."`
	Name string `arg:"" help:"Name inside."`
	File string `arg:"" optional:"" help:"File to write (default: the name, in this folder); - is stdout."`
}

func (c *workspaceGetCmd) Run(env *Env, _ *int) error {
	dir, err := workspaceOf(env, c.Pack)
	if err != nil {
		return err
	}
	name, err := workspaceName(c.Name)
	if err != nil {
		return err
	}
	in, err := openInside(dir, name)
	if err != nil {
		return fmt.Errorf("workspace:%s: %s", name, hcp.Reason(err))
	}
	defer in.Close()
	if c.File == "-" {
		if _, err := io.Copy(env.Stdout, in); err != nil && !brokenPipe(err) {
			return errors.New("stdout: " + hcp.Reason(err))
		}
		return nil
	}
	return getFile(env, in, first(c.File, path.Base(name)))
}

// openInside opens a regular file of the workspace; links and pipes that a
// child may have left are refused.
func openInside(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	if linked(info) {
		return nil, errors.New("has another name (hard link)")
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		f.Close()
		return nil, errors.New("changed while it was opened")
	}
	return f, nil
}

// linked tells whether a file has a second name, which may lie anywhere.
func linked(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || st.Nlink > 1
}

func getFile(env *Env, in io.Reader, file string) error {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder", file)
	}
	out, err := os.CreateTemp(filepath.Dir(file), ".hcp-get-")
	if err != nil {
		return fmt.Errorf("%s: %s", file, hcp.Reason(err))
	}
	n, err := io.Copy(out, in)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(out.Name(), file)
	}
	if err != nil {
		_ = os.Remove(out.Name())
		return fmt.Errorf("%s: %s", file, hcp.Reason(err))
	}
	env.sayf("%s (%d bytes)\n", hcp.Printable(file, ""), n)
	return nil
}

type workspacePathCmd struct {
	Pack string `arg:"" help:"Pack id."`
	JSON bool   `help:"As JSON." name:"json"`
}

func (c *workspacePathCmd) Run(env *Env, status *int) error {
	dir, err := workspaceOf(env, c.Pack)
	switch {
	case err != nil:
		return err
	case c.JSON:
		*status = env.printValue(map[string]string{"path": dir}, hcp.ExitOK)
	default:
		env.sayln(dir)
	}
	return nil
}
