package audit

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hcp/internal/hcp"
)

func mountTmpfs(t *testing.T, size string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount")
	}
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skip("no mount here:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// A full disk: the errno's words, whole lines, and the log goes on when there
// is room again.
func TestP9_DiskFull(t *testing.T) {
	for _, max := range []int64{0, 4 << 10} { // within a segment, and at a rotation
		dir := mountTmpfs(t, "64k")
		l := New(Options{Dir: filepath.Join(dir, "audit"), MaxSegment: max})
		n, err := 0, error(nil)
		for ; err == nil; n++ {
			err = l.Append(note("grant", NewID(), strings.Repeat("y", 700)), true)
		}
		if got := hcp.Reason(err); got != "no space left on device" {
			t.Errorf("%q", got)
		}
		for range 5 {
			if err := l.Append(note("grant", NewID(), strings.Repeat("y", 700)), false); err == nil {
				t.Error("appended to a full disk")
			}
		}
		wantStatus(t, verify(t, l.dir, nil), Intact)
		if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=1m"); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, l, note("grant", "room", "x"))
		r := verify(t, l.dir, nil)
		wantStatus(t, r, Intact)
		segments, _ := listSegments(l.dir)
		// Appends that said no left no record; a rotation may have got as far as
		// its log.rotate.
		if own := r.Records - uint64(n); own > uint64(2*len(segments)) {
			t.Errorf("%d records after %d appends in %d segments", r.Records, n, len(segments))
		}
	}
}

// A disk that is full from the start: nothing is left behind but the refusal.
func TestP9_DiskFullAtFirst(t *testing.T) {
	dir := mountTmpfs(t, "16k")
	filler := filepath.Join(dir, "filler")
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	f.Close()
	l := New(Options{Dir: filepath.Join(dir, "audit")})
	if err := l.Append(note("grant", "a", "x"), false); err == nil || hcp.Reason(err) != "no space left on device" {
		t.Error(err)
	}
	if _, err := l.Args(hcp.Args{{Name: "token", Value: hcp.StringValue("x")}}); err == nil {
		t.Error("a salt was made")
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, note("grant", "a", "x"))
	wantStatus(t, verify(t, l.dir, nil), Intact)
	if _, err := l.Args(hcp.Args{{Name: "token", Value: hcp.StringValue("x")}}); err != nil {
		t.Error(err)
	}
}

// A read-only medium: EROFS for a writer, while a reader needs no writing.
func TestP9_ReadOnlyMedium(t *testing.T) {
	dir := mountTmpfs(t, "1m")
	l := New(Options{Dir: filepath.Join(dir, "audit")})
	fill(t, l, 5)
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, l := range []*Log{l, New(Options{Dir: filepath.Join(dir, "new")})} {
		if err := l.Append(note("grant", "a", "x"), false); err == nil || hcp.Reason(err) != "read-only file system" {
			t.Error(err)
		}
	}
	wantStatus(t, verify(t, l.dir, nil), Intact)
	if h, err := ReadHead(l.dir); err != nil || h.Seq != 5 {
		t.Error(h, err)
	}
	if lines, err := Tail(l.dir, 2); err != nil || len(lines) != 2 {
		t.Error(lines, err)
	}
}

// A folder that is not the caller's to write in: EACCES.
func TestP9_ReadOnlyFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		err := New(Options{Dir: dir}).Append(note("grant", "a", "x"), false)
		if err == nil || hcp.Reason(err) != "permission denied" {
			t.Error(err)
		}
		return
	}
	base, err := os.MkdirTemp("", "audit")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	l := New(Options{Dir: filepath.Join(base, "a")})
	fill(t, l, 3)
	if err := os.Chmod(l.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{l.dir, filepath.Join(base, "new")} {
		if got := runChild(t, "nobody", dir); got != "permission denied\n" {
			t.Errorf("%s: %q", dir, got)
		}
	}
}
