package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hcp/internal/hcp"
)

const (
	grace   = 5 * time.Second        // from TERM to KILL
	drained = 200 * time.Millisecond // for a pipe that something still holds after everything was ended
)

// launch is all that starting a child takes.
type launch struct {
	path string
	argv []string
	attr *os.ProcAttr
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

// spawn starts the child and stays until nothing of it is left.
func (j *jail) spawn(ctx context.Context, argv Argv) (o Outcome) {
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
	child := j.hold(argv, in, out)
	if d := <-child.started; d != nil {
		return Outcome{Denied: d}
	}
	<-j.relay.ready
	out.pump()
	o.Ran = true
	o.Denied = j.watch(ctx, child, out)
	out.drain()
	o.Exit = child.exit
	o.Stdout, o.Stderr, o.Pipe = out.stdout.bytes.Load(), out.stderr.bytes.Load(), out.stdout.broken.Load()
	if o.Denied == nil {
		o.Denied = out.fault(s.MaxOutput)
	}
	return o
}

// held is a child and the goroutine on whose thread it hangs.
type held struct {
	process
	started chan *hcp.Denial // one value; nil: it runs
	ended   chan struct{}    // closed when the child has ended and its orphans are gone
	exit    int              // valid after ended
}

// hold starts the child on a thread of its own. The kernel kills the child when
// the thread that started it dies (Pdeathsig), so the goroutine keeps the
// thread until the child is gone.
func (j *jail) hold(argv Argv, in *os.File, out *output) *held {
	h := &held{started: make(chan *hcp.Denial, 1), ended: make(chan struct{})}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		h.process, err = j.launch(argv, in, out)
		out.started()
		if err != nil {
			h.started <- startDenial(&j.plan.spec, j.dirs.cwd, err)
			return
		}
		h.started <- nil
		h.wait()
		j.calls.sweep(h.pid(), j.groupOf(h))
		j.calls.remove(h.pid()) // its number may be another's once it is reaped
		h.exit = h.reap()
		close(h.ended)
	}()
	return h
}

func (j *jail) launch(argv Argv, in *os.File, out *output) (process, error) {
	closeOnExec()
	adoptOrphans()
	s := &j.plan.spec
	env := childEnv(s, j.dirs)
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
	l := &launch{attr: attr}
	var byPath string
	l.path, byPath, l.argv = b.command(argv.words)
	if l.path != "" {
		p, err := j.calls.start(j.starter, l, j.dirs.tmp)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	if err := b.recheck(); err != nil {
		return nil, err
	}
	l.path = byPath
	return j.calls.start(j.starter, l, j.dirs.tmp)
}

// command gives what to execute: by descriptor ("" where that is not to be) and
// by path, and the argv with argv[0]. The kernel starts a script by its path;
// one that env would start is started by the recorded interpreter.
func (b *Bin) command(args []string) (byFile, byPath string, argv []string) {
	switch rec := &b.rec; {
	case len(rec.Script) > 0:
		argv = append(append(argv, rec.Script...), rec.Found)
		byFile, byPath = descriptorPath(b.file), rec.Interp[len(rec.Interp)-1].Path
	case len(rec.Interp) > 0:
		argv, byPath = []string{rec.Found}, rec.Found
	default:
		argv = []string{rec.Found}
		byFile, byPath = descriptorPath(b.file), rec.Path
	}
	return byFile, byPath, append(argv, args...)
}

// recheck tells whether the paths still lead to what was verified.
func (b *Bin) recheck() error {
	info, err := os.Stat(b.rec.Found)
	if err == nil && fileID(b.rec.Path, info) != b.rec.FileID {
		err = errChanged
	}
	return err
}

var errChanged = errors.New("changed since activation")

// startDenial says in one line why a child could not be started.
func startDenial(s *Spec, cwd string, err error) *hcp.Denial {
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

// watch waits for the end of the child and is what ends it early: a refusal
// says that hcp did.
func (j *jail) watch(ctx context.Context, h *held, out *output) (d *hcp.Denial) {
	s := &j.plan.spec
	var timeout, kill <-chan time.Time
	if s.Timeout > 0 {
		t := time.NewTimer(s.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	done, over := ctx.Done(), out.over
	end := func(why *hcp.Denial) {
		d, timeout, done, over = why, nil, nil, nil
		j.calls.signal(h.pid(), j.groupOf(h), syscall.SIGTERM)
		kill = time.After(grace)
	}
	for {
		select {
		case <-h.ended:
			return d
		case sig := <-j.relay.signals:
			if sig, ok := sig.(syscall.Signal); ok && j.relay.passes(sig) {
				j.calls.forward(h.pid(), j.groupOf(h), sig)
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
			j.calls.signal(h.pid(), j.groupOf(h), syscall.SIGKILL)
			kill = time.After(grace)
		}
	}
}

// groupOf is the child's process group, or 0 when it shares hcp's own.
func (j *jail) groupOf(h *held) int {
	if j.plan.spec.Foreground {
		return 0
	}
	return h.pid()
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
