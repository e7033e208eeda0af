package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/sandbox"
)

// checkUmask: files that others can write are not trusted, so that a umask that
// makes such files makes faults later.
func checkUmask() check {
	const strict = 0o077 // for the moment of asking
	mask := syscall.Umask(strict)
	syscall.Umask(mask)
	c := check{Name: "umask", Status: healthOK, Detail: fmt.Sprintf("%04o", mask)}
	switch {
	case mask&0o700 != 0:
		c.Status, c.Detail, c.Hint = healthDegraded, c.Detail+": new files are not even yours to use", "umask 022"
	case mask&0o002 == 0:
		c.Status, c.Detail, c.Hint = healthDegraded, c.Detail+": what you write, everybody can change, and hcp does not trust it", "umask 022"
	case mask&0o020 == 0:
		c.Detail, c.Hint = c.Detail+": a configuration or pack that you write is the group's too, and then not trusted", "umask 022"
	}
	return c
}

// checkDepth: HCP_DEPTH belongs to a call; in a shell it is left over.
func (s *store) checkDepth() check {
	c := check{Name: "HCP_DEPTH", Status: healthOK, Detail: "not set"}
	value, set := s.env.LookupEnv("HCP_DEPTH")
	depth, ok := sandbox.Depth(value, set)
	switch {
	case !ok:
		c.Status, c.Detail, c.Hint = healthBroken, hcp.Quote(value)+": every call is refused as a recursive one", "unset HCP_DEPTH"
	case depth > 0:
		c.Status, c.Detail, c.Hint = healthDegraded, value+" is left over from a call", "unset HCP_DEPTH"
	case set:
		c.Detail = "0"
	}
	return c
}

// checkAbsolute is no check: it is what no check could find.
func checkAbsolute() check {
	return check{Name: "absolute paths", Status: healthOK,
		Detail: "an absolute path is not covered: /usr/bin/gh runs past its shim, whatever PATH says"}
}

// checkSudo tells what sudo makes of the shims.
func (s *store) checkSudo() check {
	c := check{Name: "sudo", Status: healthOK, Detail: "not installed"}
	if findOnPath(s.env, "sudo") == "" && programAt("/usr/bin", "sudo") == nil {
		return c
	}
	path, known := securePath("/etc/sudoers")
	switch {
	case !known:
		c.Detail = "its rules cannot be read; with a secure_path it does not find the shims"
	case path == "":
		c.Detail = "no secure_path; hcp does not act on your store as root"
	case indexDir(pathDirs(path), s.places.Shims) >= 0:
		c.Status, c.Detail, c.Hint = healthDegraded, "its secure_path has the shims: root would run what you can write", "sudo visudo"
	default:
		c.Detail = "its secure_path has no shims: under sudo a name is the program itself, or not found"
	}
	return c
}

// securePath reads the secure_path of sudo's rules; known is false where they
// cannot be read.
func securePath(file string) (path string, known bool) {
	const most = 1 << 20
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, most))
	for lines.Scan() {
		name, value, ok := strings.Cut(strings.TrimSpace(lines.Text()), "=")
		if words := strings.Fields(name); ok && len(words) == 2 && words[0] == "Defaults" && words[1] == "secure_path" {
			path = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return path, lines.Err() == nil
}

// login is one way in which a tool or an agent starts a line: a login shell.
type login struct {
	shell   string
	paths   []string
	profile string // the start-up file that it reads, below the home folder
}

func logins() []login {
	return []login{
		{"sh", []string{"/bin/sh"}, ".profile"},
		{shellBash, []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"}, ".bash_profile"},
		{shellZsh, []string{"/bin/zsh", "/usr/bin/zsh", "/usr/local/bin/zsh"}, ".zprofile"},
	}
}

// checkLogins asks each login shell for its PATH, as it comes out of the
// start-up files.
func (s *store) checkLogins(ctx context.Context) (checks []check) {
	l, err := s.links()
	if err != nil {
		return nil
	}
	ids, _ := l.ours()
	for _, in := range logins() {
		for _, path := range in.paths {
			if programAt(filepath.Split(path)) == nil {
				continue
			}
			checks = append(checks, s.checkLogin(ctx, in, path, l.dir, ids))
			break
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	return checks
}

func (s *store) checkLogin(ctx context.Context, in login, path, shims string, ids []string) check {
	const patience = 3 * time.Second
	const mark = "hcp-finds:"
	c := check{Name: in.shell + " -lc", Status: healthOK}
	text, err := sandbox.Ask(ctx, path, []string{"-lc", `printf '\n` + mark + `%s\n' "$PATH"`}, s.loginEnv(path), patience)
	at := strings.LastIndex(text, "\n"+mark) // start-up files print too
	switch {
	case errors.Is(err, sandbox.ErrUntrusted): // a user namespace shows root's files as nobody's
		c.Detail = "not asked: " + path + " " + err.Error()
		return c
	case err != nil:
		c.Status, c.Detail, c.Hint = healthDegraded, path+": "+err.Error(), path+" -lc true"
		return c
	case at < 0:
		c.Status, c.Detail, c.Hint = healthDegraded, path+" does not come through its start-up files", path+" -lc true"
		return c
	}
	found, _, _ := strings.Cut(text[at+len("\n"+mark):], "\n")
	dirs := pathDirs(found)
	at = indexDir(dirs, shims)
	before := dirs
	if at >= 0 {
		before = dirs[:at]
	}
	id, program := hiddenShim(before, ids)
	switch {
	case id != "":
		c.Status, c.Detail, c.Hint = healthDegraded, id+" is "+program+" there, past its shim", s.profileHint(in, dirs)
	case at < 0: // a name that is not found is no way past anything
		c.Detail, c.Hint = "the shims are not on PATH there", s.profileHint(in, dirs)
	default:
		c.Detail = "the shims are found"
	}
	return c
}

// loginEnv is what a login shell starts with: who the user is, where the store
// is, and the PATH of here, which start-up files reorder.
func (s *store) loginEnv(shell string) []string {
	env := []string{"TERM=dumb", "SHELL=" + shell}
	for _, name := range []string{"HOME", "USER", "LOGNAME", "LANG", "ZDOTDIR", "PATH", "HCP_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
		if v, ok := s.env.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// profileHint is the command that puts the line where that shell reads it. bash
// reads .profile only where it has no file of its own.
func (s *store) profileHint(in login, dirs []string) string {
	home := s.env.Getenv("HOME")
	if home == "" {
		return ""
	}
	shell, dir, file := in.shell, home, in.profile
	switch in.shell {
	case "sh":
		shell = shellBash
	case shellBash:
		if !exists(filepath.Join(home, ".bash_profile")) {
			file = ".profile"
			if exists(filepath.Join(home, ".bash_login")) {
				file = ".bash_login"
			}
		}
	case shellZsh:
		dir = first(s.env.Getenv("ZDOTDIR"), home)
	}
	self := ""
	if !foundIn(dirs, "hcp") {
		self, _ = stableSelf(s.env)
	}
	return "echo " + adapter.ShellQuote(evalLine(shell, self)) + " >>" + adapter.ShellQuote(filepath.Join(dir, file))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func foundIn(dirs []string, name string) bool {
	for _, dir := range dirs {
		if programAt(dir, name) != nil {
			return true
		}
	}
	return false
}
