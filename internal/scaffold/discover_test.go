package scaffold

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is a bin that answers from a table, in any order, and remembers what it
// was asked.
type fake struct {
	pages map[string]string
	shake bool
	mu    sync.Mutex
	asked []string
	busy  int
	most  int
}

func (f *fake) probe(_ context.Context, argv []string) Answer {
	f.mu.Lock()
	f.asked = append(f.asked, strings.Join(argv, " "))
	f.busy++
	f.most = max(f.most, f.busy)
	f.mu.Unlock()
	if f.shake {
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
	}
	f.mu.Lock()
	f.busy--
	f.mu.Unlock()
	if page, ok := f.pages[strings.Join(argv, " ")]; ok {
		return Answer{Stderr: []byte(page), Exit: 2}
	}
	return Answer{Stderr: []byte("unknown command\n"), Exit: 1}
}

func (f *fake) discover(opt DiscoverOptions) *Tool {
	return Discover(context.Background(), Identity{Name: "tool"}, f.probe, opt)
}

func paths(t *Tool) []string {
	out := []string{}
	for _, c := range t.Commands {
		out = append(out, fmt.Sprintf("%s %v", strings.Join(c.Path, " "), c.Probed))
	}
	return out
}

func group(name string, words ...string) string {
	s := "Usage: " + name + " <command>\n\nCommands:\n"
	for _, w := range words {
		s += "  " + w + "   does " + w + "\n"
	}
	return s
}

func leaf(name string) string {
	return "Usage: " + name + " [-x] FILE\n\nOptions:\n  -x, --extra  more of " + name + "\n"
}

func TestDiscoverWalksGroups(t *testing.T) {
	f := &fake{pages: map[string]string{
		"--help": group("tool", "pack", "repo", "gone"), "pack -h": leaf("tool pack"), "repo -h": group("tool repo", "list", "help"),
		"repo list -h": leaf("tool repo list"),
	}}
	tool := f.discover(DiscoverOptions{})
	want := []string{" true", "pack true", "repo true", "gone false", "repo list true"}
	if got := paths(tool); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := tool.Subcommands(); !slices.Equal(got, []string{"pack", "repo", "gone"}) {
		t.Errorf("sub-commands %q", got)
	}
	if argv := tool.Commands[4].Page.HelpArgv; !slices.Equal(argv, []string{"repo", "list", "-h"}) {
		t.Errorf("help argv %q", argv)
	}
}

// TestDiscoverAsksOnlyWordsAndOneToken holds the one rule of probing, on a bin
// whose help is full of bait.
func TestDiscoverAsksOnlyWordsAndOneToken(t *testing.T) {
	root := `Usage: tool [-x FILE] <command> [ARGS]

Remove everything with "tool purge --all" or 'tool wipe'.

Commands:
  pack [FILE]       pack; see also --now and
                    rm files
  cache clear       clear it
  cache list        list it
  help              help
  -danger           no command
  $(reboot)         no command
  a;b               no command

Examples:
  tool erase disk   erase a disk
  tool format c     format it

Use "tool help -a" for more, "tool options" for options.
`
	f := &fake{pages: map[string]string{"--help": root, "pack --help": leaf("tool pack"), "cache --help": group("tool cache", "clear", "list"),
		"help -a": group("tool", "pack", "extra", "cache")}}
	f.discover(DiscoverOptions{})
	words := []string{"pack", "cache", "clear", "list", "extra"}
	tokens := []string{"--help", "-h", "-help", "help", "help -a", "options"}
	for _, argv := range f.asked {
		rest := argv
		for _, form := range []string{"help -a", "options"} {
			if argv == form {
				rest = "help"
			}
		}
		n := 0
		for _, w := range strings.Fields(rest) {
			if slices.Contains(tokens, w) {
				n++
			} else if !slices.Contains(words, w) {
				t.Errorf("asked %q", argv)
			}
		}
		if n != 1 {
			t.Errorf("asked %q with %d help tokens", argv, n)
		}
	}
	if !slices.Contains(f.asked, "help -a") || !slices.Contains(f.asked, "extra --help") {
		t.Errorf("asked only %q", f.asked)
	}
}

