package test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// buildHCP builds the real binary once; a shim that linked to the test binary
// would run the tests again.
func buildHCP(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "hcp")
	cmd := exec.Command("go", "build", "-o", bin, "hcp")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// TestScripts runs test/script: what a user sees. Each script has a store of
// its own in $HCP_HOME, the binary on PATH behind the shim folder, and nothing
// of the caller's environment.
func TestScripts(t *testing.T) {
	bin := buildHCP(t)
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	// Something of the machine's own to reach, or not.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	testscript.Run(t, testscript.Params{
		Dir:                 "script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": cmdExits, "json": cmdJSON, "pack": cmdPack, "tty": cmdTTY, "alive": cmdAlive, "count": cmdCount,
		},
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			store := filepath.Join(home, "hcp")
			e.Vars = []string{
				"WORK=" + e.WorkDir, "HOME=" + home, "HCP_HOME=" + store, "REPO=" + repo, "HCP=" + bin, "PORT=" + port,
				"PATH=" + filepath.Join(store, "shims") + ":" + filepath.Dir(bin) + ":/usr/local/bin:/usr/bin:/bin",
				"TMPDIR=" + filepath.Join(e.WorkDir, ".tmp"), "/=/",
			}
			return os.Chmod(e.WorkDir, 0o755)
		},
	})
}

// cmdExits is "exits N cmd args…": testscript itself only tells zero from
// non-zero. Its output can be matched with stdout and stderr.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N cmd args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}

// cmdJSON is "json [file] PATH WANT": one value of the last stdout by gjson
// path, compared as text; WANT "-" says that there is none.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH WANT")
	}
	got, ok := lookUp(ts.ReadFile("stdout"), args[0])
	switch {
	case args[1] == "-" && ok != neg:
		ts.Fatalf("%s is there: %s", args[0], got)
	case args[1] != "-" && (ok && got == args[1]) == neg:
		ts.Fatalf("%s is %q, want %q", args[0], got, args[1])
	}
}

// cmdPack is "pack ID SURFACE [POLICY]": installs a pack written in the script,
// activates it and makes its shim. Without a policy file every command gets a read row.
func cmdPack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: pack ID SURFACE [POLICY]")
	}
	id := args[0]
	dir := ts.MkAbs(filepath.Join("packs", id))
	ts.Check(os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	surface := ts.ReadFile(args[1])
	policy := ""
	if len(args) > 2 {
		policy = ts.ReadFile(args[2])
	} else {
		policy = readRows(surface, id)
	}
	ts.Check(os.WriteFile(filepath.Join(dir, "surface.json"), []byte(surface), 0o644))
	ts.Check(os.WriteFile(filepath.Join(dir, "policy.json"), []byte(policy), 0o644))
	if bin, err := os.ReadFile(ts.MkAbs(id + ".sh")); err == nil {
		ts.Check(os.WriteFile(filepath.Join(dir, "bin", id), bin, 0o755))
	} else if !errors.Is(err, fs.ErrNotExist) {
		ts.Check(err)
	}
	ts.Check(ts.Exec("hcp", "install", "--replace", dir))
	ts.Check(ts.Exec("hcp", "activate", id))
	ts.Check(ts.Exec("hcp", "shim", "install", "--shadow", id))
}

func readRows(surface, id string) string {
	var rows []string
	for _, verb := range keysOf(surface, "verbs") {
		rows = append(rows, fmt.Sprintf("%q:{\"operation\":\"read\"}", verb))
	}
	return fmt.Sprintf(`{"pack_id":%q,"rows":{%s}}`, id, strings.Join(rows, ","))
}

// cmdTTY is "tty N cmd args…": runs with stdin, stdout and stderr on a
// pseudo-terminal, where the words of the file typed are typed; what a person
// would see is in the file tty.
func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: tty N cmd args…")
	}
	path, err := lookPath(ts.Getenv("PATH"), args[1])
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	cmd.Args[0] = args[1]
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "HCP_HOME", "TERM", "NO_COLOR", "COLUMNS", "HCP_PRINCIPAL"} {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	ts.Check(err)
	if typed, err := os.ReadFile(ts.MkAbs("typed")); err == nil {
		_, err = f.Write(typed)
		ts.Check(err)
	}
	text := drain(f)
	code := 0
	if err := cmd.Wait(); err != nil {
		code = cmd.ProcessState.ExitCode()
	}
	ts.Check(os.WriteFile(ts.MkAbs("tty"), []byte(strings.ReplaceAll(text, "\r\n", "\n")), 0o600))
	if want, _ := strconv.Atoi(args[0]); code != want {
		ts.Fatalf("exit %d, want %d; it printed:\n%s", code, want, text)
	}
}

// cmdAlive is "alive WORD": some process has WORD among its arguments.
func cmdAlive(ts *testscript.TestScript, neg bool, args []string) {
	if alive := processWith(args[0]); alive == neg {
		ts.Fatalf("a process with %q: %v", args[0], alive)
	}
}

// cmdCount is "count N TEXT": the last stdout holds TEXT N times.
func cmdCount(ts *testscript.TestScript, neg bool, args []string) {
	if n := strconv.Itoa(strings.Count(ts.ReadFile("stdout"), args[1])); (n == args[0]) == neg {
		ts.Fatalf("%q is there %s times, want %s", args[1], n, args[0])
	}
}
