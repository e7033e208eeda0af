package scaffold

import (
	"strings"
	"testing"
)

// usageTold sums up what Parse makes of usage lines: "?" is optional, "*" many,
// and behind a bar the sub-commands.
func usageTold(page string, path ...string) string {
	p := Parse(page, path)
	var out []string
	for _, q := range p.Positionals {
		name := q.Name
		if !q.Required {
			name += "?"
		}
		if q.Variadic {
			name += "*"
		}
		out = append(out, name)
	}
	if len(p.Commands) > 0 {
		out = append(out, "|")
	}
	for _, e := range p.Commands {
		out = append(out, e.Name)
	}
	return strings.Join(out, " ")
}

// TestUsageForms holds what stands for a value and what is meant as it is
// written.
func TestUsageForms(t *testing.T) {
	for _, row := range []struct{ path, usage, want string }{
		// The values of a flag are no arguments.
		{"make quota", "kit make quota NAME [--hard=k1=v1,k2=v2] [--dry-run=server|client|none] [options]", "NAME"},
		{"tell", "kit tell TYPE [--deep=FALSE|TRUE] [-o|--output=plain|plain-v2] [options]", "TYPE"},
		{"seal", "kit seal [-a | --all] [(-c | -C | --squash) <seal> | --fixup [(amend|reword):]<seal>)] [-F <file> | -m <msg>] [--] [<path>...]", "path?*"},
		{"tell", "kit tell [(-o | --out) <path>] [(-s | --suffix) <form>] [--mode=<mode>]", ""},
		{"drop", "kit drop (-d | -D) <branch>", "branch"},
		{"index", "kit index [-v] (<pack> | --stdin [--fix] [<pack>])", "pack?"},
		{"read", "kit read [-v] < <mail>", ""},
		{"diff", "kit diff --no-index [<options>] <a> <b>", "a? b?"},
		// Words among marked arguments are commands, or keywords.
		{"hook", "kit hook run [--ignore] <name> [-- <args>]", "| run"},
		{"sparse", "kit sparse (init | list | set) [<options>]", "| init list set"},
		{"sieve", "kit sieve [clear | forget <path>... | status]", "| clear forget status"},
		{"bisect", "kit bisect [help|start|bad|good|run]", "| start bad good run"},
		{"show", "kit show [--all] [id | uuid | path] <ID> ...", "ID*"},
		{"route", "kit route add <to> via <gate>", "| add"},
		{"pull", "kit pull [options] start url [end]", "start url end?"},
		{"find", "kit find <filter> [file...]", "filter file?*"},
		// What is said of an argument is none.
		{"put", "kit put [options] <key> <value> (<value> may also be read from the input) [flags]", "key value"},
		{"ask", "kit ask (wide narrow) <what>", "wide narrow what"},
		// A page of two commands.
		{"show", "kit log [<range>] [[--] <path>...]\n   or: kit show [<options>] <object>...", "object*"},
		{"fetch", "kit fetch [<options>] [<store> [<ref>...]]\n   or: kit fetch [<options>] <group>", "store? ref?*"},
		// Numbered names are one name.
		{"stain", "kit stain NODE KEY_1=VAL_1:HOW_1 ... KEY_N=VAL_N:HOW_N [options]", "NODE KEY=VAL:HOW*"},
		{"set", "kit set NAME IMAGE_1=TAG_1 ... IMAGE_N=TAG_N", "NAME IMAGE=TAG*"},
	} {
		if got := usageTold("Usage: "+row.usage+"\n\nOptions:\n  -v  say more\n", strings.Fields(row.path)...); got != row.want {
			t.Errorf("%s\n got %q\nwant %q", row.usage, got, row.want)
		}
	}
}

func TestBalance(t *testing.T) {
	for in, want := range map[string]string{
		"a [b] c": "a [b] c", "[a (b) c)] d": "[a (b) c] d", "([--l=L] [o]": "[--l=L] [o]", "a] b) c}": "a b c", "[(a]": "[a]", "": "",
	} {
		if got := balance(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
