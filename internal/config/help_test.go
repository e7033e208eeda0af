package config

import (
	"os"
	"path/filepath"
	"testing"
)

// newStore gives the Places of an empty store, with a managed file that is not
// there.
func newStore(t testing.TB) Places {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"etc", "home"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(dir, "home")
	getenv := func(name string) string { return map[string]string{"HCP_HOME": home}[name] }
	p, err := Locate(getenv, filepath.Join(dir, "etc", "hcp.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// wantNames checks that a folder holds these names and nothing else.
func wantNames(t testing.TB, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if len(got) != len(want) {
		t.Fatalf("%s holds %q, want %q", dir, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s holds %q, want %q", dir, got, want)
		}
	}
}
