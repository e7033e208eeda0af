package sandbox

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	oldRoot = "/.host" // where the host's root hangs while the new one is built

	quietMount = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
)

// What an item of the new root is.
type itemKind int

const (
	itemBind   itemKind = iota // a piece of the host
	itemLink                   // a symlink to a path that is there too
	itemHidden                 // an empty folder in front of a part of the store
)

// item is one thing in the new root. A parent comes before what lies in it.
type item struct {
	at, from string
	kind     itemKind
	dir      bool
	attr     uint64 // of a bind: MOUNT_ATTR_…
	optional bool   // may be gone, or out of the user's reach: then it isn't there
}

// items is the new root that a policy describes.
func (pol *policy) items() []item {
	list := make([]item, 0, len(pol.Views)+len(pol.Protected)+len(pol.Pinned)+len(pol.Hidden)+len(pol.Sockets))
	for _, v := range pol.Views {
		it := item{at: v.At, from: v.From, dir: v.Dir, attr: quietMount | unix.MOUNT_ATTR_RDONLY, optional: v.Access != accessWrite}
		switch {
		case v.Access == accessWrite:
			it.attr = quietMount
		case v.Access == accessDevice:
			it.attr = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
		case v.At != v.From && pol.holds(v.From):
			it.kind = itemLink
		}
		list = append(list, it)
	}
	for _, at := range pol.Hidden {
		list = append(list, item{at: at, kind: itemHidden, dir: true})
	}
	pinned := append([]string(nil), pol.Pinned...)
	for _, at := range pol.Protected {
		// A folder that is mounted on cannot be renamed; one above it can.
		if up := filepath.Dir(at); !slices.Contains(pinned, up) && !slices.ContainsFunc(pol.Views, func(v view) bool { return v.At == up }) {
			pinned = append(pinned, up)
		}
	}
	for _, at := range pinned {
		list = append(list, item{at: at, from: at, dir: true, attr: quietMount})
	}
	for _, at := range pol.Protected {
		list = append(list, item{at: at, from: at, attr: quietMount | unix.MOUNT_ATTR_RDONLY})
	}
	for _, at := range pol.Sockets {
		list = append(list, item{at: at, from: at, attr: quietMount, optional: true})
	}
	slices.SortStableFunc(list, func(a, b item) int { return strings.Compare(a.at, b.at) })
	return list
}

// holds tells whether a path of the host is in the new root under its own name.
func (pol *policy) holds(path string) bool {
	for _, v := range pol.Views {
		if v.At == v.From && v.Access != accessDevice && (v.At == path || v.Dir && inFolder(v.At, path)) {
			return true
		}
	}
	return false
}

// rootBuilder builds the new root, in which the calling process already stands.
type rootBuilder struct {
	host   int // the host's root, O_PATH
	made   map[string]bool
	placed []item
	hidden []int // mounts that become read-only when everything hangs in them
}

// enterRoot makes an empty tmpfs the root, with the host's at oldRoot.
func enterRoot() error {
	// Any folder that is there will do: what it holds is not looked for again.
	const at = "/proc"
	if err := unix.Mount("tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return err
	}
	if err := unix.Chdir(at); err != nil {
		return err
	}
	if err := unix.Mkdir(oldRoot[1:], 0o700); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", oldRoot[1:]); err != nil {
		return err
	}
	return unix.Chdir("/")
}

// standard makes what every program expects of a system, before the host's
// pieces come: places of one's own for /tmp and /dev/shm (parts of the root's
// tmpfs, which itself becomes read-only), and the names of open files.
func (b *rootBuilder) standard() error {
	b.made = map[string]bool{"/": true}
	for _, dir := range [...]struct {
		path string
		mode uint32
		own  bool
	}{{"/proc", 0o555, false}, {"/dev", 0o755, false}, {"/dev/shm", 0o1777, true}, {"/tmp", 0o1777, true}, {"/etc", 0o755, false}} {
		if err := unix.Mkdir(dir.path, dir.mode); err != nil {
			return err
		}
		b.made[dir.path] = true
		if !dir.own {
			continue
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, dir.path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err != nil {
			return err
		}
		if err := hang(fd, unix.AT_FDCWD, dir.path); err != nil {
			return err
		}
	}
	for _, l := range [...][2]string{{"/proc/self/fd", "/dev/fd"}, {"fd/0", "/dev/stdin"}, {"fd/1", "/dev/stdout"}, {"fd/2", "/dev/stderr"}} {
		if err := unix.Symlink(l[0], l[1]); err != nil {
			return err
		}
	}
	return nil
}

// hang puts a detached mount in its place and lets its descriptor go.
func hang(fd, dirfd int, path string) error {
	flags := unix.MOVE_MOUNT_F_EMPTY_PATH
	if path == "" {
		flags |= unix.MOVE_MOUNT_T_EMPTY_PATH
	}
	err := unix.MoveMount(fd, "", dirfd, path, flags)
	unix.Close(fd)
	return err
}

// fill places every item. It says which path could not be placed.
func (b *rootBuilder) fill(list []item) error {
	var err error
	if b.host, err = unix.Open(oldRoot, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return err
	}
	for _, it := range list {
		err := b.place(it)
		if it.optional && (err == unix.ENOENT || err == unix.EACCES) || it.kind == itemHidden && err == unix.ENOENT {
			continue
		}
		if err != nil {
			return &pathError{it.at, err}
		}
	}
	for _, fd := range b.hidden {
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return err
		}
		unix.Close(fd)
	}
	return unix.Close(b.host)
}

