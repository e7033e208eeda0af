package sandbox

import (
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hcp/internal/hcp"
)

const (
	maxShebang = 256 // bytes of a "#!" line that the kernel reads
	maxInterp  = 4   // interpreters of interpreters that the kernel follows

	whyEnvScript = "has an interpreter that is itself a script, by way of env"
)

// interpreters fills Interp and Script. A "#!/usr/bin/env x" line is followed
// here once and for all: env would search PATH on every call.
func (r Resolve) interpreters(rec *hcp.BinRecord) (why string) {
	for at := rec.Path; ; {
		line := shebang(at)
		if line == "" {
			return ""
		}
		if len(rec.Interp) == maxInterp {
			return "has too many interpreters"
		}
		name, arg, _ := strings.Cut(line, " ")
		if !filepath.IsAbs(name) {
			return "has an interpreter that is no absolute path"
		}
		id, why := pin(name)
		if why != "" {
			return badInterp(why)
		}
		rec.Interp = append(rec.Interp, id)
		at = id.Path
		if filepath.Base(name) != "env" {
			continue
		}
		if len(rec.Interp) > 1 {
			return "has an interpreter that is itself an env script"
		}
		found, why := r.envTarget(strings.TrimSpace(arg))
		if why != "" {
			return why
		}
		if id, why = pin(found[0]); why != "" {
			return badInterp(why)
		}
		rec.Interp, rec.Script, at = append(rec.Interp, id), found, id.Path
		if shebang(at) != "" {
			return whyEnvScript
		}
	}
}

// envTarget reads what stands behind "#!/usr/bin/env": one name, or with -S a
// name and its arguments. Other options change the environment, which is ours.
func (r Resolve) envTarget(arg string) (script []string, why string) {
	if rest, ok := strings.CutPrefix(arg, "-S"); ok {
		if strings.ContainsAny(rest, `"'\$`) {
			return nil, "has an env line that hcp cannot follow"
		}
		script = strings.Fields(rest)
	} else if arg != "" {
		script = []string{arg}
	}
	if len(script) == 0 || script[0][0] == '-' || strings.ContainsAny(script[0], "= \t") {
		return nil, "has an env line that hcp cannot follow"
	}
	name := script[0]
	if !filepath.IsAbs(name) {
		if strings.Contains(name, "/") {
			return nil, "has an interpreter that is no absolute path"
		}
		if name, why = r.searchProgram(name); why != "" {
			return nil, why
		}
	}
	script[0] = filepath.Clean(name)
	return script, ""
}

// searchProgram looks for what env would start, passing over scripts, which are
// version managers' shims as a rule. The child's own PATH comes last.
func (r Resolve) searchProgram(name string) (found, why string) {
	r.Path = slices.Concat(r.Path, r.fallback)
	found, passed, why := r.walk(name, func(file string) bool { return shebang(file) != "" })
	switch {
	case found != "":
		return found, ""
	case passed != "":
		return "", whyEnvScript
	}
	return "", badInterp(why)
}

func badInterp(why string) string {
	if why == whyNotFound {
		why = "is " + why
	}
	return "has an interpreter that " + why
}

// shebang gives the "#!" line of a script without "#!" and surrounding blanks,
// the blanks behind the interpreter folded to one space; "" for a program, and
// for what may be run but not read.
func shebang(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, maxShebang)
	n, _ := io.ReadFull(f, head)
	line, ok := strings.CutPrefix(string(head[:n]), "#!")
	if !ok {
		return ""
	}
	line, _, _ = strings.Cut(line, "\n")
	line = strings.Trim(line, " \t\r")
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		return line[:i] + " " + strings.TrimLeft(line[i:], " \t")
	}
	return line
}

