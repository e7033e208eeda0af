package scaffold

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write puts a file below a test's own folder and gives its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func identify(t *testing.T, path string) (Identity, error) {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return Identify(Found{Asked: path, Bin: path, Path: path, Real: real}, Memo{})
}

// A shell is one under any name: linked to, linked with, copied.
func TestIdentify_Launchers(t *testing.T) {
	dir := t.TempDir()
	sh, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(sh)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "copied", string(data))
	for name, to := range map[string]string{"linked": "/bin/sh", "box/busybox": "", "python3.99": "", "perl5.36.0": "", "env": "", "ld-linux-x86-64.so.2": ""} {
		if to != "" {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		write(t, dir, name, "\x7fELF "+name)
	}
	if err := os.Symlink(filepath.Join(dir, "box/busybox"), filepath.Join(dir, "vi")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"copied": "is a shell", "linked": "is a shell", "vi": "busybox) is a shell", "python3.99": "is an interpreter", "perl5.36.0": "is an interpreter",
		"env": "is a launcher", "ld-linux-x86-64.so.2": "is a launcher",
	} {
		_, err := identify(t, filepath.Join(dir, name))
		var l *Launcher
		if !errors.As(err, &l) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		real, _ := filepath.EvalSymlinks(filepath.Join(dir, name))
		if _, err := Identify(Found{Asked: name, Path: filepath.Join(dir, name), Real: real, Trust: true}, Memo{}); err != nil {
			t.Errorf("%s, trusted: %v", name, err)
		}
	}
}

// Names that only begin like a launcher's are none, and a script is a CLI
// although its interpreter is a shell.
func TestIdentify_NoLaunchers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"shellcheck": "\x7fELF", "findmnt": "\x7fELF", "pythonic": "\x7fELF", "nodemon": "\x7fELF", "tool": "#!/bin/sh\necho\n", "envsubst": "#!/usr/bin/env bash\n"} {
		id, err := identify(t, write(t, dir, name, text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(id.SHA256) != 64 {
			t.Errorf("%s: digest %q", name, id.SHA256)
		}
	}
	if id, _ := identify(t, filepath.Join(dir, "envsubst")); id.Script != "bash" {
		t.Errorf("script of %q", id.Script)
	}
}

// A framework is seen in a program's bytes, also across the pieces it is read
// in, and in what a script's package says of itself.
func TestIdentify_Framework(t *testing.T) {
	dir := t.TempDir()
	pad := strings.Repeat("x", 1<<20)
	site := "venv/lib/python3.11/site-packages/"
	write(t, dir, site+"http_tool-1.0.dist-info/METADATA", "Name: http-tool\nRequires-Dist: rich\nRequires-Dist: click (>=8)\n")
	write(t, dir, "js/package.json", `{"name":"js","dependencies":{"yargs":"17"}}`)
	write(t, dir, "ocl/package.json", `{"name":"ocl","oclif":{"bin":"ocl"}}`)
	for name, row := range map[string]struct{ text, want string }{
		"go":               {"\x7fELF" + pad[:1<<20-10] + "github.com/spf13/cobra" + pad, "cobra"},
		"both":             {"\x7fELF" + "github.com/spf13/pflag" + pad + "github.com/spf13/cobra", "cobra"},
		"rust":             {"\x7fELF" + pad + "/root/.cargo/registry/src/clap_builder-4.5.2/src", "clap"},
		"c":                {"\x7fELF getopt_long", "getopt"},
		"none":             {"\x7fELF" + pad, ""},
		"venv/bin/http":    {"#!" + filepath.Join(dir, "venv/bin/python3") + "\nimport sys\nfrom http_tool.cli import main\n", "click"},
		"venv/bin/argp":    {"#!/usr/bin/python3\nimport argparse\n", "argparse"},
		"js/bin/run.js":    {"#!/usr/bin/env node\n", "yargs"},
		"ocl/bin/run.js":   {"#!/usr/bin/env -S node --no-warnings\n", "oclif"},
		"loose/bin/run.js": {"#!/usr/bin/env node\n", ""},
	} {
		id, err := identify(t, write(t, dir, name, row.text))
		if err != nil || id.Framework != row.want {
			t.Errorf("%s: %q, %v; want %q", name, id.Framework, err, row.want)
		}
	}
}

// Man page and completions of an install are found beside it.
func TestIdentify_Installed(t *testing.T) {
	dir := t.TempDir()
	bin := write(t, dir, "opt/bin/frob", "\x7fELF")
	page := write(t, dir, "opt/share/man/man1/frob.1", ".TH FROB 1\n")
	fish := write(t, dir, "opt/share/fish/vendor_completions.d/frob.fish", "complete -c frob -l all\n")
	id, err := identify(t, bin)
	if err != nil || id.ManPage != page || len(id.Completions) != 1 || id.Completions[0] != fish {
		t.Errorf("%+v, %v", id, err)
	}
	if _, err := identify(t, write(t, dir, "empty", "")); err == nil || !strings.HasSuffix(err.Error(), "empty is empty") {
		t.Errorf("an empty file: %v", err)
	}
}
