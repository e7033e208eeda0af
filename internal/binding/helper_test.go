package binding

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"hcp/internal/hcp"
)

const canary = "canary-51c0ffee77aa"

// TestMain lets the test binary stand in for one of many callers.
func TestMain(m *testing.M) {
	if dir := os.Getenv("BINDING_TEST_CALLER"); dir != "" {
		h := Hub{Entries: []Entry{{Pack: "gh", Family: "user", Provider: "exec", MinTTL: time.Minute, Command: []string{filepath.Join(dir, "helper")}}},
			CacheDir: os.Getenv("BINDING_TEST_CACHE")}
		got, reason := h.Mint(context.Background(), request())
		if reason != "" {
			fmt.Println("refused:", reason)
			os.Exit(1)
		}
		fmt.Println(got.Env[0].Value)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func request() Request {
	return Request{Principal: hcp.Principal{ID: "user:anna", Tenant: "local"}, Pack: "gh", Verb: "pr.list", Operation: "read",
		Family: "user", Deliver: []Deliver{{Field: "token", Env: "GH_TOKEN"}}}
}

// script writes a helper and gives its path.
func script(t *testing.T, body string) string {
	t.Helper()
	return scriptIn(t, t.TempDir(), body)
}

func scriptIn(t *testing.T, dir, body string) string {
	t.Helper()
	path := filepath.Join(dir, "helper")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func hub(e Entry) Hub {
	e.Pack, e.Family = "gh", "user"
	return Hub{Entries: []Entry{e}}
}

func helper(t *testing.T, body string) Hub {
	t.Helper()
	return hub(Entry{Provider: "exec", Command: []string{script(t, body)}, Timeout: 20 * time.Second, MinTTL: time.Minute})
}

// answer is a shell command that prints a good credential; expires may be "".
func answer(token, expires string) string {
	if expires != "" {
		expires = `"expirationTimestamp":"` + expires + `",`
	}
	return `printf '%s' '{"apiVersion":"hcp/v1","kind":"ExecCredential","status":{` + expires + `"fields":{"token":"` + token + `"}}}'`
}

func in(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }

func refused(t *testing.T, h Hub, want string) {
	t.Helper()
	m, reason := h.Mint(context.Background(), request())
	if reason != want {
		t.Errorf("reason %q, want %q", reason, want)
	}
	if m.Env != nil || m.Files != nil || m.Secrets != nil {
		t.Errorf("refused, and gave %v", m)
	}
	if strings.Contains(reason, canary) {
		t.Error("the reason holds the secret")
	}
}

func minted(t *testing.T, h Hub, r Request) Minted {
	t.Helper()
	m, reason := h.Mint(context.Background(), r)
	if reason != "" {
		t.Fatalf("refused: %s", reason)
	}
	return m
}

// running gives the processes whose command line holds word.
func running(t *testing.T, word string) (out []int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	list, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		pid, err := strconv.Atoi(e.Name())
		if data, rerr := os.ReadFile("/proc/" + e.Name() + "/cmdline"); err == nil && rerr == nil && bytes.Contains(data, []byte(word)) {
			out = append(out, pid)
		}
	}
	return out
}

func noSurvivor(t *testing.T, word string) {
	t.Helper()
	if pids := running(t, word); len(pids) > 0 {
		t.Errorf("still running: %v", pids)
	}
}

// memoryDir is a folder as XDG_RUNTIME_DIR is one.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "hcp-test-")
	if err != nil || !memoryBacked(dir) {
		t.Skip("no memory-backed folder here")
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}
