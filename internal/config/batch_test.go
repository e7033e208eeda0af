package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree lists every file below dir with its mode and text.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(path + " " + info.Mode().String())
		if info.Mode().IsRegular() {
			b.WriteString(" " + read(t, path))
		}
		b.WriteString("\n")
		return nil
	})
	return b.String()
}

func change(t *testing.T, path, after string) FileChange {
	t.Helper()
	c, err := Snapshot(path)
	if err != nil {
		t.Fatal(err)
	}
	c.After, c.Mode, c.DirTo = after, 0o600, 0o700
	return c
}

func TestBatchWritesAll(t *testing.T) {
	p := newStore(t)
	dir := t.TempDir()
	old, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	write(t, old, "old")
	os.Chmod(old, 0o640)
	os.Symlink("real", link)
	gone := filepath.Join(dir, "gone")
	write(t, gone, "x")
	rm := change(t, gone, "")
	rm.Remove = true
	if err := Batch(p, []FileChange{change(t, filepath.Join(p.Home, "j"), "j")}, []FileChange{change(t, link, "new"), change(t, filepath.Join(dir, "a/b/c"), "made"), rm}); err != nil {
		t.Fatal(err)
	}
	if to, _ := os.Readlink(link); to != "real" || read(t, old) != "new" || read(t, filepath.Join(dir, "a/b/c")) != "made" {
		t.Error(tree(t, dir))
	}
	if info, _ := os.Stat(old); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	wantNames(t, dir, "a", "link", "real")
}

// Whatever fails, and wherever, everything is as it was.
func TestBatchAllOrNothing(t *testing.T) {
	p := newStore(t)
	for _, c := range []struct {
		name, want string
		spoil      func(dir string, list []FileChange) []FileChange
	}{
		{"a folder is a file", "/x/y: not a directory", func(dir string, list []FileChange) []FileChange {
			write(t, filepath.Join(dir, "x"), "")
			bad := list[1]
			bad.Path = filepath.Join(dir, "x/y")
			return append(list, bad)
		}},
		{"changed before", "was changed by another program meanwhile; nothing was done, run it again", func(dir string, list []FileChange) []FileChange {
			write(t, filepath.Join(dir, "old"), "other")
			return list
		}},
		{"changed while the others were replaced", "was changed by another program meanwhile", func(dir string, list []FileChange) []FileChange {
			return append(list, list[0]) // the first replacement is what it meets
		}},
		{"appeared meanwhile", "was changed by another program meanwhile", func(dir string, list []FileChange) []FileChange {
			os.MkdirAll(filepath.Join(dir, "new"), 0o700)
			write(t, filepath.Join(dir, "new/file"), "theirs")
			return list
		}},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "old"), "old")
		write(t, filepath.Join(dir, "rm"), "rm")
		rm := change(t, filepath.Join(dir, "rm"), "")
		rm.Remove = true
		list := c.spoil(dir, []FileChange{change(t, filepath.Join(dir, "old"), "new"), change(t, filepath.Join(dir, "new/file"), "n"), rm})
		before := tree(t, dir)
		if err := Batch(p, []FileChange{change(t, filepath.Join(p.Home, "j"), c.name)}, list); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if after := tree(t, dir); after != before {
			t.Errorf("%s:\n%s\nbefore\n%s", c.name, after, before)
		}
		wantNames(t, p.Home)
	}
}

func TestSnapshotRefuses(t *testing.T) {
	dir := t.TempDir()
	os.Symlink("nowhere", filepath.Join(dir, "dangling"))
	os.Symlink("loop", filepath.Join(dir, "loop"))
	write(t, filepath.Join(dir, "file"), "")
	want := map[string]string{"dangling": "is a symbolic link to nothing", "loop": "too many links", ".": "is not a regular file", "file/x": "not a directory"}
	if os.Geteuid() == 0 {
		write(t, filepath.Join(dir, "theirs"), "")
		if err := os.Chown(filepath.Join(dir, "theirs"), 65534, 65534); err == nil {
			want["theirs"] = "belongs to another user"
		}
	}
	for name, why := range want {
		if _, err := Snapshot(filepath.Join(dir, name)); err == nil || !strings.HasSuffix(err.Error(), why) {
			t.Errorf("%s: %v, want %s", name, err, why)
		}
	}
}