func TestDiscoverIsTheSameWhateverTheOrder(t *testing.T) {
	pages := map[string]string{}
	var words []string
	for i := range 24 {
		w := fmt.Sprintf("cmd%02d", i)
		words = append(words, w)
		switch i % 3 {
		case 0:
			pages[w+" --help"] = leaf("tool " + w)
		case 1:
			pages["help "+w] = group("tool "+w, "one", "two")
			pages["help "+w+" one"] = leaf("tool " + w + " one")
		}
	}
	pages["--help"] = group("tool", words...) + "\nSee 'tool help <command>'.\n"
	var first *Tool
	for range 6 {
		f := &fake{pages: pages, shake: true}
		tool := f.discover(DiscoverOptions{Probes: 70})
		if first == nil {
			first = tool
		} else if !reflect.DeepEqual(first, tool) {
			t.Fatalf("%q then %q", paths(first), paths(tool))
		}
		if f.most > 4 || len(f.asked) > 70 {
			t.Errorf("%d at once, %d in all", f.most, len(f.asked))
		}
	}
}

// TestDiscoverHelpWord: "help" is a word of the bin's only where its page says so.
func TestDiscoverHelpWord(t *testing.T) {
	for page, want := range map[string]bool{group("tool", "a", "b"): false, group("tool", "a", "help"): true, group("tool", "a", "b") + "\nTry tool help a.\n": true} {
		f := &fake{pages: map[string]string{"--help": page}}
		f.discover(DiscoverOptions{})
		if got := slices.Contains(f.asked, "help a"); got != want {
			t.Errorf("asked %q for\n%s", f.asked, page)
		}
	}
}

func TestDiscoverIsBounded(t *testing.T) {
	many := make([]string, 500)
	for i := range many {
		many[i] = fmt.Sprintf("c%03d", i)
	}
	f := &fake{pages: map[string]string{"--help": group("tool", many...)}}
	tool := f.discover(DiscoverOptions{})
	if len(f.asked) > 200 || len(tool.Commands) != 501 {
		t.Errorf("%d probes, %d commands", len(f.asked), len(tool.Commands))
	}
	if n := tool.Notes[len(tool.Notes)-1].What; !strings.Contains(n, "out of probes") {
		t.Errorf("note %q", n)
	}
	slow := func(ctx context.Context, _ []string) Answer {
		<-ctx.Done()
		return Answer{Failed: "timeout"}
	}
	start := time.Now()
	tool = Discover(context.Background(), Identity{Name: "tool"}, slow, DiscoverOptions{Time: 30 * time.Millisecond})
	if took := time.Since(start); took > 5*time.Second || len(tool.Commands) != 0 {
		t.Errorf("%v, %q", took, paths(tool))
	}
}

