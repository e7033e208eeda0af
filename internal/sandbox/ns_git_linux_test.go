package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"hcp/internal/hcp"
)

func inProject(project string) func(*Spec) {
	return func(s *Spec) {
		s.Mode, s.Operation, s.Cwd, s.Timeout = ModeProject, hcp.OpWrite, project, 3*time.Second
	}
}

// What git would run or follow later, and is not there when a write in a
// project starts, is not there after it either.
func TestWalls_NSProjectGitNames(t *testing.T) {
	nsWorks(t)
	for script, want := range map[string]string{
		"echo x >.git/commondir":                                           "commondir",
		"mkdir .git/hooks && echo x >.git/hooks/post-checkout":             "hooks",
		"ln -s ../out .git/hooks":                                          "hooks",
		"echo x >.git/config.worktree; exit 3":                             "config.worktree",
		"echo x >.git/config; echo y >.git/commondir":                      "config, commondir",
		"mkdir .git/info && echo x >.git/info/attributes":                  "info/attributes",
		"ln -s ../out .git/info":                                           "info",
		"mkdir -p .git/hooks/a/b && chmod 0 .git/hooks/a .git/hooks":       "hooks",
		"mkdir .git/info; echo x >.git/info/attributes; chmod 0 .git/info": "info/attributes",
		"echo x >.git/gitdir; kill -9 $$":                                  "gitdir",
		"mkdir -p .git/modules/a/hooks":                                    "modules",
		"(setsid sh -c 'sleep 0.05; mkdir .git/hooks' &) ; sleep 0.3":      "hooks",
	} {
		dir := base(t)
		project := filepath.Join(dir, "project")
		wrote(t, filepath.Join(project, ".git", "HEAD"), "old\n", 0o644)
		wrote(t, filepath.Join(project, "out", "attributes"), "mine\n", 0o644)
		r := under(t, NS(), dir, script, inProject(project))
		denied(t, r.Denied, "sandbox: removed "+want+" from .git")
		if r.Denied != nil && r.Denied.Exit > 1 || !r.Ran || r.err != "" {
			t.Errorf("%s: %+v %q", script, r.Outcome, r.err)
		}
		left, _ := os.ReadDir(filepath.Join(project, ".git"))
		for _, e := range left {
			if e.Name() != "HEAD" && e.Name() != "info" {
				t.Errorf("%s: left %s", script, e.Name())
			}
		}
		if _, err := os.Lstat(filepath.Join(project, ".git", "info", "attributes")); err == nil {
			t.Errorf("%s: left attributes", script)
		}
		if data, _ := os.ReadFile(filepath.Join(project, "out", "attributes")); string(data) != "mine\n" {
			t.Errorf("%s: a link was followed", script)
		}
	}
}

// A call that hcp ends by its timeout is looked after as well.
func TestWalls_NSProjectGitTimeout(t *testing.T) {
	nsWorks(t)
	dir := base(t)
	project := filepath.Join(dir, "project")
	wrote(t, filepath.Join(project, ".git", "HEAD"), "old\n", 0o644)
	r := under(t, NS(), dir, "mkdir .git/hooks; exec sleep 60", func(s *Spec) { inProject(project)(s); s.Timeout = 200 * time.Millisecond })
	denied(t, r.Denied, "sandbox: removed hooks from .git")
	if _, err := os.Lstat(filepath.Join(project, ".git", "hooks")); err == nil {
		t.Error("left")
	}
}

// A project that is no repository does not become one, by a folder, a file or a
// link.
func TestWalls_NSProjectGitInit(t *testing.T) {
	nsWorks(t)
	scripts := []string{"mkdir -p .git/objects && echo x >.git/config", "echo 'gitdir: /tmp/x' >.git", "ln -s out .git"}
	if _, err := exec.LookPath("git"); err == nil {
		scripts = append(scripts, "git init -q .")
	}
	for _, script := range scripts {
		dir := base(t)
		project := filepath.Join(dir, "project")
		wrote(t, filepath.Join(project, "out", "kept"), "mine\n", 0o644)
		r := under(t, NS(), dir, script, inProject(project))
		denied(t, r.Denied, "sandbox: removed .git from the project")
		if _, err := os.Lstat(filepath.Join(project, ".git")); err == nil {
			t.Errorf("%s: left", script)
		}
		if data, _ := os.ReadFile(filepath.Join(project, "out", "kept")); string(data) != "mine\n" {
			t.Errorf("%s: a link was followed", script)
		}
	}
}

// What git is for still works, in a repository with and without hooks.
func TestWalls_NSProjectGitWorks(t *testing.T) {
	nsWorks(t)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	for _, args := range [][]string{{"init", "-q"}, {"init", "-q", "--template="}} {
		dir := base(t)
		project := filepath.Join(dir, "project")
		if out, err := exec.Command(git, append(args, project)...).CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		r := under(t, NS(), dir, `echo a >a && git add a && git -c user.name=a -c user.email=a@b commit -qm m && git branch other &&
			git checkout -q other && git tag v1 && git stash list && git gc -q && git status --short && git log --oneline | wc -l`, inProject(project))
		if r.Denied != nil || r.Exit != 0 || r.out != "1\n" || r.err != "" {
			t.Errorf("%v: %q %q %+v", args, r.out, r.err, r.Outcome)
			if r.Denied != nil {
				t.Error(r.Denied.Message)
			}
		}
	}
}
