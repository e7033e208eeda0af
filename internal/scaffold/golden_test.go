package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestParseGolden holds what is read of a page of each dialect. HCP_UPDATE=1
// writes the golden files anew: read the difference before it is kept.
func TestParseGolden(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("testdata", "help", "*.txt"))
	if len(files) < 30 {
		t.Fatalf("%d help texts", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := Normalise(raw)
			got := fmt.Sprintf("help %v\n", LooksLikeHelp(text)) + tell(Parse(text, goldenPath(file)))
			golden := strings.TrimSuffix(file, ".txt") + ".golden"
			if os.Getenv("HCP_UPDATE") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// goldenPath gives the words of the command that a page is of.
func goldenPath(file string) []string {
	switch filepath.Base(file) {
	case "clap_long.txt":
		return []string{"prune"}
	case "kubectl.txt", "switch_default.txt":
		return []string{"get"}
	case "yargs.txt":
		return []string{"dig"}
	case "mitchellh_leaf.txt":
		return []string{"fill"}
	case "console.txt":
		return []string{"pantry:show"}
	case "svn.txt":
		return []string{"hand"}
	case "git.txt":
		return []string{"shelve"}
	case "npm.txt":
		return []string{"stack"}
	case "prose.txt":
		return []string{"turn"}
	case "kong.txt":
		return []string{"read"}
	case "oclif.txt":
		return []string{"look"}
	case "thor.txt":
		return []string{"bake"}
	}
	return nil
}

// tell writes a page out, one thing a line.
func tell(p Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "dialect %q ends-options %v takes-command %v unparsed %v\nsummary %q\n", p.Dialect, p.EndOfOptions, p.TakesCommand, p.Unparsed, p.Summary)
	for _, u := range p.Usage {
		fmt.Fprintf(&b, "usage %s\n", u)
	}
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "command %s %q\n", strings.Join(append([]string{c.Name}, c.Aliases...), "|"), c.Help)
	}
	for _, d := range p.Deeper {
		fmt.Fprintf(&b, "deeper %s %s %q\n", strings.Join(d.Under, " "), d.Entry.Name, d.Entry.Help)
	}
	for _, a := range p.Positionals {
		fmt.Fprintf(&b, "positional %s required %v variadic %v %v\n", a.Name, a.Required, a.Variadic, a.Enum)
	}
	for _, f := range p.Flags {
		fmt.Fprintf(&b, "flag %s %s", strings.Join(f.Names, "/"), f.Value)
		for _, s := range []struct {
			key string
			val any
			on  bool
		}{{"metavar", f.Metavar, f.Metavar != ""}, {"type", f.Type, f.Value != ValueNone}, {"enum", f.Enum, f.Enum != nil}, {"default", f.Default, f.Default != ""},
			{"repeat", true, f.Repeat}, {"required", true, f.Required}, {"global", true, f.Global}} {
			if s.on {
				fmt.Fprintf(&b, " %s=%v", s.key, s.val)
			}
		}
		fmt.Fprintf(&b, " %q\n", f.Help)
	}
	return b.String()
}
