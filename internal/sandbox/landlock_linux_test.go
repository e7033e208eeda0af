package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hcp/internal/hcp"
)

func landlock(t *testing.T) *landlockDriver {
	t.Helper()
	drv := Landlock()
	if d := prove(drv, ""); d != nil {
		if strings.Contains(os.Getenv("HCP_REQUIRE_ISOLATION"), landlockName) {
			t.Fatal(d.Message)
		}
		t.Skip(d.Message)
	}
	return drv.(*landlockDriver)
}

// state is what a process has of what a call could leave behind.
type state struct{ fds, threads, children, dumpable int }

func look(t *testing.T) (s state) {
	t.Helper()
	for dir, n := range map[string]*int{"fd": &s.fds, "task": &s.threads} {
		list, err := os.ReadDir("/proc/self/" + dir)
		if err != nil {
			t.Fatal(err)
		}
		*n = len(list)
	}
	s.children = len(descendants(os.Getpid()))
	s.dumpable, _ = unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	return s
}

// Each stage of the set-up, made to fail: the child never ran, the error names
// the stage, and nothing is left.
func TestWalls_LandlockFaults(t *testing.T) {
	drv := landlock(t)
	stages := []string{stageLandlock, stageRuleset, stageDumpable, stagePrivileges, stageCaps, stageRestrict, stageSeccomp}
	for _, fault := range stages {
		dir, seen := base(t), 0
		marker := filepath.Join(dir, "packs", "ran")
		drv.fail = func(stage string) error {
			seen++
			if stage == fault {
				return syscall.EPERM
			}
			return nil
		}
		before := look(t)
		r := under(t, drv, dir, "touch "+marker+"; echo ran", func(s *Spec) { s.Read = []string{filepath.Dir(marker)} })
		denied(t, r.Denied, "sandbox: isolation unavailable: "+fault+": operation not permitted")
		if r.Ran || r.out != "" || r.Driver != "" || r.Denied.Hint == "" {
			t.Errorf("%s: %q %+v", fault, r.out, r.Outcome)
		}
		if _, err := os.Stat(marker); err == nil {
			t.Errorf("%s: the child ran", fault)
		}
		within(t, time.Second, fault+": nothing is left", func() bool {
			after := look(t)
			return after.fds <= before.fds && after.children == before.children && after.dumpable == before.dumpable && after.threads <= before.threads+2
		})
		if seen == 0 {
			t.Errorf("%s: no stage was reached", fault)
		}
	}
	drv.fail = nil
	if r := under(t, drv, base(t), "echo ran", nil); r.out != "ran\n" {
		t.Errorf("afterwards: %q %+v", r.out, r.Outcome)
	}
}

// A thousand calls, some at once, leave no descriptor, thread or process.
func TestWalls_LandlockLeaks(t *testing.T) {
	drv := landlock(t)
	n := 1000
	if testing.Short() {
		n = 100
	}
	dir := base(t)
	one := func() {
		b, err := shBin()
		if err != nil {
			t.Error(err)
			return
		}
		s := baseSpec(dir)
		s.Bin, s.Args = b, literal("-c", ":")
		if o := Run(context.Background(), drv, s); o.Denied != nil || o.Exit != 0 {
			t.Errorf("%+v", o)
		}
	}
	for range 10 {
		one()
	}
	before := look(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range n / 4 {
				one()
			}
		})
	}
	all.Wait()
	within(t, 3*time.Second, "nothing is left", func() bool {
		after := look(t)
		return after.fds <= before.fds+1 && after.children <= before.children && after.threads <= before.threads+8 && after.dumpable == before.dumpable
	})
	if left, _ := os.ReadDir(filepath.Join(dir, "jails")); len(left) != 0 {
		t.Errorf("%d jails", len(left))
	}
}

// Orphans of a call are dead when it returns, whatever they did to get away,
// and neighbours' are not touched.
func TestWalls_LandlockOrphans(t *testing.T) {
	drv := landlock(t)
	for _, script := range []string{
		"setsid sleep 47.75 & exit 0",
		"env -i setsid sleep 47.75 & sleep 0.05",
		"(setsid sh -c 'setsid sleep 47.75 & setsid sleep 47.75 & sleep 47.75' &) ; sleep 0.05; kill -9 $$",
	} {
		if r := under(t, drv, base(t), script, nil); !r.Ran || alive("sleep 47.75") {
			t.Errorf("%s: a descendant lives on (%+v)", script, r.Outcome)
		}
	}
}

// A child of hcp's own that has nothing to do with a call is left alone by it.
func TestWalls_LandlockLeavesOthersAlone(t *testing.T) {
	drv := landlock(t)
	var helpers []*os.Process
	for range 4 {
		done := make(chan *os.Process)
		go func() { // started anywhere, as a credential helper is
			p, err := os.StartProcess("/bin/sleep", []string{"sleep", "46.5"}, &os.ProcAttr{})
			if err != nil {
				t.Error(err)
			}
			done <- p
		}()
		helpers = append(helpers, <-done)
	}
	for range 20 {
		under(t, drv, base(t), ":", nil)
	}
	sh(t, base(t), ":", nil)
	for _, p := range helpers {
		if err := p.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("a helper was ended: %v", err)
		}
		p.Kill()
		p.Wait()
	}
}

