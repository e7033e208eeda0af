package cli

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hcp/internal/sandbox"
	"hcp/internal/scaffold"
)

// standIn is a store in a folder of its own, and a CLI that somebody wrote.
type standIn struct {
	store *store
	bin   string
	home  string
}

func writeStandIn(t *testing.T, driver, script string) *standIn {
	t.Helper()
	dir := t.TempDir()
	s := &standIn{home: filepath.Join(dir, "home"), bin: filepath.Join(dir, "app", "tool")}
	for _, d := range []string{s.home, filepath.Dir(s.bin), filepath.Join(dir, "hcp")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "hcp", "hcp.toml"), []byte("[sandbox]\ndriver = \""+driver+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.bin, []byte(strings.ReplaceAll(script, "HOMEDIR", s.home)), 0o755); err != nil {
		t.Fatal(err)
	}
	env := &Env{Now: time.Now, Getwd: os.Getwd, Managed: "/nonexistent/hcp.toml", Terminal: func(*os.File) bool { return false },
		LookupEnv: func(name string) (string, bool) {
			v, ok := map[string]string{"HCP_HOME": filepath.Join(dir, "hcp"), "PATH": "/usr/bin:/bin", "HOME": s.home}[name]
			return v, ok
		}}
	st, d := openStore(env, "", "")
	if d != nil {
		t.Fatal(d.Message)
	}
	s.store = st
	return s
}

// prober asks the stand-in, with little patience.
func (s *standIn) prober(t *testing.T) *prober {
	t.Helper()
	b, err := s.store.findWrapBin(s.bin)
	if err != nil {
		t.Fatal(err)
	}
	p, d := newProber(s.store, b.rec, s.bin, b.beside, openWrapCache(filepath.Join(t.TempDir(), "wrap"), b.rec, time.Now()))
	if d != nil {
		t.Fatal(d.Message)
	}
	p.patience = patience{700 * time.Millisecond, 800 * time.Millisecond, 10 * time.Second}
	return p
}

// onDrivers runs a test behind each kind of wall that this system has.
func onDrivers(t *testing.T, f func(t *testing.T, driver string)) {
	for _, driver := range []string{"ns", "landlock"} {
		t.Run(driver, func(t *testing.T) {
			if r := sandbox.Inspect(sandbox.Choice{Driver: driver}); r.Driver != driver {
				if strings.Contains(os.Getenv("HCP_REQUIRE_ISOLATION"), driver) {
					t.Fatalf("driver %s: %s", driver, r.Problem)
				}
				t.Skip(r.Problem)
			}
			f(t, driver)
		})
	}
}

// help is what each stand-in prints in the end: hostile or not, it is read.
const standInHelp = "cat <<'H'\nUsage: tool [command]\n\nCommands:\n  list    List things\n\nOptions:\n  --all   Everything\nH\n"

// Nothing of what a program does on --help outlives it or leaves its jail.
func TestProbe_Hostile(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket := filepath.Join(t.TempDir(), "s")
	unixListener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer unixListener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, row := range []struct {
		name, script string
		failed       string // Answer.Failed; "" an answer
		exit         int
		stdout       string // in what it printed
		most         time.Duration
	}{
		{"daemon", "#!/bin/sh\n(setsid nohup sleep 98765 >/dev/null 2>&1 &) &\nenv -i setsid sleep 98765 &\n" + standInHelp, "", 0, "Usage", time.Second},
		{"files", "#!/bin/sh\nfor d in \"$HOME\" /tmp /var/tmp /home /dev/shm \"$(dirname \"$0\")\" HOMEDIR; do echo x >\"$d/hcp-wrap-probe-test\"; done\n" + standInHelp, "", 0, "Usage", time.Second},
		{"tcp", "#!/bin/bash\n(echo hello >/dev/tcp/127.0.0.1/" + port + ") && echo CONNECTED\n" + standInHelp, "", 0, "Usage", time.Second},
		{"unix", "#!/usr/bin/perl\nuse IO::Socket::UNIX;\nprint IO::Socket::UNIX->new(Peer => '" + socket + "') ? 'CONNECTED' : 'Usage: none';\n", "", 0, "Usage", time.Second},
		{"prompt", "#!/bin/sh\nprintf 'Continue? ' >/dev/tty; read x </dev/tty\nread y\n" + standInHelp, "", 0, "Usage", time.Second},
		{"flood", "#!/bin/sh\nyes | head -c 10000000\n", "output over 4MiB", 0, "", 2 * time.Second},
		{"hang", "#!/bin/sh\nsleep 98765\n", "timeout", 0, "", 6 * time.Second},
		{"stubborn", "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n", "timeout", 0, "", 6 * time.Second},
		{"silent", "#!/bin/sh\nexit 3\n", "", 3, "", time.Second},
		{"again", "#!/bin/sh\nN=${N:-0}; [ $N -ge 5 ] || { N=$((N+1)); export N; exec \"$0\" \"$@\"; }\n" + standInHelp, "", 0, "Usage", 2 * time.Second},
		{"signal", "#!/bin/sh\n" + standInHelp + "kill -KILL $$\n", "", 137, "Usage", time.Second},
		{"binary", "#!/bin/sh\nhead -c 5000 /dev/urandom\n", "", 0, "", time.Second},
		{"environment", "#!/bin/sh\necho \"$PAGER $NO_COLOR $LC_ALL $COLUMNS $GIT_TERMINAL_PROMPT ${HCP_PRINCIPAL-unset}\"; [ -t 0 ] || [ -t 1 ] || echo no terminal\n",
			"", 0, "cat 1 C.UTF-8 120 0 unset\nno terminal", time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			onDrivers(t, func(t *testing.T, driver string) {
				s := writeStandIn(t, driver, row.script)
				p := s.prober(t)
				began := time.Now()
				a := p.probe(context.Background(), []string{"--help"})
				if took := time.Since(began); took > row.most+2*time.Second {
					t.Errorf("took %s", took)
				}
				if a.Failed != row.failed || row.failed == "" && a.Exit != row.exit || !strings.Contains(string(a.Stdout), row.stdout) {
					t.Errorf("failed %q, exit %d, stdout %q, stderr %q", a.Failed, a.Exit, cut(a.Stdout), cut(a.Stderr))
				}
				if strings.Contains(string(a.Stdout), "CONNECTED") {
					t.Error("it reached the host")
				}
				if p.ranBy != driver {
					t.Errorf("held by %q", p.ranBy)
				}
				nothingLeft(t, s)
			})
		})
	}
}

