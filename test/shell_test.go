package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// shellBox is a store in a folder whose name is as bad as a name gets, and an
// interactive shell that evaluates hcp shell-init at its start.
type shellBox struct {
	t     *testing.T
	hcp   string
	home  string
	shell string
	odd   string // the store's folder
}

const oddName = "st $o`re'\"\\\n é*"

// words completes each line in the shell and gives the words that it would then
// run. A line may hold tabs.
func (b *shellBox) words(lines []string) [][]string {
	b.t.Helper()
	var typed []string
	for _, l := range lines { // Ctrl-A: the words go to printf instead of being run
		typed = append(typed, l+"\x01printf '@%s@\\n' NEXT \r")
	}
	var all [][]string
	for _, m := range regexp.MustCompile(`(?m)@([^@%\x1b\r\n]*)@\r?$`).FindAllStringSubmatch(b.session(typed), -1) {
		if m[1] == "NEXT" {
			all = append(all, nil)
		} else if n := len(all); n > 0 {
			all[n-1] = append(all[n-1], m[1])
		}
	}
	return all
}

// session types into a fresh shell on a terminal, each text when the shell is
// ready for it, and gives all it printed.
func (b *shellBox) session(typed []string) string {
	b.t.Helper()
	cmd := exec.Command(b.shell, map[string][]string{
		"bash": {"--noprofile", "--rcfile", b.home + "/rc", "-i"},
		"zsh":  {"-i"},
		"fish": {"-i"},
	}[filepath.Base(b.shell)]...)
	cmd.Dir = b.home
	cmd.Env = b.env()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		b.t.Fatal(err)
	}
	out := make(chan string)
	go func() { out <- drain(f) }()
	timeout := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer timeout.Stop()
	for _, keys := range append(typed, "exit\r") {
		b.ready()
		if _, err := f.WriteString(keys); err != nil {
			b.t.Fatal(err)
		}
	}
	text := <-out
	_ = cmd.Wait()
	return text
}

// ready waits for the shell's prompt, which leaves a file.
func (b *shellBox) ready() {
	for range 1000 {
		if os.Remove(b.home+"/ready") == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.t.Error("the shell does not come to its prompt")
}

func (b *shellBox) env() []string {
	return []string{"HOME=" + b.home, "ZDOTDIR=" + b.home, "XDG_CONFIG_HOME=" + b.home + "/.config", "HCP_HOME=" + b.store(),
		"PATH=" + filepath.Dir(b.hcp) + ":/usr/local/bin:/usr/bin:/bin", "TERM=xterm", "LANG=C.UTF-8", "HISTFILE="}
}

func (b *shellBox) store() string { return filepath.Join(b.home, b.odd) }

func (b *shellBox) run(args ...string) string {
	b.t.Helper()
	cmd := exec.Command(b.hcp, args...)
	cmd.Env = b.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("hcp %v: %v\n%s", args, err, out)
	}
	return string(out)
}

const pickSurface = `{"pack_id":"pick","version":"1","kind":"wrap","description":"Picks.","wrap":{"bin":"/bin/echo","json_flag":[],
"workspace":{"mode":"project","file_flags":["--file"]}},"verbs":{
"one":{"description":"Pick one: \u001b[2J now","cli":["pick","one","{{what}}","--how={{how}}","--file","{{file}}"],
 "args":{"type":"object","properties":{"what":{"type":"string","enum":["Abbey Square","it's $HOME","a:b","x\u001b[2Jy"]},
  "how":{"type":"string","enum":["very:slow","quick"]},"file":{"type":"string"}}},"aliases":{"de":["wählen"]}},
"far.off":{"cli":["pick","far","off"]}}}`

// newShellBox installs the packs and the start-up file; it skips a shell that
// is not here.
func newShellBox(t *testing.T, hcp, name string) *shellBox {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " is not installed")
	}
	b := &shellBox{t: t, hcp: hcp, home: t.TempDir(), shell: path, odd: oddName}
	b.run("init")
	dir := filepath.Join(b.home, "pick")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "surface.json"), pickSurface)
	write(filepath.Join(dir, "policy.json"), `{"pack_id":"pick","rows":{"one":{"operation":"read"},"far.off":{"operation":"read"}}}`)
	write(filepath.Join(b.home, "some file.txt"), "x")
	b.run("install", dir)
	b.run("activate", "pick")
	b.run("shim", "install", "pick")
	line := `eval "$(hcp shell-init ` + name + `)"` + "\n"
	switch name {
	case "bash":
		write(filepath.Join(b.home, "rc"), line+line+"PS1='> '\nPROMPT_COMMAND='touch ~/ready'\n")
	case "zsh":
		write(filepath.Join(b.home, ".zshrc"), line+line+"PS1='> '\nprecmd() { touch ~/ready }\n")
	case "fish":
		write(filepath.Join(b.home, ".config/fish/config.fish"), "set -g fish_greeting\n"+strings.Repeat("hcp shell-init fish | source\n", 2)+
			"function fish_prompt; touch ~/ready; echo '> '; end\n")
	}
	return b
}

