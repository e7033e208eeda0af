package sandbox

import (
	"golang.org/x/sys/unix"
)

// dropCaps leaves the calling thread, and what it starts, without any
// capability and, for root, without a way to get one back by exec. The caller
// has set no_new_privs, which is the rest of the way for everybody.
func dropCaps() error {
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&hdr, &have[0]); err != nil {
		return err
	}
	if have[0].Effective&(1<<unix.CAP_SETPCAP) != 0 {
		if err := dropBounding(); err != nil {
			return err
		}
	}
	if have[0].Permitted|have[1].Permitted|have[0].Inheritable|have[1].Inheritable == 0 {
		return nil
	}
	var none [2]unix.CapUserData
	return unix.Capset(&hdr, &none[0]) // clears the ambient set too
}

// dropBounding empties the bounding set. The kernel says where it ends.
func dropBounding() error {
	for c := uintptr(0); ; c++ {
		switch err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); {
		case err == unix.EINVAL && c > unix.CAP_SETPCAP:
			return nil
		case err != nil:
			return err
		}
	}
}

func noNewPrivs() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }
