package sandbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hcp/internal/hcp"
)

// nsWorks skips where the driver cannot be had; see eachWall.
func nsWorks(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 && os.Getenv(privateMark) == "" {
		t.Skip("TestPrivate runs it where it can do no harm")
	}
	if d := prove(NS(), ""); d != nil {
		if strings.Contains(os.Getenv("HCP_REQUIRE_ISOLATION"), nsName) {
			t.Fatal(d.Message)
		}
		t.Skip(d.Message)
	}
}

func countOpen(t *testing.T, what string) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/" + what)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func children() int { return len(descendants(os.Getpid())) }

// A stage that fails: the child never ran, the error names the stage, and
// nothing is left of the attempt.
func TestWalls_NSFaults(t *testing.T) {
	nsWorks(t)
	stages := append([]string{stageOrder, stagePipe, stageNamespaces}, initStages()...)
	if len(stages) < 16 {
		t.Fatal(stages)
	}
	for _, stage := range stages {
		drv := &nsDriver{calls: newCalls(), fail: func(s string) error {
			if s == stage {
				return syscall.EIO
			}
			return nil
		}}
		fds, kids := countOpen(t, "fd"), children()
		r := under(t, drv, base(t), "echo ran", mode(ModeWorkspace))
		denied(t, r.Denied, "sandbox: isolation unavailable: "+stage+": input/output error")
		if r.Ran || r.out != "" || r.Driver != "" || !isUnavailable(r.Denied) || r.Denied.Hint == "" {
			t.Errorf("%s: %+v %q", stage, r.Outcome, r.out)
		}
		if f, k := countOpen(t, "fd"), children(); f > fds || k > kids || len(drv.calls.live) > 0 {
			t.Errorf("%s: left %d descriptors, %d processes", stage, f-fds, k-kids)
		}
	}
}

// What a call left behind is dead when it returns, however it tried to stay.
func TestWalls_NSOrphans(t *testing.T) {
	nsWorks(t)
	for _, script := range []string{
		"setsid sleep 47.31 & exit 0", "(setsid setsid sleep 47.31 &) ; nohup sleep 47.31 & exit 0",
		"trap '' TERM HUP INT; while :; do sleep 47.31; done & exit 0",
	} {
		if r := under(t, NS(), base(t), script, nil); r.Denied != nil || r.Exit != 0 || alive("sleep 47.31") {
			t.Errorf("%s: %+v", script, r.Outcome)
		}
	}
}

// codes and signals are the child's; it cannot end its init.
func TestWalls_NSExit(t *testing.T) {
	nsWorks(t)
	for script, want := range map[string]int{"exit 3": 3, "kill -TERM $$": 143, "kill -KILL $$": 137, "kill -ABRT $$": 134, "kill -9 -1; exit 5": 5,
		"kill -9 1; kill -TERM 1; kill -INT 1; exit 6": 6, "(exit 9) & wait $!; exit $?": 9, "kill -9 0": 137} {
		if r := under(t, NS(), base(t), script, nil); r.Denied != nil || r.Exit != want {
			t.Errorf("%s: exit %d, want %d (%q)", script, r.Exit, want, r.err)
		}
	}
	r := under(t, NS(), base(t), "exec sleep 60", func(s *Spec) { s.Timeout = 100 * time.Millisecond })
	denied(t, r.Denied, "sandbox: timeout after 100ms")
}

// What is private to a call, and gone after it.
func TestWalls_NSPrivate(t *testing.T) {
	nsWorks(t)
	mark := filepath.Join("/tmp", "hcp-seen-"+rand.Text()) // the pid is not alone on this machine: each namespace has it
	wrote(t, mark, "host\n", 0o644)
	defer os.Remove(mark)
	script := `test ! -e ` + mark + ` && d=$(env -u TMPDIR mktemp -d) && echo x >$d/f && echo y >/dev/shm/f && cat $d/f /dev/shm/f &&
		id -u && hostname >/dev/null; ls /proc | grep -c '^1$'; ls -d /root /home /run /var /sys /.host 2>/dev/null | wc -l; (echo a >/x) 2>/dev/null || echo ro`
	r := under(t, NS(), base(t), script, nil)
	if want := fmt.Sprintf("x\ny\n%d\n0\n0\nro\n", os.Geteuid()); r.out != want || r.err != "" {
		t.Errorf("%q, stderr %q, want %q, %v", r.out, r.err, want, r.Denied)
	}
	if left, _ := filepath.Glob("/dev/shm/f"); left != nil {
		t.Error("/dev/shm is the host's")
	}
}

