package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// someEdits are of every kind that init makes.
func someEdits() []Edit {
	return []Edit{
		{Path: []string{"mcpServers", "hcp", "command"}, Value: `"/usr/bin/hcp"`, Own: 2},
		{Path: []string{"mcpServers", "hcp", "args"}, Value: `["mcp"]`, Own: 2},
		{Path: []string{"mcpServers", "hcp", "env", "HCP_PRINCIPAL"}, Value: `"hcp_secret"`, Own: 2, Secret: true},
		{Path: []string{"env", "HCP_PRINCIPAL"}, Value: `"hcp_secret"`, Secret: true},
		{Path: []string{"permissions", "allow"}, Value: `"Bash(ledger:*)"`, Element: true},
		{Path: []string{"permissions", "allow"}, Value: `"Bash(mail:*)"`, Element: true},
		{Path: []string{"hooks", "SessionStart"}, Value: `{"hooks":[{"type":"command","command":"a >>\"b\""}]}`, Element: true},
	}
}

func TestEditJSONKeepsTheStyle(t *testing.T) {
	rule := []Edit{{Path: []string{"permissions", "allow"}, Value: `"R"`, Element: true}}
	for _, c := range []struct {
		name, old, want string
		edits           []Edit
	}{
		{"empty", "", "{\n  \"permissions\": {\n    \"allow\": [\n      \"R\"\n    ]\n  }\n}\n", rule},
		{"no members", "{}", "{\n  \"permissions\": {\n    \"allow\": [\n      \"R\"\n    ]\n  }\n}", rule},
		{"one line", `{"a":1,"permissions":{"allow":["x","y"]}}`, `{"a":1,"permissions":{"allow":["x","y","R"]}}`, rule},
		{"one line, spaced", `{ "permissions": {"deny": []} }`, `{ "permissions": {"deny": [], "allow": ["R"]} }`, rule},
		{"tabs, odd space, no last line end", "{\n\t\"permissions\" : {\n\t\t\"allow\" : [\n\t\t\t\"x\"\n\t\t]\n\t} }", "{\n\t\"permissions\" : {\n\t\t\"allow\" : [\n\t\t\t\"x\",\n\t\t\t\"R\"\n\t\t]\n\t} }", rule},
		{"crlf", "{\r\n    \"a\": 1\r\n}\r\n", "{\r\n    \"a\": 1,\r\n    \"permissions\": {\r\n        \"allow\": [\r\n            \"R\"\r\n        ]\r\n    }\r\n}\r\n", rule},
		{"there", `{"permissions":{"allow":["\u0052"]}}`, `{"permissions":{"allow":["\u0052"]}}`, rule},
		{"escaped key", `{"\u0065nv":{"A":"1"}}`, `{"\u0065nv":{"A":"2"}}`, []Edit{{Path: []string{"env", "A"}, Value: `"2"`}}},
		{"numbers stay", `{"n":1e400,"big":12345678901234567890123}`, `{"n":1e400,"big":12345678901234567890123,"k": "v"}`, []Edit{{Path: []string{"k"}, Value: `"v"`}}},
	} {
		got, steps, done, err := EditJSON(c.old, c.edits)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
		if back, ok := Revert(got, steps); !ok || back != c.old {
			t.Errorf("%s: goes back to %q", c.name, back)
		}
		again, _, more, _ := EditJSON(got, c.edits)
		if again != got || len(more) > 0 {
			t.Errorf("%s: the second time: %q, %v", c.name, again, more)
		}
		if (len(done) == 0) != (c.old == c.want) {
			t.Errorf("%s: done %v", c.name, done)
		}
	}
}

func TestEditJSONRefuses(t *testing.T) {
	for _, c := range []struct{ old, want string }{
		{"{\n// mine\n\"a\":1}", "line 2 is not valid JSON"},
		{"\ufeff{}", "line 1 is not valid JSON"},
		{`{"a":1,}`, "line 1 is not valid JSON"},
		{`[]`, "is not an object"},
		{`{"permissions":[]}`, "permissions is not an object"},
		{`{"permissions":{"allow":"x"}}`, "permissions.allow is not a list"},
		{`{"permissions":null}`, "permissions is not an object"},
		{`{"permissions":{},"permissions":{}}`, `the key "permissions" is there twice`},
	} {
		got, _, _, err := EditJSON(c.old, someEdits()[4:5])
		if err == nil || err.Error() != c.want || got != c.old {
			t.Errorf("%q: %v, want %s", c.old, err, c.want)
		}
	}
}

// Another program has written the file anew and a person has edited it: only
// what is still ours goes.
func TestUndoJSONAfterEdits(t *testing.T) {
	old := `{"env":{"MINE":"1"},"mcpServers":{"other":{}}}`
	text, _, done, err := EditJSON(old, someEdits())
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	json.Unmarshal([]byte(text), &v)
	v["numStartups"] = 7
	v["mcpServers"].(map[string]any)["hcp"].(map[string]any)["disabled"] = true
	v["permissions"].(map[string]any)["allow"] = []any{"Bash(mail:*)", "Bash(ls:*)"}
	data, _ := json.MarshalIndent(v, "", "   ")
	got, left, err := UndoJSON(string(data), done)
	if err != nil || len(left) > 0 {
		t.Fatal(err, left)
	}
	want := `{"env":{"MINE":"1"},"mcpServers":{"other":{}},"numStartups":7,"permissions":{"allow":["Bash(ls:*)"]}}`
	if !sameJSON(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	// A secret that a person has replaced is theirs.
	other := strings.Replace(text, `"MINE":"1", "HCP_PRINCIPAL": "hcp_secret"`, `"MINE":"1", "HCP_PRINCIPAL": "x"`, 1)
	if other == text {
		t.Fatal("nothing replaced in " + text)
	}
	got, left, err = UndoJSON(other, done)
	if d := cmp.Diff(left, []string{"env.HCP_PRINCIPAL"}); err != nil || d != "" || !strings.Contains(got, `"x"`) {
		t.Errorf("%s %v %s", got, err, d)
	}
}

// Whatever the text: what comes out parses, all else is unchanged, the way back
// is exact, and a second time changes nothing.
func FuzzEditJSON(f *testing.F) {
	for _, seed := range []string{"", "{}", "{ }", "[1]", `{"env":{},"permissions":{"allow":[]}}`, "{\r\n\t\"mcpServers\": {\"hcp\":{\"command\":\"x\"}}\r\n}\r\n",
		`{"a":[1,2,{"b":"\"}]"}],"hooks":{"SessionStart":[{}]}}`, `{"env":null}`, `{"env":{"HCP_PRINCIPAL":"old"}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, old string) {
		text, steps, done, err := EditJSON(old, someEdits())
		if err != nil {
			return
		}
		if back, ok := Revert(text, steps); !ok || back != old {
			t.Fatalf("goes back to %q", back)
		}
		if again, _, _, err := EditJSON(text, someEdits()); err != nil || again != text {
			t.Fatalf("the second time: %v %q", err, again)
		}
		undone, left, err := UndoJSON(text, done)
		if err != nil || len(left) > 0 {
			t.Fatalf("undo: %v %v", err, left)
		}
		if strings.TrimSpace(old) == "" {
			old = "{}"
		}
		if strings.Contains(old, "HCP_PRINCIPAL") || strings.Contains(old, `\u`) {
			return // a secret that was replaced does not come back
		}
		if !sameJSON(undone, old) {
			t.Fatalf("undone: %q, was %q", undone, old)
		}
	})
}
