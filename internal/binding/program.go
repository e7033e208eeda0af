package binding

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

const (
	// markName marks a program's descendants, so that one which left its group
	// and its parent can be found.
	markName = "HCP_MINT"

	drainTime = 200 * time.Millisecond // for a pipe that something still holds after everything was ended
	dieTime   = 2 * time.Second        // for the kernel to end a killed program; one stuck in a dead disk takes for ever
)

// program is one run of a helper or of the keyring's tool: without a terminal,
// in a session of its own, with a time limit. When run comes back, it and what
// it started are ended: its process group, and on Linux its descendants and
// every process that carries its mark or holds its output. What leaves the
// group, gives its parent up, clears its environment and closes its output, all
// four, can get away; so can what changes its user. After a kill -9 of hcp only
// the program itself is ended, by the kernel.
type program struct {
	path    string
	argv    []string
	env     []string // all of it but the mark
	stdin   []byte
	timeout time.Duration
}

// run gives what the program wrote to stdout, at most 64 KiB, or a reason. Its
// stderr is read by nobody: it may hold what nobody may see.
func (p program) run(ctx context.Context) (out []byte, reason string) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		onOwnThread(func() { out, reason = p.runHere(ctx) })
	}()
	<-done
	return out, reason
}

func (p program) runHere(ctx context.Context) ([]byte, string) {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	mark := markName + "=" + hex.EncodeToString(random)
	in, out, cmd, err := p.start(mark)
	if err != nil {
		return nil, reasonMissing
	}
	defer out.Close()
	go func() {
		_ = in.SetWriteDeadline(time.Now().Add(p.timeout))
		_, _ = in.Write(p.stdin)
		in.Close()
	}()
	read := make(chan []byte, 1)
	go func() {
		data, _ := io.ReadAll(io.LimitReader(out, maxCredential+1))
		read <- data
	}()
	ended := make(chan struct{})
	go func() {
		waitNoReap(cmd.Process.Pid)
		close(ended)
	}()
	data, reason := watch(ctx, read, ended)
	killAll(cmd.Process.Pid, mark, out)
	if exit := reap(cmd, ended); reason == "" {
		reason = exit
	}
	if reason == "" && data == nil {
		_ = out.SetReadDeadline(time.Now().Add(drainTime))
		data = <-read
	}
	if reason == "" && len(data) > maxCredential {
		reason = reasonResponse
	}
	if reason != "" {
		return nil, reason
	}
	return data, ""
}

// watch stays until the program has ended or must be ended. data is nil as long
// as its output has not come to an end.
func watch(ctx context.Context, read <-chan []byte, ended <-chan struct{}) (data []byte, reason string) {
	for {
		select {
		case <-ended:
			return data, ""
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, reasonTimeout
			}
			return nil, reasonKilled
		case data = <-read:
			if len(data) > maxCredential {
				return nil, reasonResponse
			}
			read = nil
		}
	}
}

// start starts the program and gives the ends of its pipes that are ours.
func (p program) start(mark string) (in, out *os.File, cmd *exec.Cmd, err error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, nil, nil, err
	}
	defer theirOut.Close()
	closeOnExec()
	// A program that another process has just written may be busy for a moment.
	for try := 0; ; try++ {
		cmd = &exec.Cmd{Path: p.path, Args: p.argv, Env: append(p.env[:len(p.env):len(p.env)], mark), Dir: "/",
			Stdin: theirIn, Stdout: theirOut, SysProcAttr: sysProcAttr()}
		if err = cmd.Start(); err == nil {
			return in, out, cmd, nil
		}
		if !errors.Is(err, syscall.ETXTBSY) || try == 3 {
			in.Close()
			out.Close()
			return nil, nil, nil, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// reap takes the program's exit status, as a reason.
func reap(cmd *exec.Cmd, ended <-chan struct{}) string {
	select {
	case <-ended:
	case <-time.After(dieTime):
		_ = cmd.Process.Release()
		return reasonTimeout
	}
	_ = cmd.Wait()
	state := cmd.ProcessState
	if state == nil {
		return reasonKilled
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return reasonKilled
	}
	if code := state.ExitCode(); code != 0 {
		return "helper exit " + strconv.Itoa(code)
	}
	return ""
}

// closeOnExec keeps what the caller left open from the program: only the three
// standard files are its own.
func closeOnExec() {
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
