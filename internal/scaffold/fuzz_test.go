package scaffold

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzParse holds what is true of every text, help or not: nothing panics,
// no flag is made up, no name has odd characters.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "help", "*.txt"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, "")
	}
	f.Add([]byte("\x1b]8;;x\x1b\\-\b-f\bfoo\t<\x00[--x[=\r\n  -a, [-b|[--c]]]]=<"), "a b")
	f.Add([]byte("x:\n -D <p=v>  set\n -f    ,--file <arg>  8\n   --hot  hot\n"), "")
	f.Add([]byte("Options:\n  -m,  --max  one\n      --color[=WHEN],\n    --colour[=WHEN]       two\n  -u  three\n"), "")
	f.Add([]byte("Commands:\n  -i|--insert        <tool>... | -R  x\n  -V|--ver... |-Rol>...]  Look\n"), "")
	f.Add([]byte("positional arguments:\n  : plant       Plant a tree.\n    prune       Cut it.\n"), "")
	f.Fuzz(func(t *testing.T, raw []byte, path string) {
		checkPage(t, raw, strings.Fields(path))
	})
}

func checkPage(t *testing.T, raw []byte, path []string) {
	t.Helper()
	text := Normalise(raw)
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\r\t\b") {
		t.Fatalf("not plain: %q", text)
	}
	LooksLikeHelp(text)
	namedLists(text, "x")
	p := Parse(text, path)
	seen := map[string]bool{}
	for _, fl := range p.Flags {
		if len(fl.Names) == 0 {
			t.Fatalf("a flag without a name: %+v", fl)
		}
		for _, n := range fl.Names {
			if seen[n] {
				t.Fatalf("%s is two flags", n)
			}
			seen[n] = true
			checkName(t, text, n)
		}
		if (fl.Value == ValueNone) != (fl.Type == "boolean") {
			t.Fatalf("%v: value %s type %s", fl.Names, fl.Value, fl.Type)
		}
	}
	for _, e := range p.Commands {
		if !isName(e.Name) || !strings.Contains(text, e.Name) && !strings.Contains(text, "[") {
			t.Fatalf("command %q", e.Name)
		}
	}
	for _, d := range p.Deeper {
		if len(d.Under) == 0 || !isName(d.Entry.Name) {
			t.Fatalf("deeper %+v", d)
		}
	}
}

// checkName holds a flag's name to plain characters, and to the text: with its
// dashes, or without those that "--[no-]x", "-sS/sT" and "--colo[u]r" leave out.
func checkName(t *testing.T, text, n string) {
	t.Helper()
	bare := strings.TrimLeft(n, "-")
	if bare == "" || len(n)-len(bare) > 2 {
		t.Fatalf("flag name %q", n)
	}
	for i := 0; i < len(bare); i++ {
		if !isAlnum(bare[i]) && strings.IndexByte("-_.:+", bare[i]) < 0 && !(len(bare) == 1 && strings.IndexByte("?#:@%!.", bare[i]) >= 0) {
			t.Fatalf("flag name %q", n)
		}
	}
	if !strings.Contains(text, bare) && !strings.Contains(text, strings.TrimPrefix(bare, "no-")) && !strings.Contains(text, "[") {
		t.Fatalf("flag %q is not in the text", n)
	}
}

// TestParseIsLinear gives it texts that would take for ever if it were not.
func TestParseIsLinear(t *testing.T) {
	for name, unit := range map[string]string{
		"open lines": "usage: x [\n [a\n", "open rules": "a := {\n {b\n", "distinct": "",
		"flags": "  -a, --all  x\n", "same flag": "--a\n", "brackets": "[[[[<({", "open usage": "usage: x [", "usage": "usage: x [-a|--all] <f>...\n", "dashes": "-", "words": "a b  c  d\n",
		"nested": "  a\n    b\n      c\n", "colons": "a:\n  b:\n", "overstrike": "a\ba", "escapes": "\x1b[", "bars": "|-a|-b", "commas": "ab, cd,\n", "headings": "COMMANDS\n  a  b\n\n", "rules": "A := { b | c",
		"twins": "  -a  b                         -c  d\n", "spaces": "-a                  ", "deep": "Commands:\n  x a b  c\n",
	} {
		raw := bytes.Repeat([]byte(unit), (1<<17)/max(1, len(unit)))
		for i := 0; unit == "" && len(raw) < 1<<17; i++ {
			raw = fmt.Appendf(raw, "  -%c, --f%d <X%d>  d\n  c%d a%d  d\n", 'a'+i%26, i, i, i, i)
		}
		start := time.Now()
		checkPage(t, raw, nil)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v for 128 KiB", name, took)
		}
	}
}