// Mode project: read is read-only; write is refused without the operator's word.
func TestWalls_LandlockProject(t *testing.T) {
	drv := landlock(t)
	dir := base(t)
	proj := filepath.Join(dir, "src", "app")
	wrote(t, filepath.Join(proj, ".git", "HEAD"), "x", 0o644)
	in := func(op string, writable bool) func(*Spec) {
		return func(s *Spec) { s.Mode, s.Operation, s.Cwd, s.ProjectGitWritable = ModeProject, op, proj, writable }
	}
	const script = "cat .git/HEAD; (echo y >f) 2>/dev/null && echo wrote"
	if r := under(t, drv, dir, script, in(hcp.OpRead, true)); r.out != "x" || r.Denied != nil {
		t.Errorf("read: %q %+v", r.out, r.Outcome)
	}
	r := under(t, drv, dir, script, in(hcp.OpWrite, false))
	denied(t, r.Denied, "sandbox: project write needs the ns driver")
	if r.Ran || !strings.Contains(r.Denied.Hint, "project_git_writable") {
		t.Errorf("%+v", r.Denied)
	}
	if r := under(t, drv, dir, script, in(hcp.OpWrite, true)); r.out != "xwrote\n" {
		t.Errorf("write: %q %q %+v", r.out, r.err, r.Outcome)
	}
	if r := under(t, drv, dir, "(echo z >f) 2>/dev/null && echo wrote", in("", true)); r.out != "" || !r.Ran {
		t.Errorf("an operation that is none: %q", r.out)
	}
}

// The store cannot be hidden in a folder that is readable: refused.
func TestWalls_LandlockStore(t *testing.T) {
	drv := landlock(t)
	dir := base(t)
	wrote(t, filepath.Join(dir, "opt", "hcp", "audit"), "x", 0o600)
	r := under(t, drv, dir, "cat "+dir+"/opt/hcp/audit", func(s *Spec) {
		s.Store, s.Read = []string{filepath.Join(dir, "opt", "hcp")}, []string{filepath.Join(dir, "opt")}
	})
	denied(t, r.Denied, "sandbox: "+dir+"/opt/hcp lies in a folder that the child may read")
	if r.out != "" || r.Ran {
		t.Errorf("%q", r.out)
	}
}

// Credentials can be read and not replaced; an inherited descriptor is not there.
func TestWalls_LandlockFiles(t *testing.T) {
	drv := landlock(t)
	var fds [2]int
	if err := unix.Pipe(fds[:]); err != nil { // without O_CLOEXEC
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	r := under(t, drv, base(t), `cat "$CREDENTIALS_DIRECTORY/token"; rm -f "$CREDENTIALS_DIRECTORY/token" 2>/dev/null || echo kept; ls /proc/self/fd | wc -l`, func(s *Spec) {
		s.BindingFiles = []hcp.CredentialFile{{Name: "token", Value: "t0k\n"}}
	})
	if r.out != "t0k\nkept\n4\n" {
		t.Errorf("%q %q %+v", r.out, r.err, r.Outcome)
	}
}

// kill -9 of hcp ends the child, whose thread dies with it; signals and the
// time limit reach it through the walls.
func TestWalls_LandlockKilled(t *testing.T) {
	landlock(t)
	cmd := runnerCmd(base(t), "echo up; exec sleep 45.25", landlockName)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if !alive("sleep 45.25") {
		t.Error("the child is not there")
	}
	cmd.Process.Kill()
	cmd.Wait()
	within(t, time.Second, "the child dies with hcp", func() bool { return !alive("sleep 45.25") })
}

func TestWalls_LandlockTimeout(t *testing.T) {
	drv := landlock(t)
	for script, exit := range map[string]int{"sleep 20": 143, "trap 'exit 3' TERM; setsid sleep 20 & wait": 3} {
		began := time.Now()
		r := under(t, drv, base(t), script, func(s *Spec) { s.Timeout = 300 * time.Millisecond })
		denied(t, r.Denied, "sandbox: timeout after 300ms")
		if r.Exit != exit || !r.Ran || time.Since(began) > 3*time.Second {
			t.Errorf("%s: %+v in %v", script, r.Outcome, time.Since(began))
		}
	}
}

// Who kills everything kills only its own.
func TestWalls_LandlockKillsOnlyItsOwn(t *testing.T) {
	drv := landlock(t)
	if abi, _ := landlockABI(); abi < 6 || os.Getenv(privateMark) == "" {
		t.Skip("TestPrivate runs it where it can do no harm; needs Landlock 6")
	}
	victim, err := os.StartProcess("/bin/sleep", []string{"sleep", "44.5"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	r := under(t, drv, base(t), "kill -KILL -1; kill -KILL 0", nil)
	if err := victim.Signal(syscall.Signal(0)); err != nil || !r.Ran || r.Exit != 137 {
		t.Errorf("%v, %+v", err, r.Outcome)
	}
	victim.Kill()
	victim.Wait()
}
