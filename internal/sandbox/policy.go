package sandbox

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hcp/internal/hcp"
)

// What a child may reach of the network (Spec.Network).
const (
	networkNone = "none"
	networkHost = "host"
)

// access is what a child may do with a path. The zero access is to read it,
// and to run what can be run.
type access int

const (
	accessRead access = iota
	accessWrite
	accessDevice
)

// view is one path that the child finds.
type view struct {
	At     string // absolute: where the child finds it
	From   string // what it is, symlinks resolved; At itself where there are none
	Dir    bool   // a folder with all that is in it; else one file
	Access access
}

// policy is all that a child may see and reach. Every driver with walls builds
// them from it; what it does not list is not there. It holds plain values only,
// so that it can be handed to another process.
type policy struct {
	Views     []view   // outer folders before what lies in them
	Protected []string // read-only although a folder above is writable; existing ones only
	Pinned    []string // folders above Protected ones that may not be renamed
	Hidden    []string // parts of the store inside a folder of Views: not to be seen
	Sockets   []string // unix sockets that may be reached (ns only)
	Network   string   // networkNone or networkHost
	Cwd       string   // where the child starts
	Private   string   // the call's own folder: home, temporary files, credentials

	absent []absentName // what would be Protected if it existed, folder by folder; hcp's own, told no init
	files  resolver     // while it is built
}

// systemFolders hold programs and what programs need, readable by everybody.
func systemFolders() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib64"}
}

// systemFiles are the part of /etc that programs cannot do without. No folder
// that may hold a key or a password is among them: /etc/ssl has a private one.
func systemFiles() []string {
	return []string{
		"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime", "/etc/timezone",
		"/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
		"/etc/ld.so.cache", "/etc/alternatives", "/etc/locale.alias", "/etc/mime.types", "/etc/os-release", "/etc/perl",
		"/etc/ssl/certs", "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
		"/etc/ssl/ca-bundle.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/crypto-policies",
		"/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust",
	}
}

func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
}

// buildPolicy lists what the child of a call may see. Paths that do not exist
// are left out. What must be refused, whatever the driver, is the denial.
func buildPolicy(p *Plan, d *dirs) (policy, *hcp.Denial) {
	s := &p.spec
	pol := policy{Network: networkNone, Cwd: d.cwd, Private: d.root, Sockets: s.Sockets}
	switch s.Network {
	case "", networkNone:
	case networkHost:
		pol.Network = networkHost
	default:
		return policy{}, hcp.SandboxDenied("network %s unknown", hcp.Quote(s.Network))
	}
	pol.see(accessRead, systemFolders()...)
	pol.see(accessRead, systemFiles()...)
	pol.see(accessDevice, devices()...)
	pol.see(accessRead, s.PackRoot)
	if s.Bin != nil {
		pol.seeBin(s.Bin.rec)
	}
	pol.see(accessRead, s.Read...)
	pol.seeJail(p, d)
	if s.Mode == ModeProject {
		pol.seeProject(p.project, s.Operation == hcp.OpWrite)
	}
	return pol, pol.hide(s.Store, p, d)
}

// see adds paths. A symlink in a folder that is seen is there with it, and only
// what it leads to is added; one elsewhere is seen as the file it leads to.
func (pol *policy) see(a access, paths ...string) {
	for _, at := range paths {
		if !filepath.IsAbs(at) {
			continue
		}
		at = filepath.Clean(at)
		from, dir, ok := pol.files.file(at)
		if !ok {
			continue
		}
		if at != from && pol.inView(at) {
			at = from
		}
		if !pol.has(at, a) {
			pol.Views = append(pol.Views, view{At: at, From: from, Dir: dir, Access: a})
		}
	}
}

// seeAs adds a file that the child finds under a name of its own, where no
// folder that it sees has that name.
func (pol *policy) seeAs(at, from string) {
	if filepath.IsAbs(at) && at != from && !pol.inView(at) {
		pol.Views = append(pol.Views, view{At: at, From: from})
	}
	pol.see(accessRead, from)
}

// has tells whether the child may do that with a path already.
func (pol *policy) has(at string, a access) bool {
	for _, v := range pol.Views {
		if v.Access == a && (v.At == at || v.Dir && v.At == v.From && inFolder(v.At, at)) {
			return true
		}
	}
	return false
}

// inView tells whether a folder that the child sees has a path in it.
func (pol *policy) inView(at string) bool {
	for _, v := range pol.Views {
		if v.Dir && v.At == v.From && v.At != at && inFolder(v.At, at) {
			return true
		}
	}
	return false
}

// inFolder tells whether a clean absolute path is a folder or lies in it.
func inFolder(dir, path string) bool {
	return dir == "/" || strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

// seeBin adds the program, its interpreters and the folders of its install
// (formats.md): what a pipx, nvm or cargo tool needs to start.
func (pol *policy) seeBin(rec hcp.BinRecord) {
	pol.see(accessRead, rec.Prefix...)
	for _, store := range [...]string{"/nix/store", "/gnu/store"} {
		if inFolder(store, rec.Path) {
			pol.see(accessRead, store)
		}
	}
	pol.seeAs(rec.Found, rec.Path)
	for _, id := range rec.Interp {
		pol.see(accessRead, id.Path)
	}
	if len(rec.Interp) == 0 {
		return
	}
	if name, _, _ := strings.Cut(shebang(rec.Path), " "); name != "" {
		pol.seeAs(name, rec.Interp[0].Path)
	}
	if len(rec.Script) > 0 {
		pol.seeAs(rec.Script[0], rec.Interp[len(rec.Interp)-1].Path)
	}
}

// seeJail adds the folders of the call. Credentials are to be read; what is
// private is the child's own.
func (pol *policy) seeJail(p *Plan, d *dirs) {
	if d.cred != "" {
		pol.see(accessRead, d.cred)
	}
	pol.see(accessWrite, d.tmp, d.home)
	if p.spec.Mode == ModeEphemeral {
		pol.see(accessWrite, d.cwd)
	}
	if p.needsWorkspace() {
		pol.see(accessWrite, p.spec.Workspace)
	}
}

// hide finds the parts of the store that lie in a folder which the child sees.
// The call's own folders and the pack lie in the store too, and stay. A folder
// with the store in it that the child could write to is refused: what is hidden
// there today may have another name tomorrow.
func (pol *policy) hide(store []string, p *Plan, d *dirs) *hcp.Denial {
	var own []string
	for _, dir := range [...]string{d.root, p.spec.PackRoot, p.spec.Workspace} {
		if filepath.IsAbs(dir) {
			own = append(own, pol.files.folder(filepath.Clean(dir)))
		}
	}
	for _, s := range store {
		if !filepath.IsAbs(s) {
			continue
		}
		s = pol.files.folder(filepath.Clean(s))
		for _, v := range pol.Views {
			switch {
			case inFolder(s, v.From):
				if !slices.ContainsFunc(own, func(o string) bool { return inFolder(o, v.From) }) {
					return hcp.SandboxDenied("%s lies in the store", printablePath(v.At)).
						WithHint("nothing in hcp's own folders can be made readable")
				}
			case !v.Dir || !inFolder(v.From, s):
			case v.Access == accessWrite:
				return hcp.SandboxDenied("%s contains the store", printablePath(v.At))
			case !slices.Contains(pol.Hidden, s):
				pol.Hidden = append(pol.Hidden, s)
			}
		}
	}
	return nil
}

// printablePath keeps a path whole and on one line inside a message.
func printablePath(path string) string {
	q := strconv.Quote(path)
	return q[1 : len(q)-1]
}
