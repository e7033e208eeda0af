package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
)

// sourcePack writes a small pack with a bin, a folder and a link.
func sourcePack(t *testing.T, id, version string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "src-of-"+id)
	write(t, filepath.Join(dir, SurfaceFile), `{"pack_id":"`+id+`","version":"`+version+`","kind":"wrap","wrap":{"bin":"./bin/x"}}`)
	write(t, filepath.Join(dir, PolicyFile), `{"rows":{}}`)
	write(t, filepath.Join(dir, "bin", "x"), "#!/bin/sh\n")
	os.Chmod(filepath.Join(dir, "bin", "x"), 0o4777)
	os.Chmod(filepath.Join(dir, "bin"), 0o777)
	if err := os.Symlink("bin/x", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestInstall(t *testing.T) { // cli.md, hcp install
	lib := Library{filepath.Join(t.TempDir(), "a", "packs")}
	if ids, err := lib.List(); ids != nil || err != nil {
		t.Fatal(ids, err)
	}
	src := sourcePack(t, "one", "1")
	id, err := lib.Install(src, false)
	if err != nil || id != "one" {
		t.Fatal(id, err)
	}
	p, err := Load(lib.Root("one"))
	if err != nil || p.Version != "1" {
		t.Fatal(p, err)
	}
	info, err := os.Stat(filepath.Join(lib.Root("one"), "bin", "x"))
	if err != nil || info.Mode() != 0o755 {
		t.Fatal(info.Mode(), err)
	}
	if info, _ := os.Stat(filepath.Join(lib.Root("one"), "bin")); info.Mode().Perm() != 0o755 {
		t.Error(info.Mode())
	}
	if info, _ := os.Stat(filepath.Join(lib.Root("one"), SurfaceFile)); info.Mode() != 0o644 {
		t.Error(info.Mode())
	}
	if to, err := os.Readlink(filepath.Join(lib.Root("one"), "link")); to != "bin/x" {
		t.Error(to, err)
	}
	if _, err := lib.Install(src, false); err == nil || err.Error() != "pack one is already installed; use --replace" {
		t.Error(err)
	}
	if _, err := lib.Install(sourcePack(t, "one", "2"), true); err != nil {
		t.Fatal(err)
	}
	if p, err := Load(lib.Root("one")); err != nil || p.Version != "2" {
		t.Error(p, err)
	}
	lib.Install(sourcePack(t, "another", "1"), false)
	if ids, _ := lib.List(); strings.Join(ids, " ") != "another one" {
		t.Error(ids)
	}
	if err := lib.Uninstall("one"); err != nil {
		t.Error(err)
	}
	if err := lib.Uninstall("one"); err == nil || err.Error() != "pack one is not installed" {
		t.Error(err)
	}
	if err := lib.Uninstall("../x"); err == nil {
		t.Error("a path was taken for an id")
	}
	left, _ := os.ReadDir(lib.Dir)
	if len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
	if lib.Root("..") != "" || lib.Root("") != "" {
		t.Error("a path was built from a bad id")
	}
}

func TestInstallRefuses(t *testing.T) { // cli.md: one line that names the path
	cases := []struct {
		name  string
		spoil func(dir string)
		want  string
	}{
		{"fifo", func(d string) { syscall.Mkfifo(d+"/bin/pipe", 0o644) }, "/bin/pipe: a fifo cannot be installed"},
		{"absolute link", func(d string) { os.Symlink("/etc/passwd", d+"/bin/pw") }, "/bin/pw: a link that leads out of the pack"},
		{"link out", func(d string) { os.Symlink("../../x", d+"/bin/up") }, "/bin/up: a link that leads out of the pack"},
		{"link out through a link", func(d string) {
			os.MkdirAll(d+"/d1/d2", 0o755)
			os.Symlink("d1/d2/../..", d+"/self")
			os.Symlink("self/..", d+"/zz")
		}, "/zz"},
		{"no manifest", func(d string) { os.Remove(d + "/surface.json") }, "/surface.json: no such file or directory"},
		{"manifest link", func(d string) { os.Rename(d+"/surface.json", d+"/s"); os.Symlink("s", d+"/surface.json") }, "/surface.json: is not a regular file"},
		{"policy fifo", func(d string) { os.Remove(d + "/policy.json"); syscall.Mkfifo(d+"/policy.json", 0o644) }, "/policy.json: is not a regular file"},
		{"bad manifest", func(d string) { os.WriteFile(d+"/surface.json", []byte("{"), 0o644) }, "/surface.json: not JSON: unexpected end of JSON input"},
		{"large", func(d string) { os.WriteFile(d+"/big", nil, 0o644); os.Truncate(d+"/big", maxPackBytes) }, ": larger than 64 MiB"},
		{"many", func(d string) {
			for i := range 1000 {
				os.WriteFile(fmt.Sprintf("%s/f%d", d, i), nil, 0o644)
			}
		}, ": more than 1000 files"},
		{"socket", func(d string) {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: d + "/s", Net: "unix"})
			if err == nil {
				l.SetUnlinkOnClose(false)
				l.Close()
			}
		}, "/s: a socket cannot be installed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			lib := Library{t.TempDir()}
			base, err := os.MkdirTemp("", "s") // short: a socket's path is limited
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(base) })
			src := filepath.Join(base, "p")
			os.Rename(sourcePack(t, "p", "1"), src)
			c.spoil(src)
			_, err = lib.Install(src, false)
			if err == nil || !strings.Contains(err.Error(), src) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if left, _ := os.ReadDir(lib.Dir); len(left) != 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
	lib := Library{t.TempDir()}
	for _, src := range []string{"", "/nonexistent", "/dev/null"} {
		if _, err := lib.Install(src, false); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", src, err)
		}
	}
}

