package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hcp/internal/scaffold"
)

// A draft is there whole or not at all, and what a killed run left is taken
// away by the next, unless that run lives.
func TestWriteDraft(t *testing.T) {
	dir := t.TempDir()
	files := []scaffold.File{{Name: "surface.json", Data: []byte("{}")}, {Name: "SKILL.md", Data: []byte("x")}}
	stale, live := filepath.Join(dir, ".gh.hcp-wrap-1"), filepath.Join(dir, ".gh.hcp-wrap-2")
	for _, d := range []string{stale, live} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	held, err := os.Open(live)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "gh")
	if err := writeDraft(target, "./gh", files); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != ".gh.hcp-wrap-2 gh" {
		t.Errorf("there is: %s", got)
	}
	if got := names(t, target); got != "SKILL.md surface.json" {
		t.Errorf("written: %s", got)
	}
	const exists = "./gh exists already; remove it, or name another folder with --out"
	if err := writeDraft(target, "./gh", files); err == nil || err.Error() != exists {
		t.Errorf("over an existing one: %v", err)
	}
	// A name that can't be written fails, and leaves nothing.
	bad := append(files, scaffold.File{Name: "no/such", Data: nil})
	if err := writeDraft(filepath.Join(dir, "x"), "./x", bad); err == nil || strings.Contains(names(t, dir), "x.hcp") {
		t.Errorf("%v, there is: %s", err, names(t, dir))
	}
	for path, what := range map[string]string{filepath.Join(dir, "no", "x"): "no such file or directory", filepath.Join(target, "SKILL.md", "x"): "not a directory"} {
		if err := writeDraft(path, path, files); err == nil || !strings.HasSuffix(err.Error(), what) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := writeDraft(filepath.Join(dir, "link"), "link", files); err == nil {
		t.Error("through a dangling link")
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}
