package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func askSh(t *testing.T, ctx context.Context, script string) (string, error) {
	t.Helper()
	return Ask(ctx, "/bin/sh", []string{"-c", script}, []string{"ONE=1", "PATH=/usr/bin:/bin"}, time.Second)
}

func TestAsk(t *testing.T) {
	out, err := askSh(t, context.Background(), `echo "$ONE"; env | grep -c HOME; read x || echo eof; echo err >&2; echo x >/dev/tty`)
	if err != nil || out != "1\n0\neof\n" {
		t.Errorf("%q, %v", out, err)
	}
	out, err = askSh(t, context.Background(), `head -c 200000 /dev/zero; exit 3`)
	if err != nil || len(out) != maxAnswer {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// Nothing that was started stays, whatever it did, and nothing waits for it.
func TestAskLeavesNothing(t *testing.T) {
	for name, script := range map[string]string{
		"hangs":      "echo $$ >PID; sleep 60",
		"background": "sleep 60 & echo $! >PID; exit 0",
		"ignores":    "trap '' TERM INT HUP; echo $$ >PID; while :; do sleep 1; done",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			begun := time.Now()
			_, err := askSh(t, context.Background(), strings.ReplaceAll(script, "PID", file))
			if took := time.Since(begun); took > 3*time.Second {
				t.Errorf("took %s", took)
			}
			if name != "background" && !errors.Is(err, errNoAnswer) {
				t.Errorf("error %v", err)
			}
			data, _ := os.ReadFile(file)
			pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
			if pid == 0 || syscall.Kill(pid, 0) == nil {
				t.Errorf("process %d lives", pid)
			}
		})
	}
}

func TestAskCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := askSh(t, ctx, "sleep 60"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Only what root alone can change is run outside of a jail.
func TestAskUntrusted(t *testing.T) {
	mine := filepath.Join(t.TempDir(), "sh")
	if err := os.WriteFile(mine, []byte("#!/bin/sh\necho ran\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(mine, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(context.Background(), mine, nil, nil, time.Second); !errors.Is(err, ErrUntrusted) {
		t.Errorf("error %v", err)
	}
	for _, path := range []string{mine, "/nowhere/sh", "/"} {
		if out, err := Ask(context.Background(), path, nil, nil, time.Second); err == nil || out != "" {
			t.Errorf("%s: %q, %v", path, out, err)
		}
	}
}