func cut(b []byte) string { return string(b[:min(len(b), 300)]) }

func nothingLeft(t *testing.T, s *standIn) {
	t.Helper()
	for _, dir := range []string{s.home, "/tmp", "/var/tmp", "/home", "/dev/shm", filepath.Dir(s.bin)} {
		if _, err := os.Lstat(filepath.Join(dir, "hcp-wrap-probe-test")); err == nil {
			t.Errorf("it wrote to %s", dir)
		}
	}
	if jails, _ := filepath.Glob(filepath.Join(s.store.places.Jails(), "*")); len(jails) > 0 {
		t.Errorf("left: %v", jails)
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		if data, _ := os.ReadFile(line); strings.Contains(string(data), "98765") {
			t.Errorf("alive: %s %q", line, data)
		}
	}
}

// A program that is slow to start gets its one long wait, and only that.
func TestProbe_SlowOnce(t *testing.T) {
	s := writeStandIn(t, "auto", "#!/bin/sh\nsleep 1\n"+standInHelp)
	p := s.prober(t)
	p.patience = patience{500 * time.Millisecond, 5 * time.Second, time.Minute}
	if a := p.probe(context.Background(), []string{"--help"}); a.Failed != "" {
		t.Errorf("the first: %s", a.Failed)
	}
	if a := p.probe(context.Background(), []string{"list", "--help"}); a.Failed != "timeout" {
		t.Errorf("the second: %q", a.Failed)
	}
}

// All questions together have a limit, and so has their number.
func TestProbe_Limits(t *testing.T) {
	s := writeStandIn(t, "auto", "#!/bin/sh\n"+standInHelp)
	p := s.prober(t)
	p.ran = probesMost
	if a := p.probe(context.Background(), []string{"--help"}); a.Failed != "more than 200 questions" {
		t.Errorf("%q", a.Failed)
	}
	p = s.prober(t)
	p.began = time.Now().Add(-time.Hour)
	if a := p.probe(context.Background(), []string{"--help"}); a.Failed != "no time left" {
		t.Errorf("%q", a.Failed)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if a := s.prober(t).probe(ctx, []string{"--help"}); a.Failed != "cancelled" {
		t.Errorf("%q", a.Failed)
	}
}

// Where nothing can hold the program it is not run, and the refusal is kept.
func TestProbe_NoDriver(t *testing.T) {
	s := writeStandIn(t, "auto", "#!/bin/sh\n"+standInHelp)
	p := s.prober(t)
	p.driver = sandbox.Select(sandbox.Choice{Driver: "process", Min: "landlock"})
	a := p.probe(context.Background(), []string{"--help"})
	if !strings.HasPrefix(a.Failed, "sandbox: isolation unavailable: ") || p.refused == nil {
		t.Errorf("%q", a.Failed)
	}
}

// What was answered is kept by digest and argv; what was not is asked again.
func TestProbe_Cache(t *testing.T) {
	s := writeStandIn(t, "auto", "#!/bin/sh\n"+standInHelp)
	b, err := s.store.findWrapBin(s.bin)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "wrap")
	ask := func(now time.Time) scaffold.Answer {
		t.Helper()
		c := openWrapCache(dir, b.rec, now)
		id, err := scaffold.Identify(b.found, c.memo(b.rec))
		if err != nil {
			t.Fatal(err)
		}
		c.is(b.rec, id)
		p, d := newProber(s.store, b.rec, s.bin, b.beside, c)
		if d != nil {
			t.Fatal(d.Message)
		}
		defer c.save()
		return p.probe(context.Background(), []string{"--help"})
	}
	now := time.Now()
	if a := ask(now); a.Cached || a.Failed != "" {
		t.Fatalf("first: %+v", a)
	}
	if a := ask(now); !a.Cached || !strings.Contains(string(a.Stdout), "Usage") {
		t.Errorf("second: cached %v", a.Cached)
	}
	if a := ask(now.Add(time.Hour)); a.Cached {
		t.Error("a script's answer is kept for an hour")
	}
	c := openWrapCache(dir, b.rec, now)
	for failed, kept := range map[string]bool{"timeout": true, "output over 4MiB": true, "cancelled": false, "no time left": false} {
		c.put([]string{failed}, scaffold.Answer{Failed: failed})
		if a, ok := c.get([]string{failed}); ok != kept || ok && a.Failed != failed {
			t.Errorf("%s: kept %v", failed, ok)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	if info, _ := os.Stat(files[0]); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	for _, broken := range []string{"", "{", `{"v":1,"answers":[{"argv":["--help"],"stdout":"!"}]}`, `{"v":99}`, strings.Repeat("[", 100_000)} {
		if err := os.WriteFile(files[0], []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if a := ask(now); a.Cached || a.Failed != "" {
			t.Errorf("with %.20q: %+v", broken, a)
		}
	}
	if err := os.Chmod(files[0], 0o666); err != nil {
		t.Fatal(err)
	}
	if a := ask(now); a.Cached {
		t.Error("a file that others may write is believed")
	}
}
