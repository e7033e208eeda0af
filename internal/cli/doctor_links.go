package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
)

// checkShell is what doctor says about the way from a typed word to a shim. It
// needs no configuration.
func (s *store) checkShell() []check {
	checks := s.checkShims()
	return append(checks, s.checkSelf(), checkUmask(), s.checkDepth(), s.checkSudo(), checkAbsolute())
}

// checkShims looks at PATH as it is now, and at every link.
func (s *store) checkShims() []check {
	l, err := s.links()
	if err != nil {
		return []check{{"shims", healthBroken, err.Error(), ""}}
	}
	ids, err := l.ours()
	if err != nil {
		return append([]check{{"shims", healthBroken, err.Error(), ""}}, checkShimDir(l.dir)...)
	}
	c := check{Name: "shims", Status: healthOK, Detail: fmt.Sprintf("%d in %s", len(ids), l.dir)}
	dirs := pathDirs(s.env.Getenv("PATH"))
	at := indexDir(dirs, l.dir)
	if at < 0 {
		c.Status, c.Detail, c.Hint = healthDegraded, l.dir+" is not on PATH", initLine(s.env)
	} else if id, hides := hiddenShim(dirs[:at], ids); id != "" {
		c.Status, c.Detail, c.Hint = healthDegraded, hides+" comes before the shim "+id, initLine(s.env)
	} else if here := s.currentFolderFirst(dirs[at]); here {
		c.Status, c.Detail, c.Hint = healthDegraded, "PATH has the current folder before the shims", initLine(s.env)
	}
	checks := append([]check{c}, checkShimDir(l.dir)...)
	var shadows []string
	for _, id := range ids {
		line := s.shimLine(l, id)
		if k := s.checkLink(l, line); k.Status != healthOK {
			checks = append(checks, k)
		}
		if line.Shadows != "" {
			shadows = append(shadows, id+" before "+line.Shadows)
		}
	}
	if len(shadows) > 0 {
		checks = append(checks, check{Name: "shadows", Status: healthOK, Detail: strings.Join(shadows, ", ")})
	}
	return append(checks, checkStrangers(l)...)
}

// currentFolderFirst tells whether PATH has a relative or empty element, which
// is another folder wherever one stands, before dir.
func (s *store) currentFolderFirst(dir string) bool {
	for one := range strings.SplitSeq(s.env.Getenv("PATH"), string(os.PathListSeparator)) {
		switch {
		case one == dir:
			return false
		case !filepath.IsAbs(one):
			return true
		}
	}
	return false
}

// indexDir finds a folder on PATH under any name it has, or gives -1.
func indexDir(dirs []string, dir string) int {
	want, err := os.Stat(dir)
	for i, d := range dirs {
		if filepath.Clean(d) == dir {
			return i
		}
		if info, statErr := os.Stat(d); err == nil && statErr == nil && os.SameFile(info, want) {
			return i
		}
	}
	return -1
}

// hiddenShim finds a shim whose name means another program in one of dirs.
func hiddenShim(dirs, ids []string) (id, program string) {
	for _, id := range ids {
		for _, dir := range dirs {
			if programAt(dir, id) != nil {
				return id, filepath.Join(dir, id)
			}
		}
	}
	return "", ""
}

// checkShimDir speaks up where the folder is a link, or others can write to it.
func checkShimDir(dir string) []check {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil
	}
	if there, err := os.Stat(dir); err != nil || !there.IsDir() {
		return []check{{"shim dir", healthBroken, dir + " is no folder, nor a link to one", "rm -i " + adapter.ShellQuote(dir)}}
	}
	if err := hcp.CheckTrustedDir(dir); err != nil {
		return []check{{"shim dir", healthBroken, err.Error(), mended(err)}}
	}
	if info.Mode()&os.ModeSymlink == 0 {
		return nil
	}
	to, _ := os.Readlink(dir)
	return []check{{Name: "shim dir", Status: healthOK, Detail: dir + " is a link to " + to}}
}

// checkLink says what is wrong with one of our links, and what mends it.
func (s *store) checkLink(l links, line shimLine) check {
	c := check{Name: "shim " + line.Name, Status: healthOK}
	if line.OK {
		return c
	}
	c.Status, c.Hint = healthDegraded, "hcp shim install "+line.Name
	to, _ := os.Readlink(line.Link)
	switch _, err := os.Stat(line.Link); {
	case err != nil:
		c.Detail = line.Link + " leads to nothing (" + to + ")"
	case l.state(line.Name) == linkStale:
		c.Detail = line.Link + " starts another hcp (" + to + ")"
	default:
		c.Detail, c.Hint = "its pack is not installed", "hcp shim remove "+line.Name
		if _, err := s.pack(line.Name); !notExist(err) {
			c.Detail, c.Hint = "its pack does not load", "hcp check "+line.Name
		}
	}
	return c
}

// checkStrangers lists what others have put into a folder that is first on PATH.
func checkStrangers(l links) (checks []check) {
	const most = 10
	entries, _ := os.ReadDir(l.dir)
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || l.state(name) != linkForeign || len(checks) == most {
			continue
		}
		checks = append(checks, check{"shim " + name, healthDegraded, l.path(name) + " is not a shim of hcp; it is left as it is",
			"rm -i " + adapter.ShellQuote(l.path(name))})
	}
	return checks
}

// checkSelf tells whether a typed hcp is the one that runs, and the only one.
func (s *store) checkSelf() check {
	c := check{Name: "which hcp", Status: healthOK}
	self, _ := os.Executable()
	me, _ := os.Stat(self)
	var seen []os.FileInfo
	var paths []string
next:
	for _, dir := range pathDirs(s.env.Getenv("PATH")) {
		info := programAt(dir, "hcp")
		if info == nil {
			continue
		}
		for _, had := range seen {
			if os.SameFile(had, info) {
				continue next
			}
		}
		seen, paths = append(seen, info), append(paths, filepath.Join(dir, "hcp"))
	}
	switch {
	case len(seen) == 0:
		c.Detail, c.Hint = "not there: this is "+self, fmt.Sprintf("export PATH=\"$PATH\":%s", adapter.ShellQuote(filepath.Dir(self)))
	case len(seen) > 1:
		c.Status, c.Detail, c.Hint = healthDegraded, "more than one: "+strings.Join(paths, ", ")+"; the first is run", "ls -l "+quoteAll(paths)
	case me != nil && !os.SameFile(me, seen[0]):
		c.Status, c.Detail, c.Hint = healthDegraded, paths[0]+" is another one than this, "+self, "ls -l "+quoteAll([]string{paths[0], self})
	default:
		c.Detail = paths[0]
	}
	return c
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = adapter.ShellQuote(w)
	}
	return strings.Join(quoted, " ")
}
