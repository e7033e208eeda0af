package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// errBlind is a probe that found nothing to try: it proves nothing.
var errBlind = errors.New("blind")

// probeMain is this test binary as a program behind walls: it tries one way out
// and says "out" when that was open, else the error that it met.
func probeMain(words []string) int {
	runtime.LockOSThread()
	try, ok := probes()[words[0]]
	if !ok {
		fmt.Println("no such probe")
		return 3
	}
	switch err := try(words[1:]); {
	case err == nil:
		fmt.Println("out")
	case errors.Is(err, errBlind):
		fmt.Println("blind:", err)
		return 3
	default:
		var errno syscall.Errno
		if errors.As(err, &errno) {
			err = fmt.Errorf("%s", unix.ErrnoName(errno))
		}
		fmt.Println(err)
	}
	return 0
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func sys(nr uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, e := syscall.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); e != 0 {
		return e
	}
	return nil
}

func open(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// dial makes a socket and sends or connects to where it should not get.
func dial(family, kind, proto int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind, proto)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if kind == unix.SOCK_DGRAM {
		return unix.Sendto(fd, []byte("x"), 0, to)
	}
	return unix.Connect(fd, to)
}

func loopback(port string) unix.Sockaddr {
	return &unix.SockaddrInet4{Port: number(port), Addr: [4]byte{127, 0, 0, 1}}
}

// eachThread tries something on every thread of another process; one that lets
// us is enough.
func eachThread(pid string, try func(tid string) error) error {
	dirs, _ := filepath.Glob("/proc/" + pid + "/task/[0-9]*")
	if len(dirs) == 0 {
		return syscall.ESRCH
	}
	err := error(errBlind)
	for _, d := range dirs {
		if err = try(filepath.Base(d)); err == nil {
			return nil
		}
	}
	return err
}

type wayOut = func(a []string) error

func probes() map[string]wayOut {
	all := map[string]wayOut{}
	for _, list := range [...]map[string]wayOut{fileProbes(), socketProbes(), processProbes(), kernelProbes()} {
		for name, p := range list {
			all[name] = p
		}
	}
	return all
}

func fileProbes() map[string]wayOut {
	return map[string]wayOut{
		"read":     func(a []string) error { return open(a[0], unix.O_RDONLY) },
		"list":     func(a []string) error { _, err := os.ReadDir(a[0]); return err },
		"append":   func(a []string) error { return open(a[0], unix.O_WRONLY|unix.O_APPEND) },
		"create":   func(a []string) error { return open(a[0]+".new", unix.O_WRONLY|unix.O_CREAT) },
		"truncate": func(a []string) error { return unix.Truncate(a[0], 0) },
		"unlink":   func(a []string) error { return unix.Unlink(a[0]) },
		"mkdir":    func(a []string) error { return unix.Mkdir(a[0]+".dir", 0o700) },
		"take":     func(a []string) error { return unix.Rename(a[0], "taken") },
		"replace": func(a []string) error {
			os.WriteFile("mine", nil, 0o600)
			return unix.Rename("mine", a[0])
		},
		"symlink": func(a []string) error {
			if err := os.Symlink(a[0], "s"); err != nil {
				return errBlind
			}
			return open("s", unix.O_RDONLY)
		},
		"hardlink": func(a []string) error {
			if err := unix.Link(a[0], "h"); err != nil {
				return err
			}
			return open("h", unix.O_RDONLY)
		},
		"dotdot": func(a []string) error { return open(strings.Repeat("../", 40)+a[0], unix.O_RDONLY) },
		"chdir": func(a []string) error {
			unix.Chdir(filepath.Dir(a[0]))
			return open(filepath.Base(a[0]), unix.O_RDONLY)
		},
		"exec":     func(a []string) error { return exec.Command(a[0]).Run() },
		"mknod":    func([]string) error { return unix.Mknod("dev", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))) },
		"mknodblk": func([]string) error { return unix.Mknod("blk", unix.S_IFBLK|0o666, int(unix.Mkdev(7, 0))) },
		"fd":       func(a []string) error { return open("/proc/self/fd/"+a[0], unix.O_RDONLY) },
		"sysctl": func([]string) error {
			old, err := os.ReadFile("/proc/sys/kernel/domainname")
			if err != nil {
				return err
			}
			return os.WriteFile("/proc/sys/kernel/domainname", old, 0)
		},
		"sysrq": func([]string) error { return open("/proc/sysrq-trigger", unix.O_WRONLY) },
	}
}

