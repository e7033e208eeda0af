package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hcp/internal/hcp"
)

func refs(files []hcp.File) (out []string) {
	for _, f := range files {
		out = append(out, f.Ref)
	}
	return out
}

// S-10: an ephemeral jail gets what the references name, and gives its outputs.
func TestS10_Ephemeral(t *testing.T) {
	dir := base(t)
	ws := baseSpec(dir).Workspace
	wrote(t, filepath.Join(ws, "in.json"), "in", 0o600)
	wrote(t, filepath.Join(ws, "d", "sub", "x"), "x", 0o600)
	wrote(t, filepath.Join(ws, "secret"), "s", 0o600)
	r := sh(t, dir, `ls; cat "$1" "$2/sub/x"; echo out >"$3"; echo more >"$4"; echo lost >lost`, mode(ModeEphemeral),
		value("workspace:in.json"), value("workspace:d"), flagged("-o", "out.json"), flagged("--output", "workspace:a/b/out"))
	if r.Denied != nil || r.out != "a\nd\nin.json\ninx" {
		t.Fatalf("%q %q %v", r.out, r.err, r.Denied)
	}
	want := []hcp.File{{Ref: "workspace:out.json", Path: filepath.Join(ws, "out.json"), Bytes: 4}, {Ref: "workspace:a/b/out", Path: filepath.Join(ws, "a/b/out"), Bytes: 5}}
	if !slices.Equal(r.Files, want) {
		t.Errorf("%+v", r.Files)
	}
	if data, _ := os.ReadFile(filepath.Join(ws, "a/b/out")); string(data) != "more\n" {
		t.Errorf("%q", data)
	}
	if _, err := os.Stat(filepath.Join(ws, "lost")); err == nil {
		t.Error("what was no output came back")
	}
	// Only --output and -o are outputs; a failing child's report comes back; one hcp ended gives none.
	r = sh(t, dir, `echo x >"$1"; echo y >"$2"; exit 3`, mode(ModeEphemeral), flagged("--file", "f"), flagged("-o", "o"))
	if got := refs(r.Files); !slices.Equal(got, []string{"workspace:o"}) || r.Exit != 3 {
		t.Errorf("%v", got)
	}
	r = sh(t, dir, `echo x >"$1"; sleep 9`, func(s *Spec) { s.Mode, s.Timeout = ModeEphemeral, 100*time.Millisecond }, flagged("-o", "half"))
	if r.Files != nil || r.Denied == nil {
		t.Errorf("%+v", r.Outcome)
	}
	if r = sh(t, dir, ":", mode(ModeEphemeral), flagged("-o", "never")); r.Files != nil || r.Denied != nil {
		t.Errorf("%+v", r.Outcome)
	}
}

// Links, devices and fifos neither go in nor come out, and hang nobody.
func TestS10_NotPlain(t *testing.T) {
	dir := base(t)
	ws := baseSpec(dir).Workspace
	wrote(t, filepath.Join(dir, "outside"), "outside", 0o600)
	os.MkdirAll(ws, 0o700)
	os.Symlink(filepath.Join(dir, "outside"), filepath.Join(ws, "sym"))
	os.Link(filepath.Join(dir, "outside"), filepath.Join(ws, "hard"))
	syscall.Mkfifo(filepath.Join(ws, "fifo"), 0o600)
	os.MkdirAll(filepath.Join(ws, "dir"), 0o700)
	os.Symlink("/etc/passwd", filepath.Join(ws, "dir", "p"))
	for _, name := range []string{"sym", "hard", "fifo", "dir"} {
		r := sh(t, dir, "cat \"$1\"", mode(ModeEphemeral), value("workspace:"+name))
		if r.Ran || r.Denied == nil || r.Denied.Message != `sandbox: staging "workspace:`+name+`": not a plain file` {
			t.Errorf("in, %s: %+v", name, r.Denied)
		}
	}
	for _, make := range []string{"ln -s /etc/passwd out", "echo x >a && ln a out", "mkfifo out", "ln -s . out", "ln -s ../../../x out", "mkdir out && ln -s /etc/passwd out/p && mkfifo out/f"} {
		r := sh(t, dir, make, mode(ModeEphemeral), flagged("-o", "out"))
		if r.Files != nil || r.Denied != nil || r.Exit != 0 {
			t.Errorf("out, %s: %+v %s", make, r.Outcome, r.err)
		}
	}
	// In mode workspace they are not reported, and a reference through a link out is refused.
	r := sh(t, dir, "ln -s /etc/passwd s; mkfifo f; echo x >a; ln a b; echo y >plain", mode(ModeWorkspace))
	if got := refs(r.Files); !slices.Equal(got, []string{"workspace:plain"}) {
		t.Errorf("%v", got)
	}
	for _, m := range []string{ModeNone, ModeWorkspace} {
		denied(t, sh(t, dir, ":", mode(m), value("workspace:s")).Denied, "sandbox: path leaves the workspace")
		denied(t, sh(t, dir, ":", mode(m), value("workspace:dir/p")).Denied, "sandbox: path leaves the workspace")
	}
	// What lies where an output goes is replaced, never written through.
	r = sh(t, dir, `echo new >"$1"`, mode(ModeEphemeral), flagged("-o", "sym"))
	if data, _ := os.ReadFile(filepath.Join(dir, "outside")); string(data) != "outside" || len(r.Files) != 1 {
		t.Errorf("%q %+v", data, r.Outcome)
	}
}

