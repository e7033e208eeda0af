package test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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
