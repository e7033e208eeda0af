package cli

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"hcp/internal/config"
	"hcp/internal/hcp"
)

type shellInitCmd struct {
	Shell string `arg:"" help:"bash, zsh or fish."`
}

// Help is shown below the flags.
func (c *shellInitCmd) Help() string {
	return "bash:  eval \"$(hcp shell-init bash)\"\nzsh:   eval \"$(hcp shell-init zsh)\"\nfish:  hcp shell-init fish | source"
}

// Run prints what a shell evaluates to have the shims first on PATH, and
// completion. It reads no configuration: a broken one must not break a shell's
// start.
func (c *shellInitCmd) Run(env *Env, status *int) error {
	if err := knownShell(c.Shell); err != nil {
		return err
	}
	places, err := config.Locate(env.Getenv, env.Managed)
	if err != nil {
		return err
	}
	if strings.ContainsRune(places.Shims, ':') {
		return fmt.Errorf("%s has a colon in it and cannot be on PATH; set HCP_HOME to another folder", hcp.Printable(places.Shims, ""))
	}
	complete, err := completionText(env, c.Shell)
	if err != nil {
		return err
	}
	text := ""
	if c.Shell != shellFish {
		if text, err = snippet(env, "path.sh"); err != nil {
			return err
		}
	}
	initial, err := snippet(env, "init."+c.Shell)
	if err != nil {
		return err
	}
	text = strings.NewReplacer("@DIR@", shellWord(c.Shell, places.Shims), "@COMPLETION@", quotedText(c.Shell, complete)).Replace(text + initial)
	*status = env.write([]byte(text), hcp.ExitOK)
	return nil
}

type completionCmd struct {
	Shell string `arg:"" help:"bash, zsh or fish."`
}

// Help is shown below the flags.
func (c *completionCmd) Help() string {
	return "It names hcp and the shims there are now; hcp shell-init has it too, made anew with each shell."
}

// Run prints the completion alone.
func (c *completionCmd) Run(env *Env, status *int) error {
	if err := knownShell(c.Shell); err != nil {
		return err
	}
	text, err := completionText(env, c.Shell)
	if err == nil {
		*status = env.write([]byte(text), hcp.ExitOK)
	}
	return err
}

func knownShell(name string) error {
	switch name {
	case shellBash, shellZsh, shellFish:
		return nil
	}
	return fmt.Errorf("unknown shell %s; there is bash, zsh and fish", hcp.Quote(name))
}

// completionText is a shell's completion of hcp and of the shims that are there
// now. Shims that cannot be listed are left out: hcp's own words still complete.
func completionText(env *Env, shell string) (string, error) {
	text, err := snippet(env, "completion."+shell)
	if err != nil {
		return "", err
	}
	self, err := stableSelf(env)
	if err != nil {
		return "", err
	}
	names := []string{"hcp", "hcpx"}
	if places, err := config.Locate(env.Getenv, env.Managed); err == nil {
		ids, _ := links{dir: places.Shims, target: self}.ours()
		names = append(names, ids...)
	}
	return strings.NewReplacer("@HCP@", shellWord(shell, self), "@NAMES@", strings.Join(names, " ")).Replace(text), nil
}

// snippet is one file of shims/ without its comments: they are for who reads
// the source, and a shell that joins the lines would stop at the first. Only
// what zsh's completion reads stays.
func snippet(env *Env, name string) (string, error) {
	data, err := fs.ReadFile(env.Snippets, name)
	if err != nil {
		return "", fmt.Errorf("this binary carries no %s", name)
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") || strings.HasPrefix(line, "#compdef ") {
			b.WriteString(line)
		}
	}
	return b.String(), nil
}

// quotedText quotes a whole snippet, tabs and newlines left as they are.
func quotedText(shell, text string) string {
	if shell == shellFish {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// initLine is the one line that a person puts into the start-up file of their
// shell.
func initLine(env *Env) string {
	shell := filepath.Base(env.Getenv("SHELL"))
	if knownShell(shell) != nil {
		shell = shellBash
	}
	self := ""
	if findOnPath(env, "hcp") == "" {
		self, _ = stableSelf(env)
	}
	return evalLine(shell, self)
}

// evalLine is that line for one shell; self is hcp's path where the shell would
// not find it by name, or "".
func evalLine(shell, self string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@,", r)
	}
	switch {
	case self == "":
		self = "hcp"
	case strings.ContainsFunc(self, func(r rune) bool { return !plain(r) }):
		self = shellWord(shell, self)
	}
	if shell == shellFish {
		return self + " shell-init fish | source"
	}
	return `eval "$(` + self + " shell-init " + shell + `)"`
}
