package test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A full disk and a read-only one: one clear line, nothing runs, and all goes on
// where it stopped.
func TestFullAndReadOnlyDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small file system")
	}
	b := &box{t: t, bin: buildHCP(t), home: filepath.Join(t.TempDir(), "hcp")}
	if err := os.Mkdir(b.home, 0o700); err != nil {
		t.Fatal(err)
	}
	mount := func(flags uintptr) error {
		return syscall.Mount("hcp-test", b.home, "tmpfs", flags, "size=4m,mode=0700")
	}
	if err := mount(0); err != nil {
		t.Skipf("cannot mount here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(b.home, syscall.MNT_DETACH) })
	b.must("hcp", "init")
	b.must("ledger", "transfer", "1", "--to", "demo-transit", "--confirm")
	before := b.must("ledger", "balance", "--json")

	fill := filepath.Join(b.home, "fill")
	f, err := os.Create(fill)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 512)
	for err == nil {
		_, err = f.Write(block)
	}
	f.Close()
	// The log's last page still has room for some records.
	out, errOut, code := b.run("transit", "lines", "--json")
	for range 50 {
		if code == 0 {
			out, errOut, code = b.run("transit", "lines", "--json")
		}
	}
	if code != 1 || !strings.Contains(out, `"error":"denied: audit: no space left on device"`) || strings.Count(errOut, "\n") > 2 {
		t.Errorf("full disk: exit %d\n%s%s", code, out, errOut)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if after := b.must("ledger", "balance", "--json"); after != before {
		t.Errorf("balance %s, was %s", after, before)
	}
	if r := b.intact(); r.Status == "broken" {
		t.Errorf("%+v", r)
	}

	// The kernel takes a call's mount namespace down after the call has returned.
	err = mount(syscall.MS_REMOUNT | syscall.MS_RDONLY)
	for wait := 0; err == syscall.EBUSY && wait < 50; wait++ {
		time.Sleep(100 * time.Millisecond)
		err = mount(syscall.MS_REMOUNT | syscall.MS_RDONLY)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{{"ledger", "balance"}, {"hcp", "activate", "mail"}, {"hcp", "grant", "verb.exec.read", "--pack", "mail"}, {"hcp", "workspace", "put", "mail", "/etc/hostname"}} {
		out, errOut, code := b.run(line[0], line[1:]...)
		if code != 1 || !strings.Contains(out+errOut, "read-only file system") || strings.Count(errOut, "\n") > 2 {
			t.Errorf("read-only disk, %v: exit %d\n%s%s", line, code, out, errOut)
		}
	}
	b.must("hcp", "list")
	b.must("hcp", "explain", "ledger", "balance")
	b.run("hcp", "doctor")
}
