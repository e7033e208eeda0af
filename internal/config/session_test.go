package config

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hcp/internal/hcp"
)

func fullActivation() Activation {
	id := hcp.FileID{Path: "/usr/bin/zürich-\U0001f600", Dev: math.MaxUint64, Inode: 7, Size: math.MaxInt64, Mtime: -5, Ctime: 1_234_567_890_123_456_789}
	return Activation{
		PackID: "ledger", Digest: "abc", Root: "/p/ledger",
		Bin: hcp.BinRecord{FileID: id, Found: "/usr/bin/led\"ger\n", Interp: []hcp.FileID{{Path: "/bin/sh"}, id},
			Script: []string{"-S", ""}, Prefix: []string{"/venv"}},
		At: time.Date(2026, 11, 30, 1, 2, 3, 4, time.UTC),
	}
}

// formats.md, Session.
func TestSessionRoundTrip(t *testing.T) {
	s := Sessions{newStore(t).Sessions()}
	bare := Activation{PackID: "gh", Digest: "d", Root: "/p/gh", Bin: hcp.BinRecord{Why: "not found"}, At: time.Unix(0, 0).UTC()}
	for _, a := range []Activation{fullActivation(), bare} {
		if err := s.Put("default", a); err != nil {
			t.Fatal(err)
		}
		got, err := s.Get("default", a.PackID)
		if d := cmp.Diff(a, got); err != nil || d != "" {
			t.Errorf("%v %s", err, d)
		}
		for _, c := range read(t, filepath.Join(s.Dir, "default", a.PackID+".json")) {
			if c >= 0x7f || c < 0x20 && c != '\n' {
				t.Fatalf("the file holds %q", c)
			}
		}
	}
	if list, err := s.List("default"); err != nil || !cmp.Equal(list, []string{"gh", "ledger"}) {
		t.Error(list, err)
	}
	if _, err := s.Get("other", "gh"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("active in another session:", err)
	}
	if was, err := s.Remove("default", "gh"); !was || err != nil {
		t.Error(was, err)
	}
	if was, err := s.Remove("default", "gh"); was || err != nil {
		t.Error(was, err)
	}
	if was, err := s.Remove("nowhere", "gh"); was || err != nil {
		t.Error(was, err)
	}
	if _, err := s.Get("default", "gh"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if list, err := s.List("nowhere"); err != nil || list != nil {
		t.Error(list, err)
	}
	modes := map[string]fs.FileMode{"": 0o700, "default": 0o700, "default/ledger.json": 0o600}
	for name, mode := range modes {
		if info, err := os.Stat(filepath.Join(s.Dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%q: %v %v", name, info.Mode(), err)
		}
	}
	wantNames(t, filepath.Join(s.Dir, "default"), "ledger.json")
}

// No path is built from a bad id.
func TestSessionIDs(t *testing.T) {
	s := Sessions{newStore(t).Sessions()}
	a := fullActivation()
	for _, id := range []string{"", "..", "a/b", "A", "-x", "a.b", "ü", "a\x00", strings.Repeat("a", 65)} {
		_, get := s.Get(id, "ledger")
		_, remove := s.Remove(id, "ledger")
		_, list := s.List(id)
		for i, err := range []error{get, remove, list, s.Put(id, a)} {
			if text(err) != "bad session id" || !errors.Is(err, ErrBadSession) {
				t.Errorf("%q, call %d: %v", id, i, err)
			}
		}
		bad := a
		bad.PackID = id
		_, get = s.Get("default", id)
		_, remove = s.Remove("default", id)
		for i, err := range []error{get, remove, s.Put("default", bad)} {
			if text(err) != "bad pack id" || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("pack %q, call %d: %v", id, i, err)
			}
		}
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was made:", err)
	}
}

// formats.md: a damaged session file is "not activated", never a half one.
func TestSessionDamaged(t *testing.T) {
	s := Sessions{newStore(t).Sessions()}
	if err := s.Put("default", fullActivation()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Dir, "default", "ledger.json")
	good := read(t, path)
	for i := range len(good) - 1 {
		write(t, path, good[:i])
		if _, err := s.Get("default", "ledger"); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	for _, c := range []struct{ old, new, err string }{
		{`"pack_id":"ledger"`, `"pack_id":"other"`, "names another pack"},
		{`"pack_id":"ledger"`, `"pack_id":"ledger","pack_id":"ledger"`, `duplicate key "pack_id"`},
		{`"pack_id"`, `"Pack_id"`, "pack_id missing"},
		{`"digest":"abc"`, `"digest":""`, "digest is empty"},
		{`"digest":"abc"`, `"digest":5`, "digest is not a string"},
		{`"digest":"abc"`, `"digest":"abc","x":1`, "unknown field"},
		{`"root":"/p/ledger"`, `"root":"p"`, "root is not an absolute path"},
		{`"inode":7`, `"inode":7.0`, "inode is not a whole number from 0"},
		{`"inode":7`, `"inode":-7`, "inode is not a whole number from 0"},
		{`"inode":7`, `"inode":"7"`, "inode is not a whole number from 0"},
		{`"inode":7,`, ``, "inode missing"},
		{`"size":9223372036854775807`, `"size":9223372036854775808`, "size is not a whole number"},
		{`"why":""`, `"why":"not found"`, "the bin is both recorded and refused"},
		{`"why":""`, `"why":"","y":1`, "unknown field"},
		{`"prefix":["/venv"]`, `"prefix":["venv"]`, "a prefix is not an absolute path"},
		{`"prefix":["/venv"]`, `"prefix":null`, "prefix is not a list of strings"},
		{`"interp":[{"path":"/bin/sh"`, `"interp":[{"path":"sh"`, "an interpreter's path is not absolute"},
		{`"interp":[`, `"interp":[1,`, "not an object"},
		{`"at":"2026`, `"at":"last year 2026`, "at is not a time"},
		{`{"pack_id"`, `[{"pack_id"`, "not JSON: unexpected end of JSON input"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("%s is not in %s", c.old, good)
		}
		write(t, path, strings.Replace(good, c.old, c.new, 1))
		if _, err := s.Get("default", "ledger"); text(err) != path+": damaged: "+c.err {
			t.Errorf("%s: %v", c.new, err)
		}
	}
	write(t, path, good+strings.Repeat(" ", maxSession))
	if _, err := s.Get("default", "ledger"); text(err) != path+": larger than 65536 bytes" {
		t.Error(err)
	}
	if err := s.Put("default", fullActivation()); err != nil || read(t, path) != good {
		t.Error("a new activation does not mend it:", err)
	}
}

func TestSessionUntrusted(t *testing.T) {
	s := Sessions{newStore(t).Sessions()}
	a := fullActivation()
	if err := s.Put("default", a); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.Dir, "default")
	path := filepath.Join(dir, "ledger.json")
	os.Chmod(path, 0o666)
	if _, err := s.Get("default", "ledger"); text(err) != path+": is writable by group or others (mode 0666)" {
		t.Error(err)
	}
	os.Rename(path, path+"x")
	os.Symlink(path+"x", path)
	if _, err := s.Get("default", "ledger"); text(err) != path+": is a symbolic link" {
		t.Error(err)
	}
	if err := s.Put("default", a); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Error("the symbolic link was followed or kept")
	}
	os.Chmod(dir, 0o777)
	want := dir + ": is writable by group or others (mode 0777)"
	_, get := s.Get("default", "ledger")
	_, list := s.List("default")
	_, remove := s.Remove("default", "ledger")
	for i, err := range []error{get, list, remove, s.Put("default", a)} {
		if text(err) != want {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

func TestSessionPutRefuses(t *testing.T) {
	s := Sessions{newStore(t).Sessions()}
	for _, c := range []struct {
		change func(*Activation)
		err    string
	}{
		{func(a *Activation) { a.Bin.Path = "/x\xff" }, "a path to record is not UTF-8"},
		{func(a *Activation) { a.Bin.Script = []string{"\xff"} }, "a path to record is not UTF-8"},
		{func(a *Activation) { a.Root = "x" }, "root is not an absolute path"},
		{func(a *Activation) { a.Digest = "" }, "digest is empty"},
		{func(a *Activation) { a.Bin.Path = "x" }, "the bin's path is not absolute"},
		{func(a *Activation) { a.Bin.Script = make([]string, 30_000) }, "would be larger than 64 KiB"},
	} {
		a := fullActivation()
		c.change(&a)
		if err := s.Put("default", a); text(err) != filepath.Join(s.Dir, "default", "ledger.json")+": "+c.err {
			t.Errorf("%v, want %s", err, c.err)
		}
	}
}

// Fifty activations at once are all there, and readers never see a part.
func TestSessionParallel(t *testing.T) {
	s := Sessions{newStore(t).Sessions()}
	const n = 50
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	readers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := s.Get("default", "same"); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
				return
			}
		}
	})
	for i := range n {
		writers.Go(func() {
			for _, id := range []string{fmt.Sprintf("p%02d", i), "same"} {
				a := fullActivation()
				a.PackID, a.Digest = id, fmt.Sprint(i)
				if err := s.Put("default", a); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	list, err := s.List("default")
	if err != nil || len(list) != n+1 {
		t.Fatalf("%d, %v", len(list), err)
	}
	for _, id := range list {
		if _, err := s.Get("default", id); err != nil {
			t.Error(err)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(s.Dir, "default", ".*")); names != nil {
		t.Error("left behind:", names)
	}
}

// What a writer that was killed leaves behind is ignored, and used up by the
// next writer.
func TestSessionTornTemp(t *testing.T) {
	s := Sessions{newStore(t).Sessions()}
	if err := s.Put("default", fullActivation()); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.Dir, "default")
	for _, name := range []string{".ledger.json.tmp", ".gh.json.tmp"} {
		write(t, filepath.Join(dir, name), `{"pack_id":"led`)
	}
	write(t, filepath.Join(dir, "README"), "")
	write(t, filepath.Join(dir, "Odd.json"), "")
	if list, err := s.List("default"); err != nil || !cmp.Equal(list, []string{"ledger"}) {
		t.Error(list, err)
	}
	if _, err := s.Get("default", "ledger"); err != nil {
		t.Error(err)
	}
	if err := s.Put("default", fullActivation()); err != nil {
		t.Error(err)
	}
	wantNames(t, dir, ".gh.json.tmp", "Odd.json", "README", "ledger.json")
}