func TestInstallFS(t *testing.T) { // formats.md: bundled packs, bin files 0755
	lib := Library{t.TempDir()}
	fsys := fstest.MapFS{
		SurfaceFile: {Data: []byte(`{"pack_id":"p","kind":"wrap","wrap":{"bin":"./bin/x"}}`), Mode: 0o444},
		PolicyFile:  {Data: []byte(`{"rows":{}}`), Mode: 0o444},
		"bin/x":     {Data: []byte("#!/bin/sh\n"), Mode: 0o444},
	}
	if err := lib.InstallFS(fsys, "q", false); err == nil || err.Error() != "q/surface.json: pack_id p is not q" {
		t.Error(err)
	}
	if err := lib.InstallFS(fsys, "../p", false); err == nil {
		t.Error("a path was taken for an id")
	}
	if err := lib.InstallFS(fsys, "p", false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(lib.Root("p"), "bin", "x")); err != nil || info.Mode() != 0o755 {
		t.Error(info, err)
	}
	if _, err := Load(lib.Root("p")); err != nil {
		t.Error(err)
	}
}

func TestInstallMendsWhatAKillLeft(t *testing.T) { // kill -9 between the renames
	lib := Library{t.TempDir()}
	if _, err := lib.Install(sourcePack(t, "one", "1"), false); err != nil {
		t.Fatal(err)
	}
	os.Rename(lib.Root("one"), filepath.Join(lib.Dir, oldPrefix+"one"))
	write(t, filepath.Join(lib.Dir, newPrefix+"one-123", "half"), "x")
	write(t, filepath.Join(lib.Dir, gonePrefix+"two", "half"), "x")
	if _, err := lib.Install(sourcePack(t, "other", "1"), false); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(lib.Dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if strings.Join(names, " ") != "one other" {
		t.Error(names)
	}
	if _, err := Load(lib.Root("one")); err != nil {
		t.Error(err)
	}
}

func TestInstallAtOnce(t *testing.T) { // a hundred at once: one wins, nobody sees half a pack
	lib := Library{t.TempDir()}
	src := sourcePack(t, "one", "1")
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for range 20 {
		wg.Go(func() {
			if _, err := lib.Install(src, false); err == nil {
				mu.Lock()
				won++
				mu.Unlock()
			} else if err.Error() != "pack one is already installed; use --replace" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d installs won", won)
	}
	stop := make(chan struct{})
	reader := make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				reader <- nil
				return
			default:
			}
			if _, err := Load(lib.Root("one")); err != nil && !errors.Is(err, fs.ErrNotExist) {
				reader <- err
				return
			}
		}
	}()
	for range 20 {
		wg.Go(func() {
			if _, err := lib.Install(src, true); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(stop)
	if err := <-reader; err != nil {
		t.Error(err)
	}
}

func TestInstallReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	dir := t.TempDir()
	os.Chmod(dir, 0o555)
	if _, err := (Library{dir}).Install(sourcePack(t, "p", "1"), false); err == nil || !strings.HasSuffix(err.Error(), "permission denied") {
		t.Error(err)
	}
}
