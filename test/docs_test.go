package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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
