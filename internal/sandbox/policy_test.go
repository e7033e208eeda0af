package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hcp/internal/hcp"
)

func policyFor(t *testing.T, change func(*Spec)) (policy, *Plan, *dirs, *hcp.Denial) {
	t.Helper()
	s := baseSpec(base(t))
	if change != nil {
		change(&s)
	}
	p, d := planOf(s)
	if d != nil {
		t.Fatal(d.Message)
	}
	made, d := makeDirs(p)
	if d != nil {
		t.Fatal(d.Message)
	}
	t.Cleanup(made.remove)
	pol, d := buildPolicy(p, &made)
	return pol, p, &made, d
}

func (pol *policy) find(at string) *view {
	for i := range pol.Views {
		if pol.Views[i].At == at {
			return &pol.Views[i]
		}
	}
	return nil
}

// The report of /etc/resolv.conf that leads into /run: the file that it leads
// to is listed, alone.
func TestPolicy_SymlinkTargets(t *testing.T) {
	dir := base(t)
	wrote(t, dir+"/run/x/stub.conf", "nameserver 127.0.0.1\n", 0o644)
	wrote(t, dir+"/run/x/other", "", 0o644)
	os.MkdirAll(dir+"/etc", 0o755)
	os.Symlink("../run/x/stub.conf", dir+"/etc/resolv.conf")
	os.Symlink(dir+"/etc/resolv.conf", dir+"/etc/again")
	os.Symlink("loop", dir+"/etc/loop")
	os.Symlink("/nowhere/at/all", dir+"/etc/dangling")
	var pol policy
	pol.see(accessRead, dir+"/etc/resolv.conf", dir+"/etc/again", dir+"/etc/loop", dir+"/etc/dangling", dir+"/etc/absent", "relative", "")
	want := []view{{At: dir + "/etc/resolv.conf", From: dir + "/run/x/stub.conf"}, {At: dir + "/etc/again", From: dir + "/run/x/stub.conf"}}
	if !slices.Equal(pol.Views, want) {
		t.Errorf("got %+v\nwant %+v", pol.Views, want)
	}
}

// A link in a folder that is seen is there with it; what it leads to is added.
func TestPolicy_LinkInsideAView(t *testing.T) {
	dir := base(t)
	wrote(t, dir+"/store/ca.crt", "x", 0o644)
	os.MkdirAll(dir+"/certs", 0o755)
	os.Symlink("../store/ca.crt", dir+"/certs/bundle.crt")
	var pol policy
	pol.see(accessRead, dir+"/certs", dir+"/certs/bundle.crt")
	want := []view{{At: dir + "/certs", From: dir + "/certs", Dir: true}, {At: dir + "/store/ca.crt", From: dir + "/store/ca.crt"}}
	if !slices.Equal(pol.Views, want) {
		t.Errorf("got %+v", pol.Views)
	}
}

func TestPolicy_Resolver(t *testing.T) {
	dir := base(t)
	wrote(t, dir+"/a/b/c/file", "x", 0o644)
	os.Symlink("b/c", dir+"/a/deep")
	os.Symlink("a/deep/../../b", dir+"/back") // ".." of where deep leads: a/b/c/../../b is a/b
	os.Symlink("../../../../../../../../../../../../../etc/passwd", dir+"/up")
	for path, want := range map[string]string{
		"/a/deep/file":   "/a/b/c/file",
		"/back/c/file":   "/a/b/c/file",
		"/a/b/c/missing": "/a/b/c/missing",
	} {
		var r resolver
		real, _, ok := r.file(dir + path)
		there, err := filepath.EvalSymlinks(dir + path)
		if real != dir+want || ok != (err == nil) || err == nil && there != real {
			t.Errorf("%s: %q %v, the system says %q %v", path, real, ok, there, err)
		}
	}
	var r resolver
	if real, _, ok := r.file(dir + "/up"); real != "/etc/passwd" && ok {
		t.Errorf("up leads to %q", real)
	}
}

// S-8: nothing by default, and a word that is not known is no network either.
func TestS8_Network(t *testing.T) {
	for in, want := range map[string]string{"": "none", "none": "none", "host": "host"} {
		if pol, _, _, d := policyFor(t, func(s *Spec) { s.Network = in }); d != nil || pol.Network != want {
			t.Errorf("%q: %q %v", in, pol.Network, d)
		}
	}
	_, _, _, d := policyFor(t, func(s *Spec) { s.Network = "Host" })
	denied(t, d, `sandbox: network "Host" unknown`)
}

