package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hcp/internal/hcp"
)

func TestChoice(t *testing.T) {
	for _, row := range []struct {
		driver, min string
		want        string
		why         string
	}{
		{"", "", "ns landlock", ""},
		{"auto", "landlock", "ns landlock", ""},
		{"auto", "ns", "ns", ""},
		{"auto", "process", "ns landlock process", ""},
		{"ns", "", "ns", ""},
		{"landlock", "process", "landlock", ""},
		{"process", "process", "process", ""},
		{"process", "", "", "driver process is weaker than sandbox.min landlock"},
		{"landlock", "ns", "", "driver landlock is weaker than sandbox.min ns"},
		{"native-local", "process", "", `driver "native-local" unknown`},
		{"auto", "none", "", `sandbox.min "none" unknown`},
		{"auto", "auto", "", `sandbox.min "auto" unknown`},
		{"NS", "process", "", `driver "NS" unknown`},
	} {
		names, why := Choice{Driver: row.driver, Min: row.min}.candidates()
		if strings.Join(names, " ") != row.want || why != row.why {
			t.Errorf("%q %q: %v %q", row.driver, row.min, names, why)
		}
		if row.why != "" {
			r := staged(t, Select(Choice{Driver: row.driver, Min: row.min}), "echo ran")
			denied(t, r.Denied, "sandbox: isolation unavailable: "+row.why)
			if r.Ran || r.out != "" {
				t.Error("it ran")
			}
		}
	}
}

// staged runs a script with one staged file as $1 under a driver, on any system.
func staged(t testing.TB, drv Driver, script string) result {
	t.Helper()
	b, err := shBin()
	if err != nil {
		t.Fatal(err)
	}
	s := baseSpec(base(t))
	var out strings.Builder
	s.Bin, s.Name, s.Mode, s.Stdout = b, "/bin/sh", ModeEphemeral, &out
	if err := os.MkdirAll(s.Workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	wrote(t, filepath.Join(s.Workspace, "in"), "staged", 0o600)
	s.Args = append(literal("-c", script, "sh"), Arg{Text: "workspace:in", FromArg: true})
	o := Run(context.Background(), drv, s)
	if left, _ := os.ReadDir(s.Jails); len(left) > 0 {
		t.Errorf("%d folders left in the jails", len(left))
	}
	return result{o, out.String(), ""}
}

// broken is a driver whose set-up fails, early or late.
type broken struct {
	name string
	err  error
	late bool
	runs *int
}

func (b broken) Name() string { return b.name }

func (b broken) Prepare(_ context.Context, p *Plan) (Jail, *hcp.Denial) {
	*b.runs++
	if !b.late {
		return nil, unavailable("userns", b.err)
	}
	return newJail(p, b.name, brokenStart{b.err}, newCalls())
}

type brokenStart struct{ err error }

func (b brokenStart) start(*launch) (process, error) { return nil, &setupError{"proc", b.err} }

func choose(drivers ...Driver) *auto { return &auto{drivers: drivers, native: Process()} }

// A set-up that fails before the child ran gives way to the next driver, in
// whose fresh jail the files are staged once more.
func TestAuto_FallsThrough(t *testing.T) {
	for _, late := range []bool{false, true} {
		runs := 0
		r := staged(t, choose(broken{nsName, syscall.EPERM, late, &runs}, Process()), `cat "$1"`)
		if r.out != "staged" || r.Driver != processName || r.Denied != nil || runs != 1 {
			t.Errorf("late %v: %q %+v", late, r.out, r.Outcome)
		}
	}
}

type refusing struct{ runs *int }

func (refusing) Name() string { return landlockName }

func (r refusing) Prepare(context.Context, *Plan) (Jail, *hcp.Denial) {
	*r.runs++
	return nil, hcp.SandboxDenied("project write needs the ns driver")
}

// What is no set-up failure is the call's own end: no other driver gets it.
func TestAuto_DoesNotShopAround(t *testing.T) {
	runs := 0
	r := staged(t, choose(refusing{&runs}, Process()), "echo ran")
	denied(t, r.Denied, "sandbox: project write needs the ns driver")
	if r.Ran || r.out != "" || runs != 1 {
		t.Errorf("%q %d", r.out, runs)
	}
}

// With no driver left the call is refused; the words are the weakest one's.
func TestAuto_NoneLeft(t *testing.T) {
	runs := 0
	r := staged(t, choose(broken{nsName, syscall.ENOSPC, true, &runs}, broken{landlockName, syscall.ENOSYS, false, &runs}), "echo ran")
	denied(t, r.Denied, "sandbox: isolation unavailable: userns: function not implemented")
	if r.Ran || r.out != "" || runs != 2 {
		t.Errorf("%q %d %+v", r.out, runs, r.Outcome)
	}
	if r.Denied == nil || !strings.Contains(r.Denied.Hint, "driver ns: proc: no space left on device") || !strings.Contains(r.Denied.Hint, "user.max_user_namespaces") {
		t.Errorf("hint %q", r.Denied.Hint)
	}
}

// S-7: native-local is decided by configuration and by no driver's failure.
func TestAuto_Native(t *testing.T) {
	runs := 0
	b, err := shBin()
	if err != nil {
		t.Fatal(err)
	}
	s := baseSpec(base(t))
	s.Bin, s.Args, s.Native = b, literal("-c", ":"), true
	if o := Run(context.Background(), choose(broken{nsName, syscall.EPERM, false, &runs}), s); o.Driver != nativeName || runs != 0 {
		t.Errorf("%+v, %d", o, runs)
	}
}

func TestHints(t *testing.T) {
	settings := func(list ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(list); i += 2 {
				if list[i] == name {
					return list[i+1]
				}
			}
			return ""
		}
	}
	for _, row := range []struct{ got, want string }{
		{namespaceHint(syscall.EPERM, settings("kernel/unprivileged_userns_clone", "0")), "kernel.unprivileged_userns_clone=1"},
		{namespaceHint(syscall.EPERM, settings("user/max_user_namespaces", "0")), "user.max_user_namespaces"},
		{namespaceHint(syscall.ENOSPC, settings()), "user.max_user_namespaces"},
		{namespaceHint(syscall.EPERM, settings("kernel/apparmor_restrict_unprivileged_userns", "1")), "AppArmor profile"},
		{namespaceHint(syscall.EPERM, settings()), "kernel.apparmor_restrict_unprivileged_userns"},
		{namespaceHint(syscall.EPERM, settings()), "seccomp"},
		{setupHint("landlock", syscall.ENOSYS), "Linux 5.13"},
		{setupHint("landlock", syscall.EOPNOTSUPP), "lsm="},
		{setupHint("landlock restrict", syscall.E2BIG), "16"},
		{setupHint("ns", errNotHere), `min = "process"`},
	} {
		if !strings.Contains(row.got, row.want) || strings.Contains(row.got, "\n") {
			t.Errorf("%q has no %q", row.got, row.want)
		}
	}
}
