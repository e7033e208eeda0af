package sandbox

import (
	"bytes"
	"context"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

const managerShim = "#!/usr/bin/env bash\nexec manager exec \"$0\" \"$@\"\n"

// S-2: env's target is a program, whatever shims lie before it on PATH.
func TestS2_EnvTargetBehindShims(t *testing.T) {
	dir := base(t)
	at := func(p string) string { return filepath.Join(dir, p) }
	s := baseSpec(dir)
	wrote(t, at("mgr/shims/myinterp"), managerShim, 0o755)
	wrote(t, at("mgr/shims/sh"), managerShim, 0o755)
	wrote(t, at("plain/myinterp"), managerShim, 0o755)
	for _, d := range []string{"good", "mgr/versions/1.2/bin"} {
		os.MkdirAll(at(d), 0o755)
		os.Symlink("/bin/sh", filepath.Join(at(d), "myinterp"))
	}
	pack := s.PackRoot
	wrote(t, filepath.Join(pack, "e"), "#!/usr/bin/env myinterp\necho \"$-|$*\"\n", 0o755)
	wrote(t, filepath.Join(pack, "s"), "#!/usr/bin/env -S myinterp -u\necho \"$-|$*\"\n", 0o755)
	wrote(t, filepath.Join(pack, "f"), "#!/usr/bin/env sh\necho \"$-|$*\"\n", 0o755)
	check := func(bin, target, why, said string, path ...string) {
		t.Helper()
		rec := ResolveBin(Resolve{Bin: bin, PackRoot: pack, Path: path})
		if rec.Why != why || why == "" && rec.Script[0] != target {
			t.Errorf("%s: %q %v, want %q %s", bin, rec.Why, rec.Script, why, target)
		}
		if rec.Why != "" {
			return
		}
		b, _, d := OpenBin(bin, rec, nil, pack, os.Geteuid())
		if d != nil {
			t.Fatal(d.Message)
		}
		var out bytes.Buffer
		s.Bin, s.Name, s.Args, s.Stdout = b, bin, literal("a"), &out
		if o := Run(context.Background(), Process(), s); o.Denied != nil || out.String() != said {
			t.Errorf("%s: %q %+v", bin, out.String(), o.Denied)
		}
	}
	good := filepath.Join(at("good"), "myinterp")
	check("./e", good, "", "|a\n", at("mgr/shims"), at("plain"), at("good"))
	check("./s", good, "", "u|a\n", at("mgr/shims"), at("plain"), at("good"))
	check("./e", "", whyEnvScript, "", at("mgr/shims"), at("plain"))
	check("./e", "", "has an interpreter that is not found", "")
	// Nothing but a shim, and nothing at all: the child's own PATH.
	for _, path := range [][]string{{at("mgr/shims")}, nil} {
		rec := ResolveBin(Resolve{Bin: "./f", PackRoot: pack, Path: path})
		if rec.Why != "" || !slices.Contains(filepath.SplitList(fixedPath), filepath.Dir(rec.Script[0])) {
			t.Errorf("%v: %q %v", path, rec.Why, rec.Script)
		}
	}
	// The version that the manager's file names comes first; no other file does.
	meant := at("mgr/versions/1.2/bin/myinterp")
	wrote(t, at("mgr/version"), "9.9\n1.2\n", 0o644)
	check("./e", meant, "", "|a\n", at("mgr/shims"), at("good"))
	wrote(t, at("out/bin/myinterp"), "", 0o755)
	for _, version := range []string{"system", "../../out", "..", ".", "1.2/../1.2", "", "1.2\x00", string(make([]byte, 5000)) + " 1.2"} {
		wrote(t, at("mgr/version"), version, 0o644)
		check("./e", good, "", "|a\n", at("mgr/shims"), at("good"))
	}
}

// A manager's shim is no bin where a program stands behind it; any other script
// is one, as npm is.
func TestS2_BareNameBehindShims(t *testing.T) {
	dir := base(t)
	at := func(p string) string { return filepath.Join(dir, p) }
	for _, file := range []string{"mgr/shims/tool", "mgr/shims/sh", "mgr/shims/only"} {
		wrote(t, at(file), script, 0o755)
	}
	wrote(t, at("npm/tool"), script, 0o755)
	wrote(t, at("late/tool"), script, 0o755)
	wrote(t, at("real/shims/x"), "", 0o755) // a program's shim runs by itself
	check := func(name, found string, path ...string) {
		t.Helper()
		if rec := ResolveBin(Resolve{Bin: name, Path: path}); rec.Found != found || rec.Why != "" {
			t.Errorf("%s along %v: %q %q, want %s", name, path, rec.Found, rec.Why, found)
		}
	}
	check("tool", at("npm/tool"), at("mgr/shims")+"/", at("npm"), at("late"))
	check("only", at("mgr/shims/only"), at("mgr/shims"), at("npm"))
	check("x", at("real/shims/x"), at("real/shims"))
	rec := ResolveBin(Resolve{Bin: "sh", Path: []string{at("mgr/shims")}})
	if !slices.Contains(filepath.SplitList(fixedPath), filepath.Dir(rec.Found)) {
		t.Errorf("fixed PATH: %+v", rec)
	}
	if rec := ResolveBin(Resolve{Bin: "sh", Path: []string{at("npm")}}); rec.Why != whyNotFound {
		t.Errorf("not on the caller's PATH: %+v", rec)
	}
	wrote(t, at("mgr/version"), "3.1\n", 0o644)
	wrote(t, at("mgr/versions/3.1/bin/tool"), script, 0o755)
	check("tool", at("mgr/versions/3.1/bin/tool"), at("mgr/shims"), at("npm"))
}

// S-2: an install never makes the home or the store readable.
func TestS2_PrefixHoldsNothingPrivate(t *testing.T) {
	dir := base(t)
	at := func(p string) string { return filepath.Join(dir, p) }
	wrote(t, at("u/anna/bin/tool"), script, 0o755)
	wrote(t, at("u/anna/pyvenv.cfg"), "", 0o644)
	wrote(t, at("u/anna/.ssh/id"), "", 0o600)
	os.MkdirAll(at("u/anna/lib"), 0o755)
	os.Symlink("lib", at("u/anna/lib64"))
	os.Symlink(at("u/anna"), at("venv"))
	single := func(root string) (parts []string) {
		for _, p := range []string{"bin", "lib", "lib64", "pyvenv.cfg"} {
			parts = append(parts, filepath.Join(at(root), p))
		}
		return parts
	}
	check := func(r Resolve, want ...string) {
		t.Helper()
		if rec := ResolveBin(r); rec.Why != "" || !slices.Equal(rec.Prefix, want) {
			t.Errorf("%q %v, want %v", rec.Why, rec.Prefix, want)
		}
	}
	tool := []string{at("u/anna/bin")}
	check(Resolve{Bin: "tool", Path: tool}, at("u/anna"))
	check(Resolve{Bin: "tool", Path: tool, Private: []string{at("u/anna")}}, single("u/anna")...)
	check(Resolve{Bin: "tool", Path: tool, Private: []string{at("venv")}}, single("u/anna")...)
	check(Resolve{Bin: "tool", Path: tool, ShimDirs: []string{at("u/anna/.hcp/shims")}}, single("u/anna")...)
	check(Resolve{Bin: "tool", Path: tool, PackRoot: at("u/anna/.hcp/packs/p")}, single("u/anna")...)
	check(Resolve{Bin: "tool", Path: []string{at("venv/bin")}, Private: []string{at("u/anna")}}, append(single("venv"), single("u/anna")...)...)
	// A lib that leads to the home is not readable either.
	os.Remove(at("u/anna/lib"))
	os.Symlink(".", at("u/anna/lib"))
	check(Resolve{Bin: "tool", Path: tool, Private: []string{at("u/anna")}}, at("u/anna/bin"), at("u/anna/pyvenv.cfg"))
	os.Remove(at("u/anna/pyvenv.cfg"))
	check(Resolve{Bin: "tool", Path: tool, Private: []string{at("u/anna")}}, at("u/anna/bin"))
	// The pack is readable by itself; what its links lead to is not.
	wrote(t, at("pack/bin/x"), script, 0o755)
	os.Symlink(at("u/anna/.ssh"), at("pack/lib"))
	check(Resolve{Bin: "./bin/x", PackRoot: at("pack")})

	u, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil {
		t.Skip(err)
	}
	for _, p := range []string{u.HomeDir, filepath.Dir(u.HomeDir), "/", "/usr", "/root", "/etc", "/tmp", "/home", "/home/nobody-of-that-name"} {
		if !(Resolve{}).holdsPrivate(p) {
			t.Errorf("%s counts as an install", p)
		}
	}
}

// A script's own folder is told, and its package's; never a home, the store, or
// what a child sees anyway.
func TestBeside(t *testing.T) {
	dir := base(t)
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, file := range []string{"app/tool", "home/tool", "js/src/bin/cli.js", "venv/bin/tool", "store/x/tool"} {
		wrote(t, at(file), script, 0o755)
	}
	wrote(t, at("js/package.json"), "{}", 0o644)
	wrote(t, at("home/package.json"), "{}", 0o644)
	wrote(t, at("venv/pyvenv.cfg"), "", 0o644)
	wrote(t, at("native/tool"), "\x7fELF", 0o755)
	os.MkdirAll(at("links"), 0o755)
	os.Symlink("../js/src/bin/cli.js", at("links", "cli"))
	look := Resolve{Private: []string{at("home"), at("store", "x", "state")}}
	for file, want := range map[string][]string{
		"app/tool": {at("app")}, "home/tool": nil, "js/src/bin/cli.js": {at("js")}, "links/cli": {at("js"), at("links")},
		"venv/bin/tool": nil, "native/tool": nil, "store/x/tool": nil,
	} {
		look.Bin = at(file)
		rec := ResolveBin(look)
		if rec.Why != "" {
			t.Fatalf("%s %s", file, rec.Why)
		}
		if got := look.Beside(rec); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