func typedLines() []string {
	return []string{
		"ledger trans\t--t\tx",
		"pick fa\to\t",
		"pick wä\t",
		"pick one Ab\t--ho\tve\t",
		"pick one it\t",
		"pick one 'Ab\t",
		"pick one a:\t",
		"pick one x\t",
		"pick one --fi\tsom\t",
		"pick one --file=som\t",
		"hcp shi\tins\tpic\t",
		"hcp exec pick far\t-- a",
	}
}

func completedLines() [][]string {
	return [][]string{
		{"ledger", "transfer", "--to", "x"},
		{"pick", "far", "off"},
		{"pick", "wählen"},
		{"pick", "one", "Abbey Square", "--how=very:slow"},
		{"pick", "one", "it's $HOME"},
		{"pick", "one", "Abbey Square"},
		{"pick", "one", "a:b"},
		{"pick", "one", "x"},
		{"pick", "one", "--file", "some file.txt"},
		{"pick", "one", "--file=some file.txt"},
		{"hcp", "shim", "install", "pick"},
		{"hcp", "exec", "pick", "far.off", "--", "a"},
	}
}

func TestShellCompletion(t *testing.T) {
	hcp := buildHCP(t)
	for _, name := range []string{"bash", "zsh", "fish"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newShellBox(t, hcp, name)
			got := b.words(typedLines())
			for i, keys := range typedLines() {
				if want := completedLines()[i]; i >= len(got) || !slices.Equal(got[i], want) {
					t.Errorf("%q: %q, want %q", keys, got[min(i, len(got)):min(i+1, len(got))], want)
				}
			}
			text := b.session([]string{"pick one \t\t\x15\r"})
			if strings.Contains(text, "\x1b[2Jy") || strings.Contains(text, "\x1b[2J now") {
				t.Errorf("a pack's escape sequence reached the terminal: %q", text)
			}
		})
	}
}

// What hcp completion prints may also lie in zsh's fpath.
func TestZshCompletionFile(t *testing.T) {
	b := newShellBox(t, buildHCP(t), "zsh")
	for name, text := range map[string]string{
		"_hcp":   b.run("completion", "zsh"),
		".zshrc": "fpath=(~ $fpath)\nautoload -Uz compinit && compinit -D -i\nPS1='> '\nprecmd() { touch ~/ready }\n",
	} {
		if err := os.WriteFile(filepath.Join(b.home, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := [][]string{{"hcp", "shell-init", "zsh"}, {"pick", "far", "off"}}
	if got := b.words([]string{"hcp shell-\tz\t", "pick fa\to\t"}); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Evaluated twice, and behind other folders: the shim folder is first, once.
func TestShellInitPath(t *testing.T) {
	hcp := buildHCP(t)
	for name, show := range map[string]string{"bash": "printf '%s' \"$PATH\"", "zsh": "printf '%s' \"$PATH\"", "dash": "printf '%s' \"$PATH\"",
		"fish": "printf '%s' (string join : -- $PATH | string collect)"} {
		t.Run(name, func(t *testing.T) {
			shell, err := exec.LookPath(name)
			if err != nil {
				t.Skip(name + " is not installed")
			}
			t.Parallel()
			b := &shellBox{t: t, hcp: hcp, home: t.TempDir(), shell: shell, odd: oddName + "\xff"}
			kind := strings.Replace(name, "dash", "bash", 1)
			shims := filepath.Join(b.store(), "shims")
			init := `eval "$(hcp shell-init ` + kind + `)";`
			run := func(script string, path string) string {
				cmd := exec.Command(shell, "-c", script+show)
				cmd.Env = append(b.env(), "PATH="+path)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				return string(out)
			}
			bin := filepath.Dir(b.hcp)
			if got, want := run(init+init, bin+":/usr/bin:"+shims+":/bin"), shims+":"+bin+":/usr/bin:/bin"; got != want {
				t.Errorf("PATH is %q, want %q", got, want)
			}
			if _, err := os.Stat(b.store()); err == nil {
				t.Error("shell-init made files")
			}
			if err := os.Mkdir(b.store(), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(b.store(), "hcp.toml"), []byte("nonsense ="), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := run(init, bin+":/usr/bin:/bin"); !strings.HasPrefix(got, shims+":") {
				t.Errorf("with a broken configuration PATH is %q", got)
			}
		})
	}
}
