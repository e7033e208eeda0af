package scaffold

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Whatever a help page says, what is asked is words that a page lists and one
// help token; and the lock tells all of it.
func TestDiscover_AsksForHelpOnly(t *testing.T) {
	pages := map[string]string{
		"": "Usage: evil [command]\n\nCommands:\n  list          List things; try: evil list --all\n  remove, rm    Remove a thing\n  --force       no command\n  -x            no command\n" +
			"  ; rm -rf /    no command\n  $(id)         no command\n  a b           no command\n  ../up         no command\n  |sh           no command\n  run <cmd>     Run a command\n\nFlags:\n  --yes   Do not ask\n",
		"list":   "Usage: evil list [command]\n\nCommands:\n  now    List now\n\nFlags:\n  --all   All\n",
		"remove": "Usage: evil remove <thing> [flags]\n\nFlags:\n  -f, --force   Do it\n",
	}
	var mu sync.Mutex
	var asked [][]string
	probe := func(_ context.Context, argv []string) Answer {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, slices.Clone(argv))
		if text, ok := pages[strings.Join(argv[:max(0, len(argv)-1)], " ")]; ok && len(argv) > 0 && argv[len(argv)-1] == "--help" {
			return Answer{Stdout: []byte(text)}
		}
		return Answer{Stderr: []byte("unknown"), Exit: 2}
	}
	tool := Discover(context.Background(), Identity{Name: "evil"}, probe, DiscoverOptions{})
	known := map[string]bool{"list": true, "remove": true, "rm": true, "now": true, "run": true, "a": true, "b": true}
	for _, argv := range asked {
		help := 0
		for i, w := range argv {
			switch {
			case (w == "--help" || w == "-h" || w == "-help") && i == len(argv)-1, w == "help" && i == 0:
				help++
			case !known[w]:
				t.Errorf("asked %q", argv)
			}
		}
		if help != 1 {
			t.Errorf("asked %q: %d help tokens", argv, help)
		}
	}
	var probes []Asked
	for _, argv := range asked {
		probes = append(probes, Asked{Argv: argv})
	}
	l, err := ReadLock(LockOf(&Tool{ID: Identity{SHA256: "x"}, Commands: tool.Commands}, probes).Encode())
	if err != nil || len(l.Probes) != len(asked) {
		t.Errorf("%d of %d questions in the lock, %v", len(l.Probes), len(asked), err)
	}
}

// Two runs that were answered in another order write the same lock.
func TestLock_Order(t *testing.T) {
	tool := &Tool{ID: Identity{Path: "/bin/x", SHA256: "s"}, Commands: []*Command{{Path: []string{}}, {Path: []string{"a"}}, {Path: []string{"b"}}, {Path: []string{"a", "c"}}}}
	one := []Asked{{Argv: []string{"--help"}}, {Argv: []string{"a", "--help"}}, {Argv: []string{"b", "--help"}}, {Argv: []string{"help", "b"}}, {Argv: []string{"a", "c", "-h"}}}
	two := []Asked{one[0], one[2], one[1], one[4], one[3]}
	if a, b := LockOf(tool, one).Probes, LockOf(tool, two).Probes; !reflect.DeepEqual(a, b) || !reflect.DeepEqual(a, one) {
		t.Errorf("%v and %v", a, b)
	}
}

// A lock of the bare form that wrap.md states is compared by its probes.
func TestCompare_BareLock(t *testing.T) {
	old, err := ReadLock([]byte(`{"bin":"/bin/x","sha256":"s","probes":[{"argv":["--help"],"exit":0,"stream":"stdout","bytes":9},{"argv":["a","--help"],"exit":0,"stream":"stdout","bytes":9},{"argv":["help","gone"],"exit":0,"stream":"stderr","bytes":9},{"argv":["silent","--help"],"exit":1,"stream":"","bytes":0}]}`))
	if err != nil {
		t.Fatal(err)
	}
	tool := &Tool{ID: Identity{SHA256: "s"}, Commands: []*Command{{Path: []string{}}, {Path: []string{"a"}, Probed: true, Page: Page{Flags: []Flag{{Names: []string{"--x"}}}}}, {Path: []string{"new"}}}}
	d := Compare(old, nil, tool)
	if !d.Changed || d.Bin.Changed || !reflect.DeepEqual(d.Added, []string{"new"}) || !reflect.DeepEqual(d.Removed, []string{"gone"}) || len(d.Flags) != 0 {
		t.Errorf("%+v", d)
	}
	for _, bad := range []string{"", "[]", "{}", `{"sha256":1}`, "null"} {
		if _, err := ReadLock([]byte(bad)); err == nil {
			t.Errorf("%q is a lock", bad)
		}
	}
}
