package binding

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// counting is a helper that notes each of its runs.
func counting(t *testing.T, expires, more string) (h Hub, runs func() int) {
	t.Helper()
	dir := t.TempDir()
	path := scriptIn(t, dir, "echo run >>"+dir+"/runs; "+more+answer(canary, expires))
	h = hub(Entry{Provider: "exec", Command: []string{path}, MinTTL: time.Minute})
	return h, func() int {
		data, _ := os.ReadFile(dir + "/runs")
		return bytes.Count(data, []byte("\n"))
	}
}

func cachedFiles(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, _ := filepath.Glob(dir + "/*")
	for _, f := range list {
		if !strings.HasSuffix(f, ".lock") {
			out = append(out, f)
		}
	}
	return out
}

// P-7: 32 processes that need the same expiring credential at once make one
// call of the helper.
func TestP7_ManyProcessesOneHelperCall(t *testing.T) {
	cache := memoryDir(t) + "/hcp"
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h, runs := counting(t, in(time.Hour), "sleep 0.3; ")
	dir := filepath.Dir(h.Entries[0].Command[0])
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			cmd := exec.Command(self)
			cmd.Env = []string{"BINDING_TEST_CALLER=" + dir, "BINDING_TEST_CACHE=" + cache}
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != canary+"\n" {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	if n := runs(); n != 1 {
		t.Errorf("%d helper calls", n)
	}
	if files := cachedFiles(t, cache); len(files) != 1 || mode(t, files[0]) != 0o600 || mode(t, cache) != 0o700 {
		t.Errorf("cache holds %v", files)
	}
}

// P-7: the cache serves whom it was made for, as long as enough is left.
func TestP7_CacheKeyAndExpiry(t *testing.T) {
	h, runs := counting(t, in(time.Hour), "")
	h.CacheDir = memoryDir(t) + "/hcp"
	profile := "a"
	h.Getenv = func(string) (string, bool) { return profile, true }
	h.Entries[0].PassEnv = []string{"AWS_PROFILE"}
	step := func(what string, want int, change func(*Request)) {
		t.Helper()
		r := request()
		change(&r)
		if m := minted(t, h, r); m.Env[0].Value != canary || m.Expires.IsZero() || len(m.Secrets) != 1 {
			t.Errorf("%s: %v", what, m)
		}
		if n := runs(); n != want {
			t.Errorf("%s: %d helper calls, want %d", what, n, want)
		}
	}
	same := func(*Request) {}
	step("first", 1, same)
	step("second", 1, same)
	step("another verb", 1, func(r *Request) { r.Verb = "pr.view" })
	step("another operation", 2, func(r *Request) { r.Operation = "write" })
	step("another principal", 3, func(r *Request) { r.Principal.ID = "agent:claude" })
	step("another tenant", 4, func(r *Request) { r.Principal.Tenant = "work" })
	profile = "b"
	step("another passed value", 5, same)
	profile = "a"
	step("the first again", 5, same)
	h.Entries[0].Command = append(h.Entries[0].Command, "--other")
	step("another command", 6, same)
	h.Entries[0].Command = h.Entries[0].Command[:1]
	h.Now = func() time.Time { return time.Now().Add(58 * time.Minute) }
	step("enough left", 6, same)
	h.Now = func() time.Time { return time.Now().Add(59*time.Minute + 30*time.Second) }
	refused(t, h, reasonSoon)
	h.Now = func() time.Time { return time.Now().Add(61 * time.Minute) }
	refused(t, h, reasonExpired)
	if got := h.Status()[0]; got.Expires != "" {
		t.Errorf("status shows an expired one: %+v", got)
	}
}

// P-7: what does not expire is not cached, and nobody waits for another then.
func TestP7_NoExpiryNoCache(t *testing.T) {
	h, runs := counting(t, "", "sleep 0.5; ")
	h.CacheDir = memoryDir(t) + "/hcp"
	minted(t, h, request())
	for _, f := range cachedFiles(t, h.CacheDir) {
		if data, _ := os.ReadFile(f); bytes.Contains(data, []byte(canary)) {
			t.Errorf("%s holds the secret", f)
		}
	}
	start := time.Now()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { minted(t, h, request()) })
	}
	wg.Wait()
	if n, took := runs(), time.Since(start); n != 9 || took > 3*time.Second {
		t.Errorf("%d calls in %v", n, took)
	}
	// A helper that begins to give an expiry is cached from then on.
	os.WriteFile(h.Entries[0].Command[0], []byte("#!/bin/sh\n"+answer(canary, in(time.Hour))), 0o700)
	minted(t, h, request())
	if h.Status()[0].Expires == "" {
		t.Error("still not cached")
	}
}

