package scaffold

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"hcp/internal/hcp"
)

// maxBin bounds a program that is read whole for its digest: larger ones are
// disk images, not tools.
const maxBin = 2 << 30

// Found is a bin as the caller found it: nothing here searches PATH.
type Found struct {
	Asked string // as the user wrote it
	Bin   string // see Identity.Bin
	Path  string // absolute, before symlinks
	Real  string // canonical
	Trust bool   // the user knows that it is a launcher (--i-know)
}

// Launcher is the refusal of a bin that runs what its arguments say: a policy
// row for it would be one for everything.
type Launcher struct {
	Name string // as asked
	Kind string // "a shell", "an interpreter", "a launcher"
	Is   string // what it really is, where its name does not say it; ""
}

func (l *Launcher) Error() string {
	name := hcp.Printable(l.Name, "")
	if l.Is != "" {
		name += " (" + l.Is + ")"
	}
	return name + " is " + l.Kind + ": it runs whatever its arguments say"
}

// Memo is what an earlier look at the same file found out; a Sum of "" is none.
type Memo struct {
	Sum       string // SHA-256, hex
	Framework string
}

// Identify finds out what a bin is without running it (wrap.md, stage 1). A
// memo of the very same file saves reading all of it. The error is a *Launcher,
// or says in one line why the file cannot be wrapped.
func Identify(f Found, memo Memo) (Identity, error) {
	id := Identity{Name: filepath.Base(f.Asked), Path: f.Real, Bin: f.Bin}
	file, err := os.Open(f.Real)
	if err != nil {
		return id, fmt.Errorf("%s: %s", f.Real, hcp.Reason(err))
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return id, fmt.Errorf("%s: %s", f.Real, hcp.Reason(err))
	case info.IsDir():
		return id, fmt.Errorf("%s is a folder", hcp.Printable(f.Asked, ""))
	case !info.Mode().IsRegular():
		return id, fmt.Errorf("%s is not a regular file", hcp.Printable(f.Asked, ""))
	case info.Size() == 0:
		return id, fmt.Errorf("%s is empty", hcp.Printable(f.Asked, ""))
	case info.Size() > maxBin:
		return id, fmt.Errorf("%s is larger than 2GiB", hcp.Printable(f.Asked, ""))
	}
	script := readScript(file)
	id.Script = script.name()
	if memo.Sum == "" {
		if memo, err = readAll(file, script.interp == ""); err != nil {
			return id, fmt.Errorf("%s: %s", f.Real, hcp.Reason(err))
		}
	}
	id.SHA256, id.Framework = memo.Sum, memo.Framework
	if !f.Trust {
		if l := launcher(f, info, id.SHA256); l != nil {
			return id, l
		}
	}
	if id.Framework == "" && script.interp != "" {
		id.Framework = script.framework(f.Real)
	}
	id.ManPage = manPage(f)
	id.Completions = completions(f)
	return id, nil
}

// readAll reads a file once, for its digest and for the marks of a framework.
func readAll(file *os.File, scan bool) (Memo, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Memo{}, err
	}
	sum := sha256.New()
	marks := frameworks()
	if !scan {
		marks = nil
	}
	const chunk = 1 << 20
	buf := make([]byte, markOverlap+chunk)
	kept := 0 // bytes of the chunk before, so that a mark across two is seen
	for {
		n, err := io.ReadFull(file, buf[kept:])
		sum.Write(buf[kept : kept+n])
		marks = narrow(marks, buf[:kept+n])
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return Memo{}, err
		}
		kept = copy(buf, buf[kept+n-markOverlap:kept+n])
	}
	return Memo{Sum: hex.EncodeToString(sum.Sum(nil)), Framework: seen(marks)}, nil
}

// manPage finds the bin's own page where its install or the system keeps them.
func manPage(f Found) string {
	for _, dir := range shareDirs(f) {
		for _, section := range [...]string{"1", "8", "6"} {
			for _, ext := range [...]string{".gz", "", ".bz2"} {
				page := filepath.Join(dir, "man", "man"+section, filepath.Base(f.Path)+"."+section+ext)
				if isFile(page) {
					return page
				}
			}
		}
	}
	return ""
}

// completions finds completion files that an install brought along.
func completions(f Found) (out []string) {
	name := filepath.Base(f.Path)
	for _, form := range [...]string{
		"fish/vendor_completions.d/" + name + ".fish", "fish/completions/" + name + ".fish",
		"zsh/site-functions/_" + name, "zsh/vendor-completions/_" + name,
		"bash-completion/completions/" + name,
	} {
		for _, dir := range shareDirs(f) {
			if file := filepath.Join(dir, form); isFile(file) {
				out = append(out, file)
				break
			}
		}
	}
	return out
}

// shareDirs are the share folders of the install, before and behind symlinks,
// and then the system's.
func shareDirs(f Found) []string {
	var dirs []string
	for _, file := range [...]string{f.Path, f.Real} {
		if bin := filepath.Dir(file); strings.HasSuffix(bin, "/bin") || strings.HasSuffix(bin, "/sbin") {
			dirs = append(dirs, filepath.Join(filepath.Dir(bin), "share"))
		}
	}
	return append(dirs, "/usr/local/share", "/usr/share")
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// PackID makes a pack id of a bin's name; "" when nothing is left of it.
func PackID(name string) string { return validID(name) }
