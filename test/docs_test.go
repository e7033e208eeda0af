package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// blocks are the fenced blocks of one language in a Markdown text.
func blocks(text, lang string) []string {
	var list []string
	for _, m := range regexp.MustCompile("(?s)```"+lang+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// readmeShell runs a shell line as a new user of the README would.
func readmeShell(t *testing.T, home, line string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = ".."
	cmd.Env = []string{"HOME=" + home, "PATH=" + filepath.Join(home, ".local/share/hcp/shims") + ":" + filepath.Join(home, ".local/bin") + ":" + os.Getenv("PATH")}
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, name+"="+strings.TrimSpace(string(out)))
	}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// The README's first command sets up and runs the main job, and its sessions
// print what they say.
func TestReadmeSessions(t *testing.T) {
	home := t.TempDir()
	text := read(t, "../README.md")
	text = strings.Replace(text, agentSection(t, text), "", 1)
	commands := blocks(text, "sh")
	if len(commands) < 2 {
		t.Fatalf("%d commands in the README, want the two first", len(commands))
	}
	if got := readmeShell(t, home, commands[0]); !strings.Contains(got, `"payee":"demo-transit"`) {
		t.Fatalf("%s printed:\n%s", commands[0], got)
	}
	if err := os.RemoveAll(filepath.Join(home, ".local/state/hcp/workspaces")); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, block := range blocks(text, "console") {
		for session := range strings.SplitSeq("\n"+block, "\n$ ") {
			line, want, _ := strings.Cut(session, "\n")
			if line == "" {
				continue
			}
			ran++
			got := readmeShell(t, home, line)
			if cleanDenial(got) != cleanDenial(want) {
				t.Errorf("$ %s\n%swant\n%s", line, got, want)
			}
		}
	}
	if ran < 4 {
		t.Errorf("only %d lines of sessions found", ran)
	}
	if got := readmeShell(t, home, commands[0]); !strings.Contains(got, `"ok":true`) || strings.Contains(got, "wrote ") {
		t.Errorf("the second set-up is not harmless:\n%s", got)
	}
}

// agentSection is the README's section about agents.
func agentSection(t *testing.T, text string) string {
	t.Helper()
	const title = "## An agent in five minutes\n"
	_, section, ok := strings.Cut(text, title)
	if !ok {
		t.Fatal("no section about agents")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return title + section
}

// The README's agent: set up by its one command, then the agent's session, the
// owner's at a terminal, and the agent's again.
func TestReadmeAgent(t *testing.T) {
	home := t.TempDir()
	section := agentSection(t, read(t, "../README.md"))
	if got := readmeShell(t, home, strings.TrimSpace(blocks(section, "sh")[0])+" --yes"); !strings.Contains(got, "try: claude ") {
		t.Fatalf("the set-up printed:\n%s", got)
	}
	settings := read(t, filepath.Join(home, ".claude/settings.json"))
	token, ok := lookUp(settings, "env.HCP_PRINCIPAL")
	sessions := blocks(section, "console")
	if !ok || len(sessions) != 3 {
		t.Fatalf("%d sessions, settings %s", len(sessions), settings)
	}
	id := regexp.MustCompile(`\b[0-9a-f]{8,10}\b|\b20[0-9-]{8}T[0-9:]{8}Z`)
	same := func(line, got, want string) {
		t.Helper()
		if got, want = id.ReplaceAllString(cleanDenial(got), "…"), id.ReplaceAllString(cleanDenial(want), "…"); got != want {
			t.Errorf("$ %s\n%s\nwant\n%s", line, got, want)
		}
	}
	for i, block := range sessions {
		for session := range strings.SplitSeq("\n"+block, "\n$ ") {
			line, want, _ := strings.Cut(session, "\n")
			switch {
			case line == "":
			case i == 1:
				same(line, readmeTerminal(t, home, line, "y\n"), want)
			default:
				same(line, readmeShell(t, home, "HCP_PRINCIPAL="+token+" "+line), want)
			}
		}
	}
}

// readmeTerminal runs a line on a terminal where an answer is typed.
func readmeTerminal(t *testing.T, home, line, typed string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = []string{"HOME=" + home, "TERM=dumb", "PATH=" + filepath.Join(home, ".local/bin") + ":" + os.Getenv("PATH")}
	f, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	text := drain(f)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	// What is typed is echoed at once, wherever the prompt comes.
	text = strings.Replace(strings.ReplaceAll(text, "\r\n", "\n"), "y\n", "", 1)
	return strings.Replace(text, "[y/N] ", "[y/N] y\n", 1)
}

// cleanDenial leaves out the envelope that a shim prints when nobody is at a
// terminal: the README shows what a person sees.
func cleanDenial(text string) string {
	var keep []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(line, `{"ok":false`) && strings.Contains(text, "would do this") {
			continue
		}
		keep = append(keep, line)
	}
	return strings.Join(keep, "\n")
}

// Every hcp line of the README's table names a command and flags that exist.
func TestReadmeTable(t *testing.T) {
	b := newBox(t)
	lines := 0
	for _, m := range regexp.MustCompile("`(hcp [^`]+)`").FindAllStringSubmatch(read(t, "../README.md"), -1) {
		for part := range strings.SplitSeq(m[1], "&&") {
			words := strings.Fields(part)
			help := append([]string{}, words[1:2]...)
			if len(words) > 2 && slices.Contains([]string{"shim", "workspace", "audit", "binding"}, words[1]) {
				help = append(help, words[2])
			}
			out := b.must("hcp", append(help, "--help")...)
			lines++
			for _, w := range words {
				if w == "--" {
					break
				}
				if strings.HasPrefix(w, "--") && !strings.Contains(out, w) {
					t.Errorf("%s: no flag %s", part, w)
				}
			}
		}
	}
	if lines < 10 {
		t.Errorf("only %d lines found", lines)
	}
}

// The map names files that exist.
func TestMapNamesFiles(t *testing.T) {
	found := 0
	for _, m := range regexp.MustCompile("`([a-z]+/[a-z_]+\\.go)`").FindAllStringSubmatch(read(t, "../internal/README.md"), -1) {
		if _, err := os.Stat(filepath.Join("../internal", m[1])); err != nil {
			t.Errorf("%s is not there", m[1])
		}
		found++
	}
	if found < 10 {
		t.Errorf("only %d files named", found)
	}
}
