package cli

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"hcp/internal/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.MaybeChild()
	os.Exit(m.Run())
}

// BenchmarkShim is a shim's call from argv to exit code without the start of
// the process: what our own code adds. Its child is /bin/true.
func BenchmarkShim(b *testing.B) {
	home := filepath.Join(b.TempDir(), "hcp")
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	env := &Env{Stdin: null, Stdout: null, Stderr: null, Now: time.Now, Getwd: os.Getwd,
		Terminal: func(*os.File) bool { return false }, Managed: "/nonexistent/hcp.toml",
		LookupEnv: func(name string) (string, bool) {
			v, ok := map[string]string{"HCP_HOME": home, "PATH": "/usr/bin:/bin", "HOME": filepath.Dir(home)}[name]
			return v, ok
		},
		Bundled: fstest.MapFS{
			"yes/surface.json": {Data: []byte(`{"pack_id":"yes","version":"1","kind":"wrap","description":"d","wrap":{"bin":"/bin/true","json_flag":[]},"verbs":{"go":{"cli":["yes","go"]}}}`)},
			"yes/policy.json":  {Data: []byte(`{"pack_id":"yes","rows":{"go":{"operation":"read"}}}`)},
		}}
	env.Args = []string{"hcp", "init"}
	if code := Main(env); code != 0 {
		b.Fatal(code)
	}
	env.Args = []string{"yes", "go"}
	for b.Loop() {
		if code := Main(env); code != 0 {
			b.Fatal(code)
		}
	}
}
