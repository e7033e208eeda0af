package sandbox

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets into struct seccomp_data. Only the low half of an argument is looked
// at, which is what the kernel takes of an int: a high bit set hides nothing.
const (
	dataNr   = 0
	dataArch = 4
	dataArgs = 16
)

const (
	answerAllow  = unix.SECCOMP_RET_ALLOW
	answerEPERM  = unix.SECCOMP_RET_ERRNO | uint32(syscall.EPERM)
	answerENOSYS = unix.SECCOMP_RET_ERRNO | uint32(syscall.ENOSYS)
)

// syscallRules is what a filter is made for.
type syscallRules struct {
	network string // networkNone or networkHost
	alone   bool   // no namespaces around the child: sockets and IPC are the host's
	trunc   bool   // deny truncate(2), where Landlock does not know it yet
	thread  int    // a thread of hcp that is in the child's Landlock domain; 0: none
}

// installSeccomp puts the filter for a child in namespaces on the calling
// thread, which has no_new_privs set.
func installSeccomp(network string) error {
	return syscallRules{network: network}.install()
}

func (r syscallRules) install() error {
	prog := r.program()
	if prog == nil {
		return syscall.ENOSYS
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	// No TSYNC: hcp's other threads stay as they are.
	_, _, e := syscall.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(prog)
	if e != 0 {
		return e
	}
	return nil
}

// program gives the filter, nil where the machine's system calls are not known.
// It is assembled here and not by go-seccomp-bpf because that library builds
// its tables of every architecture when a program starts, 0.4 ms of each call,
// and lets calls of a foreign architecture (int 0x80) through; the test holds
// this one against it.
func (r syscallRules) program() []unix.SockFilter {
	if auditArch == 0 {
		return nil
	}
	f := &filter{}
	f.load(dataArch)
	f.jump(unix.BPF_JEQ, auditArch, 1, 0)
	f.answer(answerENOSYS)
	f.load(dataNr)
	if x32Bit != 0 {
		f.jump(unix.BPF_JGE, x32Bit, 0, 1)
		f.answer(answerENOSYS)
	}
	// glibc then takes clone, whose flags can be seen; after an EPERM it does not.
	f.jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1)
	f.answer(answerENOSYS)
	f.deny(deniedCalls()...)
	f.deny(archDenied()...)
	if r.alone {
		f.deny(hostIPC()...)
	}
	if r.trunc {
		f.deny(unix.SYS_TRUNCATE)
	}
	r.arguments(f)
	return f.finish()
}

// deniedCalls are refused whatever their arguments: other processes' memory,
// keys, kernel interfaces with a record of holes, mounts and namespaces.
func deniedCalls() []uint32 {
	return []uint32{
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE_ATTR,
		unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
		unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
		unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	}
}

// hostIPC has names of its own, which no path rule reaches.
func hostIPC() []uint32 {
	return []uint32{
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
		unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	}
}

const (
	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	socketType = 0xf // the rest of socket(2)'s type are flags
	setOwner   = 8   // F_SETOWN
	setOwnerEx = 15  // F_SETOWN_EX
	fioSetOwn  = 0x8901
	siocSetOwn = 0x8902 // SIOCSPGRP
)

// arguments are the calls that depend on what they are asked for.
func (r syscallRules) arguments(f *filter) {
	f.when(unix.SYS_CLONE, func() { f.arg(0); f.denyBits(newNamespaces) })
	f.when(unix.SYS_UNSHARE, func() { f.arg(0); f.denyBits(newNamespaces | unix.CLONE_NEWTIME) })
	// What is put into the terminal's input is typed into the caller's shell.
	f.when(unix.SYS_IOCTL, func() {
		f.arg(1)
		f.denyEqual(unix.TIOCSTI, unix.TIOCLINUX)
		if r.thread != 0 {
			f.denyEqual(fioSetOwn, siocSetOwn)
		}
	})
	f.when(unix.SYS_PRLIMIT64, func() { f.arg(0); f.denyOther(0) }) // its own limits only
	r.sockets(f)
	if r.thread != 0 {
		r.guardThread(f)
	}
}

// sockets by family. Alone, a unix socket is the host's; a pair of datagram
// sockets could still be connected to one. Netlink is for routes: who asks for
// the addresses of this machine.
func (r syscallRules) sockets(f *filter) {
	families := []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_UNIX}
	if r.alone {
		families = families[:3]
		if r.network != networkHost {
			families = nil
		}
	}
	if families == nil {
		f.deny(unix.SYS_SOCKET)
	} else {
		f.when(unix.SYS_SOCKET, func() {
			f.arg(0)
			f.denyOther(families...)
			f.jump(unix.BPF_JEQ, unix.AF_NETLINK, 0, 2)
			f.arg(2)
			f.denyOther(unix.NETLINK_ROUTE)
		})
	}
	f.when(unix.SYS_SOCKETPAIR, func() {
		f.arg(0)
		f.denyOther(unix.AF_UNIX)
		if r.alone {
			f.arg(1)
			f.mask(socketType)
			f.denyOther(unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
		}
	})
}

// guardThread keeps the child's hands off the thread that started it: it shares
// the child's Landlock domain, so that Landlock would let a signal through, and
// a signal that ends a thread ends hcp.
func (r syscallRules) guardThread(f *filter) {
	t := uint32(r.thread)
	for _, c := range [...]struct{ nr, arg uint32 }{
		{unix.SYS_KILL, 0}, {unix.SYS_TKILL, 0}, {unix.SYS_TGKILL, 1}, {unix.SYS_RT_SIGQUEUEINFO, 0},
		{unix.SYS_RT_TGSIGQUEUEINFO, 1}, {unix.SYS_PIDFD_OPEN, 0},
	} {
		f.when(c.nr, func() { f.arg(c.arg); f.denyEqual(t) })
	}
	f.when(unix.SYS_FCNTL, func() {
		f.arg(1)
		f.denyEqual(setOwnerEx)
		f.jump(unix.BPF_JEQ, setOwner, 0, 2)
		f.arg(2)
		f.denyEqual(t)
	})
}
