package sandbox

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hcp/internal/hcp"
)

// Report is what `hcp doctor` says about the sandbox.
type Report struct {
	Driver     string   // the driver that calls get; "" when every call is refused
	Proof      string   // how each driver fared that the choice allows, on one line
	ABI        int      // the kernel's Landlock version; 0: none
	NotCovered []string // what Driver does not hold on this machine
	Problem    string   // why every call is refused, or a stronger driver is not used; "" for nothing
	Hint       string   // what would mend Problem
}

// proofTimeout bounds one driver's proof.
const proofTimeout = 10 * time.Second

// Inspect proves every driver that a choice allows by running a program that
// does nothing under it, remembers the outcome in the cache, and tells which
// one calls get.
func Inspect(c Choice) Report {
	r := Report{ABI: currentABI()}
	names, why := c.candidates()
	if why != "" {
		r.Problem = why
		return r
	}
	p := openProofs(c)
	p.lines = nil
	var proof []string
	var failed []failure
	for _, n := range names {
		d := prove(driverNamed(n), c.CacheDir)
		v := verdict{driver: n, ok: d == nil, at: p.now().Unix(), why: "proved"}
		word := "works"
		if d != nil {
			v.why = strings.TrimPrefix(unavailableWhy(d), "sandbox: ")
			word = v.why
			failed = append(failed, failure{n, d})
		} else if r.Driver == "" {
			r.Driver = n
		}
		p.set(v)
		proof = append(proof, n+": "+word)
	}
	r.Proof = strings.Join(proof, "; ")
	if p.key != "" && c.CacheDir != "" {
		p.write()
	}
	r.NotCovered = notCovered(r.Driver, r.ABI)
	if r.Driver == "" {
		d := noneLeft(failed)
		r.Problem, r.Hint = strings.TrimPrefix(d.Message, "sandbox: "), d.Hint
	} else if len(failed) > 0 && failed[0].driver == names[0] {
		r.Problem = "driver " + names[0] + ": " + strings.TrimPrefix(unavailableWhy(failed[0].denial), "sandbox: ")
		r.Hint = failed[0].denial.Hint
	}
	return r
}

// prove runs a program that does nothing under a driver.
func prove(drv Driver, dir string) *hcp.Denial {
	if dir == "" {
		dir = "/tmp"
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed("jail", err)
	}
	base, err := os.MkdirTemp(dir, proofFile+"-")
	if err != nil {
		return failed("jail", err)
	}
	defer removeTree(base)
	bin, name, args := idleProgram(base)
	if bin == nil {
		return hcp.SandboxDenied("no program to prove it with")
	}
	ctx, stop := context.WithTimeout(context.Background(), proofTimeout)
	defer stop()
	o := Run(ctx, drv, Spec{Bin: bin, Name: name, Args: args, PackRoot: base, Jails: filepath.Join(base, "jails"),
		Operation: hcp.OpRead, Stdout: io.Discard, Stderr: io.Discard})
	if o.Denied == nil && o.Exit != 0 {
		return hcp.SandboxDenied("%s exits %d", name, o.Exit)
	}
	return o.Denied
}

func idleProgram(base string) (b *Bin, name string, args []Arg) {
	for _, name := range [...]string{"/usr/bin/true", "/bin/true", "/bin/sh"} {
		b, _, d := OpenBin(name, hcp.BinRecord{}, []string{name}, base, os.Geteuid())
		if d == nil {
			if name == "/bin/sh" {
				args = []Arg{{Text: "-c"}, {Text: ":"}}
			}
			return b, name, args
		}
	}
	return nil, "", nil
}

// notCovered lists what a driver cannot hold, as far as this machine's Landlock
// goes.
func notCovered(driver string, abi int) []string {
	switch driver {
	case processName:
		return []string{"a child can read and write what its user can, reach the network, and signal its user's processes"}
	case nsName:
		if abi == 0 {
			return []string{"no Landlock on this kernel: the namespaces have no second wall of paths"}
		}
		return nil
	case landlockName:
	default:
		return nil
	}
	list := []string{
		"mode, times, owner and attributes of its user's files outside the jail can be changed, and names and sizes seen",
		"no /tmp of its own: only TMPDIR is writable", "no /dev/shm: POSIX semaphores and shared memory fail",
		"/proc is the machine's: other processes' command lines can be read",
		"no path inside a writable folder can be read-only: a project write needs project_git_writable",
		"unix sockets, those of [packs.x] too, cannot be reached; System V IPC and message queues are refused",
		"kill -9 of hcp ends the child, not what the child started",
	}
	for _, gap := range [...]struct {
		abi  int
		what string
	}{
		{2, "files cannot be moved between folders"},
		{5, "device files of readable folders take ioctl calls"},
		{6, "processes of the same user can be sent signals"},
	} {
		if abi < gap.abi {
			list = append(list, gap.what)
		}
	}
	return list
}
