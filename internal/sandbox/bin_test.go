package sandbox

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hcp/internal/hcp"
)

const script = "#!/bin/sh\necho \"$0|$*\"\n"

// S-2: a bare name along the caller's PATH, at activation only.
func TestS2_ResolveBareName(t *testing.T) {
	dir := base(t)
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	self := at("hcp")
	wrote(t, self, "hcp", 0o755)
	os.MkdirAll(at("shims"), 0o755)
	os.Symlink(self, at("shims", "tool"))
	os.Symlink(at("shims"), at("shims2"))
	os.MkdirAll(at("unknown"), 0o755)
	os.Symlink(self, at("unknown", "tool"))
	os.Symlink(self, at("unknown", "only"))
	wrote(t, at("data", "tool"), script, 0o644)
	wrote(t, at("real", "tool-1.2"), script, 0o755)
	os.MkdirAll(at("bin"), 0o755)
	os.Symlink("../real/tool-1.2", at("bin", "tool"))
	wrote(t, at("open", "tool"), script, 0o775)
	wrote(t, at("world", "tool"), script, 0o755)
	os.Chmod(at("world"), 0o777)
	wrote(t, at("sticky", "d", "tool"), script, 0o755)
	os.Chmod(at("sticky"), 0o777|os.ModeSticky)
	wrote(t, at("allowed", "special"), script, 0o755)
	resolve := func(bin string, path ...string) hcp.BinRecord {
		return ResolveBin(Resolve{Bin: bin, PackRoot: at("pack"), Path: path, ShimDirs: []string{at("shims")}, Self: self, Allow: []string{at("allowed", "special")}})
	}
	rec := resolve("tool", "", ".", "bin", at("none"), at("shims"), at("shims2"), at("unknown"), at("data"), at("bin"), at("open"))
	if rec.Path != at("real", "tool-1.2") || rec.Found != at("bin", "tool") || rec.Why != "" || len(rec.Interp) != 1 || rec.Ctime == 0 {
		t.Errorf("%+v", rec)
	}
	for _, c := range []struct {
		why string
		rec hcp.BinRecord
	}{
		{"not found", resolve("tool", at("shims"))}, {"not found", resolve("nothing", at("bin"))}, {"is hcp itself", resolve("only", at("unknown"))},
		{"is writable by group or others", resolve("tool", at("open"), at("bin"))}, {whyFolder, resolve("tool", at("world"), at("bin"))},
		{whyName, resolve("a/tool", at("bin"))}, {whyName, resolve("")}, {whyName, resolve("to\x00ol", at("bin"))},
		{"is hcp itself", resolve(self)}, {"is hcp itself", resolve(at("shims", "tool"))}, {"not found", resolve(at("gone"))},
		{"is not a regular file", resolve(at("bin"))}, {"is not executable", resolve(at("data", "tool"))},
	} {
		if c.rec.Why != c.why || c.rec.Path != "" {
			t.Errorf("want %q: %+v", c.why, c.rec)
		}
	}
	if rec := resolve("tool", at("sticky", "d")); rec.Why != "" {
		t.Errorf("below a sticky folder: %s", rec.Why)
	}
	if rec := resolve("special"); rec.Path != at("allowed", "special") {
		t.Errorf("allowed path: %+v", rec)
	}
	wrote(t, at("shims", "foreign"), script, 0o755)
	if rec := resolve(at("shims", "foreign")); rec.Why != whyShim {
		t.Errorf("%+v", rec)
	}
}

