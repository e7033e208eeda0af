package scaffold

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// js is v as JSON on one line, as a person would write it: no escapes for HTML.
func js(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "null" // strings and lists of strings have always a form
	}
	return strings.TrimSpace(b.String())
}

// list is a list of strings on one line.
func list(items []string) string {
	parts := make([]string, len(items))
	for i, s := range items {
		parts[i] = js(s)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// oneOrMore writes a single form without a list around it.
func oneOrMore(items []string) string {
	if len(items) == 1 {
		return js(items[0])
	}
	return list(items)
}

// surface is surface.json, in the order and layout of a pack written by hand.
func (d *drafter) surface() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"pack_id\": %s,\n  \"version\": \"0.1.0\",\n  \"kind\": \"wrap\",\n  \"description\": %s,\n", js(d.id), js(d.about()))
	fmt.Fprintf(&b, "  \"wrap\": {\n    \"bin\": %s,\n    \"argv_template\": [\"{{verb}}\"],\n    \"json_flag\": [],\n", js(d.bin))
	if d.project() {
		b.WriteString("    \"workspace\": { \"mode\": \"project\" },\n")
	}
	fmt.Fprintf(&b, "    \"agent_env\": %s\n  },\n", d.env())
	b.WriteString("  \"binding\": { \"family\": \"public\" },\n  \"verbs\": {\n")
	for i, v := range d.verbs {
		d.writeVerb(&b, v)
		if i < len(d.verbs)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("  }\n}\n")
	return []byte(b.String())
}

// env keeps colour and pager away; the pagers are those that the help names.
func (d *drafter) env() string {
	pairs := []string{`"NO_COLOR": "1"`, `"PAGER": "cat"`}
	own := strings.ToUpper(strings.ReplaceAll(validID(d.t.ID.Name), "-", "_")) + "_PAGER"
	for _, name := range []string{own, "SYSTEMD_PAGER"} {
		named := slices.ContainsFunc(d.t.Commands, func(c *Command) bool { return strings.Contains(c.Page.Text, name) })
		if named && name != "_PAGER" && name != "LD_PAGER" && name[0] > '9' {
			pairs = append(pairs, js(name)+`: "cat"`)
		}
	}
	return "{ " + strings.Join(pairs, ", ") + " }"
}

func (d *drafter) writeVerb(b *strings.Builder, v *verb) {
	fmt.Fprintf(b, "    %s: {\n      \"description\": %s,\n      \"cli\": %s,\n", js(v.key), js(v.about), list(v.cli))
	if v.end {
		b.WriteString("      \"json_flag\": [],\n")
	}
	d.writeArgs(b, v)
	live, done := d.titles(v)
	if len(live) == 1 {
		fmt.Fprintf(b, "      \"title\": { \"live\": %s, \"done\": %s },\n", oneOrMore(live), oneOrMore(done))
	} else {
		fmt.Fprintf(b, "      \"title\": {\n        \"live\": %s,\n        \"done\": %s\n      },\n", list(live), list(done))
	}
	timeout := "60s"
	if v.gated() {
		timeout = "5m"
		fmt.Fprintf(b, "      \"preview\": %s,\n", list(d.preview(v)))
	}
	if v.stdin {
		b.WriteString("      \"stdin\": true,\n")
	}
	fmt.Fprintf(b, "      \"timeout\": %q\n    }", timeout)
}

func (d *drafter) writeArgs(b *strings.Builder, v *verb) {
	if len(v.args) == 0 {
		b.WriteString("      \"args\": { \"type\": \"object\", \"properties\": {} },\n")
		return
	}
	b.WriteString("      \"args\": {\n        \"type\": \"object\",\n")
	var required []string
	for _, a := range v.args {
		if a.required {
			required = append(required, a.name)
		}
	}
	if len(required) > 0 {
		fmt.Fprintf(b, "        \"required\": %s,\n", list(required))
	}
	b.WriteString("        \"properties\": {\n")
	for i, a := range v.args {
		fmt.Fprintf(b, "          %s: %s", js(a.name), a.schema())
		if i < len(v.args)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("        }\n      },\n")
}

// schema is the argument's JSON Schema on one line.
func (a *arg) schema() string {
	one := []string{`"type": ` + js(a.kind)}
	if len(a.enum) > 0 {
		one = append(one, `"enum": `+list(a.enum))
	}
	if a.pattern != "" {
		one = append(one, `"pattern": `+js(a.pattern))
	}
	if a.list {
		one = []string{`"type": "array"`, `"items": { ` + strings.Join(one, ", ") + ` }`}
	}
	switch {
	case a.def == "":
	case a.kind == "string":
		one = append(one, `"default": `+js(a.def))
	default:
		one = append(one, `"default": `+a.def)
	}
	if a.help != "" {
		one = append(one, `"description": `+js(capital(a.help)))
	}
	return "{ " + strings.Join(one, ", ") + " }"
}

// preview is the card of a gated command: what it is, and every argument.
func (d *drafter) preview(v *verb) []string {
	lines := []string{strings.TrimRight(v.about, ".")}
	for _, a := range v.args {
		lines = append(lines, capital(strings.ReplaceAll(a.name, "_", " "))+": {{"+a.name+"}}")
	}
	return lines
}

// policy is policy.json: a row for every command, everything gated that is not
// known to read.
func (d *drafter) policy() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"pack_id\": %s,\n  \"rows\": {\n", js(d.id))
	wide := 0
	for _, v := range d.verbs {
		wide = max(wide, len(v.key))
	}
	for i, v := range d.verbs {
		pad := strings.Repeat(" ", wide-len(v.key))
		row := `{ "operation": "read",  "privacy": { "land": "local" } }`
		if v.gated() {
			row = `{ "operation": "write", "privacy": { "land": "local" }, "confirm": true }`
		}
		fmt.Fprintf(&b, "    %s:%s %s", js(v.key), pad, row)
		if i < len(d.verbs)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("  }\n}\n")
	return []byte(b.String())
}

// about is the pack's description.
func (d *drafter) about() string {
	for _, c := range d.t.Commands {
		s := told(c.Page.Summary)
		if len(c.Path) > 0 || s == "" || cutOff(s) || strings.EqualFold(s, "list commands") {
			continue
		}
		if s = cut(s, 160); !strings.HasPrefix(strings.ToLower(s), strings.ToLower(d.t.ID.Name)+" ") {
			s = capital(s)
		}
		return strings.TrimRight(s, ".…") + "."
	}
	if s := told(d.t.About); s != "" {
		return strings.TrimRight(capital(cut(s, 160)), ".…") + "."
	}
	return "Commands of " + clean(d.t.ID.Name) + "."
}

// project tells whether the commands work on files of the folder that their
// caller stands in: one takes paths, or several have flags that do.
func (d *drafter) project() bool {
	flags := 0
	for _, v := range d.verbs {
		if slices.ContainsFunc(v.args, func(a arg) bool { return a.pos && pathish(a.name) }) || local(v.about) {
			return true
		}
		if slices.ContainsFunc(v.args, func(a arg) bool { return pathish(a.name) }) {
			flags++
		}
	}
	return flags >= 3
}

func pathish(name string) bool {
	return slices.ContainsFunc(nameWords(name), func(w string) bool {
		switch strings.TrimSuffix(w, "s") {
		case "file", "path", "dir", "directory", "directorie", "folder", "pathspec", "filename", "input", "infile", "src", "source", "builddir", "archive", "document":
			return true
		}
		return false
	})
}

// local: a description that speaks of what lies here.
func local(about string) bool {
	about = strings.ToLower(about)
	return slices.ContainsFunc([]string{"working tree", "working directory", "current directory", "current project", "the project", "this project", "your project", "package.json", "cargo.toml",
		"lock file", "lockfile", "local package", "current package", "current branch", "current module"}, func(w string) bool { return strings.Contains(about, w) })
}
