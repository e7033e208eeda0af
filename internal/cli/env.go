// Package cli is the two programs in one file: hcp itself, and the shim of a
// pack (cli.md). It hides how a face turns words into an envelope and a result
// into what a person or an agent reads. It decides nothing about a call: every
// face builds the same envelope and hands it to the same pipeline.
package cli

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"hcp/internal/sandbox"
)

// Build is what the binary knows of its making.
type Build struct{ Version, Commit string }

// Env is everything that enters from outside; nothing else in the product reads
// the process's arguments, environment, clock or working directory.
type Env struct {
	Args      []string // as the process got them, the name it was called by first
	Stdin     *os.File
	Stdout    *os.File
	Stderr    *os.File
	LookupEnv func(string) (string, bool)
	Getwd     func() (string, error)
	Now       func() time.Time
	Terminal  func(*os.File) bool
	Managed   string // the administrator's hcp.toml
	Bundled   fs.FS  // one folder a pack
	Snippets  fs.FS  // shell snippets (shims/README.md)
	Build     Build

	lost  error         // stdout took something not; nil: all is said
	calls sandbox.Calls // of this process, where several may run at once
}

// managedConfig is the administrator's layer (formats.md). It is a field of Env
// and no variable, so that no environment can move it.
const managedConfig = "/etc/hcp/hcp.toml"

// System is the environment of this process.
func System(bundled, snippets fs.FS, b Build) *Env {
	return &Env{
		Args: os.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		LookupEnv: os.LookupEnv, Getwd: os.Getwd, Now: time.Now,
		Terminal: func(f *os.File) bool { return isatty.IsTerminal(f.Fd()) },
		Managed:  managedConfig, Bundled: bundled, Snippets: snippets, Build: b,
	}
}

// Getenv is the value of a variable, "" when it is not set.
func (e *Env) Getenv(name string) string {
	v, _ := e.LookupEnv(name)
	return v
}

// osUser is the login name of the effective user, from the passwd file and
// never from $USER, which an invoker sets.
func osUser() string {
	uid := strconv.Itoa(os.Geteuid())
	if u, err := user.LookupId(uid); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid-" + uid
}

// atTerminal tells whether a person is there: stdin and stderr are terminals.
func (e *Env) atTerminal() bool { return e.Terminal(e.Stdin) && e.Terminal(e.Stderr) }

// colour tells whether f takes colour: a terminal, and nobody says no.
func (e *Env) colour(f *os.File) bool {
	return e.Terminal(f) && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// pathDirs splits a PATH; empty elements, which mean the working directory, are
// left out.
func pathDirs(path string) []string {
	var dirs []string
	for dir := range strings.SplitSeq(path, string(os.PathListSeparator)) {
		if strings.HasPrefix(dir, "/") {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