// a pack's own bin stays in the pack.
func TestR7_PackBin(t *testing.T) {
	dir := base(t)
	root := filepath.Join(dir, "pack")
	wrote(t, filepath.Join(root, "bin", "x"), script, 0o755)
	wrote(t, filepath.Join(dir, "outside"), script, 0o755)
	os.Symlink("../../outside", filepath.Join(root, "bin", "out"))
	os.Symlink("x", filepath.Join(root, "bin", "in"))
	os.Symlink(root, filepath.Join(dir, "alias"))
	for _, r := range []string{root, filepath.Join(dir, "alias")} {
		for bin, why := range map[string]string{"./bin/x": "", "./bin/in": "", "./bin/../bin/x": "", "./bin/out": whyLeaves, "../outside": whyLeaves,
			"./../outside": whyLeaves, "./bin/../../outside": whyLeaves, ".": whyNoRegular, "./gone": whyNotFound, "./bin/x/y": whyNotFound} {
			if rec := ResolveBin(Resolve{Bin: bin, PackRoot: r}); rec.Why != why {
				t.Errorf("%s: %q, want %q", bin, rec.Why, why)
			}
		}
	}
}

// openFor opens and closes a bin and gives the refusal.
func openFor(t *testing.T, root, name string, rec hcp.BinRecord, allow ...string) *hcp.Denial {
	t.Helper()
	b, renewed, d := OpenBin(name, rec, allow, root, 1000)
	if b != nil {
		b.Close()
	}
	if (b == nil) == (d == nil) || renewed != nil {
		t.Errorf("%s: %v %v %v", name, b, renewed, d)
	}
	return d
}

// Any change of a recorded file takes it off the list.
func TestS2_Changed(t *testing.T) {
	dir := base(t)
	root := filepath.Join(dir, "ledger")
	bin := filepath.Join(dir, "bin", "tool")
	for what, change := range map[string]func(){
		"touched": func() { os.Chtimes(bin, time.Time{}, time.Now().Add(time.Hour)) },
		"mode":    func() { os.Chmod(bin, 0o700) },
		"content": func() { wrote(t, bin, script+"#", 0o755) },
		"replaced": func() {
			wrote(t, bin+".new", script, 0o755)
			os.Rename(bin+".new", bin)
		},
		"a symlink": func() { os.Rename(bin, bin+".old"); os.Symlink("tool.old", bin) },
		"a folder":  func() { os.Remove(bin); os.Mkdir(bin, 0o755) },
	} {
		os.RemoveAll(bin)
		wrote(t, bin, script, 0o755)
		rec := ResolveBin(Resolve{Bin: "tool", Path: []string{filepath.Dir(bin)}})
		time.Sleep(5 * time.Millisecond) // a coarse clock's tick
		change()
		d := openFor(t, root, "tool", rec)
		denied(t, d, `sandbox: bin "tool" not allowlisted`)
		if d != nil && (d.Hint != "tool changed since activation; run: hcp activate ledger" || d.Exit != 127) {
			t.Errorf("%s: %+v", what, d)
		}
	}
}

// A record is held to at exec; nothing is looked up.
func TestS2_OpenBin(t *testing.T) {
	dir := base(t)
	root := filepath.Join(dir, "ledger")
	bin := filepath.Join(dir, "bin", "tool")
	wrote(t, bin, script, 0o755)
	rec := ResolveBin(Resolve{Bin: "tool", Path: []string{filepath.Dir(bin)}})
	open := func(name string, rec hcp.BinRecord, allow ...string) *hcp.Denial {
		return openFor(t, root, name, rec, allow...)
	}
	if d := open("tool", rec); d != nil {
		t.Fatal(d.Message)
	}
	listed := `sandbox: bin "tool" not allowlisted`
	denied(t, open("tool", hcp.BinRecord{}), listed)
	denied(t, open("gh", rec), `sandbox: bin "gh" not allowlisted`)
	denied(t, open("/tmp/evil/tool", rec), `sandbox: bin "/tmp/evil/tool" not allowlisted`)
	denied(t, open(bin+"x", rec, bin), `sandbox: bin "`+bin+`x" not allowlisted`)
	d := open("tool", hcp.BinRecord{Why: whyNotFound})
	denied(t, d, `sandbox: bin "tool" not found`)
	if d.Exit != 127 || d.Hint != "install tool, then run: hcp activate ledger" {
		t.Errorf("%+v", d)
	}
	d = open("tool", hcp.BinRecord{Why: whyWritable})
	denied(t, d, listed)
	if d.Exit != 127 || d.Hint != "tool is writable by group or others; mend that, then run: hcp activate ledger" {
		t.Errorf("%+v", d)
	}
	// The allow-list: the very path, checked like any bin, without a record.
	if d := open(bin, hcp.BinRecord{}, bin); d != nil {
		t.Errorf("allowed path: %s", d.Message)
	}
	denied(t, open(bin+"/../tool", hcp.BinRecord{}, bin), `sandbox: bin "`+bin+`/../tool" not allowlisted`)

	os.RemoveAll(bin)
	denied(t, open("tool", rec), `sandbox: bin "tool" not found`)
	wrote(t, filepath.Join(dir, "open"), script, 0o777)
	denied(t, open(filepath.Join(dir, "open"), hcp.BinRecord{}, filepath.Join(dir, "open")), `sandbox: bin "`+filepath.Join(dir, "open")+`" not allowlisted`)
}

