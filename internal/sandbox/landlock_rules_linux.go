package sandbox

import (
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights by what they are good for. A file may be given fileRights only.
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	deviceRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	fileRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// makeDevice is handled and given to nobody.
	makeDevice = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// landlockABI gives the kernel's version of Landlock, from 1.
//
// The three system calls are made here: go-landlock's own wrappers come with a
// package that calls into C where there is a C compiler.
func landlockABI() (int, error) {
	abi, _, e := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0, e
	}
	return int(abi), nil
}

// rulesetAttr handles everything that this kernel knows and we do, so that what
// no rule gives is refused.
func rulesetAttr(abi int, alone bool, network string) unix.LandlockRulesetAttr {
	a := unix.LandlockRulesetAttr{Handled_access_fs: writeRights | makeDevice}
	if abi < 2 {
		a.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_REFER // refused anyway
	}
	if abi < 3 {
		a.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 && alone && network != networkHost {
		a.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	return a
}

// landlockRuleset makes one ruleset with every rule of a policy: two rulesets
// would make every rename between folders fail. The caller closes it.
func landlockRuleset(abi int, pol *policy, alone bool) (fd int, err error) {
	attr := rulesetAttr(abi, alone, pol.Network)
	r, _, e := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return -1, e
	}
	fd = int(r)
	unix.CloseOnExec(fd)
	for i, v := range append(slices.Clip(pol.Views), view{At: "/proc", From: "/proc", Dir: true}) {
		path := v.At
		if alone || v.At != v.From && pol.holds(v.From) { // there At is a symlink, which has no rights to give
			path = v.From
		}
		if i < len(pol.Views) && pol.impliedBefore(i) {
			continue
		}
		if err := addRule(fd, path, v, attr.Handled_access_fs); err != nil {
			unix.Close(fd)
			return -1, err
		}
	}
	return fd, nil
}

// impliedBefore tells whether an earlier view gives what view i does: a rule on
// a folder is one on all that is in it.
func (pol *policy) impliedBefore(i int) bool {
	v := pol.Views[i]
	for _, w := range pol.Views[:i] {
		if w.Access == v.Access && (w.From == v.From || w.Dir && inFolder(w.From, v.From)) {
			return true
		}
	}
	return false
}

// addRule opens a path and gives it the rights of its view. What went away
// since it was listed, or became something else, is not there for the child
// either.
func addRule(ruleset int, path string, v view, handled uint64) error {
	flags := unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW
	if v.Dir {
		flags |= unix.O_DIRECTORY
	}
	fd, err := unix.Open(path, flags, 0)
	switch err {
	case nil:
	case unix.ENOENT, unix.ENOTDIR, unix.EACCES, unix.ELOOP:
		return nil
	default:
		return err
	}
	defer unix.Close(fd)
	rights := uint64(readRights)
	switch v.Access {
	case accessWrite:
		rights = writeRights
	case accessDevice:
		rights = deviceRights
	}
	if !v.Dir {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
		if fmt := st.Mode & unix.S_IFMT; fmt == unix.S_IFDIR || fmt == unix.S_IFLNK {
			return nil
		}
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights & handled, Parent_fd: int32(fd)}
	_, _, e := syscall.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

func restrictSelf(ruleset int) error {
	_, _, e := syscall.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// applyLandlock restricts the calling thread, which has no_new_privs set, to
// the paths of a policy; the driver's own folders have been added to it. It is
// the second wall of a child in namespaces: its sockets stay as they are.
func (pol policy) applyLandlock() error {
	abi, err := landlockABI()
	if err != nil {
		return err
	}
	fd, err := landlockRuleset(abi, &pol, false)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return restrictSelf(fd)
}

// currentABI is landlockABI for people: 0 is none.
func currentABI() int {
	abi, err := landlockABI()
	if err != nil {
		return 0
	}
	return abi
}
