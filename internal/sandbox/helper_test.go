package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hcp/internal/hcp"
)

// TestMain lets the test binary stand in for hcp: "runner" makes one call the
// way hcp does, in a process of its own that a test can signal and kill.
func TestMain(m *testing.M) {
	MaybeChild()
	if uid, err := strconv.Atoi(os.Getenv("HCP_TEST_PRIVATE")); err == nil && len(os.Args) > 1 && os.Args[1] != "probe" && os.Args[1] != "inside" && os.Args[1] != "runner" {
		if err := enterPrivate(uid); err != nil {
			fmt.Fprintln(os.Stderr, "private namespaces:", err)
			os.Exit(97)
		}
	}
	if len(os.Args) > 3 && os.Args[1] == "runner" {
		os.Exit(runner(os.Args[2], os.Args[3], slices.Contains(os.Args, "foreground")))
	}
	if len(os.Args) > 2 && os.Args[1] == "probe" {
		os.Exit(probeMain(os.Args[2:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "inside" {
		os.Exit(insideMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func runner(base, script string, foreground bool) int {
	s := baseSpec(base)
	s.Stdout, s.Stderr, s.Foreground = os.Stdout, os.Stderr, foreground
	s.Base.Getenv = os.Getenv
	s.Mode = ModeEphemeral
	if slices.Contains(os.Args, "credentials") {
		s.BindingFiles = []hcp.CredentialFile{{Name: "token", Value: janitorSecret}}
	}
	b, err := shBin()
	if err != nil {
		return 99
	}
	s.Bin, s.Name = b, "/bin/sh"
	s.Args = literal("-c", script)
	drv := Process()
	for _, name := range []string{nsName, landlockName} {
		if slices.Contains(os.Args, name) {
			drv = driverNamed(name)
		}
	}
	o := Run(context.Background(), drv, s)
	if o.Denied != nil {
		fmt.Fprintln(os.Stderr, o.Denied.Message)
	}
	if o.Pipe {
		fmt.Fprintln(os.Stderr, "pipe closed")
	}
	return o.Exit
}

func runnerCmd(base, script string, more ...string) *exec.Cmd {
	return exec.Command(os.Args[0], append([]string{"runner", base, script}, more...)...)
}

func shBin() (*Bin, error) {
	rec := ResolveBin(Resolve{Bin: "/bin/sh"})
	if rec.Why != "" {
		return nil, fmt.Errorf("/bin/sh %s", rec.Why)
	}
	b, _, d := OpenBin("/bin/sh", rec, nil, "/packs/p", os.Geteuid())
	if d != nil {
		return nil, fmt.Errorf("%s", d.Message)
	}
	return b, nil
}

const janitorSecret = "s3cret-for-the-janitor"

var defaultFlags = []string{"--file", "--json-file", "--output", "-o", "--env-file"}

func baseSpec(base string) Spec {
	root := filepath.Join(base, "packs", "p")
	os.MkdirAll(root, 0o755)
	return Spec{Pack: "p", Verb: "v", Operation: hcp.OpWrite, PackRoot: root, Jails: filepath.Join(base, "jails"),
		Workspace: WorkspaceDir(filepath.Join(base, "workspaces"), "local", "user:anna", "p"),
		Home:      "/nonexistent", Cwd: base, FileFlags: defaultFlags, Base: Base{User: "anna"}}
}

func literal(words ...string) (out []Arg) {
	for _, w := range words {
		out = append(out, Arg{Text: w})
	}
	return out
}

// base is a folder whose path the path rules have nothing against.
func base(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

type result struct {
	Outcome
	out, err string
}

// sh runs a shell script under the process driver; change may alter the call.
func sh(t testing.TB, dir, script string, change func(*Spec), args ...Arg) result {
	t.Helper()
	b, err := shBin()
	if err != nil {
		t.Fatal(err)
	}
	s := baseSpec(dir)
	s.Bin, s.Name = b, "/bin/sh"
	s.Args = append(literal("-c", script, "sh"), args...)
	var out, errs bytes.Buffer
	s.Stdout, s.Stderr = &out, &errs
	if change != nil {
		change(&s)
	}
	o := Run(context.Background(), Process(), s)
	if left, _ := os.ReadDir(s.Jails); len(left) > 0 && !t.Failed() {
		t.Errorf("%d folders left in the jails", len(left))
	}
	return result{o, out.String(), errs.String()}
}

func mode(m string) func(*Spec) { return func(s *Spec) { s.Mode = m } }

func denied(t testing.TB, d *hcp.Denial, want string) {
	t.Helper()
	switch {
	case d == nil:
		t.Errorf("not denied, want %q", want)
	case d.Message != want:
		t.Errorf("denied %q, want %q", d.Message, want)
	}
}

func wrote(t testing.TB, path, text string, perm os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil {
		t.Fatal(err)
	}
}

// alive tells whether a process whose command line holds mark lives.
func alive(mark string) bool {
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range dirs {
		data, _ := os.ReadFile(f)
		if filepath.Base(filepath.Dir(f)) != fmt.Sprint(os.Getpid()) && strings.Contains(strings.ReplaceAll(string(data), "\x00", " "), mark) {
			return true
		}
	}
	return false
}

func within(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for stop := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(stop) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}
