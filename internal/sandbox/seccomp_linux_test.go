package sandbox

import (
	"encoding/binary"
	"syscall"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// machine runs a filter the way the kernel does.
type machine struct {
	t  *testing.T
	vm *bpf.VM
}

func newMachine(t *testing.T, code []bpf.Instruction) machine {
	t.Helper()
	vm, err := bpf.NewVM(code)
	if err != nil {
		t.Fatal(err)
	}
	return machine{t, vm}
}

func ours(t *testing.T, r syscallRules) machine {
	t.Helper()
	prog := r.program()
	if prog == nil {
		t.Fatal("no program")
	}
	code := make([]bpf.Instruction, len(prog))
	for i, f := range prog {
		code[i] = bpf.RawInstruction{Op: f.Code, Jt: f.Jt, Jf: f.Jf, K: f.K}.Disassemble()
	}
	return newMachine(t, code)
}

// ask gives the filter's answer. The simulated machine is big-endian, word by
// word; where the halves of an argument lie is the little-endian machine's.
func (m machine) ask(audit uint32, nr uint32, args ...uint64) uint32 {
	m.t.Helper()
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[dataNr:], nr)
	binary.BigEndian.PutUint32(data[dataArch:], audit)
	for i, a := range args {
		binary.BigEndian.PutUint32(data[dataArgs+8*i:], uint32(a))
		binary.BigEndian.PutUint32(data[dataArgs+8*i+4:], uint32(a>>32))
	}
	answer, err := m.vm.Run(data)
	if err != nil {
		m.t.Fatal(err)
	}
	return uint32(answer)
}

// go-seccomp-bpf, an assembler of other people's, agrees about every system
// call that does not depend on its arguments.
func TestSeccomp_AgainstTheLibrary(t *testing.T) {
	info, err := arch.GetInfo("")
	if err != nil {
		t.Skip(err)
	}
	byArgs := map[uint32]bool{unix.SYS_CLONE3: true, unix.SYS_CLONE: true, unix.SYS_UNSHARE: true, unix.SYS_IOCTL: true, unix.SYS_PRLIMIT64: true,
		unix.SYS_SOCKET: true, unix.SYS_SOCKETPAIR: true, unix.SYS_KILL: true, unix.SYS_TKILL: true, unix.SYS_TGKILL: true,
		unix.SYS_RT_SIGQUEUEINFO: true, unix.SYS_RT_TGSIGQUEUEINFO: true, unix.SYS_PIDFD_OPEN: true, unix.SYS_FCNTL: true}
	for _, r := range []syscallRules{
		{network: networkNone}, {network: networkHost},
		{network: networkNone, alone: true, trunc: true, thread: 4711}, {network: networkHost, alone: true, thread: 4711},
	} {
		deny := append(deniedCalls(), archDenied()...)
		if r.alone {
			deny = append(deny, hostIPC()...)
		}
		if r.trunc {
			deny = append(deny, unix.SYS_TRUNCATE)
		}
		group := seccomp.SyscallGroup{Action: seccomp.ActionErrno}
		for _, nr := range deny {
			name := info.SyscallNumbers[int(nr)]
			if name == "" {
				t.Errorf("the library does not know call %d", nr)
				continue
			}
			group.Names = append(group.Names, name)
		}
		pol := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{group}}
		code, err := pol.Assemble()
		if err != nil {
			t.Fatal(err)
		}
		theirs, us := newMachine(t, code), ours(t, r)
		refused := 0
		for nr := range uint32(1200) {
			if byArgs[nr] {
				continue
			}
			want := uint32(answerAllow)
			if theirs.ask(auditArch, nr) != uint32(seccomp.ActionAllow) {
				want = answerEPERM
				refused++
			}
			if got := us.ask(auditArch, nr); got != want {
				t.Errorf("%+v: call %d (%s): %#x, want %#x", r, nr, info.SyscallNumbers[int(nr)], got, want)
			}
		}
		if refused != len(deny) {
			t.Errorf("%d calls refused, want %d", refused, len(deny))
		}
	}
}

// A call of another architecture never gets around the list.
func TestSeccomp_OtherArchitectures(t *testing.T) {
	m := ours(t, syscallRules{network: networkHost})
	for _, audit := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, 0, ^uint32(0)} {
		for _, nr := range []uint32{0, 1, 26, unix.SYS_PTRACE, unix.SYS_GETPID} {
			if got := m.ask(audit, nr); got != answerENOSYS {
				t.Errorf("architecture %#x, call %d: %#x", audit, nr, got)
			}
		}
	}
	if x32Bit != 0 {
		if got := m.ask(auditArch, x32Bit|unix.SYS_PTRACE); got != answerENOSYS {
			t.Errorf("x32: %#x", got)
		}
	}
}

