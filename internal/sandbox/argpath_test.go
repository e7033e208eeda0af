package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func value(text string) Arg         { return Arg{Text: text, FromArg: true} }
func flagged(flag, text string) Arg { return Arg{Text: text, FromArg: true, Flag: flag} }
func joined(flag, text string) Arg {
	return Arg{Text: flag + "=" + text, FromArg: true, ValueAt: len(flag) + 1}
}
func words(p *Plan, s Spec) []string {
	j := &jail{plan: p, dirs: dirs{refs: s.Workspace}}
	argv := []string{}
	for _, t := range p.tokens {
		w := t.text
		if t.inJail {
			w += filepath.Join(j.dirs.refs, t.path)
		}
		argv = append(argv, w)
	}
	return argv
}

// R-12 in every spelling.
func TestR12_HostPaths(t *testing.T) {
	s := baseSpec("/srv/t")
	s.Workspace, s.PackRoot = "/srv/ws", "/srv/p"
	for _, a := range []Arg{
		value("/etc/x"), value("/etc"), value("/etc/"), value("//etc/x"), value("/./etc/x"), value("/tmp/../etc/x"), value("/../etc/x"), value("///root"),
		value("/home/a"), value("/root/.ssh/id"), value("/Users/a"), value("@/etc/x"), value("@@/etc/x"), value("file:///etc/x"), value("FILE:///etc/x"),
		value("file:/etc/x"), value("file://localhost/etc/x"), value("file:///%65tc/x"), value("file:%2f%2f%2fetc%2fx"), value("file://etc/x"), value("@file:///home/a"),
		value("key=@/etc/x"), value("key=/etc/x"), value("a,/etc/x"), value("<//etc/x"), value("f=</etc/x"), value("f=file:///etc/x"), value("--flag=/etc/x"), value("-f/etc/x"),
		joined("--flag", "/etc/x"), joined("--file", "//etc/x"), flagged("--file", "/etc/x"), flagged("-o", "/home/a/out"),
		{Text: "pre/etc/x", FromArg: true, ValueAt: 3}, {Text: "--x=/etc/y", FromArg: true, AfterEnd: true}, {Text: "/etc/x", FromArg: true, ValueAt: 99},
		value("https://x/?a=@/etc/x"), value("https://x=/etc/x"), value("x://y=/etc/z"),
	} {
		if d := CheckArgs(with(s, a)); d == nil || d.Message != "sandbox: host path not allowed" {
			t.Errorf("%q: %v", a.Text, d)
		}
	}
	for _, a := range []Arg{
		value("/etcetera"), value("/etc-x"), value("/home2/x"), value("etc/x"), value("/tmp/x"), value("/usr/share/x"), value("see /etc/passwd"), value("a/etc/x"),
		value("https://h/etc/x"), value("https://h/x?next=/home/a"), value("2.80"), value("-"), value("@"), value(""), value("file:"), value("file:///tmp/x"), value("%2fetc%2fx"),
		{Text: "/etc/x"}, {Text: "--config=/etc/x"}, flagged("--file", "https://h/x"),
	} {
		if d := CheckArgs(with(s, a)); d != nil {
			t.Errorf("%q: %s", a.Text, d.Message)
		}
	}
}

func with(s Spec, a Arg) Spec {
	s.Args = []Arg{a}
	return s
}

// The hint gives the spelling that works.
func TestR12_Hints(t *testing.T) {
	s := baseSpec("/srv/t")
	s.Workspace = "/root/.local/state/hcp/workspaces/local/user.anna/p"
	d := CheckArgs(with(s, value(s.Workspace+"/a/b")))
	if d == nil || d.Hint != "name it workspace:a/b" {
		t.Errorf("%+v", d)
	}
	if d = CheckArgs(with(s, value("/etc/x"))); d == nil || !strings.Contains(d.Hint, "hcp workspace put") {
		t.Errorf("%+v", d)
	}
	p := Plan{spec: Spec{Mode: ModeProject}, project: "/home/a/src", cwd: "/home/a/src/sub"}
	if d = p.hostDenial("/home/a/src/x.c"); d.Hint != "name it by its relative path: ../x.c" {
		t.Errorf("%+v", d)
	}
}

