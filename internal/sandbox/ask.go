package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"hcp/internal/hcp"
)

// maxAnswer bounds what is read of a shell's answer, in bytes.
const maxAnswer = 64 << 10

// ErrUntrusted is Ask's refusal of a program that others than root can change.
var ErrUntrusted = errors.New("is not a program of the system's")

var errNoAnswer = errors.New("no answer in time")

// Ask runs one of the system's own programs, outside of any jail, and gives what
// it wrote to stdout: doctor asks the shells what they would find. path must be
// a file that only root can change. The program gets env and nothing else of the
// caller's: no stdin, no stderr, no terminal. When Ask comes back, it and all it
// started are ended. An error's text says why there is no answer; when ctx ends
// it is ctx's error.
func Ask(ctx context.Context, path string, args, env []string, timeout time.Duration) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", errors.New(hcp.Reason(err))
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Uid != 0 || !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 {
		return "", ErrUntrusted
	}
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		runtime.LockOSThread() // the kernel ends the program with the thread that started it
		defer runtime.UnlockOSThread()
		text, err := ask(ctx, path, args, env, timeout)
		done <- answer{text, err}
	}()
	a := <-done
	return a.text, a.err
}

func ask(ctx context.Context, path string, args, env []string, timeout time.Duration) (string, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return "", errors.New(hcp.Reason(err))
	}
	defer null.Close()
	out, theirs, err := os.Pipe()
	if err != nil {
		return "", errors.New(hcp.Reason(err))
	}
	defer out.Close()
	closeOnExec()
	adoptOrphans()
	calls := newCalls()
	p, err := calls.start(plainStart{}, &launch{path: path, argv: append([]string{path}, args...),
		attr: &os.ProcAttr{Dir: "/", Env: env, Files: []*os.File{null, theirs, null}, Sys: sysProcAttr(false)}}, "")
	theirs.Close()
	if err != nil {
		return "", errors.New(hcp.Reason(err))
	}
	ended := make(chan struct{})
	why := make(chan error, 1)
	go func() {
		select {
		case <-ended:
			why <- nil
			return
		case <-ctx.Done():
			why <- ctx.Err()
		case <-time.After(timeout):
			why <- errNoAnswer
		}
		calls.signal(p.pid(), p.pid(), syscall.SIGKILL)
	}()
	read := make(chan []byte, 1)
	go func() {
		data, _ := io.ReadAll(io.LimitReader(out, maxAnswer))
		read <- data
		_, _ = io.Copy(io.Discard, out)
	}()
	p.wait()
	calls.sweep(p.pid(), p.pid())
	close(ended)
	if err = <-why; err == nil {
		_ = out.SetReadDeadline(time.Now().Add(drained))
	} else {
		out.Close()
	}
	calls.remove(p.pid())
	p.reap()
	return string(<-read), err
}
