package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// S-9, S-12: the same call gives the same under each driver.
func TestWalls_S9_SameUnderEachDriver(t *testing.T) {
	dir := base(t)
	const script = `pwd; echo "$HOME"; umask; id -u; cat "$1"; echo n >new; echo err >&2; ls; env | sed 's/=.*//' | sort | tr '\n' ' '; exit 3`
	want := ""
	each := func(t *testing.T, drv Driver) {
		r := under(t, drv, dir, script, func(s *Spec) {
			s.Mode = ModeWorkspace
			os.RemoveAll(s.Workspace)
			os.MkdirAll(s.Workspace, 0o700)
			wrote(t, s.Workspace+"/in", "in\n", 0o600)
		}, Arg{Text: "workspace:in", FromArg: true})
		var files []string
		for _, f := range r.Files {
			files = append(files, f.Ref, f.Path)
		}
		got := fmt.Sprintf("%s|%s|%d|%v|%d|%d", r.out, r.err, r.Exit, files, r.Stdout, r.Stderr)
		if r.Denied != nil || r.Driver != drv.Name() {
			t.Fatalf("%s: %+v", drv.Name(), r.Denied)
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s:\n%s\nprocess:\n%s", drv.Name(), got, want)
		}
	}
	each(t, Process())
	if !strings.Contains(want, "|err\n|3|") {
		t.Fatal(want)
	}
	eachWall(t, each)
}

// The child has the terminal and cannot type into it, however the request is
// written.
func TestWalls_Terminal(t *testing.T) {
	eachWall(t, func(t *testing.T, drv Driver) {
		ours, theirs, err := pty.Open()
		if err != nil {
			t.Skip(err)
		}
		defer ours.Close()
		defer theirs.Close()
		at := func(s *Spec) { s.Stdin = theirs }
		if r := under(t, drv, base(t), "[ -t 0 ] && stty size >/dev/null && echo terminal", at); r.out != "terminal\n" {
			t.Errorf("%q %q %+v", r.out, r.err, r.Outcome)
		}
		for _, way := range []string{"sti", "stihigh", "tioclinux"} {
			if r := probe(t, drv, base(t), at, way); r.out != "EPERM\n" {
				t.Errorf("%s: %q %+v", way, r.out, r.Outcome)
			}
		}
	})
}
