package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hcp/internal/hcp"
)

// walls are the drivers that promise more than §10.2. One that this machine
// cannot have is skipped, or fails where HCP_REQUIRE_ISOLATION names it.
func eachWall(t *testing.T, test func(t *testing.T, drv Driver)) {
	for _, name := range []string{nsName, landlockName} {
		t.Run(name, func(t *testing.T) {
			drv := driverNamed(name)
			if d := prove(drv, ""); d != nil {
				if slices.Contains(strings.Split(os.Getenv("HCP_REQUIRE_ISOLATION"), ","), name) {
					t.Fatal(d.Message)
				}
				t.Skip(d.Message)
			}
			test(t, drv)
		})
	}
}

// under runs a shell script under a driver; change may alter the call.
func under(t testing.TB, drv Driver, dir, script string, change func(*Spec), args ...Arg) result {
	t.Helper()
	b, err := shBin()
	if err != nil {
		t.Fatal(err)
	}
	return call(t, drv, dir, func(s *Spec) {
		s.Bin, s.Name = b, "/bin/sh"
		s.Args = append(literal("-c", script, "sh"), args...)
		if change != nil {
			change(s)
		}
	})
}

// probe runs this test binary under a driver, as a program that tries to get
// out; see probes.
func probe(t testing.TB, drv Driver, dir string, change func(*Spec), words ...string) result {
	t.Helper()
	b, _, d := OpenBin(os.Args[0], ResolveBin(Resolve{Bin: os.Args[0]}), nil, "/packs/p", os.Geteuid())
	if d != nil {
		t.Fatal(d.Message, d.Hint)
	}
	return call(t, drv, dir, func(s *Spec) {
		s.Bin, s.Name = b, os.Args[0]
		s.Args = literal(append([]string{"probe"}, words...)...)
		s.AgentEnv = []hcp.KeyValue{{Name: "GORACE", Value: "atexit_sleep_ms=0"}} // a second each
		if change != nil {
			change(s)
		}
	})
}

func call(t testing.TB, drv Driver, dir string, change func(*Spec)) result {
	t.Helper()
	s := baseSpec(dir)
	s.Mode = ModeEphemeral
	var out, errs bytes.Buffer
	s.Stdout, s.Stderr = &out, &errs
	change(&s)
	o := Run(context.Background(), drv, s)
	if left, _ := os.ReadDir(s.Jails); len(left) > 0 {
		t.Errorf("%d folders left in the jails", len(left))
	}
	return result{o, out.String(), errs.String()}
}

// What ordinary programs must still be able to do.
func TestWalls_KeepWorking(t *testing.T) {
	bundle := "/etc/ssl/certs/ca-certificates.crt"
	if _, err := os.Stat(bundle); err != nil {
		bundle = "/etc/passwd"
	}
	for name, row := range map[string]struct{ needs, script, want string }{
		"dev null":   {"", "echo x >/dev/null && head -c8 /dev/zero | wc -c", "8\n"},
		"full":       {"", "(echo x >/dev/full) 2>/dev/null || echo full", "full\n"},
		"move":       {"", "mkdir a && touch f && mv f a/f && ls a", "f\n"},
		"link":       {"", "echo x >f && ln -s f s && ln f h && cat s h", "x\nx\n"},
		"tmp":        {"", `f=$(mktemp -p "$TMPDIR") && echo x >"$f" && cat "$f"`, "x\n"},
		"home":       {"", `mkdir -p "$HOME/.config/a" && echo y >"$XDG_CONFIG_HOME/a/b" && cat "$HOME/.config/a/b"`, "y\n"},
		"fifo":       {"", "mkfifo p && (echo z >p &) && cat p", "z\n"},
		"fd":         {"", "echo q | cat /dev/stdin", "q\n"},
		"CA bundle":  {"", "head -c1 " + bundle + " | wc -c", "1\n"},
		"passwd":     {"", "id -u >/dev/null && grep -c ^root: /etc/passwd", "1\n"},
		"executable": {"", "printf '#!/bin/sh\\necho ran\\n' >x && chmod +x x && ./x", "ran\n"},
		"git":        {"git", "git init -q . && echo a >a && git add a && git -c user.name=a -c user.email=a@b commit -qm m && git log --oneline | wc -l", "1\n"},
		"node":       {"node", `node -e 'new (require("worker_threads").Worker)("require(\"worker_threads\").parentPort.postMessage(6*7)",{eval:true}).on("message",console.log)'`, "42\n"},
		"perl":       {"perl", `perl -MPOSIX -e 'my $p=fork(); if(!$p){exit 3} waitpid $p,0; print $?>>8,"\n"'`, "3\n"},
	} {
		if row.needs != "" && len(ResolveBin(Resolve{Bin: row.needs, Path: strings.Split(fixedPath, ":")}).Path) == 0 {
			continue
		}
		eachWall(t, func(t *testing.T, drv Driver) {
			if r := under(t, drv, base(t), row.script, nil); r.out != row.want || r.err != "" || r.Exit != 0 || r.Driver != drv.Name() {
				t.Errorf("%s: %q, stderr %q, %+v", name, r.out, r.err, r.Outcome)
				if r.Denied != nil {
					t.Error(r.Denied.Message)
				}
			}
		})
	}
}

func secret(t testing.TB) (file string) {
	t.Helper()
	file = filepath.Join(base(t), "secret")
	wrote(t, file, "secret\n", 0o666)
	return file
}

var _ = fmt.Sprint

// A program that a symlink outside the system's folders leads to runs behind
// every wall: it is there under both names.
func TestWalls_LinkedProgram(t *testing.T) {
	eachWall(t, func(t *testing.T, drv Driver) {
		dir := base(t)
		data, err := os.ReadFile("/bin/true")
		if err != nil {
			t.Fatal(err)
		}
		wrote(t, filepath.Join(dir, "real"), string(data), 0o755)
		link := filepath.Join(dir, "link")
		if err := os.Symlink("real", link); err != nil {
			t.Fatal(err)
		}
		b, _, d := OpenBin(link, ResolveBin(Resolve{Bin: link}), nil, "", os.Geteuid())
		if d != nil {
			t.Fatal(d.Message)
		}
		s := baseSpec(dir)
		s.Bin, s.Name, s.Mode = b, link, ModeEphemeral
		if o := Run(context.Background(), drv, s); !o.Ran || o.Exit != 0 || o.Denied != nil {
			t.Errorf("%+v %+v", o, o.Denied)
		}
	})
}
