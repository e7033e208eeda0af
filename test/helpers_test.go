package test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
)

func lookUp(data, path string) (string, bool) {
	v := gjson.Get(strings.TrimSpace(data), path)
	if v.Type == gjson.String {
		return v.Str, v.Exists()
	}
	return v.Raw, v.Exists()
}

func keysOf(data, path string) []string {
	var keys []string
	gjson.Get(data, path).ForEach(func(k, _ gjson.Result) bool {
		keys = append(keys, k.Str)
		return true
	})
	return keys
}

func lookPath(path, name string) (string, error) {
	for dir := range strings.SplitSeq(path, ":") {
		full := filepath.Join(dir, name)
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() {
			return full, nil
		}
	}
	return "", errors.New(name + ": not on PATH")
}

// drain reads a terminal to its end, which Linux reports as an error once the
// other side is closed.
func drain(f *os.File) string {
	defer f.Close()
	var text strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		text.Write(buf[:n])
		if err != nil {
			return text.String()
		}
	}
}

// processWith looks for a word in any process's arguments.
func processWith(word string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		data, _ := os.ReadFile(f)
		if strings.Contains(string(data), word) {
			return true
		}
	}
	return false
}

func jsonOf(text string) any { return gjson.Parse(text).Value() }
