package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hcp/internal/hcp"
)

// one argument stays one argument, whatever is in it.
func TestR8_ArgvIsAnArray(t *testing.T) {
	odd := "a b'\"\n$(touch /tmp/never); `id` \\ \xff é"
	r := sh(t, base(t), `printf '%s|' "$#" "$@"`, nil, Arg{Text: odd, FromArg: true}, Arg{Text: "", FromArg: true})
	if want := "2|" + odd + "||"; r.out != want || r.Denied != nil {
		t.Errorf("got %q, want %q (%v)", r.out, want, r.Denied)
	}
	r = sh(t, base(t), "exit 0", nil, Arg{Text: "a\x00b", FromArg: true})
	denied(t, r.Denied, "sandbox: argument holds a NUL byte")
	if r.Ran {
		t.Error("ran with a NUL in an argument")
	}
}

// R-13 and the report of signals that came back as 0 or 255.
func TestR13_ExitCodes(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "exit 255": 255, "kill -TERM $$": 143, "kill -KILL $$": 137, "kill -ABRT $$": 134} {
		if r := sh(t, base(t), script, nil); r.Exit != want || !r.Ran || r.Denied != nil || r.Driver != "process" {
			t.Errorf("%s: %+v", script, r.Outcome)
		}
	}
}

// R-9, S-3: where the child starts; S-11: what is kept and what is gone.
func TestR9_WorkingDirectory(t *testing.T) {
	dir := base(t)
	s := baseSpec(dir)
	if r := sh(t, dir, "pwd", nil); r.out != s.PackRoot+"\n" {
		t.Errorf("none: %q", r.out)
	}
	if r := sh(t, dir, "pwd; pwd >kept", mode(ModeWorkspace)); r.out != s.Workspace+"\n" {
		t.Errorf("workspace: %q %v", r.out, r.Denied)
	}
	if r := sh(t, dir, "cat kept", mode(ModeWorkspace)); r.out != s.Workspace+"\n" {
		t.Errorf("workspace was not kept: %q", r.out)
	}
	r := sh(t, dir, "pwd; ls -A; echo x >gone", mode(ModeEphemeral))
	if jail := strings.TrimSpace(r.out); !strings.HasPrefix(jail, s.Jails+"/call-") {
		t.Errorf("ephemeral: %q", r.out)
	} else if _, err := os.Stat(jail); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ephemeral jail is still there: %v", err)
	}
	info, err := os.Stat(s.Workspace)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("workspace: %v %v", info, err)
	}
	r = sh(t, dir, "", mode("microvm"))
	denied(t, r.Denied, `sandbox: workspace mode "microvm" unknown`)
}

// R-9, mode project.
func TestR9_Project(t *testing.T) {
	dir := base(t)
	proj := filepath.Join(dir, "src", "app")
	wrote(t, filepath.Join(proj, ".git", "HEAD"), "x", 0o644)
	sub := filepath.Join(proj, "a", "b")
	os.MkdirAll(sub, 0o755)
	in := func(cwd, home string, store ...string) func(*Spec) {
		return func(s *Spec) { s.Mode, s.Cwd, s.Home, s.Store = ModeProject, cwd, home, store }
	}
	if r := sh(t, dir, "pwd", in(sub, "/nonexistent", filepath.Join(dir, "store"))); r.out != sub+"\n" {
		t.Errorf("project: %q %v", r.out, r.Denied)
	}
	for name, change := range map[string]func(*Spec){
		"root":           in("/", "/nonexistent"),
		"home":           in(proj, proj),
		"above home":     in(proj, filepath.Join(proj, "a")),
		"contains store": in(proj, "/nonexistent", filepath.Join(proj, "not", "yet")),
		"in the store":   in(sub, "/nonexistent", filepath.Join(dir, "src")),
		"relative":       in("src", "/nonexistent"),
		"gone":           in(filepath.Join(dir, "nowhere"), "/nonexistent"),
	} {
		t.Run(name, func(t *testing.T) {
			r := sh(t, dir, "pwd", change)
			denied(t, r.Denied, "sandbox: no project here")
			if r.Ran {
				t.Error("ran")
			}
		})
	}
}

