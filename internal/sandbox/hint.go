package sandbox

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// setupHint says what would let a stage of a driver's set-up pass on this
// machine: the setting that stands in the way where it can be seen, else the
// usual ones.
func setupHint(stage string, err error) string {
	switch {
	case strings.HasPrefix(stage, landlockName):
		return landlockHint(err)
	case stage == "seccomp":
		return "the kernel needs CONFIG_SECCOMP_FILTER, on amd64 or arm64; " + containerWord()
	case stage == "capabilities" || stage == "no_new_privs" || stage == "dumpable":
		return "an outer sandbox forbids prctl or capset; run hcp outside of it"
	case errors.Is(err, errNotHere):
		return "this system has no kernel walls; min = \"process\" in [sandbox] of hcp.toml runs commands without them"
	}
	return namespaceHint(err, readSetting)
}

func landlockHint(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSYS):
		return "Landlock needs Linux 5.13 with CONFIG_SECURITY_LANDLOCK, and a container profile that allows its system calls; " + containerWord()
	case errors.Is(err, syscall.EOPNOTSUPP):
		return "Landlock is switched off: add landlock to lsm= on the kernel's command line"
	case errors.Is(err, syscall.E2BIG):
		return "16 Landlock domains are the limit: run hcp outside of the other sandboxes"
	}
	return "an outer sandbox forbids Landlock; " + containerWord()
}

// namespaceHint looks at the settings that keep users from namespaces.
func namespaceHint(err error, setting func(string) string) string {
	var hints []string
	if setting("kernel/unprivileged_userns_clone") == "0" {
		hints = append(hints, "sysctl -w kernel.unprivileged_userns_clone=1")
	}
	if setting("user/max_user_namespaces") == "0" || errors.Is(err, syscall.ENOSPC) {
		hints = append(hints, "sysctl -w user.max_user_namespaces=15000")
	}
	if setting("kernel/apparmor_restrict_unprivileged_userns") == "1" {
		hints = append(hints, "an AppArmor profile for hcp that says userns, or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0")
	}
	if len(hints) > 0 {
		return strings.Join(hints, "; ")
	}
	return "user namespaces are needed: kernel.unprivileged_userns_clone, user.max_user_namespaces, " +
		"kernel.apparmor_restrict_unprivileged_userns, or an outer sandbox stand in the way; " + containerWord()
}

func readSetting(name string) string {
	data, _ := os.ReadFile("/proc/sys/" + name)
	return strings.TrimSpace(string(data))
}

// containerWord names the container's setting, for certain where there is one.
func containerWord() string {
	const docker = "--security-opt seccomp=unconfined --security-opt apparmor=unconfined, or a profile with these calls"
	for _, mark := range [...]string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			return "this is a container: start it with " + docker
		}
	}
	return "in a container: " + docker
}
