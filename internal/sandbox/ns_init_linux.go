package sandbox

import (
	"errors"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Descriptors that an init finds, besides 0, 1 and 2.
const (
	initStatus  = 3
	initOrderFd = 4
	initProgram = 5
)

const (
	orderSeals   = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	maxOrderSize = 64 << 20
)

// initOrder gives the order of an init, nil for any other process. That it is
// the first one of its namespace and has a sealed file with an order in the
// right place is something that hcp's own start does and no invoker's by chance;
// who does it on purpose holds himself.
func initOrder() []byte {
	if unix.Getpid() != 1 {
		return nil
	}
	return sealedOrder(initOrderFd, orderMagic)
}

// sealedOrder reads the file that hcp seals for a process of its own; nil where
// there is none.
func sealedOrder(fd int, magic string) []byte {
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil || seals&orderSeals != orderSeals {
		return nil
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Size < int64(len(magic)) || st.Size > maxOrderSize {
		return nil
	}
	data := make([]byte, st.Size)
	n, err := unix.Pread(fd, data, 0)
	if err != nil || n != len(data) || string(data[:len(magic)]) != magic {
		return nil
	}
	return data
}

// runInit is the whole life of the first process in a call's namespaces: it
// builds what the order says, starts the child, reaps what falls to it, reports
// the child's end, and waits to be killed. The kernel kills all the others with
// it. It runs on the process's first thread.
func runInit(data []byte) {
	in := &nsInit{}
	if err := in.build(data); err != nil {
		in.give(report{kind: reportFailed, value: errnoOf(err), stage: in.stage})
		unix.Exit(1)
	}
	child, err := in.startChild()
	if err != nil {
		in.give(report{kind: reportExec, value: errnoOf(err)})
		unix.Exit(1)
	}
	in.give(report{kind: reportStarted})
	in.give(report{kind: reportEnded, value: int32(reapUntil(child))})
	for {
		unix.Ppoll(nil, nil, nil) // hcp ends us when it has looked after the rest
	}
}

type nsInit struct {
	order order
	stage string
	umask int
	net   chan ownNetwork // nil: the host's network is the child's
}

// give reports to hcp; where that is gone, so is the reason to be here.
func (in *nsInit) give(r report) {
	if r.write(initStatus) != nil {
		unix.Exit(1)
	}
}

type initStep struct {
	stage string
	do    func(*nsInit) error
}

func initSteps() []initStep {
	return []initStep{
		{stageInit, (*nsInit).settle},
		{stageIDMap, (*nsInit).mapUser},
		{stageNetwork, (*nsInit).network},
		{stagePropagation, func(*nsInit) error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{stageRoot, func(*nsInit) error { return enterRoot() }},
		{stageMounts, (*nsInit).mounts},
		{stageProc, func(*nsInit) error {
			// Read-only, for root's files in there ask for no capability; and without
			// what the child may not look into, which is its init.
			return unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "hidepid=ptraceable")
		}},
		{stageHost, func(*nsInit) error { return leaveHost() }},
		{stageLoopback, (*nsInit).loopback},
		{stageLimits, (*nsInit).limits},
		{stageCwd, func(in *nsInit) error { return unix.Chdir(in.order.dir) }},
		{stagePrivileges, func(*nsInit) error { return noNewPrivs() }},
		{stageCaps, func(*nsInit) error { return dropCaps() }},
		{stageLandlock, (*nsInit).landlock},
		{stageSeccomp, func(in *nsInit) error { return installSeccomp(in.order.policy.Network) }},
	}
}

// initStages names the steps of an init, for tests that make one fail.
func initStages() []string {
	var list []string
	for _, s := range initSteps() {
		list = append(list, s.stage)
	}
	return list
}

func (in *nsInit) build(data []byte) error {
	in.stage = stageOrder
	if err := in.order.decode(data); err != nil {
		return err
	}
	for _, s := range initSteps() {
		in.stage = s.stage
		if in.order.fault == s.stage {
			return syscall.EIO
		}
		if err := s.do(in); err != nil {
			return err
		}
	}
	return nil
}

// settle makes a process that keeps its descriptors to itself and that signals
// don't end.
func (in *nsInit) settle() error {
	if err := unix.CloseRange(initStatus, allDescriptors, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	in.umask = unix.Umask(0)
	return defaultSignals()
}

// mapUser makes the user himself in the new namespace, and nobody else anybody.
// After that nobody in there can look into this process.
func (in *nsInit) mapUser() error {
	one := func(id int) string { return strconv.Itoa(id) + " " + strconv.Itoa(id) + " 1" }
	for _, f := range [...][2]string{{"setgroups", "deny"}, {"uid_map", one(in.order.uid)}, {"gid_map", one(in.order.gid)}} {
		fd, err := unix.Open("/proc/self/"+f[0], unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte(f[1]))
		unix.Close(fd)
		if err != nil {
			return err
		}
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// defaultSignals takes the Go runtime's handlers away: the kernel drops a signal
// without a handler for the first process of a namespace, so that the
// terminal's Ctrl-C ends the child, if that wants, and not its init. What hcp
// was started with as ignored (nohup) stays so, here and in the child.
func defaultSignals() error {
	type action [4]uint64 // handler, flags, restorer, mask
	const ignored = 1     // SIG_IGN
	for sig := 1; sig <= 64; sig++ {
		switch syscall.Signal(sig) {
		case syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGURG:
			continue
		}
		var none, old action
		if e := sigaction(sig, unsafe.Pointer(&none), unsafe.Pointer(&old)); e != 0 {
			return e
		}
		if old[0] == ignored {
			if e := sigaction(sig, unsafe.Pointer(&old), nil); e != 0 {
				return e
			}
		}
	}
	return nil
}

func sigaction(sig int, set, old unsafe.Pointer) syscall.Errno {
	_, _, e := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(set), uintptr(old), 8, 0, 0)
	return e
}

func (in *nsInit) mounts() error {
	b := &rootBuilder{}
	if err := b.standard(); err != nil {
		return err
	}
	err := b.fill(in.order.policy.items())
	var at *pathError
	if errors.As(err, &at) {
		in.stage += " " + printablePath(at.path)
	}
	return err
}

// network has another thread make a network of the call's own: that takes the
// kernel longer than anything else here, and nothing else waits for it.
func (in *nsInit) network() error {
	if in.order.policy.Network == networkHost {
		return nil
	}
	in.net = make(chan ownNetwork, 1)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with this
		fd, err := newNetwork()
		in.net <- ownNetwork{fd, err}
	}()
	return nil
}

type ownNetwork struct {
	fd  int
	err error
}

// newNetwork puts the calling thread into a network of its own in which only the
// loopback address is, and gives a descriptor of it.
func newNetwork() (fd int, err error) {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return -1, err
	}
	sock, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(sock)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return -1, err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(sock, unix.SIOCSIFFLAGS, lo); err != nil {
		return -1, err
	}
	r, _, e := syscall.Syscall(unix.SYS_IOCTL, uintptr(sock), unix.SIOCGSKNS, 0)
	if e != 0 {
		return -1, e
	}
	return int(r), nil
}

// loopback moves into the network that has become ready meanwhile.
func (in *nsInit) loopback() error {
	if in.net == nil {
		return nil
	}
	own := <-in.net
	if own.err != nil {
		return own.err
	}
	defer unix.Close(own.fd)
	return unix.Setns(own.fd, unix.CLONE_NEWNET)
}

// limits: a crash writes no memory, credentials and all, into the workspace.
func (in *nsInit) limits() error {
	unix.Umask(in.umask)
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

// landlock is the second wall, of the same paths as they are in here. A kernel
// that does not have it has the first one.
func (in *nsInit) landlock() error {
	pol := in.order.policy
	pol.Views = append(pol.Views,
		view{At: "/tmp", From: "/tmp", Dir: true, Access: accessWrite},
		view{At: "/dev/shm", From: "/dev/shm", Dir: true, Access: accessWrite})
	err := pol.applyLandlock()
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) {
		return nil
	}
	return err
}

func (in *nsInit) startChild() (pid int, err error) {
	o := &in.order
	path := o.path
	if o.program {
		path = childFile(initProgram)
	}
	return syscall.ForkExec(path, o.argv, &syscall.ProcAttr{Env: o.env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: !o.foreground}})
}

// reapUntil reaps orphans until the child has ended. The child itself stays, so
// that its number and its group's are nobody else's while hcp looks after them.
func reapUntil(child int) (code int) {
	for {
		var info siginfo
		err := unix.Waitid(unix.P_ALL, 0, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WEXITED|unix.WNOWAIT, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 128 + int(unix.SIGKILL)
		case int(info.pid) == child:
			return info.exitCode()
		default:
			unix.Wait4(int(info.pid), nil, 0, nil)
		}
	}
}

// siginfo is what waitid fills in, on 64-bit machines.
type siginfo struct {
	signo, errno, code, _ int32
	pid                   int32
	uid                   uint32
	status                int32
	_                     [100]byte
}

func (s *siginfo) exitCode() int {
	const exited = 1 // CLD_EXITED
	if s.code == exited {
		return int(s.status)
	}
	return 128 + int(s.status)
}

func errnoOf(err error) int32 {
	var e syscall.Errno
	if errors.As(err, &e) {
		return int32(e)
	}
	return int32(syscall.EINVAL)
}
