package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hcp/internal/hcp"
)

// secretFiles lists the files below a folder that hold the runner's secret.
func secretFiles(dir string) (found []string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if data, _ := os.ReadFile(path); bytes.Contains(data, []byte(janitorSecret)) {
				found = append(found, path)
			}
		}
		return nil
	})
	return found
}

// janitors of a process: its children that are not on its first thread and have
// the name.
func janitors(pid int) (out []int) {
	for _, p := range descendants(pid) {
		line, _ := os.ReadFile("/proc/" + itoa(p) + "/cmdline")
		if strings.HasPrefix(string(line), "hcp-janitor\x00") {
			out = append(out, p)
		}
	}
	return out
}

func itoa(n int) string { return strconv.Itoa(n) }

func killedMidCall(t *testing.T, driver string) {
	t.Helper()
	dir := base(t)
	cmd := runnerCmd(dir, `cat "$CREDENTIALS_DIRECTORY/token"; echo " up"; exec sleep 33.7`, "credentials", driver)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != janitorSecret+" up\n" {
		t.Fatalf("the child had no secret: %q, %v", line, err)
	}
	if left := secretFiles(filepath.Join(dir, "jails")); len(left) != 1 {
		t.Fatalf("delivered: %v", left)
	}
	list := janitors(cmd.Process.Pid)
	if len(list) != 1 {
		t.Fatalf("janitors: %v", list)
	}
	// It holds a pipe, nothing to write to, and no file of hcp's.
	for fd, want := range map[string]string{"0": "pipe:", "1": "/dev/null", "2": "/dev/null"} {
		if to, _ := os.Readlink("/proc/" + itoa(list[0]) + "/fd/" + fd); !strings.HasPrefix(to, want) {
			t.Errorf("descriptor %s is %s", fd, to)
		}
	}
	within(t, 2*time.Second, "the janitor ignores SIGTERM", func() bool {
		status, _ := os.ReadFile("/proc/" + itoa(list[0]) + "/status")
		_, after, _ := strings.Cut(string(status), "SigIgn:\t")
		ignored, _ := strconv.ParseUint(strings.SplitN(after, "\n", 2)[0], 16, 64)
		return ignored>>(syscall.SIGTERM-1)&1 == 1
	})
	syscall.Kill(list[0], syscall.SIGTERM)
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	cmd.Wait()
	within(t, 2*time.Second, "the secret is gone", func() bool { return len(secretFiles(dir)) == 0 })
	within(t, 2*time.Second, "the janitor is gone", func() bool {
		stat, err := os.ReadFile("/proc/" + itoa(list[0]) + "/stat")
		return err != nil || bytes.Contains(stat, []byte(") Z "))
	})
}

// A delivered file is gone after a kill -9 of hcp, under every driver.
func TestJanitor_Kill9(t *testing.T) { killedMidCall(t, processName) }

func TestWalls_JanitorKill9(t *testing.T) {
	eachWall(t, func(t *testing.T, drv Driver) { killedMidCall(t, drv.Name()) })
}

// Whenever the kill comes: between any two steps of the start too.
func TestJanitor_Kill9AtAnyTime(t *testing.T) {
	for i := range 24 {
		dir := base(t)
		cmd := runnerCmd(dir, "exec sleep 33.8", "credentials")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 2 * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		within(t, 2*time.Second, "the secret is gone", func() bool { return len(secretFiles(dir)) == 0 })
	}
}

// A proper end leaves no janitor and no descriptor, and the sweep of one call
// does not take another's janitor for an orphan.
func TestJanitor_Ends(t *testing.T) {
	dir, drv := base(t), Process()
	deliver := func(s *Spec) { s.BindingFiles = []hcp.CredentialFile{{Name: "token", Value: janitorSecret}} }
	fds := countOpen(t, "fd")
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan Outcome)
	go func() {
		s := baseSpec(filepath.Join(dir, "long"))
		deliver(&s)
		s.Bin, _ = shBin()
		s.Args = literal("-c", "exec sleep 33.9")
		over <- Run(ctx, drv, s)
	}()
	within(t, 2*time.Second, "a janitor is there", func() bool { return len(janitors(os.Getpid())) == 1 })
	first := janitors(os.Getpid())
	for range 5 {
		if r := under(t, drv, dir, "setsid sleep 47.41 & cat $CREDENTIALS_DIRECTORY/token", deliver); r.out != janitorSecret || r.Denied != nil {
			t.Fatalf("%q %+v", r.out, r.Outcome)
		}
	}
	if now := janitors(os.Getpid()); len(now) != 1 || now[0] != first[0] {
		t.Errorf("janitors %v, want %v", now, first)
	}
	stop()
	<-over
	if left := janitors(os.Getpid()); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	within(t, time.Second, "no descriptor is left", func() bool { return countOpen(t, "fd") <= fds+2 }) // the poller's
}

// What a lost machine left goes with the next call that delivers files; a call
// that lives keeps its own.
func TestJanitor_Stale(t *testing.T) {
	dir := base(t)
	stale, live := filepath.Join(dir, "jails", callPrefix+"1"), filepath.Join(dir, "jails", callPrefix+"2")
	for _, d := range []string{stale, live} {
		wrote(t, filepath.Join(d, "cred", "token"), janitorSecret, 0o400)
		os.Chmod(filepath.Join(d, "cred"), 0o500)
	}
	lock, err := lockDir(live)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	defer os.RemoveAll(filepath.Join(dir, "jails"))
	s := baseSpec(dir)
	s.Bin, _ = shBin()
	s.Args = literal("-c", ":")
	s.BindingFiles = []hcp.CredentialFile{{Name: "token", Value: "x"}}
	if o := Run(context.Background(), Process(), s); o.Denied != nil || o.Exit != 0 {
		t.Fatalf("%+v", o)
	}
	if left := secretFiles(dir); len(left) != 1 || filepath.Dir(filepath.Dir(left[0])) != live {
		t.Errorf("left: %v", left)
	}
}

// A name or an argument makes nobody a janitor.
func TestJanitor_NotByName(t *testing.T) {
	dir := base(t)
	cred := filepath.Join(dir, "call-1", "cred", "token")
	wrote(t, cred, "x", 0o400)
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{"hcp-janitor", "--hcp-janitor", filepath.Dir(cred)}
	if err := cmd.Run(); err == nil {
		t.Error("accepted")
	}
	if _, err := os.Lstat(cred); err != nil {
		t.Error(err)
	}
}
