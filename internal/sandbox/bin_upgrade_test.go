package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hcp/internal/hcp"
)

// upgradeDirs gives a folder that is the system's and one that is the user's.
// /tmp is writable by others, so the system's part is played in /usr/local.
func upgradeDirs(t *testing.T) (sys, own string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to play the system")
	}
	sys, err := os.MkdirTemp("/usr/local", "hcp-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(sys) })
	os.Chmod(sys, 0o755)
	return sys, base(t)
}

func upgrade(t *testing.T, path string) {
	t.Helper()
	time.Sleep(5 * time.Millisecond)
	wrote(t, path+".new", script+"# 2\n", 0o755)
	os.Rename(path+".new", path)
}

func recorded(t *testing.T, path string) hcp.BinRecord {
	t.Helper()
	wrote(t, path, script, 0o755)
	return ResolveBin(Resolve{Bin: filepath.Base(path), Path: []string{filepath.Dir(path)}})
}

func try(rec hcp.BinRecord, packRoot string, euid int) (*hcp.BinRecord, *hcp.Denial) {
	b, renewed, d := OpenBin(filepath.Base(rec.Found), rec, nil, packRoot, euid)
	if b != nil {
		b.Close()
	}
	return renewed, d
}

// A system upgrade is accepted for a user who is not root, and only that.
func TestS2_RootUpgrade(t *testing.T) {
	sys, own := upgradeDirs(t)
	root := filepath.Join(own, "pack")
	rec := recorded(t, filepath.Join(sys, "tool"))
	upgrade(t, rec.Path)
	renewed, d := try(rec, root, 1000)
	if d != nil || renewed == nil || renewed.FileID == rec.FileID || renewed.Path != rec.Path {
		t.Fatalf("upgrade: %+v %v", renewed, d)
	}
	if again, d := try(*renewed, root, 1000); again != nil || d != nil {
		t.Errorf("after renewal: %v %v", again, d)
	}
	refused := func(what string, rec hcp.BinRecord, packRoot string, euid int) {
		t.Helper()
		if renewed, d := try(rec, packRoot, euid); d == nil || renewed != nil {
			t.Errorf("%s: accepted", what)
		}
	}
	refused("root itself", rec, root, 0)
	refused("inside the pack", rec, sys, 1000)
	os.Chown(rec.Path, 1000, 1000)
	refused("not root's file", rec, root, 1000)
	os.Chown(rec.Path, 0, 0)
	os.Chown(sys, 1000, 1000)
	refused("not root's folder", rec, root, 1000)
	os.Chown(sys, 0, 0)
	os.Chmod(sys, 0o775)
	refused("a folder that a group may write to", rec, root, 1000)
	os.Chmod(sys, 0o755)
}

// What only looks like a system upgrade, and an upgrade of an interpreter.
func TestS2_RootUpgrade_OfOthers(t *testing.T) {
	sys, own := upgradeDirs(t)
	root := filepath.Join(own, "pack")
	refused := func(what string, rec hcp.BinRecord, packRoot string, euid int) {
		t.Helper()
		if renewed, d := try(rec, packRoot, euid); d == nil || renewed != nil {
			t.Errorf("%s: accepted", what)
		}
	}
	rec := recorded(t, filepath.Join(sys, "tool"))
	// The user's own link, turned to another program of root's.
	link := filepath.Join(own, "tool")
	os.Symlink(rec.Path, link)
	lrec := ResolveBin(Resolve{Bin: "tool", Path: []string{own}})
	os.Remove(link)
	os.Symlink("/bin/sh", link)
	if renewed, d := try(lrec, root, 1000); d != nil || renewed != nil {
		t.Errorf("the recorded program is still there: %v %v", renewed, d)
	}
	upgrade(t, lrec.Path)
	refused("a user's link to another program", lrec, root, 1000)
	// A script of the user's own whose interpreter is upgraded.
	interp := filepath.Join(sys, "interp")
	data, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	wrote(t, interp, string(data), 0o755)
	mine := filepath.Join(own, "mine")
	wrote(t, mine, "#!"+interp+"\n", 0o755)
	mrec := ResolveBin(Resolve{Bin: "mine", Path: []string{own}})
	upgrade(t, interp)
	wrote(t, interp, string(data)+" ", 0o755)
	if renewed, d := try(mrec, root, 1000); d != nil || renewed == nil || renewed.FileID != mrec.FileID {
		t.Errorf("interpreter upgrade: %+v %+v %+v", renewed, d, mrec)
	}
	refused("interpreter changed, for root", mrec, root, 0)
}

// A venv's and a node install's own folders are readable, no more.
func TestPrefix(t *testing.T) {
	dir := base(t)
	at := func(p string) string { return filepath.Join(dir, p) }
	wrote(t, at("venv/pyvenv.cfg"), "", 0o644)
	os.MkdirAll(at("venv/bin"), 0o755)
	os.Symlink("/bin/sh", at("venv/bin/python"))
	wrote(t, at("venv/bin/tool"), "#!"+at("venv/bin/python")+"\n", 0o755)
	os.MkdirAll(at("local/bin"), 0o755)
	os.Symlink(at("venv/bin/tool"), at("local/bin/tool"))
	rec := ResolveBin(Resolve{Bin: "tool", Path: []string{at("local/bin")}})
	if !slices.Equal(rec.Prefix, []string{at("venv")}) {
		t.Errorf("venv: %v (%s)", rec.Prefix, rec.Why)
	}
	wrote(t, at("node/lib/node_modules/x/cli.js"), "#!/usr/bin/env sh\n", 0o755)
	os.MkdirAll(at("node/bin"), 0o755)
	os.Symlink("../lib/node_modules/x/cli.js", at("node/bin/x"))
	os.Symlink("/bin/sh", at("node/bin/sh"))
	rec = ResolveBin(Resolve{Bin: "x", Path: []string{at("node/bin")}})
	if !slices.Equal(rec.Prefix, []string{at("node/bin"), at("node/lib")}) {
		t.Errorf("node: %v (%s)", rec.Prefix, rec.Why)
	}
	wrote(t, at("cargo/bin/t"), script, 0o755)
	wrote(t, at("cargo/credentials"), "", 0o600)
	if rec = ResolveBin(Resolve{Bin: "t", Path: []string{at("cargo/bin")}}); rec.Prefix != nil {
		t.Errorf("cargo: %v", rec.Prefix)
	}
}
