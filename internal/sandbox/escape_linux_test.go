package sandbox

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	privateMark = "HCP_TEST_PRIVATE" // the uid that the tests are to run as
	nobody      = 65534
)

// enterPrivate makes the tests' own mount and process namespace what it should
// be, and becomes the user that was asked for. A broken driver then runs the
// probes against nothing that matters.
func enterPrivate(uid int) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return err
	}
	if uid == 0 {
		return nil
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setgid(uid); err != nil {
		return err
	}
	if err := syscall.Setuid(uid); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) // as for a program that this user started
}

// Every test of the walls, as root and as somebody else.
func TestPrivate(t *testing.T) {
	if os.Geteuid() != 0 || os.Getenv(privateMark) != "" {
		t.Skip("needs root, once")
	}
	for _, uid := range []int{0, nobody} {
		t.Run("uid "+strconv.Itoa(uid), func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("/tmp", "hcp-walls-")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			self, tmp := filepath.Join(dir, "walls.test"), filepath.Join(dir, "tmp")
			copyProgram(t, os.Args[0], self)
			if err := os.Mkdir(tmp, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(tmp, uid, uid); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			// A number that no process of a fresh namespace has makes the probes unambiguous.
			cmd := exec.Command("/bin/sh", "-c", `mount -t proc proc /proc && echo 5000 >/proc/sys/kernel/ns_last_pid; "$0" "$@"; exit $?`,
				self, "-test.run", "^TestWalls", "-test.v", "-test.timeout", "240s", "-test.short="+strconv.FormatBool(testing.Short()))
			cmd.Dir = tmp
			cmd.Env = append(os.Environ(), privateMark+"="+strconv.Itoa(uid), "TMPDIR="+tmp, "HOME=/nonexistent")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "--- PASS: TestWalls_Escapes") {
				t.Errorf("%v\n%s", err, out)
			} else if testing.Verbose() {
				t.Logf("%s", out)
			}
		})
	}
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// outside is what a child must not reach.
type outside struct {
	file, stream, dgram, abstract, tcp, udp, pid, hcp string
}