// prefixes are the folders that an install outside the system's needs to read:
// a whole venv, else the bin and lib beside the program or its interpreters.
// Never more: ~/.cargo and ~/.local hold more than programs.
func (r Resolve) prefixes(rec hcp.BinRecord) []string {
	files := []string{rec.Found, rec.Path}
	for _, id := range rec.Interp {
		files = append(files, id.Path)
	}
	if line := shebang(rec.Path); line != "" {
		name, _, _ := strings.Cut(line, " ")
		files = append(files, name) // a venv's python is a symlink out of it
	}
	if len(rec.Script) > 0 {
		files = append(files, rec.Script[0])
	}
	var out []string
	for _, file := range files {
		for _, dir := range r.prefixOf(file) {
			if !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// prefixOf gives a program's folders. The pack's own are readable anyway; and a
// link in it could name any folder.
func (r Resolve) prefixOf(file string) []string {
	bin := filepath.Dir(file)
	root := filepath.Dir(bin)
	switch base := filepath.Base(bin); {
	case base != "bin" && base != "sbin" && base != "libexec", root == "/", root == "/usr", root == "/usr/local", r.ofPack(file):
		return nil
	}
	parts := []string{bin, filepath.Join(root, "lib")}
	if _, err := os.Stat(filepath.Join(root, "pyvenv.cfg")); err == nil {
		if !r.holdsPrivate(root) {
			return []string{root}
		}
		for _, name := range [...]string{"lib64", "include", "pyvenv.cfg"} {
			parts = append(parts, filepath.Join(root, name))
		}
	} else if info, err := os.Stat(parts[1]); err != nil || !info.IsDir() {
		return nil
	}
	return slices.DeleteFunc(parts, r.holdsPrivate)
}

func (r Resolve) ofPack(file string) bool {
	_, ok := below(r.PackRoot, file)
	return ok || r.PackRoot != "" && r.inPack(file)
}

// Beside gives the folders in which a script may find its own parts, where a
// child would not see them anyway: the one it lies in, as it was found and as it
// is, and the one of the package.json above it. nil for a program; none is more
// than an install, as a home or /tmp.
func (r Resolve) Beside(rec hcp.BinRecord) (dirs []string) {
	if len(rec.Interp) == 0 {
		return nil
	}
	add := func(dir string) {
		seen := slices.ContainsFunc(slices.Concat(dirs, rec.Prefix, systemFolders()), func(have string) bool { return inFolder(have, dir) })
		if !seen && !r.holdsPrivate(dir) {
			dirs = append(dirs, dir)
		}
	}
	const levels = 5
	for _, file := range [...]string{rec.Path, rec.Found} {
		for dir, up := filepath.Dir(file), 0; up < levels; dir, up = filepath.Dir(dir), up+1 {
			if info, err := os.Stat(filepath.Join(dir, "package.json")); err == nil && info.Mode().IsRegular() {
				add(dir)
				break
			}
		}
		add(filepath.Dir(file))
	}
	return dirs
}

// holdsPrivate tells whether a folder is more than an install: somebody's home,
// the store, one of the system's own, or above one of these. So is what cannot
// be resolved.
func (r Resolve) holdsPrivate(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || slices.Contains(systemRoots(), real) || slices.Contains([]string{"/home", "/Users"}, filepath.Dir(real)) {
		return true
	}
	private := slices.Concat(r.Private, r.ShimDirs, []string{r.PackRoot, "/root"})
	if u, err := user.LookupId(strconv.Itoa(os.Geteuid())); err == nil {
		private = append(private, u.HomeDir)
	}
	return slices.ContainsFunc(private, func(p string) bool {
		if !filepath.IsAbs(p) {
			return false
		}
		_, ok := below(real, canonical(p))
		return ok
	})
}

// systemRoots hold what is not one install's.
func systemRoots() []string {
	return []string{"/", "/usr", "/usr/local", "/etc", "/var", "/var/lib", "/var/tmp", "/var/run", "/run", "/tmp", "/opt", "/srv", "/mnt", "/media",
		"/home", "/root", "/boot", "/dev", "/proc", "/sys", "/Users", "/Library", "/System", "/Applications", "/Volumes",
		"/private", "/private/etc", "/private/tmp", "/private/var"}
}
