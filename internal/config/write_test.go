package config

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Whatever fails on the way, the old file is whole and nothing is left beside it.
func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write(t, path, "old")
	half := func(errno syscall.Errno) func(*os.File) error {
		return func(f *os.File) error {
			f.WriteString("ne")
			return &os.PathError{Op: "write", Path: f.Name(), Err: errno}
		}
	}
	whole := func(f *os.File) error { _, err := f.WriteString("new"); return err }
	noMove := func(from, to string) error {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EROFS}
	}
	for _, c := range []struct {
		err   string
		write func(*os.File) error
		put   func(string, string) error
	}{
		{"no space left on device", half(syscall.ENOSPC), os.Rename},
		{"input/output error", half(syscall.EIO), os.Rename},
		{"read-only file system", whole, noMove},
	} {
		if err := viaTemp(path, 0o600, c.write, c.put); text(err) != path+": "+c.err {
			t.Errorf("%v, want %s", err, c.err)
		}
		wantNames(t, dir, "f")
		if read(t, path) != "old" {
			t.Fatal("the old file was changed")
		}
	}
}

// A lock dies with its holder and is waited for, but not for ever.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	holder, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := flock(holder, time.Now()); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	ran := func() error { t.Error("ran without the lock"); return nil }
	if err := locked(dir, ran); text(err) != dir+": locked by another process" {
		t.Error(err)
	}
	if d := time.Since(start); d < lockWait || d > lockWait+2*time.Second {
		t.Errorf("waited %v", d)
	}
	time.AfterFunc(50*time.Millisecond, func() { holder.Close() })
	done := false
	if err := locked(dir, func() error { done = true; return nil }); err != nil || !done {
		t.Error(done, err)
	}
	wantNames(t, dir)
}
