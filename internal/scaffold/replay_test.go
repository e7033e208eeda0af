package scaffold

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// replay answers from recorded help: index.tsv has argv, stream, exit, file.
func replay(t *testing.T, dir string) Prober {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(dir, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]Answer{}
	for row := range strings.Lines(string(index)) {
		col := strings.Split(strings.TrimRight(row, "\n"), "\t")
		if len(col) < 4 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, col[3]))
		if err != nil {
			t.Fatal(err)
		}
		a := Answer{Stdout: text}
		if col[1] == "stderr" {
			a = Answer{Stderr: text}
		}
		a.Exit, _ = strconv.Atoi(col[2])
		if _, ok := answers[col[0]]; !ok {
			answers[col[0]] = a
		}
	}
	return func(_ context.Context, argv []string) Answer {
		if a, ok := answers[strings.Join(argv, " ")]; ok {
			return a
		}
		return Answer{Stderr: []byte("unknown command or option: " + strings.Join(argv, " ") + "\n"), Exit: 64}
	}
}

// TestReplay replays a folder of recorded CLIs (HCP_CORPUS) and writes what was
// found to HCP_CORPUS_OUT, for a score against hand-checked truth.
func TestReplay(t *testing.T) {
	corpus, out := os.Getenv("HCP_CORPUS"), os.Getenv("HCP_CORPUS_OUT")
	if corpus == "" || out == "" {
		t.Skip("HCP_CORPUS and HCP_CORPUS_OUT name no folders")
	}
	dirs, _ := filepath.Glob(filepath.Join(corpus, "cli", "*", "help", "index.tsv"))
	if len(dirs) == 0 {
		t.Fatalf("%s holds no cli/*/help/index.tsv", corpus)
	}
	for _, dir := range dirs {
		dir = filepath.Dir(dir)
		name := filepath.Base(filepath.Dir(dir))
		tool := Discover(context.Background(), Identity{Name: name}, replay(t, dir), DiscoverOptions{})
		data, err := json.MarshalIndent(findingsOf(tool), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, name+".json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func findingsOf(tool *Tool) map[string]any {
	commands := map[string]any{}
	for _, c := range tool.Commands {
		if !c.Probed {
			continue
		}
		flags, pos := []any{}, []any{}
		for _, f := range c.Page.Flags {
			flags = append(flags, map[string]any{"names": f.Names, "value": f.Value})
		}
		for _, p := range c.Page.Positionals {
			pos = append(pos, map[string]any{"name": p.Name, "required": p.Required, "variadic": p.Variadic})
		}
		commands[strings.Join(c.Path, " ")] = map[string]any{"flags": flags, "positionals": pos}
	}
	notes := []string{}
	for _, n := range tool.Notes {
		notes = append(notes, n.Where+": "+n.What)
	}
	return map[string]any{"subcommands": tool.Subcommands(), "commands": commands, "notes": notes}
}