func (b *rootBuilder) place(it item) error {
	if it.at == "/" {
		return unix.EINVAL // it would be the whole host
	}
	var above *item
	for i := range b.placed {
		if p := &b.placed[i]; p.dir && inFolder(p.at, it.at) {
			above = p // the last one lies on top
		}
	}
	if above != nil && above.kind == itemLink {
		if above.at == it.at {
			return nil
		}
		it.at = above.from + it.at[len(above.at):]
		above = &item{kind: itemBind}
	}
	inBind := above != nil && above.kind == itemBind
	if inBind && it.kind == itemLink {
		return nil // the folder that it lies in has it
	}
	var src int
	var err error
	if it.kind == itemBind {
		if src, err = b.source(it); err != nil {
			return err
		}
	}
	if !inBind {
		if err = b.mountPoint(it); err != nil {
			return err
		}
	}
	switch it.kind {
	case itemBind:
		err = b.hangAt(src, it.at, inBind)
	case itemHidden:
		err = b.hide(it.at, inBind)
	}
	b.placed = append(b.placed, it)
	return err
}

// source gives a detached copy of a piece of the host. No symlink is followed:
// paths were resolved when the policy was made, and a link that came since then
// is somebody's attempt.
func (b *rootBuilder) source(it item) (int, error) {
	// With what is mounted in it: a part alone is not to be had, since it could
	// uncover what the host has covered.
	const how = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE
	var tree int
	var err error
	if systemPath(it.from) {
		tree, err = unix.OpenTree(b.host, it.from[1:], how|unix.AT_SYMLINK_NOFOLLOW)
	} else {
		var fd int
		fd, err = unix.Openat2(b.host, strings.TrimPrefix(it.from, "/"),
			&unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
		if err == nil {
			tree, err = unix.OpenTree(fd, "", how|unix.AT_EMPTY_PATH)
			unix.Close(fd)
		}
	}
	if err != nil {
		return -1, err
	}
	err = unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: it.attr})
	if err != nil {
		unix.Close(tree)
		return -1, err
	}
	return tree, nil
}

// systemPath tells whether only root can change what a path leads to; there is
// no need to look twice then.
func systemPath(path string) bool {
	if name, ok := strings.CutPrefix(path, "/dev/"); ok {
		return !strings.Contains(name, "/")
	}
	return strings.HasPrefix(path, "/etc/") || slices.Contains(systemFolders(), path)
}

// mountPoint makes a place in our own tmpfs.
func (b *rootBuilder) mountPoint(it item) error {
	if it.kind == itemLink {
		if err := b.folders(filepath.Dir(it.at)); err != nil {
			return err
		}
		if err := unix.Symlink(it.from, it.at); err != nil && err != unix.EEXIST {
			return err
		}
		return nil
	}
	if it.dir {
		return b.folders(it.at)
	}
	if err := b.folders(filepath.Dir(it.at)); err != nil {
		return err
	}
	if err := unix.Mknod(it.at, unix.S_IFREG|0o444, 0); err != nil && err != unix.EEXIST {
		return err
	}
	return nil
}

func (b *rootBuilder) folders(dir string) error {
	if b.made[dir] || dir == "/" {
		return nil
	}
	if err := b.folders(filepath.Dir(dir)); err != nil {
		return err
	}
	b.made[dir] = true
	if err := unix.Mkdir(dir, 0o755); err != nil && err != unix.EEXIST {
		return err
	}
	return nil
}

// hangAt puts a mount on a path. In a piece of the host the path is somebody's,
// so that no link is followed there either.
func (b *rootBuilder) hangAt(fd int, at string, inBind bool) error {
	if !inBind {
		return hang(fd, unix.AT_FDCWD, at)
	}
	target, err := unix.Openat2(unix.AT_FDCWD, at,
		&unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		unix.Close(fd)
		return err
	}
	err = hang(fd, target, "")
	unix.Close(target)
	return err
}

// hide puts an empty folder in front of a path, in which the call's own folders
// may be placed afterwards.
func (b *rootBuilder) hide(at string, inBind bool) error {
	fs, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fs)
	if err := unix.FsconfigSetString(fs, "mode", "0755"); err != nil {
		return err
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return err
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, quietMount)
	if err != nil {
		return err
	}
	keep, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	b.hidden = append(b.hidden, keep)
	return b.hangAt(fd, at, inBind)
}

// leaveHost lets the host's root go for good.
func leaveHost() error {
	if err := unix.Unmount(oldRoot, unix.MNT_DETACH); err != nil {
		return err
	}
	if err := unix.Rmdir(oldRoot); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: quietMount | unix.MOUNT_ATTR_RDONLY})
}

// pathError is a path that could not be placed; an errno alone would not tell a
// person where to look.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return e.err.Error() + " (" + e.path + ")" }
func (e *pathError) Unwrap() error { return e.err }

// allDescriptors is the end of a range that has none.
const allDescriptors = math.MaxUint32
