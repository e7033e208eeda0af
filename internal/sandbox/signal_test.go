package sandbox

import (
	"bufio"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// started starts a runner and waits for the script's first line.
func started(t *testing.T, script string, more ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := runnerCmd(base(t), script, more...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); line != "up\n" {
		t.Fatal(line, err)
	}
	return cmd, r
}

func code(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// Signals for hcp are the child's.
func TestSignalsAreForwarded(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2,
		"WINCH": syscall.SIGWINCH, "CONT": syscall.SIGCONT, "INT": syscall.SIGINT} {
		cmd, out := started(t, "trap 'echo got; exit 9' "+name+"; echo up; while :; do sleep 0.05; done")
		cmd.Process.Signal(sig)
		line, _ := out.ReadString('\n')
		if err := cmd.Wait(); line != "got\n" || code(err) != 9 {
			t.Errorf("%s: %q exit %d", name, line, code(err))
		}
	}
	// A child that does not care ends by the signal, and hcp with its code.
	cmd, _ := started(t, "echo up; exec sleep 51.25")
	cmd.Process.Signal(syscall.SIGTERM)
	if c := code(cmd.Wait()); c != 143 || alive("sleep 51.25") {
		t.Errorf("exit %d", c)
	}
}

// In the foreground Ctrl-C is the terminal's to send to all: hcp waits for the
// child's clean-up and returns its code.
func TestForeground_CtrlC(t *testing.T) {
	cmd, _ := started(t, "trap 'sleep 0.4; exit 3' INT; echo up; while :; do sleep 0.05; done", "foreground")
	began := time.Now()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) // hcp and child share the group
	if c := code(cmd.Wait()); c != 3 || time.Since(began) < 350*time.Millisecond {
		t.Errorf("exit %d after %v", c, time.Since(began))
	}
}

// In the background the child has a session of its own.
func TestBackground_OwnSession(t *testing.T) {
	cmd, _ := started(t, "echo up; trap 'exit 4' TERM; while :; do sleep 0.05; done")
	syscall.Kill(-cmd.Process.Pid, syscall.SIGQUIT)
	if c := code(cmd.Wait()); c != 128+int(syscall.SIGQUIT) {
		t.Errorf("exit %d", c)
	}
}

// Nobody reads hcp's stdout any more: the child gets SIGPIPE, hcp cleans up and
// says nothing.
func TestSIGPIPE(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `"$@" | head -n 1`, "sh", runnerCmd(base(t), "").Path, "runner", base(t), "yes")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if string(out) != "y\n" || err != nil || errs.String() != "pipe closed\n" {
		t.Errorf("%q %q %v", out, errs.String(), err)
	}
}

// What the caller ignores (nohup), the child ignores.
func TestIgnoredSignals(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `trap '' HUP; exec "$@"`, "sh", runnerCmd(base(t), "").Path, "runner", base(t), "kill -HUP $$; echo alive")
	out, err := cmd.Output()
	if string(out) != "alive\n" || err != nil {
		t.Errorf("%q %v", out, err)
	}
}