// S-7.
func TestS7_NativeLocal(t *testing.T) {
	dir := base(t)
	r := sh(t, dir, `pwd; echo $HCP_SANDBOX; env | grep -c SECRET`, func(s *Spec) { s.Native = true })
	if r.Driver != "native-local" || r.out != dir+"\nnative-local\n0\n" {
		t.Errorf("%q %+v", r.out, r.Outcome)
	}
	r = sh(t, dir, ":", func(s *Spec) { s.Native = true }, Arg{Text: "/etc/passwd", FromArg: true})
	denied(t, r.Denied, "sandbox: host path not allowed")
}

// The setsid orphan and the double fork: nothing survives the call, whatever
// session or environment it gave itself.
func TestNothingSurvives(t *testing.T) {
	for _, script := range []string{
		"setsid sleep 47.25 & exit 0",
		"env -i setsid sleep 47.25 & sleep 0.05",
		"(setsid sh -c 'setsid sleep 47.25 & setsid sleep 47.25 & sleep 47.25' &) ; sleep 0.05; kill -9 $$",
		"trap '' TERM HUP; (trap '' TERM HUP; sleep 47.25) & exit 3",
	} {
		began := time.Now()
		r := sh(t, base(t), script, nil)
		if !r.Ran || alive("sleep 47.25") {
			t.Errorf("%s: a descendant lives on (%+v)", script, r.Outcome)
		}
		if d := time.Since(began); d > 2*time.Second {
			t.Errorf("%s: took %v", script, d)
		}
	}
}

// Calls at the same time do not end each other's background processes, under one
// driver or under one selected for each.
func TestNothingSurvives_ButNeighboursDo(t *testing.T) {
	one, calls := Process(), NewCalls()
	t.Run("one driver", func(t *testing.T) { neighbours(t, func() Driver { return one }) })
	t.Run("selected", func(t *testing.T) {
		neighbours(t, func() Driver { return Select(Choice{Driver: processName, Min: processName, Calls: calls}) })
	})
}

func neighbours(t *testing.T, driver func() Driver) {
	dir := base(t)
	call := func(script string, out *bytes.Buffer) Outcome {
		b, err := shBin()
		if err != nil {
			t.Error(err)
			return Outcome{}
		}
		s := baseSpec(dir)
		s.Bin, s.Name, s.Args, s.Stdout = b, "/bin/sh", literal("-c", script), out
		return Run(context.Background(), driver(), s)
	}
	var long, short bytes.Buffer
	done := make(chan Outcome)
	go func() {
		done <- call("(env -i setsid sh -c 'sleep 0.6; echo survived' &); sleep 0.9", &long)
	}()
	for range 8 {
		time.Sleep(40 * time.Millisecond)
		call("(setsid sleep 48.5 &); sleep 0.02", &short)
	}
	if alive("sleep 48.5") {
		t.Error("an orphan outlived its call")
	}
	if o := <-done; long.String() != "survived\n" || o.Exit != 0 {
		t.Errorf("a neighbour's orphan was ended: %q %+v", long.String(), o)
	}
}

// A grandchild that holds the pipe delays nothing, timeout or not.
func TestPipeHeldByGrandchild(t *testing.T) {
	began := time.Now()
	r := sh(t, base(t), "echo hi; (sleep 10 &); exit 0", func(s *Spec) { s.Timeout = time.Second })
	if d := time.Since(began); d > 900*time.Millisecond || r.out != "hi\n" || r.Denied != nil {
		t.Errorf("%v %q %+v", d, r.out, r.Outcome)
	}
}

func TestTimeout(t *testing.T) {
	for script, exit := range map[string]int{"sleep 20": 143, "trap 'exit 3' TERM; sleep 20 & wait": 3} {
		began := time.Now()
		r := sh(t, base(t), script, func(s *Spec) { s.Timeout = 300 * time.Millisecond })
		denied(t, r.Denied, "sandbox: timeout after 300ms")
		if r.Denied == nil || r.Denied.Exit != hcp.ExitTimeout || r.Exit != exit || time.Since(began) > 2*time.Second {
			t.Errorf("%s: %+v in %v", script, r.Outcome, time.Since(began))
		}
	}
}

// KILL follows TERM after 5 s, for a child that will not hear.
func TestTimeout_Kill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 5 s")
	}
	t.Parallel()
	began := time.Now()
	r := sh(t, base(t), "trap '' TERM; while :; do sleep 0.1; done", func(s *Spec) { s.Timeout = 100 * time.Millisecond })
	if d := time.Since(began); r.Exit != 137 || d < 5*time.Second || d > 7*time.Second {
		t.Errorf("%+v in %v", r.Outcome, d)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	b, err := shBin()
	if err != nil {
		t.Fatal(err)
	}
	s := baseSpec(base(t))
	s.Bin, s.Args = b, literal("-c", "sleep 20")
	o := Run(ctx, Process(), s)
	denied(t, o.Denied, "sandbox: cancelled")
	if o.Exit != 143 {
		t.Errorf("%+v", o)
	}
}

func TestOutputLimit(t *testing.T) {
	limit := func(n int64) func(*Spec) { return func(s *Spec) { s.MaxOutput = n } }
	r := sh(t, base(t), "yes", limit(64<<10))
	denied(t, r.Denied, "sandbox: output exceeds 64KiB")
	if len(r.out) > 64<<10 {
		t.Errorf("%d bytes passed on", len(r.out))
	}
	r = sh(t, base(t), "printf 12345; printf 67890 >&2", limit(10))
	if r.Denied != nil || r.out != "12345" || r.err != "67890" || r.Stdout != 5 || r.Stderr != 5 {
		t.Errorf("at the limit: %q %q %+v", r.out, r.err, r.Outcome)
	}
	r = sh(t, base(t), "printf 12345; printf 678901 >&2", limit(10))
	denied(t, r.Denied, "sandbox: output exceeds 10B")
}