// TestManyNamesAreQuick gives it lists of names that are all different: what
// compares each with each takes minutes for them.
func TestManyNamesAreQuick(t *testing.T) {
	for name, row := range map[string]string{
		"arguments": "positional arguments:\n\x00  name%[1]d   one\n", "flags": "Options:\n\x00  --a%[1]d X   one\n", "negations": "\x00  --a%[1]d   one\n  --no-a%[1]d   none\n",
		"commands": "Commands:\n\x00  name%[1]d   one\n", "groups": "Commands:\n\x00  name sub%[1]d   one\n", "headings": "\x00Heading %[1]d\n  -a  one\n\n",
		"usage lines": "\x00usage: x%[1]d [-a] FILE\n", "columns": "Commands:\n\x00  a%[1]d   b%[1]d   c%[1]d\n", "one short name": "\x00  -a, --b%[1]d   one\n",
	} {
		head, unit, _ := strings.Cut(row, "\x00")
		raw := []byte(head)
		for i := 0; len(raw) < 1<<20; i++ {
			raw = fmt.Appendf(raw, unit, i)
		}
		start := time.Now()
		text := Normalise(raw)
		LooksLikeHelp(text)
		Parse(text, nil)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v for 1 MiB", name, took)
		}
	}
}

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colours", "\x1b[1mUsage:\x1b[0m x \x1b]8;;http://x\x07y\x1b]8;;\x1b\\\n", "Usage: x y\n"},
		{"bold and underlined", "N\bNA\bA  _\bx_\by z\b_\n", "NA  xy z\n"},
		{"bullet", "+\bo name\n", "• name\n"},
		{"line ends", "a\r\nb\r\r\nc\rd\n", "a\nb\nc\nd\n"},
		{"tabs", "a\tb\n\tc\n", "a       b\n        c\n"},
		{"control and broken bytes", "a\x00\x07b\xffc\n", "ab\ufffdc\n"},
		{"typographic", "\u2010\u2010all \u2212x\u00a0y\u200b\n", "--all -x y\n"},
		{"blanks at line ends", "a  \n\n\n", "a\n"},
		{"a box", "╭─ Options ──╮\n│ --all  All │\n╰────────────╯\n", "Options:\n --all  All\n"},
		{"an unfinished escape", "a\x1b", "a\n"},
		{"nothing", "", "\n"},
	} {
		if got := Normalise([]byte(c.in)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := Normalise(bytes.Repeat([]byte("x\n"), maxText)); len(got) > maxText+1 {
		t.Errorf("%d bytes were kept", len(got))
	}
}

func TestLooksLikeHelp(t *testing.T) {
	for text, want := range map[string]bool{
		"Usage: x [-a]\n": true,
		"x [OPTION]... FILE\n\nOptions:\n  -a  all\n":     true,
		"NAME\n       x - y\n\nSYNOPSIS\n       x [-a]\n": true,
		"unknown command: --help\n":                       false,
		"git: 'x' is not a command. See 'git --help'.\n":  false,
		"No configuration found. Create one? [y/N] ":      false,
		"x 1.2.3\n": false,
		"Error: unknown flag: --help\nRun 'x --help' for usage.\n": false,
		"": false,
		"fatal: not a git repository (or any of the parent directories): .git\n":            false,
		"panic: runtime error\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/x.go:3 +0x1\n": false,
	} {
		if got := LooksLikeHelp(Normalise([]byte(text))); got != want {
			t.Errorf("%v for %q", got, text)
		}
	}
}
