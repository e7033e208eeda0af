package cli

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"hcp/internal/hcp"
)

// Main is the whole program: it looks at the name it was called by, runs, and
// gives the exit code.
func Main(env *Env) int {
	// A reader that goes away is an ordinary end: the write fails, the call is
	// wound up and recorded, and nothing is said.
	// Notify and not Ignore: a child would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if len(env.Args) == 0 {
		return env.fail("hcp", "no program name (argc is 0)")
	}
	switch name := programName(env.Args[0]); name {
	case "hcp", "hcpx":
		return runCommand(env, name, env.Args[1:])
	case "", ".", "/":
		return env.fail("hcp", "no program name in "+hcp.Quote(env.Args[0]))
	default:
		return runShim(env, name, env.Args[1:])
	}
}

// programName is what argv[0] calls us: its base name without the dash of a
// login shell and without .exe. The file behind it is never asked, since a link
// is what makes a shim.
func programName(argv0 string) string {
	name := filepath.Base(argv0)
	name = strings.TrimPrefix(name, "-")
	return strings.TrimSuffix(name, ".exe")
}
