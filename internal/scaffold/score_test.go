package scaffold

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestScore judges a folder of recorded CLIs (HCP_CORPUS) and writes what hcp
// wrap would print to HCP_CORPUS_OUT, for a score against hand-checked truth.
// HCP_NO_OVERLAY leaves out what is known of commands by name. Every tool is
// drafted too, with a dozen commands and with all.
func TestScore(t *testing.T) {
	corpus, out := os.Getenv("HCP_CORPUS"), os.Getenv("HCP_CORPUS_OUT")
	if corpus == "" || out == "" {
		t.Skip("HCP_CORPUS and HCP_CORPUS_OUT name no folders")
	}
	dirs, _ := filepath.Glob(filepath.Join(corpus, "cli", "*"))
	if len(dirs) == 0 {
		t.Fatalf("%s holds no cli/*", corpus)
	}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		tool := Discover(context.Background(), Identity{Name: name}, replay(t, filepath.Join(dir, "help")), DiscoverOptions{})
		adopt(tool)
		newJudge(tool, os.Getenv("HCP_NO_OVERLAY") == "").all()
		SelectJSON(tool)
		data, err := json.Marshal(Findings(tool))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, name+".json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, all := range []bool{false, true} {
			c, err := Choose(tool, nil, all)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if len(c.Commands) > 0 {
				drafted(t, tool, c.Commands, DraftOptions{})
			}
		}
	}
}
