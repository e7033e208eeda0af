package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What doctor says: the driver that calls get is the one that was proved.
func TestInspect(t *testing.T) {
	dir := filepath.Join(base(t), "state")
	c := Choice{Min: "process", CacheDir: dir, Exe: os.Args[0]}
	r := Inspect(c)
	o := staged(t, Select(c), "echo ran")
	if r.Driver == "" || o.Driver != r.Driver || o.out != "ran\n" {
		t.Errorf("%+v, but %q ran (%v)", r, o.Driver, o.Denied)
	}
	for _, name := range ranked() {
		if !strings.Contains(r.Proof, name+": ") {
			t.Errorf("no word of %s in %q", name, r.Proof)
		}
	}
	if strings.Contains(r.Proof, nsName+": works") != (r.Driver == nsName) || strings.Contains(r.Proof, "\n") {
		t.Errorf("%q, driver %s", r.Proof, r.Driver)
	}
	if r.Driver != nsName && (r.Problem == "" || r.Hint == "") {
		t.Errorf("why not ns: %+v", r)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, proofFile+"-*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestInspect_Refusals(t *testing.T) {
	r := Inspect(Choice{Driver: "process"})
	if r.Driver != "" || r.Problem != "driver process is weaker than sandbox.min landlock" {
		t.Errorf("%+v", r)
	}
	r = Inspect(Choice{Driver: "process", Min: "process"})
	if r.Driver != processName || r.Problem != "" || len(r.NotCovered) == 0 {
		t.Errorf("%+v", r)
	}
	file := filepath.Join(base(t), "file")
	wrote(t, file, "", 0o600)
	if r = Inspect(Choice{Min: "process", CacheDir: filepath.Join(file, "state")}); r.Driver != "" || r.Problem == "" {
		t.Errorf("no place for a jail: %+v", r)
	}
}

// What is not covered is said, for each driver and kernel.
func TestNotCovered(t *testing.T) {
	for _, row := range []struct {
		driver string
		abi    int
		want   string
		not    string
	}{
		{landlockName, 7, "command lines", "signals"},
		{landlockName, 5, "sent signals", "device files"},
		{landlockName, 4, "device files", "moved between"},
		{landlockName, 1, "moved between", "second wall"},
		{nsName, 0, "no Landlock", "command lines"},
		{processName, 7, "reach the network", "no Landlock"},
	} {
		got := strings.Join(notCovered(row.driver, row.abi), "\n")
		if !strings.Contains(got, row.want) || strings.Contains(got, row.not) {
			t.Errorf("%s, ABI %d: %q", row.driver, row.abi, got)
		}
	}
	if list := notCovered("", 7); len(list) != 0 {
		t.Error(list)
	}
}