func socketProbes() map[string]wayOut {
	return map[string]wayOut{
		"unix":      func(a []string) error { return dial(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: a[0]}) },
		"unixdgram": func(a []string) error { return dial(unix.AF_UNIX, unix.SOCK_DGRAM, 0, &unix.SockaddrUnix{Name: a[0]}) },
		"abstract": func(a []string) error {
			return dial(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: "@" + a[0]})
		},
		"pair": func(a []string) error {
			for _, kind := range []int{unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET, unix.SOCK_STREAM} {
				fds, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
				if err != nil {
					continue
				}
				if unix.Connect(fds[0], &unix.SockaddrUnix{Name: a[0]}) == nil {
					return nil
				}
			}
			return syscall.EPERM
		},
		"tcp": func(a []string) error { return dial(unix.AF_INET, unix.SOCK_STREAM, 0, loopback(a[0])) },
		"mptcp": func(a []string) error {
			return dial(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP, loopback(a[0]))
		},
		"udp": func(a []string) error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
			if err != nil {
				return err
			}
			defer unix.Close(fd)
			if err := unix.Sendto(fd, []byte("x"), 0, loopback(a[0])); err != nil {
				return err
			}
			unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 300_000})
			_, _, err = unix.Recvfrom(fd, make([]byte, 16), 0)
			return err
		},
		"vsock":  func([]string) error { return sys(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0) },
		"packet": func([]string) error { return sys(unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW, 0) },
		"alg":    func([]string) error { return sys(unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET, 0) },
		"uevent": func([]string) error {
			return sys(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)
		},
		"highfamily": func([]string) error { return sys(unix.SYS_SOCKET, 1<<32|unix.AF_VSOCK, unix.SOCK_STREAM, 0) },
	}
}

func processProbes() map[string]wayOut {
	kill := func(pid string) error { return unix.Kill(number(pid), 0) }
	return map[string]wayOut{
		"kill": func(a []string) error { return kill(a[0]) },
		"killthread": func(a []string) error {
			return eachThread(a[0], func(tid string) error { return kill(tid) })
		},
		"tgkill": func(a []string) error {
			return eachThread(a[0], func(tid string) error { return unix.Tgkill(number(a[0]), number(tid), 0) })
		},
		"tkill": func(a []string) error {
			return eachThread(a[0], func(tid string) error { return sys(unix.SYS_TKILL, uintptr(number(tid)), 0) })
		},
		"pidfd": func(a []string) error {
			return eachThread(a[0], func(tid string) error {
				const thread = unix.O_EXCL // PIDFD_THREAD
				fd, err := unix.PidfdOpen(number(tid), thread)
				if err != nil {
					return err
				}
				return unix.PidfdSendSignal(fd, 0, nil, 0)
			})
		},
		// A signal by way of O_ASYNC: the one thread that Landlock would not guard
		// has to be refused.
		"owner": func(a []string) error {
			dirs, _ := filepath.Glob("/proc/" + a[0] + "/task/[0-9]*")
			if len(dirs) == 0 {
				return syscall.ESRCH
			}
			for _, d := range dirs {
				if _, err := unix.FcntlInt(0, unix.F_SETOWN, number(filepath.Base(d))); err != nil {
					return err
				}
			}
			return nil
		},
		"environ": func(a []string) error {
			return eachThread(a[0], func(tid string) error {
				data, err := os.ReadFile("/proc/" + a[0] + "/task/" + tid + "/environ")
				if err == nil && len(data) == 0 {
					return errBlind
				}
				return err
			})
		},
		"mem": func(a []string) error {
			return eachThread(a[0], func(tid string) error { return open("/proc/"+a[0]+"/task/"+tid+"/mem", unix.O_RDONLY) })
		},
		"fds": func(a []string) error {
			return eachThread(a[0], func(tid string) error {
				_, err := os.Readlink("/proc/" + a[0] + "/task/" + tid + "/fd/0")
				return err
			})
		},
		"root": func(a []string) error {
			return eachThread(a[0], func(tid string) error { return open("/proc/"+a[0]+"/task/"+tid+"/root/etc/passwd", unix.O_RDONLY) })
		},
		"ptrace": func(a []string) error {
			return eachThread(a[0], func(tid string) error { return unix.PtraceSeize(number(tid)) })
		},
		"vmread": func(a []string) error {
			return eachThread(a[0], func(tid string) error {
				var b [1]byte
				local := unix.Iovec{Base: &b[0]}
				local.SetLen(1)
				remote := []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&b[0])), Len: 1}}
				_, err := unix.ProcessVMReadv(number(tid), []unix.Iovec{local}, remote, 0)
				return err
			})
		},
		"limits": func(a []string) error { return unix.Prlimit(number(a[0]), unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) },
	}
}

