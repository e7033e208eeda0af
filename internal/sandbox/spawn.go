package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"hcp/internal/hcp"
)

const (
	grace   = 5 * time.Second        // from TERM to KILL, where the call has no word on it
	drained = 200 * time.Millisecond // for a pipe that something still holds after everything was ended
)

// launch is all that starting a child takes.
type launch struct {
	path string
	argv []string
	attr *os.ProcAttr
	plan *Plan
	dirs *dirs
}

// process is a child that was started.
type process interface {
	pid() int
	// wait comes back when the child has ended, before it is reaped: its
	// process group is then still its own.
	wait()
	// reap gives the exit code.
	reap() int
}

// spawn starts the child and stays until nothing of it is left. All of it
// happens on one OS thread: the kernel kills the child when the thread that
// started it dies (Pdeathsig), and to hand over between threads costs more than
// the rest. A starter that leaves its mark on the thread is called from a
// goroutine that locks it once more and ends with it.
func (j *jail) spawn(ctx context.Context, argv Argv) (o Outcome) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := &j.plan.spec
	in, err := stdin(s.Stdin)
	if err != nil {
		return Outcome{Denied: failed("stdin", err)}
	}
	if in != s.Stdin {
		defer in.Close()
	}
	out, d := newOutput(s)
	if d != nil {
		return Outcome{Denied: d}
	}
	defer out.close()
	p, err := j.launch(argv, in, out)
	out.started()
	if err != nil {
		return Outcome{Denied: startDenial(s, j.dirs.cwd, err)}
	}
	w := &watch{jail: j, pid: p.pid(), ended: make(chan struct{})}
	go w.run(ctx, out)
	out.pump(j.relay.ready)
	p.wait()
	j.calls.sweep(w.pid, w.group())
	j.calls.remove(w.pid) // its number may be another's once it is reaped
	o.Ran, o.Exit = true, p.reap()
	close(w.ended)
	out.drain()
	o.Stdout, o.Stderr, o.Pipe = out.stdout.bytes.Load(), out.stderr.bytes.Load(), out.stdout.broken.Load()
	if o.Denied = w.denied.Load(); o.Denied == nil {
		o.Denied = out.fault(s.MaxOutput)
	}
	return o
}