// A cache that is damaged, or that others could read or have made, is none.
func TestCacheSpoiled(t *testing.T) {
	spoil := map[string]func(file string){
		"half":      func(f string) { data, _ := os.ReadFile(f); os.WriteFile(f, data[:len(data)/2], 0o600) },
		"empty":     func(f string) { os.WriteFile(f, nil, 0o600) },
		"no fields": func(f string) { os.WriteFile(f, []byte(`{"v":"1","expires":"2099-01-01T00:00:00Z"}`), 0o600) },
		"other version": func(f string) {
			os.WriteFile(f, []byte(`{"v":"2","expires":"2099-01-01T00:00:00Z","fields":{"token":"evil"}}`), 0o600)
		},
		"no expiry":      func(f string) { os.WriteFile(f, []byte(`{"v":"1","fields":{"token":"evil"}}`), 0o600) },
		"others' to see": func(f string) { os.Chmod(f, 0o644) },
		"a link":         func(f string) { os.Rename(f, f+".x"); os.Symlink(f+".x", f) },
		"a folder":       func(f string) { os.Remove(f); os.Mkdir(f, 0o700) },
		"left over":      func(f string) { os.Rename(f, filepath.Dir(f)+"/."+filepath.Base(f)+".tmp") },
		"huge":           func(f string) { os.WriteFile(f, bytes.Repeat([]byte(" "), maxCacheFile+1), 0o600) },
		"open folder":    func(f string) { os.Chmod(filepath.Dir(f), 0o755) },
		"gone":           func(f string) { os.RemoveAll(filepath.Dir(f)) },
	}
	for name, f := range spoil {
		t.Run(name, func(t *testing.T) {
			h, runs := counting(t, in(time.Hour), "")
			h.CacheDir = memoryDir(t) + "/hcp"
			minted(t, h, request())
			f(cachedFiles(t, h.CacheDir)[0])
			if m := minted(t, h, request()); m.Env[0].Value != canary || runs() != 2 {
				t.Errorf("%v after %d calls", m.Env, runs())
			}
			if minted(t, h, request()); name != "open folder" && runs() != 2 && name != "a folder" {
				t.Errorf("not cached again: %d calls", runs())
			}
		})
	}
}

// Only a folder of the caller's own, in memory, is a cache; the one above it is
// never made.
func TestCacheFolder(t *testing.T) {
	mem := memoryDir(t)
	open := mem + "/open"
	os.Mkdir(open, 0o700)
	os.Chmod(open, 0o777)
	link := mem + "/link"
	os.Mkdir(mem+"/real", 0o700)
	os.Symlink(mem+"/real", link)
	file := mem + "/file"
	os.WriteFile(file, nil, 0o600)
	cases := map[string]bool{mem + "/hcp": true, "": false, "hcp": false, mem + "/no/hcp": false, open + "/hcp": false, link: false, file: false, t.TempDir() + "/hcp": memoryBacked(os.TempDir())}
	for dir, want := range cases {
		if got := openCache(dir, "k") != nil; got != want {
			t.Errorf("%q: %v", dir, got)
		}
		if _, err := os.Stat(dir); err == nil && !want && strings.HasSuffix(dir, "/hcp") {
			t.Errorf("%q was made", dir)
		}
	}
	h, runs := counting(t, in(time.Hour), "")
	h.CacheDir = t.TempDir() + "/hcp"
	minted(t, h, request())
	if minted(t, h, request()); runs() != 2 && !memoryBacked(os.TempDir()) {
		t.Error("cached on a disk")
	}
}

// A credential that cannot be written down is delivered all the same.
func TestCacheCannotWrite(t *testing.T) {
	h, _ := counting(t, in(time.Hour), "")
	h.CacheDir = memoryDir(t) + "/hcp"
	minted(t, h, request())
	file := cachedFiles(t, h.CacheDir)[0]
	os.Remove(file)
	os.Mkdir(filepath.Dir(file)+"/."+filepath.Base(file)+".tmp", 0o700)
	os.WriteFile(filepath.Dir(file)+"/."+filepath.Base(file)+".tmp/x", nil, 0o600)
	minted(t, h, request())
	os.Remove(file + ".lock")
	os.Mkdir(file+".lock", 0o700)
	minted(t, h, request())
}

// Who waits for another's refresh gives up in time, and with its own call.
func TestCacheWaits(t *testing.T) {
	h, _ := counting(t, in(time.Hour), "")
	h.CacheDir = memoryDir(t) + "/hcp"
	h.Entries[0].Timeout = 300 * time.Millisecond
	path, _ := trustedHelper(h.Entries[0].Command)
	c := openCache(h.CacheDir, cacheKey(h.Entries[0], request(), h.helperEnv(h.Entries[0])))
	lock, err := c.lock(context.Background(), time.Second)
	if err != nil || path == "" {
		t.Fatal(err)
	}
	defer lock.Close()
	refused(t, h, reasonTimeout)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, reason := h.Mint(ctx, request()); reason != reasonKilled {
		t.Errorf("reason %q", reason)
	}
}