func kernelProbes() map[string]wayOut {
	return map[string]wayOut{
		"userns":  func([]string) error { return sys(unix.SYS_UNSHARE, unix.CLONE_NEWUSER) },
		"mountns": func([]string) error { return sys(unix.SYS_UNSHARE, unix.CLONE_NEWNS) },
		"cloneuser": func([]string) error {
			cmd := exec.Command("/proc/self/exe", "probe", "fd", "0")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
			return cmd.Run()
		},
		"clone3": func([]string) error { return sys(unix.SYS_CLONE3, 0, 0) },
		"mount": func([]string) error {
			if err := unix.Mount("none", ".", "tmpfs", 0, ""); err != nil {
				return err
			}
			cwd, _ := os.Getwd()
			unix.Chdir("/")
			return unix.Unmount(cwd, 0)
		},
		"chroot": func([]string) error { return unix.Chroot(".") },
		"uring": func([]string) error {
			var p [120]byte
			return sys(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&p)))
		},
		"bpf":    func([]string) error { var p [128]byte; return sys(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&p)), 128) },
		"keyctl": func([]string) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, false); return err },
		"perf":   func([]string) error { return sys(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, 0, 0) },
		"shm":    func([]string) error { return sys(unix.SYS_SHMGET, 0x6863, 4096, unix.IPC_CREAT|0o600) },
		"mq": func([]string) error {
			return sys(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&[]byte("hcp\x00")[0])), unix.O_CREAT|unix.O_RDWR, 0o600, 0)
		},
		"sti":       func([]string) error { return typeInto(unix.TIOCSTI) },
		"stihigh":   func([]string) error { return typeInto(1<<32 | unix.TIOCSTI) },
		"tioclinux": func([]string) error { return typeInto(1<<40 | unix.TIOCLINUX) },
		"setuid":    func([]string) error { return sys(unix.SYS_SETRESUID, 12345, 12345, 12345) },
		"caps":      func([]string) error { return privileges() },
	}
}

func typeInto(request uintptr) error {
	c := byte(3)
	return sys(unix.SYS_IOCTL, 0, request, uintptr(unsafe.Pointer(&c)))
}

// privileges gives an error that names what is held, as it should be.
func privileges() error {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(data) {
		f := strings.Fields(string(line))
		if len(f) != 2 {
			continue
		}
		zero := strings.Trim(f[1], "0") == ""
		switch f[0] {
		case "CapPrm:", "CapEff:", "CapInh:", "CapAmb:":
			if !zero {
				return nil
			}
		case "CapBnd:":
			if !zero && os.Geteuid() == 0 {
				return nil
			}
		case "NoNewPrivs:":
			if f[1] != "1" {
				return nil
			}
		case "Seccomp:":
			if f[1] != "2" {
				return nil
			}
		}
	}
	return syscall.EPERM
}
