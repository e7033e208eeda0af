package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type source struct {
	path string
	text string
	test bool
}

// goFiles reads every Go file of the repository.
func goFiles(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		list = append(list, source{path, string(text), strings.HasSuffix(path, "_test.go")})
		return err
	})
	if err != nil || len(list) < 20 {
		t.Fatalf("found %d Go files, %v", len(list), err)
	}
	return list
}
