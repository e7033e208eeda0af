package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
)

func TestLines(t *testing.T) {
	const text = "# c\r\n" + // 1
		"version = 1 # [x]\r\n" + // 2
		"a.\"b c\".'d' = \"\"\"\r\n[no]\r\nx = 1 \\\"\\\"\\\" \"\" \"\"\"\"\" # end\r\n" + // 3 to 5
		"[ t . \"\\u0075\" ] # u\n" + // 6
		"k = [ 1, # one\n  [2,\n 3], {z = 1, y.x = '#'},\n]\n" + // 7 to 10
		"[[g]]\n" + // 11
		"l = '''\n[[g]]\n''''\n" + // 12 to 14
		"[[g]]\n[g.s]\nq = 2026-01-01 00:00:00Z\n[[g.h]]\n[[g.h]]\nw = {}\n[[g]]\n[[g.h]]\n" // 15 to 22
	want := map[string]int{
		"version": 2, "a": 3, "a/b c": 3, "a/b c/d": 3, "t": 6, "t/u": 6,
		"t/u/k": 7, "t/u/k/#0": 7, "t/u/k/#1": 8, "t/u/k/#1/#0": 8, "t/u/k/#1/#1": 9, "t/u/k/#2": 9, "t/u/k/#2/z": 9, "t/u/k/#2/y": 9, "t/u/k/#2/y/x": 9,
		"g": 11, "g/#0": 11, "g/#0/l": 12, "g/#1": 15, "g/#1/s": 16, "g/#1/s/q": 17, "g/#1/h": 18, "g/#1/h/#0": 18, "g/#1/h/#1": 19, "g/#1/h/#1/w": 20,
		"g/#2": 21, "g/#2/h": 22, "g/#2/h/#0": 22,
	}
	var root any
	if _, err := toml.Decode(text, &root); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for path, line := range lineIndex(bom + text) {
		got[strings.ReplaceAll(path, pathSep, "/")] = line
	}
	if !maps.Equal(got, want) {
		for _, path := range slices.Sorted(maps.Keys(want)) {
			if got[path] != want[path] {
				t.Errorf("%s: line %d, want %d", path, got[path], want[path])
			}
			delete(got, path)
		}
		t.Errorf("too many: %v", got)
	}
}

// Property: whatever the library reads, each of its places is found, in a line
// of the text, and the scanner ends on any bytes at all.
func FuzzLines(f *testing.F) {
	for _, c := range broken {
		f.Add(c.text)
	}
	for _, s := range []string{
		"a = \"\"\"\"\"\"\nb=''''a'''''\n", "a={b=[{c=1},\n{c=2}]}", "a=[[],[[1]]]\n'x'=1", "[a]\n[b]\n[a.c]\n[[a.d]]\n[a.d.e]",
		"a.b.c=1\n[a.d]\ne=\"\\\"\\\\\"\n", "a = 1979-05-27 07:32:00 # x\nb = 07:32", "\"\\e\\x41\\U0001F600\" = 1", "a = {\n b = 1, # c\n}\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		index := lineIndex(text)
		if tooDeep(text) > 0 {
			return
		}
		root, ok := decode(text)
		if !ok {
			return
		}
		lines := strings.Count(text, "\n") + 1
		for _, path := range places("", root) {
			if line := index[path]; line < 1 || line > lines {
				t.Errorf("%q: %q has line %d of %d", text, path, line, lines)
			}
		}
	})
}

func decode(text string) (root map[string]any, ok bool) {
	defer func() { ok = ok && recover() == nil }()
	_, err := toml.Decode(text, &root)
	return root, err == nil && !strings.HasPrefix(text, "\xff\xfe") && !strings.HasPrefix(text, "\xfe\xff")
}

// places lists the paths of a decoded value.
func places(at string, v any) []string {
	var all []string
	add := func(path string, v any) { all = append(append(all, path), places(path, v)...) }
	switch v := v.(type) {
	case map[string]any:
		for k, v := range v {
			if at == "" {
				add(k, v)
			} else {
				add(at+pathSep+k, v)
			}
		}
	case []map[string]any:
		for i, v := range v {
			add(indexPath(at, i), v)
		}
	case []any:
		for i, v := range v {
			add(indexPath(at, i), v)
		}
	}
	return all
}

// Each line of a generated file holds its own number, so the finder is judged by
// what the library read.
func TestLinesOfGenerated(t *testing.T) {
	var b strings.Builder
	line := 1
	put := func(s string) { b.WriteString(s); line += strings.Count(s, "\n") }
	for i := range 40 {
		put(fmt.Sprintf("# [[a]] %d\n[[a]]\n", i))
		put(fmt.Sprintf("k%d = %d\n", i, line))
		put(strings.Repeat("\n", i%3))
		put(fmt.Sprintf("s%d = '''\n'''\nin = {x%d = %d, y = [[\n],{z = %d}]}\n", i, i, line+2, line+3))
		put(fmt.Sprintf("[a.t.\"q#]\"]\nn = %d\n", line+1))
	}
	root, ok := decode(b.String())
	if !ok {
		t.Fatal("not TOML")
	}
	index := lineIndex(b.String())
	checked := 0
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case int64:
			checked++
			if index[at] != int(v) {
				t.Errorf("%q: line %d, want %d", at, index[at], v)
			}
		case map[string]any:
			for k, v := range v {
				walk(strings.TrimPrefix(at+pathSep+k, pathSep), v)
			}
		case []map[string]any:
			for i, v := range v {
				walk(indexPath(at, i), v)
			}
		case []any:
			for i, v := range v {
				walk(indexPath(at, i), v)
			}
		case string, time.Time:
		}
	}
	walk("", root)
	if checked != 160 {
		t.Errorf("%d places were checked", checked)
	}
}
