// Package test holds the tests that look at the product from outside: who
// imports whom, what a user sees, and whether the README tells the truth.
package test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// edges is the import table of design/architecture.md: package → which of ours
// it may import. Any other edge fails.
var edges = map[string][]string{
	"hcp":      {},
	"pack":     {"hcp"},
	"config":   {"hcp"},
	"binding":  {"hcp"},
	"sandbox":  {"hcp"},
	"audit":    {"hcp"},
	"adapter":  {"hcp", "pack", "sandbox"},
	"pipeline": {"hcp", "pack", "binding", "adapter", "audit"},
	"scaffold": {"hcp", "pack"},
	"mcp":      {"hcp"},
	"cli":      {"hcp", "pack", "config", "binding", "sandbox", "audit", "adapter", "pipeline", "scaffold", "mcp"},
}

// only names the packages that alone may import something, and why.
var only = []struct {
	prefix string
	by     []string
	why    string
}{
	{"os/exec", []string{"sandbox", "binding"}, "what can start a process is in one place"},
	{"golang.org/x/sys", []string{"sandbox"}, "the kernel is the sandbox's"},
	{"github.com/landlock-lsm", []string{"sandbox"}, "the kernel is the sandbox's"},
	{"github.com/elastic/go-seccomp-bpf", []string{"sandbox"}, "the kernel is the sandbox's"},
	{"github.com/BurntSushi/toml", []string{"config"}, "one reader of hcp.toml"},
	{"github.com/alecthomas/kong", []string{"cli"}, "one command line"},
	{"github.com/mattn/go-isatty", []string{"cli"}, "one place picks the face"},
	{"github.com/modelcontextprotocol", nil, "linked, it costs every call more than a millisecond, and one in namespaces twice that; tests use its client"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func ourPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "hcp/...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < len(edges) {
		t.Fatalf("go list found %d packages", len(list))
	}
	return list
}

func TestImports(t *testing.T) {
	seen := 0
	for _, p := range ourPackages(t) {
		name, internal := strings.CutPrefix(p.ImportPath, "hcp/internal/")
		if !internal {
			continue // main and the tests
		}
		allowed, known := edges[name]
		if !known {
			t.Errorf("package %s is not in the table", name)
			continue
		}
		seen++
		for _, imp := range p.Imports {
			if to, ours := strings.CutPrefix(imp, "hcp/internal/"); ours && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s", name, to)
			}
			if name == "hcp" && strings.Contains(imp, ".") {
				t.Errorf("hcp imports %s; the nouns need the standard library only", imp)
			}
			for _, rule := range only {
				if strings.HasPrefix(imp, rule.prefix) && !slices.Contains(rule.by, name) {
					t.Errorf("%s imports %s: %s", name, imp, rule.why)
				}
			}
		}
	}
	if seen != len(edges) {
		t.Errorf("%d of %d packages of the table exist", seen, len(edges))
	}
	if len(edges) > 11 {
		t.Error("eleven internal packages are the ceiling")
	}
}

// Only cli reads the process's environment and arguments; everybody else is
// told. The same goes for the length of a file, which keeps rules findable.
func TestSources(t *testing.T) {
	for _, f := range goFiles(t) {
		cli := strings.Contains(f.path, "internal/cli/")
		for _, word := range []string{"os.Getenv(", "os.LookupEnv", "os.Environ(", "os.Args"} {
			if strings.Contains(f.path, "/internal/") && !cli && !f.test && strings.Contains(f.text, word) {
				t.Errorf("%s uses %s", f.path, word)
			}
		}
		if n := strings.Count(f.text, "\n"); n > 400 {
			t.Errorf("%s has %d lines, more than 400", f.path, n)
		}
		if !f.test && strings.Contains(f.text, "\nfunc init()") {
			t.Errorf("%s has an init function", f.path)
		}
		if f.path == "../main.go" && strings.Count(f.text, "\n") > 40 {
			t.Errorf("main.go is longer than 40 lines")
		}
	}
}
