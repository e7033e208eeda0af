package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The real thing on a file system of 16 KiB: full, and then read-only.
func TestFullAndReadOnlyDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16k,mode=0700"); err != nil {
		t.Skip("needs the right to mount:", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	p := newStore(t)
	getenv := func(name string) string { return map[string]string{"HCP_HOME": dir}[name] }
	p, err := Locate(getenv, p.Managed)
	if err != nil {
		t.Fatal(err)
	}
	old := "#" + strings.Repeat("x", 12<<10) + "\n"
	write(t, p.ConfigFile, old)
	if err := AppendGrant(p, "anna", goodGrant); text(err) != p.ConfigFile+": no space left on device" {
		t.Error(err)
	}
	wantNames(t, dir, "hcp.toml")
	s := Sessions{filepath.Join(dir, "sessions")}
	a := fullActivation()
	a.Bin.Script = []string{strings.Repeat("x", 9000)}
	if err := s.Put("default", a); text(err) != filepath.Join(s.Dir, "default", "ledger.json")+": no space left on device" {
		t.Error(err)
	}
	wantNames(t, filepath.Join(s.Dir, "default"))
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if err := AppendGrant(p, "anna", goodGrant); text(err) != p.ConfigFile+": read-only file system" {
		t.Error(err)
	}
	if err := s.Put("other", fullActivation()); text(err) != filepath.Join(s.Dir, "other")+": read-only file system" {
		t.Error(err)
	}
	os.Remove(p.ConfigFile) // must fail: the file is still the old one
	if read(t, p.ConfigFile) != old {
		t.Error("the old file was changed")
	}
}