// A project: read-only for a read; for a write, what git would run or follow
// later stays as it is, and so does its folder's name.
func TestWalls_NSProject(t *testing.T) {
	nsWorks(t)
	dir := base(t)
	project := filepath.Join(dir, "project")
	for _, f := range []string{"a.txt", ".git/config", ".git/HEAD", ".git/hooks/pre-commit", ".git/info/attributes", "sub/b.txt"} {
		wrote(t, filepath.Join(project, f), "old\n", 0o644)
	}
	in := func(op string) func(*Spec) {
		return func(s *Spec) { s.Mode, s.Operation, s.Cwd = ModeProject, op, filepath.Join(project, "sub") }
	}
	r := under(t, NS(), dir, "cat b.txt ../a.txt && pwd; for f in b.txt new ../a.txt ../.git/HEAD; do (echo x >$f) 2>/dev/null && echo wrote $f; done; exit 0", in(hcp.OpRead))
	if want := "old\nold\n" + project + "/sub\n"; r.out != want || r.Denied != nil {
		t.Errorf("read: %q %q %v", r.out, r.err, r.Denied)
	}
	script := `cd ..; for f in a.txt new .git/HEAD .git/index sub/c; do echo new >$f || echo denied $f; done
		for f in .git/config .git/hooks/pre-commit .git/hooks/post-merge .git/info/attributes; do (echo bad >$f) 2>/dev/null && echo wrote $f; done
		mv .git git2 2>/dev/null && echo moved .git; mv .git/hooks .git/h2 2>/dev/null && echo moved hooks; rm -rf .git/hooks .git/config 2>/dev/null
		mv -T ../project ../p2 2>/dev/null && echo moved project; mv .git/info .git/i2 2>/dev/null && echo moved info; exit 0`
	r = under(t, NS(), dir, script, in(hcp.OpWrite))
	if r.out != "" || r.err != "" || r.Denied != nil {
		t.Errorf("write: %q %q %v", r.out, r.err, r.Denied)
	}
	for f, want := range map[string]string{"a.txt": "new\n", "new": "new\n", ".git/HEAD": "new\n", ".git/config": "old\n", ".git/hooks/pre-commit": "old\n",
		".git/info/attributes": "old\n", "sub/c": "new\n"} {
		if got, _ := os.ReadFile(filepath.Join(project, f)); string(got) != want {
			t.Errorf("%s is %q", f, got)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(project, ".git/hooks")); len(left) != 1 {
		t.Errorf("hooks: %v", left)
	}
}

// A folder that may be read does not show the store that lies in it; the call's
// own folders, which lie there too, work. A symlink is what it leads to.
func TestWalls_NSStore(t *testing.T) {
	nsWorks(t)
	dir := base(t)
	store := filepath.Join(dir, "readable", "store")
	wrote(t, filepath.Join(store, "audit"), "secret\n", 0o644)
	wrote(t, filepath.Join(dir, "readable", "open"), "open\n", 0o644)
	wrote(t, filepath.Join(dir, "far", "target"), "far\n", 0o644)
	if err := os.Symlink("far/target", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	r := under(t, NS(), store, `echo mine >f && cat f `+filepath.Join(dir, "readable/open")+" "+filepath.Join(dir, "link")+
		`; ls `+store+`; cat `+store+`/audit 2>/dev/null; (echo x >`+store+`/new) 2>/dev/null && echo wrote; exit 0`, func(s *Spec) {
		s.Read, s.Store = []string{filepath.Join(dir, "readable"), filepath.Join(dir, "link")}, []string{store}
	})
	if want := "mine\nopen\nfar\njails\npacks\n"; r.out != want || r.Denied != nil {
		t.Errorf("%q %q %v", r.out, r.err, r.Denied)
	}
	if got, _ := os.ReadFile(filepath.Join(store, "audit")); string(got) != "secret\n" {
		t.Error("the store was touched")
	}
}

// The network is the call's own, or the host's; a unix socket is there when it
// was asked for.
func TestWalls_NSNetwork(t *testing.T) {
	nsWorks(t)
	dir := base(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer tcp.Close()
	_, port, _ := net.SplitHostPort(tcp.Addr().String())
	path := filepath.Join(dir, "s")
	unixSocket, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer unixSocket.Close()
	os.Chmod(path, 0o777)
	for _, c := range []struct {
		network string
		sockets []string
		words   []string
		out     bool
	}{
		{networkNone, nil, []string{"tcp", port}, false}, {networkHost, nil, []string{"tcp", port}, true},
		{networkNone, nil, []string{"unix", path}, false}, {networkNone, []string{path}, []string{"unix", path}, true},
	} {
		r := probe(t, NS(), dir, func(s *Spec) { s.Network, s.Sockets = c.network, c.sockets }, c.words...)
		if r.Denied != nil || (r.out == "out\n") != c.out {
			t.Errorf("%+v: %q %q %v", c, r.out, r.err, r.Denied)
		}
	}
}

// nothing of a thousand calls, many at once, stays in a process that goes on.
func TestWalls_NSLeaks(t *testing.T) {
	nsWorks(t)
	calls := 1000
	if testing.Short() {
		calls = 100
	}
	drv, dir := NS(), base(t)
	under(t, drv, dir, "exit 0", mode(ModeNone))                               // what is opened once
	fds, threads, kids := countOpen(t, "fd"), countOpen(t, "task"), children() // as process 1 we inherit other tests' orphans
	var wait sync.WaitGroup
	for w := range 8 {
		wait.Go(func() {
			for i := range calls / 8 {
				b, err := shBin()
				if err != nil {
					t.Error(err)
					return
				}
				s := baseSpec(dir)
				s.Bin, s.Name, s.Args = b, "/bin/sh", literal("-c", "sleep 30 & exit $1", "sh", fmt.Sprint(i%100))
				if o := Run(context.Background(), drv, s); o.Denied != nil || o.Exit != i%100 {
					t.Errorf("call %d of %d: %+v %v", i, w, o, o.Denied)
					return
				}
			}
		})
	}
	wait.Wait()
	within(t, 5*time.Second, "descriptors and threads as before", func() bool {
		return countOpen(t, "fd") <= fds+1 && countOpen(t, "task") <= threads+24
	})
	if n := len(drv.(*nsDriver).calls.live); n != 0 || children() > kids {
		t.Errorf("%d calls live, %d processes more", n, children()-kids)
	}
}

// nsRunner starts a runner under this driver and waits for the script's first
// line.
func nsRunner(t *testing.T, script string, more ...string) *exec.Cmd {
	t.Helper()
	cmd, _ := started(t, script, append(more, nsName)...)
	return cmd
}

// kill -9 of hcp takes everything with it, in a second at most.
func TestWalls_NSKilled(t *testing.T) {
	nsWorks(t)
	cmd := nsRunner(t, "setsid sleep 53.77 & (trap '' HUP TERM; sleep 53.77) & echo up; sleep 53.77")
	if !alive("sleep 53.77") {
		t.Fatal("nothing to kill")
	}
	cmd.Process.Kill()
	cmd.Wait()
	within(t, time.Second, "everything dead", func() bool { return !alive("sleep 53.77") })
}

// Signals for hcp are the child's; the terminal's reach it once, and not its init.
func TestWalls_NSSignals(t *testing.T) {
	nsWorks(t)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGINT} {
		cmd, out := started(t, "trap 'n=$((n+1)); echo got $n' TERM HUP USR1 INT; echo up; i=0; while test $i -lt 8; do sleep 0.05; i=$((i+1)); done; exit 9", nsName)
		cmd.Process.Signal(sig)
		line, _ := out.ReadString('\n')
		rest, _ := out.ReadString('\n')
		if err := cmd.Wait(); line != "got 1\n" || rest != "" || code(err) != 9 {
			t.Errorf("%v: %q %q exit %d", sig, line, rest, code(err))
		}
	}
	cmd, out := started(t, "trap 'echo got; exit 7' INT; echo up; while :; do sleep 0.05; done", "foreground", nsName)
	syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) // as the terminal does
	line, _ := out.ReadString('\n')
	if err := cmd.Wait(); line != "got\n" || code(err) != 7 {
		t.Errorf("foreground: %q exit %d", line, code(err))
	}
}

// Where no user namespace is to be had, the call is refused before anything
// ran, with the errno and the setting to change.
func TestWalls_NSForbidden(t *testing.T) {
	nsWorks(t)
	dir := base(t)
	cmd := exec.Command("/bin/sh", "-c", `echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" runner "$@"`, os.Args[0], dir, "echo ran", nsName)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}}
	cmd.Env = []string{"TMPDIR=" + dir, "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if want := "sandbox: isolation unavailable: namespaces: no space left on device\n"; string(out) != want || err != nil {
		t.Errorf("%q %v", out, err)
	}
}