// What a script sees of itself, and that env is never asked.
func TestScripts(t *testing.T) {
	dir := base(t)
	run := func(bin string, path ...string) (string, hcp.BinRecord) {
		t.Helper()
		s := baseSpec(dir)
		rec := ResolveBin(Resolve{Bin: bin, PackRoot: s.PackRoot, Path: path})
		b, _, d := OpenBin(bin, rec, nil, s.PackRoot, os.Geteuid())
		if d != nil {
			t.Fatalf("%s: %s (%s)", bin, d.Message, rec.Why)
		}
		var out bytes.Buffer
		s.Bin, s.Name, s.Args, s.Stdout, s.Stderr = b, bin, literal("a b", "c"), &out, &out
		if o := Run(context.Background(), Process(), s); o.Denied != nil {
			t.Errorf("%s: %s", bin, o.Denied.Message)
		}
		return out.String(), rec
	}
	pack := filepath.Join(dir, "packs", "p")
	wrote(t, filepath.Join(pack, "bin", "x"), script, 0o755)
	if out, _ := run("./bin/x"); out != pack+"/bin/x|a b c\n" {
		t.Errorf("plain script: %q", out)
	}
	good, evil := filepath.Join(dir, "good"), filepath.Join(dir, "evil")
	for _, d := range []string{good, evil} {
		os.MkdirAll(d, 0o755)
	}
	os.Symlink("/bin/sh", filepath.Join(good, "myinterp"))
	wrote(t, filepath.Join(pack, "bin", "e"), "#!/usr/bin/env myinterp\necho \"$0|$*\"\n", 0o755)
	wrote(t, filepath.Join(pack, "bin", "s"), "#!/usr/bin/env -S myinterp -e -u\necho \"$-|$0|$*\"; false; echo never\n", 0o755)
	// myinterp is on no PATH that the child could have: it starts by record alone.
	out, rec := run("./bin/e", good)
	if out != pack+"/bin/e|a b c\n" || !slices.Equal(rec.Script, []string{filepath.Join(good, "myinterp")}) || len(rec.Interp) != 2 {
		t.Errorf("env script: %q %+v", out, rec)
	}
	if out, _ = run("./bin/s", good); out != "ue|"+pack+"/bin/s|a b c\n" {
		t.Errorf("env -S script: %q", out)
	}
	wrote(t, filepath.Join(evil, "myinterp"), "#!/bin/sh\necho evil\n", 0o755)
	for _, line := range []string{"#!/usr/bin/env", "#!/usr/bin/env -i sh", "#!/usr/bin/env A=b sh", "#!/usr/bin/env -S", `#!/usr/bin/env -S "a b"`, "#!sh", "#!./sh",
		"#!/usr/bin/env gone", "#!/nowhere/sh", "#!/usr/bin/env x/y", "#!/usr/bin/env sh -x"} {
		wrote(t, filepath.Join(pack, "bin", "bad"), line+"\n", 0o755)
		if rec := ResolveBin(Resolve{Bin: "./bin/bad", PackRoot: pack, Path: []string{"/bin"}}); rec.Why == "" || rec.Path != "" {
			t.Errorf("%s: %+v", line, rec)
		}
	}
}