//
func TestR11_References(t *testing.T) {
	s := baseSpec("/srv/t")
	s.Workspace = "/srv/ws"
	for _, c := range []struct {
		a    Arg
		want string
	}{
		{value("workspace:a/b"), "/srv/ws/a/b"}, {value("workspace:a/../b"), "/srv/ws/b"}, {value("workspace:"), "/srv/ws"}, {value("workspace:."), "/srv/ws"},
		{joined("--in", "workspace:a"), "--in=/srv/ws/a"}, {value("--in=workspace:a"), "--in=/srv/ws/a"}, {value("@workspace:a"), "@/srv/ws/a"},
		{value("f=@workspace:a"), "f=@/srv/ws/a"}, {joined("--data", "@workspace:a"), "--data=@/srv/ws/a"}, {value("workspace:..a"), "/srv/ws/..a"},
		{flagged("--file", "a/b"), "/srv/ws/a/b"}, {joined("--file", "a"), "--file=/srv/ws/a"}, {flagged("-o", "out.json"), "/srv/ws/out.json"},
		{flagged("--file", "@a"), "@/srv/ws/a"}, {flagged("--file", "workspace:a"), "/srv/ws/a"}, {flagged("--env-file", "./x"), "/srv/ws/x"},
		{Arg{Text: "--file=dir/x", FromArg: true, ValueAt: 11}, "--file=/srv/ws/dir/x"}, {Arg{Text: "dir/x", FromArg: true, ValueAt: 4, Flag: "--file"}, "/srv/ws/dir/x"},
		{flagged("--file", "-"), "-"}, {joined("--file", "-"), "--file=-"}, {flagged("--file", "/srv/ws/a"), "/srv/ws/a"}, {flagged("--file", "https://h/x"), "https://h/x"},
		{flagged("--other", "a/b"), "a/b"}, {value("see workspace:a"), "see workspace:a"}, {value("../x"), "../x"}, {value("a=workspace:b"), "a=workspace:b"},
		{Arg{Text: "json", Flag: "-o"}, "json"}, {Arg{Text: "workspace:a"}, "workspace:a"}, {Arg{Text: "--file=x", FromArg: true, AfterEnd: true}, "--file=x"},
	} {
		p, d := planOf(with(s, c.a))
		if d != nil {
			t.Errorf("%+v: %s", c.a, d.Message)
			continue
		}
		if got := words(p, s)[0]; got != c.want {
			t.Errorf("%+v: %q, want %q", c.a, got, c.want)
		}
	}
	for _, a := range []Arg{
		value("workspace:../x"), value("workspace:a/../../x"), value("workspace:/tmp/x"), value("workspace://x"), value("workspace:.."), joined("--in", "workspace:../x"),
		flagged("--file", "../x"), flagged("--file", "a/../../x"), joined("--output", "../x"), flagged("--file", "@../x"), flagged("--file", "x://../../../y"),
	} {
		if d := CheckArgs(with(s, a)); d == nil || d.Message != "sandbox: path leaves the workspace" {
			t.Errorf("%q: %v", a.Text, d)
		}
	}
}

// Mode project: relative values stay and may not leave the project.
func TestR11_Project(t *testing.T) {
	dir := base(t)
	sub := filepath.Join(dir, "app", "sub")
	os.MkdirAll(sub, 0o755)
	os.MkdirAll(filepath.Join(dir, "app", ".git"), 0o755)
	s := baseSpec(dir)
	s.Mode, s.Cwd = ModeProject, sub
	p, d := planOf(with(s, flagged("--file", "../x")))
	if d != nil || words(p, s)[0] != "../x" {
		t.Errorf("%v", d)
	}
	denied(t, CheckArgs(with(s, flagged("--file", "../../x"))), "sandbox: path leaves the workspace")
	p, d = planOf(with(s, value("workspace:a")))
	if d != nil || words(p, s)[0] != s.Workspace+"/a" {
		t.Errorf("%v", d)
	}
}

// CheckArgs touches nothing.
func TestCheckArgsMakesNothing(t *testing.T) {
	dir := base(t)
	s := baseSpec(dir)
	s.Mode = ModeWorkspace
	if d := CheckArgs(with(s, value("workspace:a"))); d != nil {
		t.Fatal(d.Message)
	}
	for _, p := range []string{s.Jails, s.Workspace} {
		if _, err := os.Stat(p); !os.IsNotExist(err) {
			t.Errorf("%s was made", p)
		}
	}
}

func FuzzR11_StaysInside(f *testing.F) {
	for _, seed := range []string{"workspace:a", "a/../b", "workspace:../x", "@x", "--file=workspace:y", "x://../..", "/etc/x", "workspace:a\\..\\b"} {
		f.Add(seed, true)
	}
	s := baseSpec("/srv/t")
	s.Workspace = "/srv/ws"
	f.Fuzz(func(t *testing.T, text string, file bool) {
		a := value(text)
		if file {
			a.Flag = "--file"
		}
		p, d := planOf(with(s, a))
		if d != nil {
			return
		}
		for _, tok := range p.tokens {
			if !tok.inJail {
				continue
			}
			if full := filepath.Join(s.Workspace, tok.path); full != s.Workspace && !strings.HasPrefix(full, s.Workspace+"/") {
				t.Errorf("%q leads to %q", text, full)
			}
		}
	})
}