// TestDiscoverLoops: a bin whose groups list its own commands again is not
// walked without end.
func TestDiscoverLoops(t *testing.T) {
	f := &fake{pages: map[string]string{"--help": group("tool", "a", "b"), "a --help": group("tool a", "a", "b"), "b --help": group("tool b", "a", "b")}}
	if got := paths(f.discover(DiscoverOptions{})); len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// TestDiscoverSameHelp: words that answer with the root's help are arguments.
func TestDiscoverSameHelp(t *testing.T) {
	root := group("tool", "red", "green", "blue")
	f := &fake{pages: map[string]string{"--help": root, "red --help": root, "green --help": root, "blue --help": root}}
	tool := f.discover(DiscoverOptions{})
	if got := paths(tool); !slices.Equal(got, []string{" true"}) {
		t.Errorf("%q", got)
	}
	if len(tool.Notes) != 1 || !strings.Contains(tool.Notes[0].What, "no sub-commands") {
		t.Errorf("%v", tool.Notes)
	}
}

func TestDiscoverNextForm(t *testing.T) {
	for name, pages := range map[string]map[string]string{
		"an error first":    {"-h": leaf("tool")},
		"a stub first":      {"--help": "usage: tool <command>\n\nTo see help:\n\n  tool help\n", "help": group("tool", "a", "b")},
		"a question first":  {"--help": "Create a config? [y/N] ", "help": leaf("tool")},
		"nothing but usage": {"help": "usage: tool <file>\n"},
	} {
		f := &fake{pages: pages}
		if tool := f.discover(DiscoverOptions{}); len(tool.Commands) == 0 || tool.Commands[0].Page.HelpArgv[0] == "--help" {
			t.Errorf("%s: %q %v", name, paths(tool), tool.Notes)
		}
	}
	f := &fake{}
	if tool := f.discover(DiscoverOptions{}); len(tool.Commands) != 0 || len(tool.Notes) != 1 {
		t.Errorf("without help: %q %v", paths(tool), tool.Notes)
	}
}

func TestDiscoverColonNames(t *testing.T) {
	f := &fake{pages: map[string]string{"--help": group("tool", "sites", "deploy"), "sites --help": group("tool sites", "sites:list", "sites:delete"),
		"sites:list --help": leaf("tool sites:list"), "deploy --help": leaf("tool deploy")}}
	tool := f.discover(DiscoverOptions{})
	if got := paths(tool); !slices.Contains(got, "sites:list true") {
		t.Errorf("%q", got)
	}
	if got := tool.Subcommands(); !slices.Equal(got, []string{"sites", "deploy"}) {
		t.Errorf("sub-commands %q", got)
	}
}

func TestDiscoverStatic(t *testing.T) {
	never := func(context.Context, []string) Answer {
		t.Error("a probe was started")
		return Answer{}
	}
	texts := map[string]string{"": group("tool", "a", "b"), "a": leaf("tool a")}
	tool := Discover(context.Background(), Identity{Name: "tool"}, never, DiscoverOptions{Static: true, Texts: texts})
	if got := paths(tool); !slices.Equal(got, []string{" true", "a true", "b false"}) {
		t.Errorf("%q", got)
	}
	tool = Discover(context.Background(), Identity{Name: "tool"}, nil, DiscoverOptions{Static: true})
	if len(tool.Notes) != 1 {
		t.Errorf("%v", tool.Notes)
	}
}

// TestDiscoverOnly: where commands are named, nothing else is asked.
func TestDiscoverOnly(t *testing.T) {
	f := &fake{pages: map[string]string{
		"--help": group("tool", "pack", "repo", "cache", "user"), "pack --help": leaf("tool pack"), "repo --help": group("tool repo", "list", "add"),
		"repo list --help": leaf("tool repo list"), "repo add --help": leaf("tool repo add"), "cache --help": group("tool cache", "clear"), "user --help": group("tool user", "add"),
	}}
	only := []string{"Repo.list", "user"}
	tool := f.discover(DiscoverOptions{Only: only})
	slices.Sort(f.asked)
	if want := []string{"--help", "repo --help", "repo list --help", "user --help"}; only[0] != "Repo.list" || !slices.Equal(slices.DeleteFunc(f.asked, func(s string) bool { return strings.HasPrefix(s, "user add") }), want) {
		t.Errorf("asked %q, want %q", f.asked, want)
	}
	if got := paths(tool); !slices.Contains(got, "pack false") || !slices.Contains(got, "repo list true") {
		t.Errorf("%q", got)
	}
	for _, n := range tool.Notes {
		if strings.Contains(n.What, "not read") {
			t.Errorf("note %q", n.What)
		}
	}
	// What is below a command that was not read is no news.
	Classify(tool)
	lock := LockOf(tool, nil)
	whole := f.discover(DiscoverOptions{})
	Classify(whole)
	if d := Compare(lock, nil, whole); d.Changed {
		t.Errorf("%+v", d)
	}
}
