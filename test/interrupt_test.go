package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

const (
	slowSurface = `{"pack_id":"slow","version":"1","kind":"wrap","description":"d","wrap":{"bin":"./bin/slow","json_flag":[]},
"verbs":{"go":{"cli":["slow","go"]},"both":{"cli":["slow","both"]}}}`
	slowPolicy = `{"pack_id":"slow","rows":{"go":{"operation":"read"},"both":{"operation":"read"}}}`
	slowBin    = "#!/bin/sh\n[ \"$1\" != both ] || sleep 47.125 &\necho begun >&2\nexec sleep 47.125\n"
	askGrants  = `
[[principals]]
id = "agent:one"
token_sha256 = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
[[grants]]
principal = "agent:one"
capability = "verb.exec.write"
packs = ["ledger"]
approval = "human"
[[grants]]
principal = "agent:one"
capability = "verb.exec.read"
packs = ["*"]
`
)

// Ctrl-C in the middle of anything: 130, nothing is left running, and the
// terminal shows again what is typed.
func TestInterrupt(t *testing.T) {
	b := newBox(t)
	home := filepath.Dir(b.home)
	dir := filepath.Join(t.TempDir(), "slow")
	put := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put(dir+"/surface.json", slowSurface, 0o644)
	put(dir+"/policy.json", slowPolicy, 0o644)
	put(dir+"/bin/slow", slowBin, 0o755)
	b.must("hcp", "install", dir)
	b.must("hcp", "activate", "slow", "gh")
	b.must("hcp", "shim", "install", "slow")
	put(home+"/calls", strings.Repeat(`{"pack_id":"slow","verb_key":"both"}`+"\n", 3), 0o644)
	config, err := os.ReadFile(b.home + "/hcp.toml")
	if err != nil {
		t.Fatal(err)
	}
	put(b.home+"/hcp.toml", string(config)+askGrants, 0o600)
	cmd := b.command("hcp", "exec", "ledger", "transfer", "--", "amount=1", "payee=demo-transit", "confirm=true")
	cmd.Env = append(cmd.Env, "HCP_PRINCIPAL=foo")
	if out, _ := cmd.Output(); !strings.Contains(string(out), `"approval":{`) {
		t.Fatalf("no approval is asked for: %s", out)
	}
	for _, c := range []struct{ name, line, until string }{
		{"shim", "slow go", "begun"},
		{"exec", "hcp exec slow both", "begun"},
		{"exec of a machine", "hcp exec slow both --json", ""},
		{"batch", "HCP_PRINCIPAL=foo hcp exec --batch <calls", ""},
		{"batch that waits", "hcp exec --batch", ""},
		{"doctor", "echo 'echo >~/begun; sleep 47.125' >.profile; hcp doctor", "FILE"},
		{"sync", "flock hcp/shims sleep 1 & sleep 0.2; hcp shim sync", ""},
		{"approve", "hcp approve", "[y/N]"},
		{"a hidden prompt", "hcp binding set gh", "not shown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := b.interrupt(t, home, c.line, c.until)
			if !strings.Contains(text, "rc=130") {
				t.Errorf("printed:\n%s", text)
			}
			if strings.Contains(text, " -echo ") {
				t.Error("the terminal no longer shows what is typed")
			}
			time.Sleep(50 * time.Millisecond)
			if processWith("47.125") {
				t.Error("a child lives on")
			}
		})
	}
	if out := b.must("hcp", "approvals", "--json"); !strings.Contains(out, "demo-transit") {
		t.Errorf("the call that waited is gone: %s", out)
	}
	left, _ := filepath.Glob(filepath.Join(b.home, "state/jails/call-*"))
	if len(left) > 0 {
		t.Errorf("jails are left: %v", left)
	}
	b.intact()
}

// interrupt runs a line on a terminal, types Ctrl-C when until is printed, and
// gives all that was printed, the exit code and the terminal's modes.
func (b *box) interrupt(t *testing.T, home, line, until string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "trap : INT; "+line+"; echo rc=$?; stty -a")
	cmd.Dir = home
	cmd.Env = []string{"HCP_HOME=" + b.home, "HOME=" + home, "TERM=xterm",
		"PATH=" + b.home + "/shims:" + filepath.Dir(b.bin) + ":/usr/bin:/bin"}
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	chunks := make(chan string, 100)
	go func() {
		defer close(chunks)
		buf := make([]byte, 4096)
		for {
			n, err := f.Read(buf)
			chunks <- string(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	text := ""
	patience := time.After(10 * time.Second)
	typed := false
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	begun := time.Now()
	for {
		select {
		case s, ok := <-chunks:
			if !ok {
				_ = cmd.Wait()
				return text
			}
			text += s
		case <-patience:
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			t.Fatalf("%s does not end; it printed:\n%s", line, text)
		case <-tick.C:
		}
		_, fileErr := os.Stat(home + "/begun")
		if !typed && (until == "" && time.Since(begun) > 500*time.Millisecond || until == "FILE" && fileErr == nil ||
			until != "" && strings.Contains(text, until)) {
			typed = true
			_, _ = f.Write([]byte{3})
		}
	}
}
