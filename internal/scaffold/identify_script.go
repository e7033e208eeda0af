package scaffold

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// script is the beginning of a file that names its interpreter.
type script struct {
	interp string // the "#!" line's program; "" for a program of its own
	arg    string // what stands behind it
	text   string // the first 64 KiB
}

// readScript reads the head of a file from its beginning.
func readScript(f *os.File) script {
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(io.NewSectionReader(f, 0, int64(len(head))), head)
	line, ok := bytes.CutPrefix(head[:n], []byte("#!"))
	if !ok {
		return script{}
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	interp, arg, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	return script{interp: interp, arg: strings.TrimSpace(arg), text: string(head[:n])}
}

// name is the interpreter's base name; what env looks for is env's argument.
func (s script) name() string {
	base := filepath.Base(s.interp)
	switch {
	case s.interp == "":
		return ""
	case base != "env":
		return base
	}
	for word := range strings.FieldsSeq(strings.TrimPrefix(s.arg, "-S")) {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return filepath.Base(word)
		}
	}
	return base
}

// framework tells by which library a script reads its options, from the package
// that it belongs to.
func (s script) framework(path string) string {
	switch name := s.name(); {
	case strings.HasPrefix(name, "python"), strings.HasPrefix(name, "pypy"):
		return s.pythonFramework(path)
	case name == "node", name == "nodejs", name == "bun", name == "deno":
		return nodeFramework(path)
	}
	return ""
}

// pythonFramework: what a script imports itself, else what the distribution of
// its entry point's module requires.
func (s script) pythonFramework(path string) string {
	known := []string{"typer", "click", "cleo", "docopt", "fire", "argparse", "optparse"}
	module := ""
	for line := range strings.Lines(s.text) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "from" && words[0] != "import" {
			continue
		}
		top, _, _ := strings.Cut(strings.TrimSuffix(words[1], ","), ".")
		if slices.Contains(known, top) {
			return top
		}
		if words[0] == "from" && top != "" && top != "re" && top != "sys" && module == "" {
			module = top
		}
	}
	if module == "" || strings.ContainsAny(module, "*?[\\/") {
		return ""
	}
	for _, bin := range []string{path, s.interp} {
		root := filepath.Dir(filepath.Dir(bin))
		found, _ := filepath.Glob(filepath.Join(root, "lib", "python3*", "*-packages", strings.ReplaceAll(module, "_", `[_\-]`)+"-*.dist-info", "METADATA"))
		for _, file := range found {
			requires := headOf(file)
			for _, name := range known {
				if strings.Contains(requires, "\nRequires-Dist: "+name) {
					return name
				}
			}
		}
	}
	return ""
}

// nodeFramework reads the package.json above a script, the nearest one.
func nodeFramework(path string) string {
	for dir, up := filepath.Dir(path), 0; up < 6; dir, up = filepath.Dir(dir), up+1 {
		if isFile(filepath.Join(dir, "oclif.manifest.json")) {
			return "oclif"
		}
		text := headOf(filepath.Join(dir, "package.json"))
		if text == "" {
			continue
		}
		var p struct {
			Name         string                     `json:"name"`
			Oclif        json.RawMessage            `json:"oclif"`
			Dependencies map[string]json.RawMessage `json:"dependencies"`
			Dev          map[string]json.RawMessage `json:"devDependencies"`
		}
		if json.Unmarshal([]byte(text), &p) != nil || p.Name == "" {
			continue // a folder's own, as {"type":"module"}
		}
		if p.Oclif != nil {
			return "oclif"
		}
		for _, name := range [...]string{"@oclif/core", "yargs", "commander", "cac", "clipanion", "meow", "citty"} {
			_, dep := p.Dependencies[name]
			if _, dev := p.Dev[name]; dep || dev {
				return strings.TrimPrefix(strings.TrimSuffix(name, "/core"), "@")
			}
		}
		return ""
	}
	return ""
}

// headOf reads a small text file; "" where there is none.
func headOf(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}
