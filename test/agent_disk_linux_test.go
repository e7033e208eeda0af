package test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An agent's folder that is full, or read-only: one line, and nothing of the
// set-up is there, not in the folders that could be written either.
func TestAgentFullAndReadOnlyDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small file system")
	}
	b := newBox(t)
	home := filepath.Dir(b.home)
	dir := filepath.Join(home, ".claude")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	conf := read(t, filepath.Join(b.home, "hcp.toml"))
	for _, c := range []struct {
		flags uintptr
		want  string
	}{{0, ": no space left on device\n"}, {syscall.MS_RDONLY, ": read-only file system\n"}} {
		if err := syscall.Mount("hcp-test", dir, "tmpfs", c.flags, "size=8k,mode=0700"); err != nil {
			t.Skipf("cannot mount here: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
		_, errOut, code := b.run("hcp", "init", "--agent", "claude", "--yes")
		if code != 1 || !strings.HasSuffix(errOut, c.want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("exit %d, %s, want %s", code, errOut, c.want)
		}
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		hidden, _ := filepath.Glob(filepath.Join(home, ".*"))
		journal, _ := filepath.Glob(filepath.Join(b.home, "state/agents/*"))
		if len(left) > 0 || len(hidden) != 1 || len(journal) > 0 || read(t, filepath.Join(b.home, "hcp.toml")) != conf {
			t.Errorf("left: %v %v %v", left, hidden, journal)
		}
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Fatal(err)
		}
	}
	b.must("hcp", "init", "--agent", "claude", "--yes")
}