// S-10: mode workspace reports new and changed files, state included, nothing
// that stayed.
func TestS10_WorkspaceReport(t *testing.T) {
	dir := base(t)
	one := sh(t, dir, "mkdir -p .cache a/b; echo 1 >kept; echo 22 >a/b/new; echo s >.cache/state; echo 1 >old", mode(ModeWorkspace))
	if got := refs(one.Files); !slices.Equal(got, []string{"workspace:.cache/state", "workspace:a/b/new", "workspace:kept", "workspace:old"}) {
		t.Errorf("%v", got)
	}
	if f := one.Files[1]; f.Bytes != 3 || f.Path != filepath.Join(baseSpec(dir).Workspace, "a/b/new") {
		t.Errorf("%+v", f)
	}
	time.Sleep(15 * time.Millisecond)
	two := sh(t, dir, "echo 2 >kept; touch -d 2001-01-01 kept; mv old moved; cat a/b/new >/dev/null", mode(ModeWorkspace))
	if got := refs(two.Files); !slices.Equal(got, []string{"workspace:kept", "workspace:moved"}) {
		t.Errorf("%v", got)
	}
	time.Sleep(15 * time.Millisecond)
	if three := sh(t, dir, "cat kept", mode(ModeWorkspace)); three.Files != nil {
		t.Errorf("%v", refs(three.Files))
	}
}

// In mode none, outputs go to the workspace and are reported; so is an output
// of a reference.
func TestS10_ModeNone(t *testing.T) {
	dir := base(t)
	ws := baseSpec(dir).Workspace
	r := sh(t, dir, `echo "$1"; echo x >"$1"; echo y >"$2"`, nil, flagged("--output", "out.json"), flagged("--file", "other"))
	if r.out != ws+"/out.json\n" || !slices.Equal(refs(r.Files), []string{"workspace:out.json"}) {
		t.Errorf("%q %v %v", r.out, r.Files, r.Denied)
	}
	time.Sleep(15 * time.Millisecond)
	if r = sh(t, dir, ":", nil, flagged("-o", "out.json")); r.Files != nil {
		t.Errorf("an old output is reported: %v", r.Files)
	}
	if r = sh(t, dir, ":", nil); r.Denied != nil {
		t.Error(r.Denied.Message)
	}
}

// The walk and the copy are bounded.
func TestBounds(t *testing.T) {
	dir := base(t)
	r := sh(t, dir, "mkdir d; cd d; seq -f f%g 12000 | xargs touch", mode(ModeWorkspace))
	if n := len(r.Files); n < 9000 || n > maxTreeEntries {
		t.Errorf("%d files", n)
	}
	r = sh(t, dir, ":", mode(ModeEphemeral), value("workspace:d"))
	denied(t, r.Denied, `sandbox: staging "workspace:d": too many files`)
}

