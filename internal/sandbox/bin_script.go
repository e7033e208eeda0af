package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

const (
	maxShebang = 256 // bytes of a "#!" line that the kernel reads
	maxInterp  = 4   // interpreters of interpreters that the kernel follows
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
			return "has an interpreter that " + why
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
			return "has an interpreter that " + why
		}
		rec.Interp, rec.Script, at = append(rec.Interp, id), found, id.Path
		if shebang(at) != "" {
			return "has an interpreter that is itself a script, by way of env"
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
		if name, why = r.search(name); why != "" {
			return nil, "has an interpreter that is " + strings.TrimPrefix(why, "is ")
		}
	}
	script[0] = filepath.Clean(name)
	return script, ""
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
func prefixes(rec hcp.BinRecord) []string {
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
		for _, dir := range prefixOf(file) {
			if !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

func prefixOf(file string) []string {
	bin := filepath.Dir(file)
	root := filepath.Dir(bin)
	switch base := filepath.Base(bin); {
	case base != "bin" && base != "sbin" && base != "libexec", root == "/", root == "/usr", root == "/usr/local":
		return nil
	}
	if _, err := os.Stat(filepath.Join(root, "pyvenv.cfg")); err == nil {
		return []string{root}
	}
	if info, err := os.Stat(filepath.Join(root, "lib")); err == nil && info.IsDir() {
		return []string{bin, filepath.Join(root, "lib")}
	}
	return nil
}
