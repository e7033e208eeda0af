package config

import (
	"reflect"
	"strings"
	"testing"
)

func tomlEdits() []Edit {
	return []Edit{
		{Path: []string{"mcp_servers", "hcp", "command"}, Value: `"/usr/bin/hcp"`, Own: 2},
		{Path: []string{"mcp_servers", "hcp", "args"}, Value: `["mcp"]`, Own: 2},
		{Path: []string{"mcp_servers", "hcp", "env", "HCP_PRINCIPAL"}, Value: `"hcp_secret"`, Own: 2, Secret: true},
		{Path: []string{"shell_environment_policy", "set", "HCP_PRINCIPAL"}, Value: `"hcp_secret"`, Secret: true},
		{Path: []string{"shell_environment_policy", "set", "PATH"}, Value: `"/shims:/bin"`},
	}
}

const serverBlock = "[mcp_servers.hcp]\ncommand = \"/usr/bin/hcp\"\nargs = [\"mcp\"]\n\n[mcp_servers.hcp.env]\nHCP_PRINCIPAL = \"hcp_secret\"\n"
const setLines = "HCP_PRINCIPAL = \"hcp_secret\"\nPATH = \"/shims:/bin\"\n"

func TestEditTOMLExtendsWhatIsThere(t *testing.T) {
	for _, c := range []struct{ name, old, want string }{
		{"empty", "", serverBlock + "\n[shell_environment_policy.set]\n" + setLines},
		{"others", "model = 'x' # mine\n\n[mcp_servers.a]\ncommand = \"a\"", "model = 'x' # mine\n\n[mcp_servers.a]\ncommand = \"a\"\n\n" + serverBlock + "\n[shell_environment_policy.set]\n" + setLines},
		{"a table", "[shell_environment_policy.set] # t\nA = \"1\" # c\n\n# next\n[z]\n", "[shell_environment_policy.set] # t\nA = \"1\" # c\n" + setLines + "\n# next\n[z]\n\n" + serverBlock},
		{"its parent", "[shell_environment_policy]\ninherit = 'all'\n", "[shell_environment_policy]\ninherit = 'all'\n\n" + serverBlock + "\n[shell_environment_policy.set]\n" + setLines},
		{"in braces", "[shell_environment_policy]\nset = { A = \"}\" } # c\nb = 1\n", "[shell_environment_policy]\nset = { A = \"}\", HCP_PRINCIPAL = \"hcp_secret\", PATH = \"/shims:/bin\" } # c\nb = 1\n\n" + serverBlock},
		{"in empty braces", "[shell_environment_policy]\nset = {}\n", "[shell_environment_policy]\nset = { HCP_PRINCIPAL = \"hcp_secret\", PATH = \"/shims:/bin\" }\n\n" + serverBlock},
		{"a value in braces", "[shell_environment_policy]\nset = { PATH = \"/usr/bin\", MY_FLAG = '1' }\n", "[shell_environment_policy]\nset = { PATH = \"/shims:/bin\", MY_FLAG = '1', HCP_PRINCIPAL = \"hcp_secret\" }\n\n" + serverBlock},
		{"all in braces", "mcp_servers = { a = { args = [\n'}', ] } } # c\nshell_environment_policy = {set={A=1},inherit='core'}\n",
			"mcp_servers = { a = { args = [\n'}', ] }, hcp.command = \"/usr/bin/hcp\", hcp.args = [\"mcp\"], hcp.env.HCP_PRINCIPAL = \"hcp_secret\" } # c\n" +
				"shell_environment_policy = {set={A=1, HCP_PRINCIPAL = \"hcp_secret\", PATH = \"/shims:/bin\"},inherit='core'}\n"},
		{"in braces, a table short", "mcp_servers = {}\nshell_environment_policy = { inherit = 'core' }\n",
			"mcp_servers = { hcp.command = \"/usr/bin/hcp\", hcp.args = [\"mcp\"], hcp.env.HCP_PRINCIPAL = \"hcp_secret\" }\n" +
				"shell_environment_policy = { inherit = 'core', set.HCP_PRINCIPAL = \"hcp_secret\", set.PATH = \"/shims:/bin\" }\n"},
		{"dotted", "[shell_environment_policy]\n  set.A = \"1\"\n", "[shell_environment_policy]\n  set.A = \"1\"\n  set.HCP_PRINCIPAL = \"hcp_secret\"\n  set.PATH = \"/shims:/bin\"\n\n" + serverBlock},
		{"dotted at the root", "shell_environment_policy.set.A = \"1\"\n[x]\n", "shell_environment_policy.set.A = \"1\"\nshell_environment_policy.set.HCP_PRINCIPAL = \"hcp_secret\"\nshell_environment_policy.set.PATH = \"/shims:/bin\"\n[x]\n\n" + serverBlock},
		{"a value", "[shell_environment_policy.set]\n\"PATH\"   =  '/old'   # keep\n", "[shell_environment_policy.set]\n\"PATH\"   =  \"/shims:/bin\"   # keep\nHCP_PRINCIPAL = \"hcp_secret\"\n\n" + serverBlock},
		{"a look-alike in a string", "a = '''\n[shell_environment_policy.set]\n'''\n", "a = '''\n[shell_environment_policy.set]\n'''\n\n" + serverBlock + "\n[shell_environment_policy.set]\n" + setLines},
		{"crlf", "a = 1\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(serverBlock+"\n[shell_environment_policy.set]\n"+setLines, "\n", "\r\n")},
	} {
		got, steps, done, err := EditTOML(c.old, tomlEdits())
		if err != nil || got != c.want {
			t.Errorf("%s:\n%s\n%v, want\n%s", c.name, got, err, c.want)
			continue
		}
		if back, ok := Revert(got, steps); !ok || back != c.old {
			t.Errorf("%s: goes back to %q", c.name, back)
		}
		if again, _, more, _ := EditTOML(got, tomlEdits()); again != got || len(more) > 0 {
			t.Errorf("%s: the second time: %q, %v", c.name, again, more)
		}
		edited := "# edited\n" + got + "# more\n[mcp_servers.later]\ncommand = 'x'\n"
		undone, left, err := UndoTOML(edited, done)
		want, _ := tomlValues("# edited\n" + c.old + "\n[mcp_servers.later]\ncommand = 'x'\n")
		have, _ := tomlValues(undone)
		if err != nil || len(left) > 0 || !reflect.DeepEqual(dropEmpty(have), dropEmpty(want)) || !strings.HasPrefix(undone, "# edited\n") || !strings.Contains(undone, "# more\n") {
			t.Errorf("%s: undone, with %v %v left:\n%s", c.name, left, err, undone)
		}
	}
}

func TestEditTOMLRefuses(t *testing.T) {
	for _, c := range []struct{ old, want string }{
		{"a = 1\nb = \n", "line 2 is not valid TOML"},
		{"mcp_servers = { hcp = 'x' }\n", "mcp_servers.hcp.command cannot be put in there"},
		{"mcp_servers = 1\n", "mcp_servers.hcp.command cannot be put in there"},
		{"[[mcp_servers]]\n", "mcp_servers.hcp.command cannot be put in there"},
		{"mcp_servers.hcp = 'x'\n", "mcp_servers.hcp.command cannot be put in there"},
	} {
		got, _, _, err := EditTOML(c.old, tomlEdits())
		if err == nil || err.Error() != c.want || got != c.old {
			t.Errorf("%q: %v, want %s", c.old, err, c.want)
		}
	}
}

// A value that a person has changed stays, and is named.
func TestUndoTOMLLeavesWhatIsNotOurs(t *testing.T) {
	text, _, done, err := EditTOML("", tomlEdits())
	if err != nil {
		t.Fatal(err)
	}
	text = strings.Replace(text, `PATH = "/shims:/bin"`, `PATH = "/mine"`, 1) + "MINE = '1'\n"
	text = strings.Replace(text, "args =", "startup_timeout_sec = 5\nargs =", 1)
	got, left, err := UndoTOML(text, done)
	if want := "[shell_environment_policy.set]\nPATH = \"/mine\"\nMINE = '1'\n"; err != nil || strings.TrimSpace(got) != strings.TrimSpace(want) || len(left) != 1 || left[0] != "shell_environment_policy.set.PATH" {
		t.Errorf("%q %v %v", got, left, err)
	}
}

// As for JSON: it parses, all else reads as before, the way back is exact.
func FuzzEditTOML(f *testing.F) {
	for _, seed := range []string{"", "a = 1", "[shell_environment_policy]\nset = {A='1',B=[1,{c=2}]}\n", "[mcp_servers.hcp]\nargs=[\n'x', # c\n]\n", "[a]\r\nb.c = \"\"\"\r\n[mcp_servers.hcp]\"\"\"\r\n",
		"shell_environment_policy.set.A = '1'\n", "[[a]]\n[a.b]\n[mcp_servers]\n", "[mcp_servers]\nhcp = { env = { X = '1' } }\n",
		"mcp_servers = { a = {}, b.c = [1,{}] }\nshell_environment_policy = { set = { A = '1' } }\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, old string) {
		text, steps, done, err := EditTOML(old, tomlEdits())
		if err != nil {
			return
		}
		if back, ok := Revert(text, steps); !ok || back != old {
			t.Fatalf("goes back to %q", back)
		}
		if again, _, more, err := EditTOML(text, tomlEdits()); err != nil || again != text || len(more) > 0 {
			t.Fatalf("the second time: %v %q", err, again)
		}
		undone, left, err := UndoTOML(text, done)
		if err != nil {
			t.Fatalf("undo: %v", err)
		}
		before, _ := tomlValues(old)
		after, err := tomlValues(undone)
		if err != nil {
			t.Fatalf("undone: %v\n%s", err, undone)
		}
		if strings.Contains(old, "hcp") || strings.Contains(old, "\\") || strings.Contains(old, "PATH") {
			return // what was replaced may stay, named
		}
		if len(left) > 0 || !reflect.DeepEqual(dropEmpty(after), dropEmpty(before)) {
			t.Fatalf("%v left of\n%s\nundone:\n%s", left, old, undone)
		}
	})
}