func makeOutside(t *testing.T) outside {
	t.Helper()
	dir := base(t)
	o := outside{file: filepath.Join(dir, "secret"), stream: filepath.Join(dir, "s.sock"), dgram: filepath.Join(dir, "d.sock"),
		abstract: strings.ReplaceAll(strings.TrimPrefix(dir, "/tmp/"), "/", "-"), hcp: strconv.Itoa(os.Getpid())}
	wrote(t, o.file, "secret\n", 0o666)
	for _, l := range [][2]string{{"unix", o.stream}, {"unix", "@" + o.abstract}, {"tcp", "127.0.0.1:0"}} {
		ln, err := net.Listen(l[0], l[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		if l[0] == "tcp" {
			_, o.tcp, _ = net.SplitHostPort(ln.Addr().String())
		}
	}
	for _, l := range [][2]string{{"unixgram", o.dgram}, {"udp", "127.0.0.1:0"}} {
		pc, err := net.ListenPacket(l[0], l[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { pc.Close() })
		if l[0] == "udp" {
			_, o.udp, _ = net.SplitHostPort(pc.LocalAddr().String())
			go echo(pc)
		}
	}
	victim := exec.Command("sleep", "600")
	victim.Env = []string{"SECRET=1"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { victim.Process.Kill(); victim.Wait() })
	o.pid = strconv.Itoa(victim.Process.Pid)
	return o
}

// echo answers whoever reaches it.
func echo(pc net.PacketConn) {
	b := make([]byte, 16)
	for {
		n, from, err := pc.ReadFrom(b)
		if err != nil {
			return
		}
		pc.WriteTo(b[:n], from)
	}
}

// escape is a way out. control says for whom it is open without walls, which
// shows that the probe can tell: "all", "root", or "" where nothing is sure.
type escape struct {
	control string
	words   []string
	network string
}

func escapes(o outside) []escape {
	var list []escape
	add := func(control string, words ...string) { list = append(list, escape{control, words, networkNone}) }
	for _, way := range []string{"read", "append", "create", "truncate", "mkdir", "replace", "symlink", "hardlink", "dotdot", "chdir"} {
		control := "all"
		if way == "hardlink" || way == "replace" {
			control = "" // the other file system, perhaps
		}
		add(control, way, o.file)
	}
	add("all", "list", filepath.Dir(o.file))
	add("all", "take", o.file)
	add("all", "unlink", o.file)
	add("root", "read", "/etc/shadow")
	add("all", "unix", o.stream)
	add("all", "unixdgram", o.dgram)
	add("all", "abstract", o.abstract)
	add("all", "pair", o.dgram)
	add("all", "tcp", o.tcp)
	add("", "mptcp", o.tcp)
	add("all", "udp", o.udp)
	for _, way := range []string{"vsock", "alg", "highfamily", "perf", "bpf", "uring", "clone3", "sysrq"} {
		add("", way)
	}
	for _, way := range []string{"packet", "mknod", "mknodblk", "mountns", "mount", "chroot", "sysctl", "setuid"} {
		add("root", way)
	}
	for _, way := range []string{"uevent", "keyctl", "shm", "mq", "cloneuser", "caps"} {
		add("all", way)
	}
	add("", "userns") // a program with threads may not, walls or none
	for _, way := range []string{"kill", "environ", "mem", "fds", "root", "limits"} {
		add("all", way, o.pid)
		add("all", way, o.hcp)
	}
	for _, way := range []string{"ptrace", "vmread", "killthread", "tgkill", "tkill", "pidfd"} {
		add("", way, o.hcp)
		add("", way, o.pid)
	}
	add("all", "owner", o.hcp)
	for _, way := range [][]string{{"unix", o.stream}, {"abstract", o.abstract}, {"pair", o.dgram}, {"vsock"}, {"packet"}, {"alg"}, {"uevent"}} {
		list = append(list, escape{"", way, networkHost})
	}
	return list
}

// ownNamespace tells what is no way out under a driver, because it leads to a
// namespace that is the child's own.
func ownNamespace(drv Driver, e escape) bool {
	return drv.Name() == nsName && (e.words[0] == "shm" || e.words[0] == "mq")
}

// The escape table: none of these is open behind walls, and those that can be
// shown to work without them do.
func TestWalls_Escapes(t *testing.T) {
	if os.Geteuid() == 0 && os.Getenv(privateMark) == "" {
		t.Skip("TestPrivate runs it where it can do no harm")
	}
	host := func(network string) func(*Spec) { return func(s *Spec) { s.Network = network } }
	for _, e := range escapes(makeOutside(t)) {
		if e.control == "all" || e.control == "root" && os.Geteuid() == 0 {
			if r := probe(t, Process(), base(t), nil, escapeFresh(t, e)...); r.out != "out\n" {
				t.Errorf("without walls: %v: %q %q %+v", e.words, r.out, r.err, r.Outcome)
			}
		}
	}
	eachWall(t, func(t *testing.T, drv Driver) {
		for _, e := range escapes(makeOutside(t)) {
			if ownNamespace(drv, e) {
				continue
			}
			r := probe(t, drv, base(t), host(e.network), e.words...)
			if r.Denied != nil || r.Exit != 0 || r.out == "" || r.out == "out\n" {
				t.Errorf("%v, network %s: %q %q %+v %v", e.words, e.network, r.out, r.err, r.Outcome, r.Denied)
			} else if testing.Verbose() {
				t.Logf("%v, network %s: %s", e.words, e.network, strings.TrimSpace(r.out))
			}
		}
	})
}

// escapeFresh gives a probe that spoils its target a target of its own.
func escapeFresh(t *testing.T, e escape) []string {
	switch e.words[0] {
	case "take", "unlink", "truncate", "mkdir", "create", "replace":
		return []string{e.words[0], secret(t)}
	}
	return e.words
}
