package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// proofKey says what a proof holds for: this kernel since it was booted, this
// executable, this user in these namespaces, and how far this process is
// already held by an outer sandbox. "" where that cannot be told.
func proofKey(exe string) string {
	var u unix.Utsname
	var st, user, mnt unix.Stat_t
	if unix.Uname(&u) != nil || unix.Stat(exe, &st) != nil ||
		unix.Stat("/proc/self/ns/user", &user) != nil || unix.Stat("/proc/self/ns/mnt", &mnt) != nil {
		return ""
	}
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	status, err2 := os.ReadFile("/proc/self/status")
	if err1 != nil || err2 != nil {
		return ""
	}
	words := []string{
		"kernel=" + unix.ByteSliceToString(u.Release[:]), "boot=" + string(bytes.TrimSpace(boot)),
		"exe=" + numbers(st.Dev, st.Ino, uint64(st.Mtim.Nano())), "uid=" + strconv.Itoa(os.Geteuid()),
		"user=" + numbers(user.Ino), "mnt=" + numbers(mnt.Ino),
	}
	for line := range bytes.Lines(status) {
		name, value, _ := bytes.Cut(line, []byte{':'})
		switch string(name) {
		case "NoNewPrivs", "Seccomp", "Seccomp_filters", "CapEff", "CapBnd":
			words = append(words, string(name)+"="+string(bytes.TrimSpace(value)))
		}
	}
	return strings.Join(words, " ")
}

func numbers(list ...uint64) string {
	var b []byte
	for i, n := range list {
		if i > 0 {
			b = append(b, ':')
		}
		b = strconv.AppendUint(b, n, 10)
	}
	return string(b)
}