func (j *jail) launch(argv Argv, in *os.File, out *output) (process, error) {
	closeOnExec()
	adoptOrphans()
	s := &j.plan.spec
	env := childEnv(s, j.dirs)
	if s.Mode == ModeProject {
		env = append(env, trustProject(j.plan.project)...)
	}
	attr := &os.ProcAttr{Dir: j.dirs.cwd, Env: env, Files: []*os.File{in, out.stdout.child, out.stderr.child}, Sys: sysProcAttr(s.Foreground)}
	// A program that another process has just written may be busy for a moment.
	for try := 0; ; try++ {
		p, err := j.try(s.Bin, argv, attr)
		if !errors.Is(err, syscall.ETXTBSY) || try == 3 {
			return p, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// try starts the program by its descriptor; where that can't be (no /proc, a
// format that needs its name), by its path, checked once more.
func (j *jail) try(b *Bin, argv Argv, attr *os.ProcAttr) (process, error) {
	byFile, byPath, words, err := b.command(argv.words)
	if err != nil {
		return nil, err
	}
	l := &launch{path: byFile, argv: words, attr: attr, plan: j.plan, dirs: &j.dirs}
	if byFile != "" {
		p, err := j.calls.start(j.starter, l, j.dirs.tmp)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	if !leadsTo(byPath.Path, byPath) {
		return nil, errChanged
	}
	l.path = byPath.Path
	return j.calls.start(j.starter, l, j.dirs.tmp)
}

// command gives what to execute: by descriptor ("" where that is not to be) and
// by path, and the argv with argv[0]. The kernel starts a script by its path;
// one that env would start is started by the recorded interpreter.
func (b *Bin) command(args []string) (byFile string, byPath hcp.FileID, argv []string, err error) {
	rec := &b.rec
	byPath = rec.FileID
	if len(rec.Interp) == 0 {
		return descriptorPath(b.file), byPath, append([]string{rec.Found}, args...), nil
	}
	// A script is opened again by its interpreter. It knows itself by the name
	// it was found under, as long as that still leads to it.
	if leadsTo(rec.Found, rec.FileID) {
		byPath.Path = rec.Found
	} else if !leadsTo(rec.Path, rec.FileID) {
		return "", byPath, nil, errChanged
	}
	if len(rec.Script) == 0 {
		return "", byPath, append([]string{byPath.Path}, args...), nil
	}
	argv = append(append(argv, rec.Script...), byPath.Path)
	return descriptorPath(b.file), rec.Interp[len(rec.Interp)-1], append(argv, args...), nil
}

func leadsTo(path string, want hcp.FileID) bool {
	info, err := os.Stat(path)
	got := hcp.FileID{}
	if err == nil {
		got = fileID(want.Path, info)
	}
	return got == want
}

var errChanged = errors.New("changed since activation")

// startDenial says in one line why a child could not be started.
func startDenial(s *Spec, cwd string, err error) *hcp.Denial {
	var setup *setupError
	if errors.As(err, &setup) {
		return unavailable(setup.stage, setup.err)
	}
	if errors.Is(err, errChanged) {
		return hcp.NotAllowlisted(s.Name).WithHint("%s %s", s.Name, errChanged)
	}
	if info, serr := os.Stat(cwd); serr != nil || !info.IsDir() {
		return hcp.SandboxDenied("working directory: %s", hcp.Reason(errors.Join(serr, err)))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return hcp.BinNotFound(s.Name)
	}
	name := hcp.Quote(s.Name)
	return hcp.SandboxDenied("%s: %s", name[1:len(name)-1], hcp.Reason(err))
}

// watch is what ends a child early and passes signals on to it.
type watch struct {
	jail   *jail
	pid    int
	ended  chan struct{}              // closed when the child is gone
	denied atomic.Pointer[hcp.Denial] // why hcp ended it; nil: it did not
}

// group is the child's process group, or 0 when it shares hcp's own.
func (w *watch) group() int {
	if w.jail.plan.spec.Foreground {
		return 0
	}
	return w.pid
}

func (w *watch) run(ctx context.Context, out *output) {
	j := w.jail
	s := &j.plan.spec
	var timeout, kill <-chan time.Time
	patience := s.Grace
	if patience <= 0 {
		patience = grace
	}
	if s.Timeout > 0 {
		t := time.NewTimer(s.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	done, over := ctx.Done(), out.over
	end := func(why *hcp.Denial) {
		w.denied.Store(why) // before the signal, so that who sees the end sees why
		timeout, done, over = nil, nil, nil
		j.calls.signal(w.pid, w.group(), syscall.SIGTERM)
		kill = time.After(patience)
	}
	for {
		select {
		case <-w.ended:
			return
		case sig := <-j.relay.signals:
			if sig, ok := sig.(syscall.Signal); ok && j.relay.passes(sig) {
				j.calls.forward(w.pid, w.group(), sig)
			}
		case <-timeout:
			why := hcp.SandboxDenied("timeout after %s", shortDuration(s.Timeout))
			why.Exit = hcp.ExitTimeout
			end(why)
		case <-done:
			end(hcp.SandboxDenied("cancelled"))
		case <-over:
			end(exceeds(s.MaxOutput))
		case <-kill:
			j.calls.signal(w.pid, w.group(), syscall.SIGKILL)
			kill = time.After(grace)
		}
	}
}

func stdin(f *os.File) (*os.File, error) {
	if f != nil {
		return f, nil
	}
	return os.Open(os.DevNull)
}

func exceeds(limit int64) *hcp.Denial {
	return hcp.SandboxDenied("output exceeds %s", shortSize(limit))
}

// shortDuration writes 2m0s as 2m.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = text[:len(text)-2]
	}
	if strings.HasSuffix(text, "h0m") {
		text = text[:len(text)-2]
	}
	return text
}

// shortSize writes a size as hcp.toml does: 8MiB, 64KiB, 1000B.
func shortSize(n int64) string {
	for _, u := range [...]struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}