// What is private is writable, and nothing that is writable is anybody else's.
func TestPolicy_Jail(t *testing.T) {
	pol, p, d, den := policyFor(t, func(s *Spec) {
		s.Mode = ModeEphemeral
		s.BindingFiles = []hcp.CredentialFile{{Name: "token", Value: "x"}}
	})
	if den != nil {
		t.Fatal(den.Message)
	}
	for _, v := range pol.Views {
		if v.Access == accessWrite && !inFolder(d.root, v.At) {
			t.Errorf("%s is writable", v.At)
		}
	}
	for at, want := range map[string]access{d.cwd: accessWrite, d.tmp: accessWrite, d.home: accessWrite, d.cred: accessRead, p.spec.PackRoot: accessRead} {
		if v := pol.find(at); v == nil || v.Access != want || !v.Dir {
			t.Errorf("%s: %+v", at, v)
		}
	}
	for _, at := range []string{"/", "/etc", "/root", "/home", "/run", "/var", "/tmp", "/dev", "/etc/shadow", "/etc/ssl", "/etc/ssl/private", p.spec.Home, p.spec.Jails} {
		if v := pol.find(at); v != nil {
			t.Errorf("%s is seen: %+v", at, v)
		}
	}
}

// The store is not there for a child, wherever it lies.
func TestPolicy_Store(t *testing.T) {
	dir := base(t)
	store := dir + "/opt/hcp"
	wrote(t, store+"/state/audit/x", "", 0o644)
	with := func(read string) (policy, *hcp.Denial) {
		pol, _, _, d := policyFor(t, func(s *Spec) { s.Store, s.Read = []string{store, "/usr/share/hcp-not-made-yet"}, []string{read} })
		return pol, d
	}
	pol, d := with(dir + "/opt")
	if d != nil || !slices.Equal(pol.Hidden, []string{"/usr/share/hcp-not-made-yet", store}) && !slices.Equal(pol.Hidden, []string{store, "/usr/share/hcp-not-made-yet"}) {
		t.Errorf("%v %v", pol.Hidden, d)
	}
	for _, read := range []string{store, store + "/state", store + "/state/audit/x"} {
		_, d := with(read)
		denied(t, d, "sandbox: "+read+" lies in the store")
	}
	os.Symlink(store+"/state", dir+"/innocent")
	_, d = with(dir + "/innocent")
	denied(t, d, "sandbox: "+dir+"/innocent lies in the store")
}

// The call's own folders and the pack lie in the store and are seen all the
// same.
func TestPolicy_OwnPartOfTheStore(t *testing.T) {
	pol, p, _, d := policyFor(t, func(s *Spec) {
		s.Mode = ModeWorkspace
		s.Store = []string{filepath.Dir(s.Jails), filepath.Dir(filepath.Dir(s.PackRoot))}
	})
	if d != nil || len(pol.Hidden) != 0 {
		t.Fatal(d, pol.Hidden)
	}
	if v := pol.find(p.spec.Workspace); v == nil || v.Access != accessWrite {
		t.Errorf("workspace: %+v", v)
	}
}

// A tool's recorded install is seen: the name it was found under, its
// interpreters, its prefix, and nothing around them.
func TestPolicy_Bin(t *testing.T) {
	dir := base(t)
	venv := dir + "/pipx/venvs/tool"
	wrote(t, venv+"/pyvenv.cfg", "", 0o644)
	wrote(t, venv+"/bin/tool", "#!"+venv+"/bin/python\n", 0o755)
	os.MkdirAll(dir+"/bin", 0o755)
	os.Symlink("/bin/sh", venv+"/bin/python")
	os.Symlink(venv+"/bin/tool", dir+"/bin/tool")
	rec := ResolveBin(Resolve{Bin: "tool", Path: []string{dir + "/bin"}})
	if rec.Why != "" {
		t.Fatal(rec.Why)
	}
	b, _, d := OpenBin("tool", rec, nil, "/packs/p", os.Geteuid())
	if d != nil {
		t.Fatal(d.Message)
	}
	defer b.Close()
	pol, _, _, d := policyFor(t, func(s *Spec) { s.Bin = b })
	if d != nil {
		t.Fatal(d.Message)
	}
	if v := pol.find(dir + "/bin/tool"); v == nil || v.From != venv+"/bin/tool" || v.Dir {
		t.Errorf("the name it was found under: %+v", v)
	}
	if v := pol.find(venv); v == nil || !v.Dir || v.Access != accessRead {
		t.Errorf("its prefix: %+v", v)
	}
	for _, v := range pol.Views {
		if strings.HasPrefix(v.At, dir) && v.At != venv && v.At != dir+"/bin/tool" && v.At != b.rec.Path {
			t.Errorf("%+v is seen", v)
		}
	}
}
