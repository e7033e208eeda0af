package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func proofsIn(t *testing.T, dir string) *proofs {
	t.Helper()
	p := openProofs(Choice{CacheDir: dir, Exe: os.Args[0]})
	if p.key == "" {
		t.Skip("no proofs on this system")
	}
	return p
}

func nsFails(err error) []failure { return []failure{{nsName, unavailable("userns", err)}} }

// What failed is tried last for an hour, by the same user on the same system.
func TestProof_Remembers(t *testing.T) {
	dir := filepath.Join(base(t), "state")
	if got := proofsIn(t, dir).order(ranked()); !slices.Equal(got, ranked()) {
		t.Fatal(got)
	}
	proofsIn(t, dir).note(nsFails(syscall.EPERM))
	p := proofsIn(t, dir)
	if got := p.order(ranked()); !slices.Equal(got, []string{landlockName, nsName, processName}) {
		t.Errorf("remembered: %v", got)
	}
	for _, later := range []time.Duration{-time.Minute, refusalHolds + time.Minute} {
		p.now = func() time.Time { return time.Now().Add(later) }
		if got := p.order(ranked()); !slices.Equal(got, ranked()) {
			t.Errorf("%v later: %v", later, got)
		}
	}
	info, err := os.Stat(filepath.Join(dir, proofFile))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", info, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files", len(left))
	}
}

// A shortage of the moment says nothing about the next call.
func TestProof_ForgetsShortages(t *testing.T) {
	dir := base(t)
	for _, e := range []error{syscall.EAGAIN, syscall.ENOMEM, syscall.ENOSPC, syscall.EMFILE} {
		proofsIn(t, dir).note(nsFails(e))
	}
	if _, err := os.Stat(filepath.Join(dir, proofFile)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A stale, foreign, damaged or untrusted proof is none.
func TestProof_NotBelieved(t *testing.T) {
	dir := base(t)
	proofsIn(t, dir).note(nsFails(syscall.EPERM))
	file := filepath.Join(dir, proofFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	disbelieved := func(why string) {
		t.Helper()
		if got := proofsIn(t, dir).order(ranked()); !slices.Equal(got, ranked()) {
			t.Errorf("%s: %v", why, got)
		}
	}
	for why, text := range map[string]string{
		"another boot":       strings.Replace(good, "boot=", "boot=0", 1),
		"another executable": strings.Replace(good, "exe=", "exe=1", 1),
		"another user":       strings.Replace(good, "uid=", "uid=1", 1),
		"another namespace":  strings.Replace(good, "mnt=", "mnt=1", 1),
		"another sandbox":    strings.Replace(good, "Seccomp=", "Seccomp=1", 1),
		"another format":     strings.Replace(good, "proof 1", "proof 2", 1),
		"empty":              "",
		"cut":                good[:len(good)/2],
		"no time":            strings.Replace(good, "ns fails ", "ns fails x", 1),
		"unknown driver":     strings.Replace(good, "\nns ", "\nnss ", 1),
		"huge":               strings.Repeat(good, 100),
	} {
		if text == good {
			t.Fatalf("%s: nothing was changed in %q", why, good)
		}
		wrote(t, file, text, 0o600)
		disbelieved(why)
	}
	wrote(t, file, good, 0o622)
	disbelieved("writable by others")
	os.Remove(file)
	wrote(t, filepath.Join(dir, "elsewhere"), good, 0o600)
	os.Symlink(filepath.Join(dir, "elsewhere"), file)
	disbelieved("a symlink")
	os.Remove(file)
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	disbelieved("a fifo")
	os.Remove(file)
	wrote(t, file, good, 0o600)
	if got := proofsIn(t, dir).order(ranked()); slices.Equal(got, ranked()) {
		t.Error("the good one is not believed either")
	}
}

// A proof is never what lets a driver run: one that speaks well of a driver
// whose set-up fails changes nothing.
func TestProof_IsOnlyASpeedUp(t *testing.T) {
	dir := base(t)
	p := proofsIn(t, dir)
	p.set(verdict{driver: nsName, ok: true, at: time.Now().Unix(), why: "proved"})
	p.write()
	runs := 0
	a := choose(broken{nsName, syscall.EPERM, true, &runs})
	a.proofs = proofsIn(t, dir)
	r := staged(t, a, "echo ran")
	denied(t, r.Denied, "sandbox: isolation unavailable: proc: operation not permitted")
	if r.Ran || r.out != "" {
		t.Error("it ran")
	}
}

// The call itself is the proof: what it found out is there for the next one.
func TestProof_WrittenByACall(t *testing.T) {
	dir := base(t)
	runs := 0
	a := choose(broken{nsName, syscall.EPERM, true, &runs}, Process())
	a.proofs = proofsIn(t, dir)
	if r := staged(t, a, "echo ran"); r.out != "ran\n" || r.Denied != nil {
		t.Errorf("%q %+v", r.out, r.Outcome)
	}
	if got := proofsIn(t, dir).order(ranked()); got[0] != landlockName {
		t.Error(got)
	}
}

// A cache that cannot be written costs nothing but time.
func TestProof_NoPlaceForIt(t *testing.T) {
	dir := base(t)
	wrote(t, filepath.Join(dir, "file"), "", 0o600)
	runs := 0
	a := choose(broken{nsName, syscall.EPERM, true, &runs}, Process())
	a.proofs = proofsIn(t, filepath.Join(dir, "file", "state"))
	if r := staged(t, a, "echo ran"); r.out != "ran\n" || r.Denied != nil {
		t.Errorf("%q %+v", r.out, r.Outcome)
	}
}
