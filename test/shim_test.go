package test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A loop of syncs that make and remove links, and a loop of calls: not one call
// finds its shim missing.
func TestSyncWhileCalling(t *testing.T) {
	b := newBox(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			b.must("hcp", []string{"deactivate", "activate"}[i%2], "mail")
			b.must("hcp", "shim", "sync")
			// a stale link is replaced under the callers' feet
			tmp := filepath.Join(b.home, "stale")
			if err := os.Symlink("/nowhere/hcp", tmp); err == nil {
				_ = os.Rename(tmp, filepath.Join(b.home, "shims/mail"))
			}
		}
	})
	for range 60 {
		cmd := exec.Command(filepath.Join(b.home, "shims/ledger"), "balance", "--json")
		cmd.Env = b.command("ledger").Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	close(stop)
	wg.Wait()
}

// kill -9 in the middle of a sync: every link that is there works, and the next
// sync ends with a whole set and nothing else.
func TestSyncKilled(t *testing.T) {
	b := newBox(t)
	dir := filepath.Join(b.home, "shims")
	for range 40 {
		_ = os.RemoveAll(dir)
		cmd := b.command("hcp", "shim", "sync", "--shadow")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(12_000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if _, err := os.Stat(filepath.Join(dir, e.Name())); err != nil {
				t.Errorf("a link leads to nothing: %v", err)
			}
		}
	}
	// what a kill between the two steps leaves
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(b.bin, filepath.Join(dir, ".ledger.4711")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".mail.4711"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.must("hcp", "shim", "sync")
	out, err := exec.Command("ls", "-A", dir).Output()
	if names := strings.Fields(string(out)); err != nil || len(names) < 4 || !strings.Contains(string(out), ".mail.4711") || strings.Contains(string(out), ".ledger.") {
		t.Errorf("after all: %s", out)
	}
}

// Fifty at once: each succeeds.
func TestSyncAtOnce(t *testing.T) {
	b := newBox(t)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { b.must("hcp", "shim", "sync") })
	}
	wg.Wait()
	if out := b.must("hcp", "shim", "list", "--json"); strings.Contains(out, `"ok":false`) || strings.Count(out, `"ok":true`) < 3 {
		t.Error(out)
	}
}

// Names as bad as names get, for the store and for hcp's own folder: links,
// calls, repair and foreign files go by what they are.
func TestShimOddPaths(t *testing.T) {
	root := t.TempDir()
	b := &box{t: t, home: filepath.Join(root, "st $o're\"`\n\\ é")}
	bin := filepath.Join(root, "b in\n'\"")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	b.bin = filepath.Join(bin, "hcp")
	if err := os.Rename(buildHCP(t), b.bin); err != nil {
		t.Fatal(err)
	}
	b.must("hcp", "init")
	shim := filepath.Join(b.home, "shims/ledger")
	call := func() {
		t.Helper()
		cmd := exec.Command(shim, "balance", "--json")
		cmd.Env = b.command("ledger").Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	call()
	if err := os.Remove(shim); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/no where/hcp", shim); err != nil {
		t.Fatal(err)
	}
	b.must("hcp", "shim", "sync")
	call()
	foreign := filepath.Join(b.home, "shims/mail")
	_ = os.Remove(foreign)
	if err := os.WriteFile(foreign, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, errOut, code := b.run("hcp", "shim", "sync")
	if data, _ := os.ReadFile(foreign); code != 1 || string(data) != "mine" || strings.Count(errOut, "/shims/mail is not a shim of hcp; it is left as it is\n") != 1 {
		t.Errorf("exit %d, %q, the foreign file holds %q", code, errOut, data)
	}
}

// Two shim managers that call each other end with one line, and soon.
func TestManagersCallEachOther(t *testing.T) {
	b := newBox(t)
	other := filepath.Join(t.TempDir(), "other shims")
	pack := filepath.Join(t.TempDir(), "tool")
	for _, dir := range []string{other, pack} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	shim := filepath.Join(b.home, "shims/tool")
	for name, text := range map[string]string{
		other + "/tool":          "#!/bin/sh\necho x >>" + filepath.Dir(b.home) + "/count\nHCP_HOME=" + b.home + " exec " + shim + " \"$@\"\n",
		pack + "/surface.json":   `{"pack_id":"tool","version":"1","kind":"wrap","description":"d","wrap":{"bin":"` + other + `/tool","json_flag":[]},"verbs":{"go":{"cli":["tool","go"]}}}`,
		pack + "/policy.json":    `{"pack_id":"tool","rows":{"go":{"operation":"read"}}}`,
		b.home + "/hcp.toml.new": "[sandbox]\nmin = \"process\"\ndriver = \"process\"\nallow = [\"" + other + "/tool\"]\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(b.home+"/hcp.toml.new", b.home+"/hcp.toml"); err != nil {
		t.Fatal(err)
	}
	b.must("hcp", "install", pack)
	b.must("hcp", "activate", "tool")
	b.must("hcp", "shim", "install", "tool")
	var out, errOut bytes.Buffer
	cmd := exec.Command(shim, "go")
	cmd.Env = append(b.command("tool").Env, "PATH="+b.home+"/shims:"+other+":/usr/bin:/bin")
	cmd.Stdout, cmd.Stderr = &out, &errOut
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 1 || errOut.String() != "tool: recursive call: tool.go\n" {
		t.Errorf("exit %d, stderr %q, stdout %q", code, errOut.String(), out.String())
	}
	data, _ := os.ReadFile(filepath.Dir(b.home) + "/count")
	if n := strings.Count(string(data), "x"); n == 0 || n > 8 {
		t.Errorf("%d rounds", n)
	}
}
