package sandbox

import (
	"context"
	"os"
	"os/exec"
	"testing"
)

func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	rec := ResolveBin(Resolve{Bin: "true", Path: []string{"/usr/bin", "/bin"}})
	drv := Process()
	s := baseSpec(dir)
	for b.Loop() {
		bin, _, d := OpenBin("true", rec, nil, s.PackRoot, os.Geteuid())
		if d != nil {
			b.Fatal(d.Message)
		}
		s.Bin = bin
		if o := Run(context.Background(), drv, s); o.Denied != nil || o.Exit != 0 {
			b.Fatalf("%+v", o)
		}
	}
}

func BenchmarkPlainExec(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