const high = 0xdead << 32 // what the kernel does not look at

func TestSeccomp_Arguments(t *testing.T) {
	const thread = 4711
	const no, yes, absent = answerEPERM, answerAllow, answerENOSYS
	type answers [4]uint32 // ns none, ns host, landlock none, landlock host
	all := func(a uint32) answers { return answers{a, a, a, a} }
	alone := answers{yes, yes, no, no}
	inet := answers{yes, yes, no, yes}
	rows := []struct {
		nr   uint32
		args []uint64
		want answers
	}{
		{unix.SYS_CLONE3, nil, all(absent)},
		{unix.SYS_CLONE, []uint64{uint64(syscall.SIGCHLD)}, all(yes)},
		{unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD}, all(yes)},
		{unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(syscall.SIGCHLD)}, all(no)},
		{unix.SYS_CLONE, []uint64{high | unix.CLONE_NEWNS}, all(no)},
		{unix.SYS_UNSHARE, []uint64{unix.CLONE_FILES}, all(yes)},
		{unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWTIME}, all(no)},
		{unix.SYS_UNSHARE, []uint64{high | unix.CLONE_NEWUSER}, all(no)},
		{unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, all(yes)},
		{unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, all(no)},
		{unix.SYS_IOCTL, []uint64{0, high | unix.TIOCSTI}, all(no)},
		{unix.SYS_IOCTL, []uint64{0, 1<<32 | unix.TIOCLINUX}, all(no)},
		{unix.SYS_IOCTL, []uint64{0, fioSetOwn}, alone},
		{unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_NOFILE}, all(yes)},
		{unix.SYS_PRLIMIT64, []uint64{1, unix.RLIMIT_NOFILE}, all(no)},
		{unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM}, inet},
		{unix.SYS_SOCKET, []uint64{unix.AF_INET6, unix.SOCK_DGRAM}, inet},
		{unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, alone},
		{unix.SYS_SOCKET, []uint64{high | unix.AF_UNIX, unix.SOCK_STREAM}, alone},
		{unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, inet},
		{unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT}, all(no)},
		{unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, high | unix.NETLINK_AUDIT}, all(no)},
		{unix.SYS_SOCKET, []uint64{unix.AF_VSOCK}, all(no)},
		{unix.SYS_SOCKET, []uint64{unix.AF_PACKET}, all(no)},
		{unix.SYS_SOCKET, []uint64{unix.AF_ALG}, all(no)},
		{unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, all(yes)},
		{unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, alone},
		{unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_RAW}, alone},
		{unix.SYS_SOCKETPAIR, []uint64{unix.AF_TIPC, unix.SOCK_STREAM}, all(no)},
		{unix.SYS_KILL, []uint64{thread, 9}, alone},
		{unix.SYS_KILL, []uint64{high | thread, 9}, alone},
		{unix.SYS_KILL, []uint64{4712, 9}, all(yes)},
		{unix.SYS_TKILL, []uint64{thread}, alone},
		{unix.SYS_TGKILL, []uint64{1, thread}, alone},
		{unix.SYS_TGKILL, []uint64{thread, 1}, all(yes)},
		{unix.SYS_PIDFD_OPEN, []uint64{thread}, alone},
		{unix.SYS_FCNTL, []uint64{0, unix.F_GETFL}, all(yes)},
		{unix.SYS_FCNTL, []uint64{0, setOwner, thread}, alone},
		{unix.SYS_FCNTL, []uint64{0, setOwner, 1}, all(yes)},
		{unix.SYS_FCNTL, []uint64{0, setOwnerEx, 1}, alone},
		{unix.SYS_READ, nil, all(yes)},
		{unix.SYS_EXECVE, nil, all(yes)},
		{unix.SYS_SECCOMP, nil, all(yes)},
		{unix.SYS_LANDLOCK_RESTRICT_SELF, nil, all(yes)},
	}
	for i, r := range []syscallRules{
		{network: networkNone}, {network: networkHost},
		{network: networkNone, alone: true, thread: thread}, {network: networkHost, alone: true, thread: thread},
	} {
		m := ours(t, r)
		for _, row := range rows {
			if got := m.ask(auditArch, row.nr, row.args...); got != row.want[i] {
				t.Errorf("%+v: call %d%v: %#x, want %#x", r, row.nr, row.args, got, row.want[i])
			}
		}
	}
}

// A rule that cannot be assembled refuses instead of being left out.
func TestSeccomp_FailsClosed(t *testing.T) {
	f := &filter{}
	f.deny(1, 2, 1)
	if f.finish() != nil {
		t.Error("a call was listed twice")
	}
	f = &filter{}
	for nr := range uint32(300) {
		f.deny(nr)
	}
	if f.finish() != nil {
		t.Error("a jump was too far")
	}
}
