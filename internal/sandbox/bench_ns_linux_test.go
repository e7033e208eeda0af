package sandbox

import (
	"context"
	"os"
	"os/exec"
	"testing"
)

// What a whole call costs under the drivers, and what bwrap alone costs.
func BenchmarkDrivers(b *testing.B) {
	for _, drv := range []Driver{Process(), Landlock(), NS()} {
		b.Run(drv.Name(), func(b *testing.B) { benchRun(b, drv) })
	}
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		b.Run("bwrap", func(b *testing.B) {
			for b.Loop() {
				if err := exec.Command(bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin",
					"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--ro-bind", "/etc/passwd", "/etc/passwd",
					"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "/bin/true").Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchRun(b *testing.B, drv Driver) {
	dir := b.TempDir()
	rec := ResolveBin(Resolve{Bin: "true", Path: []string{"/usr/bin", "/bin"}})
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
