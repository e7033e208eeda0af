package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hcp/internal/hcp"
	"hcp/internal/sandbox"
	"hcp/internal/scaffold"
)

// wrapBin is the bin to be wrapped, as it was found.
type wrapBin struct {
	rec    hcp.BinRecord
	found  scaffold.Found
	beside []string // folders that a script's own parts may lie in
}

// findWrapBin finds what the user named: with a slash a file, else a name on
// PATH, past shims. The error is a *refusal for a bin that is not there.
func (s *store) findWrapBin(asked string) (wrapBin, error) {
	name := asked
	if strings.Contains(asked, "/") || asked == "." || asked == ".." {
		cwd, err := s.env.Getwd()
		if err != nil && !filepath.IsAbs(asked) {
			return wrapBin{}, fmt.Errorf("working directory: %s", hcp.Reason(err))
		}
		if name = filepath.Clean(asked); !filepath.IsAbs(asked) {
			name = filepath.Join(cwd, asked)
		}
		if isDir(name) {
			return wrapBin{}, fmt.Errorf("%s is a folder", hcp.Printable(asked, ""))
		}
	} else if asked == "" || strings.HasPrefix(asked, ".") {
		return wrapBin{}, refused(hcp.BinNotFound(asked)) // no program's name, and no path
	}
	self, _ := os.Executable() // "": then only the shim folder is told apart
	look := sandbox.Resolve{Bin: name, Path: pathDirs(s.env.Getenv("PATH")), ShimDirs: []string{s.places.Shims}, Self: self,
		Private: append(s.storeDirs(), s.env.Getenv("HOME"))}
	rec := sandbox.ResolveBin(look)
	switch {
	case rec.Path != "":
	case rec.Why == "not found":
		d := hcp.BinNotFound(asked)
		if info, err := os.Lstat(filepath.Join(s.places.Shims, filepath.Base(name))); err == nil && !info.IsDir() && name == asked {
			d = d.WithHint("%s is a shim of hcp; its pack is there: hcp show %s", asked, asked)
		}
		return wrapBin{}, refused(d)
	default:
		return wrapBin{}, fmt.Errorf("%s %s", hcp.Printable(asked, ""), rec.Why)
	}
	if base := filepath.Base(rec.Path); base == "hcp" || base == "hcpx" {
		return wrapBin{}, errors.New(hcp.Printable(asked, "") + " is hcp itself")
	}
	b := wrapBin{rec: rec, beside: look.Beside(rec)}
	b.found = scaffold.Found{Asked: asked, Bin: asked, Path: rec.Found, Real: rec.Path}
	if name != asked || strings.Contains(asked, "/") {
		b.found.Bin = rec.Found
	}
	return b, nil
}
