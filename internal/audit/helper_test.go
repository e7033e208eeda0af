package audit

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hcp/internal/hcp"
)

func newLog(t testing.TB, max int64) *Log {
	t.Helper()
	return New(Options{Dir: filepath.Join(t.TempDir(), "state", "audit"), MaxSegment: max})
}

func note(typ, id string, text string) Record {
	return Record{Type: typ, ID: id, Fields: []hcp.Member{{Name: "who", Value: hcp.StringValue(text)}}}
}

func mustAppend(t testing.TB, l *Log, r Record) {
	t.Helper()
	if err := l.Append(r, false); err != nil {
		t.Fatal(err)
	}
}

// fill leaves a log of exactly n records, log.open among them.
func fill(t testing.TB, l *Log, n int) {
	t.Helper()
	for i := 1; i < n; i++ {
		mustAppend(t, l, note("grant", "id"+strconv.Itoa(i), "user:anna"))
	}
}

func verify(t testing.TB, dir string, a *Anchor) Report {
	t.Helper()
	r, err := Verify(dir, a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantStatus(t testing.TB, r Report, status string) {
	t.Helper()
	if r.Status != status {
		t.Fatalf("status %s, want %s: %+v", r.Status, status, r.Problems[:min(5, len(r.Problems))])
	}
}

func wantWhy(t testing.TB, r Report, part string) {
	t.Helper()
	for _, p := range r.Problems {
		if strings.Contains(p.Why, part) {
			return
		}
	}
	t.Fatalf("no problem says %q: %+v", part, r.Problems[:min(5, len(r.Problems))])
}

func segment(l *Log, n int) string { return filepath.Join(l.dir, segmentName(n)) }

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// child starts this test binary again, to be killed, starved or disowned; its
// stdout and stderr go to out.
func child(t testing.TB, out *os.File, args ...string) *os.Process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.StartProcess(exe, append([]string{exe, "-test.run=^TestChild$", "--"}, args...),
		&os.ProcAttr{Files: []*os.File{nil, out, out}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runChild waits for a child and returns what it said.
func runChild(t testing.TB, args ...string) string {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	state, err := child(t, out, args...).Wait()
	if err != nil || !state.Success() {
		t.Fatalf("child %v: %v %v\n%s", args, err, state, read(t, out.Name()))
	}
	return string(read(t, out.Name()))
}

// TestChild is no test of its own: it is what child starts.
func TestChild(t *testing.T) {
	args := flag.Args()
	if len(args) == 0 {
		return
	}
	l := New(Options{Dir: args[1], MaxSegment: 64 << 10})
	switch args[0] {
	case "forever": // until it is killed; every size of record, so that writes tear
		for i := 0; ; i++ {
			text := strings.Repeat("x", []int{10, 300, 9000, 300, 10, 40000}[i%6])
			_ = l.Append(note("grant", NewID(), text), false)
			if i == 0 {
				fmt.Println("begun")
			}
		}
	case "many":
		n, _ := strconv.Atoi(args[2])
		done := make(chan error)
		for range 8 {
			go func() {
				for range n {
					if err := l.Append(note("grant", NewID(), "user:anna"), false); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
	case "limited": // no file may grow over so many bytes
		n, _ := strconv.ParseUint(args[2], 10, 64)
		ignoreFileSizeSignal()
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			t.Fatal(err)
		}
		appendUntilError(l)
	case "nobody":
		if err := syscall.Setuid(65534); err != nil {
			t.Fatal(err)
		}
		report(l.Append(note("grant", "a", "b"), false))
	}
	os.Exit(0)
}

func appendUntilError(l *Log) {
	for i := range 10_000 {
		if err := l.Append(note("grant", NewID(), strings.Repeat("y", 100)), false); err != nil {
			fmt.Println(i)
			report(err)
			return
		}
	}
	fmt.Println("no error")
}

func report(err error) {
	if err == nil {
		fmt.Println("ok")
		return
	}
	fmt.Println(hcp.Reason(err))
}

var testTime = time.Date(2026, 11, 30, 12, 0, 0, 5, time.FixedZone("x", 3600))
