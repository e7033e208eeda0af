package scaffold

import (
	"context"
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