// Swapping a link in while files are written back never takes anything out.
func TestWritebackRaces(t *testing.T) {
	dir := base(t)
	from, to, outside := filepath.Join(dir, "from"), filepath.Join(dir, "to"), filepath.Join(dir, "outside")
	wrote(t, filepath.Join(outside, "out"), "SECRET", 0o600)
	os.MkdirAll(to, 0o700)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			os.RemoveAll(from)
			switch i % 4 {
			case 0:
				os.Mkdir(from, 0o700)
				os.Mkdir(filepath.Join(from, "d"), 0o700)
				os.WriteFile(filepath.Join(from, "d", "out"), []byte("fine"), 0o600)
				os.Rename(filepath.Join(from, "d"), filepath.Join(from, "e"))
				os.Symlink(outside, filepath.Join(from, "d"))
			case 1:
				os.MkdirAll(filepath.Join(from, "d"), 0o700)
				os.Symlink(filepath.Join(outside, "out"), filepath.Join(from, "d", "out"))
			case 2:
				os.MkdirAll(filepath.Join(from, "d"), 0o700)
				os.Link(filepath.Join(outside, "out"), filepath.Join(from, "d", "out"))
			case 3:
				os.MkdirAll(filepath.Join(from, "d"), 0o700)
				os.WriteFile(filepath.Join(from, "d", "out"), []byte("fine"), 0o600)
			}
		}
	}()
	tokens := []token{{path: "d/out", inJail: true, output: true}, {path: "d", inJail: true, output: true}}
	end := time.Now().Add(1500 * time.Millisecond)
	copied := 0
	for time.Now().Before(end) {
		files, _ := writeBack(from, to, tokens)
		copied += len(files)
		if data, err := os.ReadFile(filepath.Join(to, "d", "out")); err == nil && strings.Contains(string(data), "SECRET") {
			t.Fatal("took a file from outside")
		}
	}
	close(stop)
	<-stopped
	if copied == 0 {
		t.Error("the race never let a file through: nothing was tested")
	}
	left, _ := filepath.Glob(filepath.Join(to, "d", ".hcp-*"))
	if len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// A workspace that is a link, or that no folder can be made for.
func TestWorkspaceFaults(t *testing.T) {
	dir := base(t)
	s := baseSpec(dir)
	os.MkdirAll(filepath.Dir(s.Workspace), 0o700)
	os.Symlink(dir, s.Workspace)
	denied(t, sh(t, dir, ":", mode(ModeWorkspace)).Denied, "sandbox: workspace: not a directory")
	file := filepath.Join(dir, "file")
	wrote(t, file, "", 0o600)
	denied(t, sh(t, dir, ":", func(s *Spec) { s.Mode, s.Workspace = ModeWorkspace, file+"/x" }).Denied, "sandbox: workspace: not a directory")
	denied(t, sh(t, dir, ":", func(s *Spec) { s.Mode, s.Workspace = ModeWorkspace, "" }).Denied, "sandbox: workspace: no folder for it")
	// A child that opened its workspace to others does not keep it open.
	dir = base(t)
	sh(t, dir, "chmod 777 .", mode(ModeWorkspace))
	if r := sh(t, dir, "stat -c %a .", mode(ModeWorkspace)); r.out != "700\n" {
		t.Errorf("%q %v", r.out, r.Denied)
	}
}

func TestWorkspaceDir(t *testing.T) {
	if got := WorkspaceDir("/s", "local", "user:anna", "ledger"); got != "/s/local/user.anna/ledger" {
		t.Error(got)
	}
	seen := map[string]string{}
	for _, p := range []string{"", ".", "..", "a", "a:b", "a.b", "a%b", "%", "A", "a/b", "a%2fb", "..:..", ":a", "a:", "\x00", "é", strings.Repeat("é", 200), strings.Repeat("é", 201)} {
		got := WorkspaceDir("/s", "t", p, "x")
		if rel, err := filepath.Rel("/s/t", got); err != nil || strings.Count(rel, "/") != 1 || strings.HasPrefix(rel, "..") || len(rel) > 250 {
			t.Errorf("%q: %q", p, got)
		}
		if other, dup := seen[got]; dup {
			t.Errorf("%q and %q share %q", p, other, got)
		}
		seen[got] = p
	}
}