// The same paths as on the host, also where a link is among them; scripts and
// their interpreters start; a child has three descriptors (the fourth is the
// folder that ls looks at).
func TestWalls_NSPaths(t *testing.T) {
	nsWorks(t)
	real := base(t)
	dir := filepath.Join(base(t), "link")
	if err := os.Symlink(real, dir); err != nil {
		t.Fatal(err)
	}
	for _, m := range []string{ModeNone, ModeEphemeral, ModeWorkspace} {
		r := under(t, NS(), dir, "pwd -P; echo x >$TMPDIR/f && cat $TMPDIR/f; cd / && exec ls /proc/self/fd", mode(m))
		if r.Denied != nil || r.err != "" || !strings.HasSuffix(r.out, "\nx\n0\n1\n2\n3\n") || !strings.HasPrefix(r.out, dir) {
			t.Errorf("%s: %q %q %v", m, r.out, r.err, r.Denied)
		}
	}
	for _, kind := range [...][2]string{{"plain", "#!/bin/sh"}, {"env", "#!/usr/bin/env sh"}, {"chain", "#!" + filepath.Join(real, "packs/p/plain")}} {
		name, head := kind[0], kind[1]
		script := filepath.Join(real, "packs", "p", name)
		wrote(t, script, head+"\necho $0 $1\n", 0o755)
		rec := ResolveBin(Resolve{Bin: script, PackRoot: filepath.Join(real, "packs/p"), Path: strings.Split(fixedPath, ":")})
		b, _, d := OpenBin(script, rec, nil, filepath.Join(real, "packs/p"), os.Geteuid())
		if d != nil {
			t.Fatal(d.Message, rec.Why)
		}
		r := call(t, NS(), real, func(s *Spec) { s.Bin, s.Name, s.Args = b, script, literal("arg") })
		want := script + " arg\n"
		if name == "chain" {
			want = filepath.Join(real, "packs/p/plain") + " " + script + "\n"
		}
		if r.out != want || r.Denied != nil {
			t.Errorf("%s: %q %q %v", name, r.out, r.err, r.Denied)
		}
	}
}

// What an init is told does not make one of any other process, and a program
// that cannot be started is that program's failure, not the walls'.
func TestWalls_NSStart(t *testing.T) {
	nsWorks(t)
	file := filepath.Join(base(t), "none")
	wrote(t, file, "\x7fELF nothing", 0o755)
	b, _, d := OpenBin(file, ResolveBin(Resolve{Bin: file}), nil, "/packs/p", os.Geteuid())
	if d != nil {
		t.Fatal(d.Message)
	}
	r := call(t, NS(), base(t), func(s *Spec) { s.Bin, s.Name = b, "prog" })
	denied(t, r.Denied, "sandbox: prog: exec format error")
	if initOrder() != nil {
		t.Error("the tests are an init")
	}
	r = under(t, NS(), base(t), "exit 0", func(s *Spec) { s.Args = append(s.Args, literal(strings.Repeat("x", 3<<20))...) })
	denied(t, r.Denied, "sandbox: /bin/sh: argument list too long")
}