// Everything a child wrote arrives, also when the reader is slow.
func TestOutput_SlowReader(t *testing.T) {
	var got bytes.Buffer
	slow := writerFunc(func(p []byte) (int, error) {
		time.Sleep(300 * time.Millisecond)
		return got.Write(p)
	})
	r := sh(t, base(t), "head -c 40000 /dev/zero; (setsid sleep 20 &)", func(s *Spec) { s.Stdout = slow })
	if got.Len() != 40000 || r.Stdout != 40000 {
		t.Errorf("%d of 40000 bytes", got.Len())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestOutput_WriterFails(t *testing.T) {
	broken := writerFunc(func([]byte) (int, error) { return 0, syscall.EPIPE })
	r := sh(t, base(t), "yes", func(s *Spec) { s.Stdout = broken })
	if r.Denied != nil || !r.Pipe || r.Exit != 141 {
		t.Errorf("EPIPE: %+v", r.Outcome)
	}
	full := writerFunc(func([]byte) (int, error) { return 0, syscall.ENOSPC })
	r = sh(t, base(t), "echo x", func(s *Spec) { s.Stdout = full })
	denied(t, r.Denied, "sandbox: stdout: no space left on device")
}

// stdin is /dev/null, and there is no terminal to ask on.
func TestT4_NoPrompt(t *testing.T) {
	r := sh(t, base(t), `read x; echo "read=$?"; (echo hi >/dev/tty) 2>&1 | grep -o 'No such device or address'`, nil)
	if r.out != "read=1\nNo such device or address\n" {
		t.Errorf("%q %q", r.out, r.err)
	}
}

func TestStartFailures(t *testing.T) {
	dir := base(t)
	start := func(text string) Outcome {
		s := baseSpec(dir)
		s.Name = "./x"
		wrote(t, filepath.Join(s.PackRoot, "x"), text, 0o755)
		rec := ResolveBin(Resolve{Bin: "./x", PackRoot: s.PackRoot})
		b, _, d := OpenBin("./x", rec, nil, s.PackRoot, os.Geteuid())
		if d != nil {
			t.Fatal(d.Message, rec.Why)
		}
		s.Bin = b
		return Run(context.Background(), Process(), s)
	}
	denied(t, start("no format at all").Denied, "sandbox: ./x: exec format error")
	r := sh(t, dir, ":", nil, Arg{Text: strings.Repeat("x", 200<<10)})
	denied(t, r.Denied, "sandbox: /bin/sh: argument list too long")
	r = sh(t, dir, ":", func(s *Spec) { s.PackRoot = filepath.Join(dir, "gone") })
	denied(t, r.Denied, "sandbox: working directory: no such file or directory")
	r = sh(t, dir, ":", func(s *Spec) { s.Bin.Close(); s.Bin = nil })
	denied(t, r.Denied, `sandbox: bin "/bin/sh" not allowlisted`)
	file := filepath.Join(dir, "file")
	wrote(t, file, "", 0o600)
	r = sh(t, dir, ":", func(s *Spec) { s.Jails = filepath.Join(file, "jails") })
	denied(t, r.Denied, "sandbox: jail: not a directory")
	if r := sh(t, dir, ":", nil); r.Denied != nil {
		t.Error(r.Denied.Message)
	}
	s := baseSpec(dir)
	s.Bin, _ = shBin()
	denied(t, Run(context.Background(), nil, s).Denied, "sandbox: isolation unavailable: no driver")
}

// A child that takes its own rights away cannot keep its jail.
func TestS11_StubbornJailIsRemoved(t *testing.T) {
	r := sh(t, base(t), `mkdir -p a/b/c "$TMPDIR/x" && echo 1 >a/b/c/f && chmod 0 a/b/c a/b a && chmod 0 "$TMPDIR"`, mode(ModeEphemeral))
	if r.Exit != 0 || r.Denied != nil {
		t.Errorf("%+v %s", r.Outcome, r.err)
	}
}

// S-11: gone also after kill -9 of hcp, whose child dies with it; a live call's
// folder stays.
func TestS11_SweepStale(t *testing.T) {
	dir := base(t)
	jails := baseSpec(dir).Jails
	if n, err := SweepStale(jails); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	var cmds []*exec.Cmd
	for range 2 {
		c := runnerCmd(dir, "echo $$ up; exec sleep 49.75")
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		out.Read(make([]byte, 1))
		cmds = append(cmds, c)
	}
	if n, err := SweepStale(jails); n != 0 || err != nil {
		t.Fatalf("a live jail was swept: %d %v", n, err)
	}
	cmds[0].Process.Kill()
	cmds[0].Wait()
	within(t, 2*time.Second, "one stale jail swept", func() bool { n, err := SweepStale(jails); return n == 1 && err == nil })
	if left, _ := os.ReadDir(jails); len(left) != 1 {
		t.Errorf("%d jails, want the live one", len(left))
	}
	cmds[1].Process.Signal(syscall.SIGTERM)
	cmds[1].Wait()
	within(t, 2*time.Second, "the children die with hcp", func() bool { return !alive("sleep 49.75") })
	if left, _ := os.ReadDir(jails); len(left) != 0 {
		t.Errorf("%d jails left", len(left))
	}
}

// A hundred calls and a sweeper at once.
func TestManyAtOnce(t *testing.T) {
	dir, drv := base(t), Process()
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				SweepStale(filepath.Join(dir, "jails"))
			}
		}
	}()
	errs := make(chan string, 100)
	for range 100 {
		go func() {
			b, err := shBin()
			if err != nil {
				errs <- err.Error()
				return
			}
			s := baseSpec(dir)
			var out bytes.Buffer
			s.Bin, s.Args, s.Mode, s.Stdout = b, literal("-c", "echo x >f && cat f && ls $HOME"), ModeEphemeral, &out
			o := Run(context.Background(), drv, s)
			switch {
			case o.Denied != nil:
				errs <- o.Denied.Message
			case out.String() != "x\n":
				errs <- "output " + out.String()
			default:
				errs <- ""
			}
		}()
	}
	for range 100 {
		if e := <-errs; e != "" {
			t.Error(e)
		}
	}
	close(stop)
	if left, _ := os.ReadDir(filepath.Join(dir, "jails")); len(left) != 0 {
		t.Errorf("%d jails left", len(left))
	}
}
