package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// insideMain is hcp inside another sandbox: it puts the outer walls named by
// the words before "--" around itself, and then makes one call by
// Select(Choice{Driver, Min, CacheDir}).
func insideMain(words []string) int {
	if words[0] == "call" {
		return insideCall(words[1], words[2], words[3])
	}
	runtime.LockOSThread()
	if err := outerWall(words[0]); err != nil {
		fmt.Println("outer wall:", err)
		return 3
	}
	err := syscall.Exec("/proc/self/exe", append([]string{"inside", "inside"}, words[1:]...), os.Environ())
	fmt.Println("exec:", err)
	return 3
}

func outerWall(name string) error {
	if n, ok := strings.CutPrefix(name, "layers="); ok {
		return manyLayers(number(n))
	}
	if err := noNewPrivs(); err != nil {
		return err
	}
	f := &filter{}
	f.load(dataNr)
	switch name {
	case "no-userns":
		f.when(unix.SYS_CLONE, func() { f.arg(0); f.denyBits(unix.CLONE_NEWUSER) })
		f.when(unix.SYS_UNSHARE, func() { f.arg(0); f.denyBits(unix.CLONE_NEWUSER) })
		f.jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1)
		f.answer(answerENOSYS)
	case "no-landlock":
		f.deny(unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF)
	case "no-seccomp":
		f.when(unix.SYS_SECCOMP, func() { f.arg(0); f.denyEqual(unix.SECCOMP_SET_MODE_FILTER) })
	case "no-mount":
		f.deny(unix.SYS_MOUNT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_PIVOT_ROOT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT)
	default:
		return syscall.EINVAL
	}
	prog := f.finish()
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	return sys(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fprog)))
}

// manyLayers applies Landlock that refuses next to nothing, n times.
func manyLayers(n int) error {
	if err := noNewPrivs(); err != nil {
		return err
	}
	for range n {
		attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK}
		fd, _, e := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
		if e != 0 {
			return e
		}
		err := restrictSelf(int(fd))
		unix.Close(int(fd))
		if err != nil {
			return err
		}
	}
	return nil
}

func insideCall(dir, driver, min string) int {
	b, err := shBin()
	if err != nil {
		fmt.Println(err)
		return 3
	}
	s := baseSpec(dir)
	var out bytes.Buffer
	s.Bin, s.Name, s.Mode, s.Stdout, s.Args = b, "/bin/sh", ModeEphemeral, &out, literal("-c", "echo ran")
	o := Run(context.Background(), Select(Choice{Driver: driver, Min: min, CacheDir: filepath.Join(dir, "state"), Exe: "/proc/self/exe"}), s)
	if o.Denied != nil {
		fmt.Printf("%s%s\n", out.String(), o.Denied.Message)
		return 0
	}
	fmt.Printf("%s%s\n", out.String(), o.Driver)
	return 0
}

// nested makes a call inside outer walls and gives what it printed.
func nested(t *testing.T, dir string, walls []string, driver, min string) string {
	t.Helper()
	return nestedIn(t, nil, dir, walls, driver, min)
}

func nestedIn(t *testing.T, outer []string, dir string, walls []string, driver, min string) string {
	t.Helper()
	words := append(outer, os.Args[0], "inside")
	words = append(append(words, walls...), "call", dir, driver, min)
	cmd := exec.Command(words[0], words[1:]...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v %s %s: %v: %s", walls, driver, min, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// hcp inside other sandboxes: the right driver, or the right refusal.
func TestWalls_InsideOthers(t *testing.T) {
	if driver := nested(t, base(t), nil, "auto", ""); driver != "ran\nns" {
		t.Skipf("without outer walls: %q", driver)
	}
	const refusal = "sandbox: isolation unavailable: "
	for _, row := range []struct {
		walls       []string
		driver, min string
		want        string
	}{
		{nil, "landlock", "", "ran\nlandlock"},
		{[]string{"no-userns"}, "auto", "", "ran\nlandlock"},
		{[]string{"no-userns"}, "auto", "ns", refusal + "namespaces: operation not permitted"},
		{[]string{"no-userns"}, "ns", "", refusal + "namespaces: operation not permitted"},
		{[]string{"no-mount"}, "auto", "", "ran\nlandlock"},
		{[]string{"layers=15"}, "auto", "", "ran\nlandlock"},
		{[]string{"layers=16"}, "auto", "", refusal + "landlock restrict: argument list too long"},
		{[]string{"layers=16"}, "auto", "process", "ran\nprocess"},
		{[]string{"no-landlock"}, "landlock", "", refusal + "landlock: operation not permitted"},
		{[]string{"no-landlock", "no-userns"}, "auto", "", refusal + "landlock: operation not permitted"},
		{[]string{"no-landlock", "no-userns"}, "auto", "process", "ran\nprocess"},
		{[]string{"no-seccomp"}, "auto", "", refusal + "seccomp: operation not permitted"},
		{[]string{"no-seccomp"}, "auto", "process", "ran\nprocess"},
	} {
		if got := nested(t, base(t), row.walls, row.driver, row.min); got != row.want {
			t.Errorf("%v, driver %s, min %q: %q, want %q", row.walls, row.driver, row.min, got, row.want)
		}
	}
}

// What a run inside another sandbox found out holds for nobody outside, and the
// other way round.
func TestWalls_ProofStaysInside(t *testing.T) {
	dir := base(t)
	for i, row := range []struct {
		walls []string
		want  string
	}{{nil, "ran\nns"}, {[]string{"no-userns"}, "ran\nlandlock"}, {nil, "ran\nns"}, {[]string{"no-userns"}, "ran\nlandlock"}} {
		got := nested(t, dir, row.walls, "auto", "")
		if i == 0 && got != row.want {
			t.Skip(got)
		}
		if got != row.want {
			t.Errorf("call %d, %v: %q, want %q", i, row.walls, got, row.want)
		}
	}
}

// Under bwrap with every namespace unshared, where it is installed.
func TestWalls_InsideBwrap(t *testing.T) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip(err)
	}
	dir := base(t)
	outer := []string{bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--bind", "/tmp", "/tmp"}
	if err := exec.Command(bwrap, append(outer[1:], "true")...).Run(); err != nil {
		t.Skip(err)
	}
	if got := nestedIn(t, outer, dir, nil, "auto", ""); got != "ran\nns" && got != "ran\nlandlock" {
		t.Errorf("auto: %q", got)
	}
	if got := nestedIn(t, outer, dir, nil, "landlock", ""); got != "ran\nlandlock" {
		t.Errorf("landlock: %q", got)
	}
}