// A native program starts from the very file that was verified, with argv[0] as
// found, whatever lies at its path by then.
func TestNativeStartsByDescriptor(t *testing.T) {
	dir := base(t)
	data, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin", "tool")
	wrote(t, bin, string(data), 0o755)
	rec := ResolveBin(Resolve{Bin: "tool", Path: []string{filepath.Dir(bin)}})
	b, _, d := OpenBin("tool", rec, nil, dir, os.Geteuid())
	if d != nil {
		t.Fatal(d.Message)
	}
	wrote(t, bin+".evil", "#!/bin/sh\necho evil\n", 0o755)
	os.Rename(bin+".evil", bin)
	s := baseSpec(dir)
	var out bytes.Buffer
	s.Bin, s.Name, s.Args, s.Stdout = b, "tool", literal("-c", "echo $0"), &out
	if o := Run(context.Background(), Process(), s); o.Denied != nil || out.String() != bin+"\n" {
		t.Errorf("%q %+v", out.String(), o.Denied)
	}
}

// A script that was swapped after it was verified does not run.
func TestScriptIsCheckedAgain(t *testing.T) {
	dir := base(t)
	s := baseSpec(dir)
	bin := filepath.Join(s.PackRoot, "x")
	wrote(t, bin, script, 0o755)
	rec := ResolveBin(Resolve{Bin: "./x", PackRoot: s.PackRoot})
	b, _, d := OpenBin("./x", rec, nil, s.PackRoot, os.Geteuid())
	if d != nil {
		t.Fatal(d.Message)
	}
	wrote(t, bin+".evil", "#!/bin/sh\necho evil\n", 0o755)
	os.Rename(bin+".evil", bin)
	var out bytes.Buffer
	s.Bin, s.Name, s.Stdout = b, "./x", &out
	o := Run(context.Background(), Process(), s)
	denied(t, o.Denied, `sandbox: bin "./x" not allowlisted`)
	if o.Ran || out.Len() > 0 {
		t.Errorf("%+v %q", o, out.String())
	}
}

// A descriptor that hcp inherited does not reach the child.
func TestInheritedDescriptor(t *testing.T) {
	dir := base(t)
	secret := filepath.Join(dir, "secret")
	wrote(t, secret, "s3cret", 0o600)
	cmd := exec.Command("/bin/sh", "-c", `exec 9<"$1"; shift; exec "$@"`, "sh", secret, os.Args[0], "runner", dir, "cat <&9; head -c5 /proc/self/fd/9; ls /proc/self/fd | tr '\\n' ' '")
	out, _ := cmd.CombinedOutput()
	if strings.Contains(string(out), "s3cr") || !strings.Contains(string(out), "0 1 2 3 ") {
		t.Errorf("%s", out)
	}
}

// A script whose name leads elsewhere by now runs under its own path.
func TestScriptUnderItsOwnPath(t *testing.T) {
	dir := base(t)
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "bin", "tool")
	wrote(t, real, script, 0o755)
	os.MkdirAll(filepath.Dir(link), 0o755)
	os.Symlink(real, link)
	rec := ResolveBin(Resolve{Bin: "tool", Path: []string{filepath.Dir(link)}})
	for want := range map[string]bool{link: true, real: true} {
		if want == real {
			os.Remove(link)
			wrote(t, link, "#!/bin/sh\necho evil\n", 0o755)
		} else {
			os.Remove(link)
			os.Symlink(real, link)
		}
		b, _, d := OpenBin("tool", rec, nil, dir, os.Geteuid())
		if d != nil {
			t.Fatal(d.Message)
		}
		s := baseSpec(dir)
		var out bytes.Buffer
		s.Bin, s.Name, s.Stdout = b, "tool", &out
		if o := Run(context.Background(), Process(), s); o.Denied != nil || out.String() != want+"|\n" {
			t.Errorf("%q %+v", out.String(), o.Denied)
		}
	}
}
