package test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hcp/internal/audit"
)

// box is a store of its own and the real binary.
type box struct {
	t    *testing.T
	bin  string
	home string
}

func newBox(t *testing.T) *box {
	t.Helper()
	b := &box{t: t, bin: buildHCP(t), home: filepath.Join(t.TempDir(), "hcp")}
	b.must("hcp", "init")
	return b
}

// command runs the binary under a name, as a shim does.
func (b *box) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(b.bin, args...)
	cmd.Args[0] = name
	cmd.Env = []string{"HCP_HOME=" + b.home, "PATH=/usr/bin:/bin", "HOME=" + filepath.Dir(b.home)}
	return cmd
}

func (b *box) run(name string, args ...string) (stdout, stderr string, code int) {
	var out, errOut bytes.Buffer
	cmd := b.command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if cmd.ProcessState == nil {
		b.t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

func (b *box) must(name string, args ...string) string {
	b.t.Helper()
	out, errOut, code := b.run(name, args...)
	if code != 0 {
		b.t.Fatalf("%s %v: exit %d\n%s%s", name, args, code, out, errOut)
	}
	return out
}

func (b *box) auditDir() string { return filepath.Join(b.home, "state", "audit") }

// intact fails unless the log's chain is whole; what was killed may leave
// warnings.
func (b *box) intact() audit.Report {
	b.t.Helper()
	r, err := audit.Verify(b.auditDir(), nil)
	if err != nil || r.Status == "broken" {
		b.t.Fatalf("audit: %v %+v", err, r)
	}
	return r
}

// A hundred at once: every one is done once, and recorded.
func TestHundredAtOnce(t *testing.T) {
	b := newBox(t)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if out, errOut, code := b.run("ledger", "transfer", "1", "--to", "demo-transit", "--confirm", "--json"); code != 0 {
				t.Errorf("exit %d: %s%s", code, out, errOut)
			}
		})
	}
	wg.Wait()
	if got, _ := lookUp(b.must("ledger", "balance", "demo-transit", "--json"), "balance"); got != "100.00" {
		t.Errorf("payee has %s, want 100.00", got)
	}
	if r := b.intact(); r.Status != "intact" || r.Records < 200 {
		t.Errorf("audit %s with %d records", r.Status, r.Records)
	}
	jails, _ := os.ReadDir(filepath.Join(b.home, "state", "jails"))
	for _, e := range jails {
		if e.IsDir() {
			t.Errorf("jail %s is left", e.Name())
		}
	}
}

// kill -9 at any moment: no half file, no lost record, no process left.
func TestKilledAtAnyMoment(t *testing.T) {
	b := newBox(t)
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	for range rounds {
		cmd := b.command("ledger", "transfer", "1", "--to", "demo-transit", "--confirm")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	time.Sleep(500 * time.Millisecond)
	if processWith(b.home) {
		t.Error("a process of a killed call lives on")
	}
	b.must("ledger", "validate", "--json")
	b.must("ledger", "transfer", "1", "--to", "demo-transit", "--confirm")
	b.must("hcp", "activate", "ledger")
	b.intact()
	left, _ := filepath.Glob(filepath.Join(b.home, "state", "jails", "call-*"))
	if len(left) > 0 {
		t.Errorf("activate left %v", left)
	}
}

// A full disk and a read-only one: one clear line, nothing runs, and all goes on
// where it stopped.
func TestFullAndReadOnlyDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small file system")
	}
	b := &box{t: t, bin: buildHCP(t), home: filepath.Join(t.TempDir(), "hcp")}
	if err := os.Mkdir(b.home, 0o700); err != nil {
		t.Fatal(err)
	}
	mount := func(flags uintptr) error { return syscall.Mount("hcp-test", b.home, "tmpfs", flags, "size=4m,mode=0700") }
	if err := mount(0); err != nil {
		t.Skipf("cannot mount here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(b.home, syscall.MNT_DETACH) })
	b.must("hcp", "init")
	b.must("ledger", "transfer", "1", "--to", "demo-transit", "--confirm")
	before := b.must("ledger", "balance", "--json")

	fill := filepath.Join(b.home, "fill")
	f, err := os.Create(fill)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 512)
	for err == nil {
		_, err = f.Write(block)
	}
	f.Close()
	// The log's last page still has room for some records.
	out, errOut, code := b.run("transit", "lines", "--json")
	for range 50 {
		if code == 0 {
			out, errOut, code = b.run("transit", "lines", "--json")
		}
	}
	if code != 1 || !strings.Contains(out, `"error":"denied: audit: no space left on device"`) || strings.Count(errOut, "\n") > 2 {
		t.Errorf("full disk: exit %d\n%s%s", code, out, errOut)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if after := b.must("ledger", "balance", "--json"); after != before {
		t.Errorf("balance %s, was %s", after, before)
	}
	if r := b.intact(); r.Status == "broken" {
		t.Errorf("%+v", r)
	}

	if err := mount(syscall.MS_REMOUNT | syscall.MS_RDONLY); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{{"ledger", "balance"}, {"hcp", "activate", "mail"}, {"hcp", "grant", "verb.exec.read", "--pack", "mail"}, {"hcp", "workspace", "put", "mail", "/etc/hostname"}} {
		out, errOut, code := b.run(line[0], line[1:]...)
		if code != 1 || !strings.Contains(out+errOut, "read-only file system") || strings.Count(errOut, "\n") > 2 {
			t.Errorf("read-only disk, %v: exit %d\n%s%s", line, code, out, errOut)
		}
	}
	b.must("hcp", "list")
	b.must("hcp", "explain", "ledger", "balance")
	b.run("hcp", "doctor")
}
