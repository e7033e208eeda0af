package pack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	goodSurface = `{"pack_id":"good","version":"1","kind":"wrap","description":"Good.","wrap":{"bin":"./bin/good"},
"verbs":{
"doctor":{"description":"Health.","cli":["good","doctor"]},
"capabilities":{"description":"What it can.","cli":["good","capabilities"]},
"validate":{"description":"Sound?","cli":["good","validate"]},
"item.list":{"description":"List.","cli":["good","item","list","--n={{n}}"],"args":{"type":"object","properties":{"n":{"type":"integer","minimum":1}}},
 "title":{"live":["Listing {{n}}","Listing"],"done":["Listed {{result.count}}","Listed"]}},
"send":{"description":"Send.","cli":["good","send","{{to}}","--confirm"],"args":{"type":"object","required":["to"],"properties":{"to":{"type":"string"}}},"preview":["To {{to}}"]}}}`
	goodPolicy = `{"pack_id":"good","rows":{"doctor":{"operation":"read"},"capabilities":{"operation":"read"},"validate":{"operation":"read"},
"item.list":{"operation":"read"},"send":{"operation":"write","confirm":true}}}`
	goodSkill = "---\nname: good\ndescription: Good things.\n---\n\n| `doctor` | `capabilities` |\n| `validate` | x |\n| `item.list` | x |\n| `send` | x |\n"
)

func writePack(t *testing.T, surface, policy, skill string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "good")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{SurfaceFile: surface, PolicyFile: policy, SkillFile: skill} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// cli.md, "hcp check levels": a good pack has no finding, and each planted fault
// has the one that names it. C-1, C-2, C-4, C-6, C-7, X-3.
func TestCheck(t *testing.T) {
	lint := Lint{ForbiddenEnv: func(name, value string) bool { return name == "LD_PRELOAD" }}
	if found := lint.Check(writePack(t, goodSurface, goodPolicy, goodSkill)); len(found) != 0 {
		t.Fatalf("the good pack: %v", found)
	}
	cases := []struct {
		name, in, old, new string // in: surface, policy or skill
		level, code, say   string
	}{
		{"shim name", "surface", `["good","send"`, `["other","send"`, "error", "names", "shim is called good"},
		{"row missing", "policy", `"send":{"operation":"write","confirm":true}`, `"sent":{"operation":"write"}`, "error", "rows", "never runs"},
		{"row too many", "policy", `"item.list"`, `"item.none":{"operation":"read"},"item.list"`, "error", "rows", "no such command"},
		{"policy of another", "policy", `"pack_id":"good"`, `"pack_id":"bad"`, "error", "load", "pack_id"},
		{"land", "policy", `"item.list":{"operation":"read"}`, `"item.list":{"operation":"read","privacy":{"land":"moon"}}`, "error", "rows", "moon"},
		{"doctor writes", "policy", `"doctor":{"operation":"read"}`, `"doctor":{"operation":"write"}`, "error", "health", "always read"},
		{"driver", "surface", `"bin":"./bin/good"`, `"bin":"./bin/good","driver":"microvm"`, "error", "load", "driver"},
		{"environment", "surface", `"bin":"./bin/good"`, `"bin":"./bin/good","agent_env":{"LD_PRELOAD":"x"}`, "error", "environment", "LD_PRELOAD"},
		{"pass-through", "surface", `"bin":"./bin/good"`, `"bin":"/usr/bin/env"`, "error", "pass-through", "env runs what"},
		{"interpreter", "surface", `"bin":"./bin/good"`, `"bin":"python3.11"`, "error", "pass-through", "caller's"},
		{"reserved", "surface", `"{{to}}","--confirm"`, `"{{confirm}}","--confirm"`, "error", "template", "reserved"},
		{"twice", "surface", `"{{to}}","--confirm"`, `"{{to}}","{{to}}","--confirm"`, "error", "template", "twice"},
		{"title of nothing", "surface", `"Listing {{n}}"`, `"Listing {{m}}"`, "error", "M026", "{{m}} is no argument"},
		{"result in live", "surface", `"Listing {{n}}"`, `"Listing {{result.n}}"`, "error", "M026", "no result yet"},
		{"no fallback", "surface", `"Listed {{result.count}}","Listed"`, `"Listed {{result.count}}"`, "error", "M026", "no plain fallback"},
		{"preview", "surface", `"To {{to}}"`, `"To {{whom}}"`, "error", "M026", "{{whom}}"},
		{"skill drift", "skill", "`send`", "`sent`", "error", "skill", `"sent"`},
		{"skill silent", "skill", "| `send` | x |\n", "", "warning", "skill", "does not mention send"},
		{"skill gone", "skill", goodSkill, "", "warning", "skill", "missing"},
		{"front matter", "skill", "description: Good things.\n", "", "warning", "skill", "no description"},
		{"long", "skill", "Good things.", strings.Repeat("x", 201), "warning", "skill", "200"},
		{"words", "surface", `["good","item","list"`, `["good","list"`, "warning", "names", "C-2"},
		{"few", "surface", `"validate":{"description":"Sound?","cli":["good","validate"]},`, ``, "warning", "count", "4 commands"},
		{"no description", "surface", `"description":"Send.",`, ``, "warning", "description", "no description"},
		{"silent gate", "surface", `"{{to}}","--confirm"`, `"{{to}}"`, "warning", "gate", "--confirm"},
		{"bootstrap", "surface", `"bin":"./bin/good"`, `"bin":"./bin/good","allowedSubcommands":["x"]`, "warning", "bootstrap", "name the commands"},
		{"health", "surface", `"validate":{"description":"Sound?","cli":["good","validate"]},`, ``, "warning", "health", "no validate command"},
		{"pattern", "surface", `"minimum":1`, `"pattern":"("`, "error", "schema", "no value passes"},
		{"keyword", "surface", `"minimum":1`, `"multipleOf":2`, "warning", "schema", "multipleOf"},
		{"unknown field", "surface", `"version":"1"`, `"version":"1","color":"red"`, "note", "unknown", "not a field"},
		{"not JSON", "surface", `"version":"1"`, `"version":`, "error", "load", "not JSON"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"surface": goodSurface, "policy": goodPolicy, "skill": goodSkill}
			if !strings.Contains(files[c.in], c.old) {
				t.Fatalf("%s has no %s", c.in, c.old)
			}
			files[c.in] = strings.Replace(files[c.in], c.old, c.new, 1)
			found := lint.Check(writePack(t, files["surface"], files["policy"], files["skill"]))
			for _, f := range found {
				if f.Level == c.level && f.Code == c.code && strings.Contains(f.Message+" "+f.Where, c.say) {
					return
				}
			}
			t.Errorf("not found; there is: %v", found)
		})
	}
	if found := lint.Check(t.TempDir()); len(found) != 1 || found[0].Code != "load" {
		t.Errorf("an empty folder: %v", found)
	}
}
