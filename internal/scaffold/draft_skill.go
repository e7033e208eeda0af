package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// skill is SKILL.md: front matter, a lead, and the hot path.
func (d *drafter) skill() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\n---\n\n# %s\n\n", d.id, d.frontMatter(), d.id)
	gated := slices.ContainsFunc(d.verbs, (*verb).gated)
	lead := fmt.Sprintf("%s Call it as `%s <command> …`, exactly as written below: other commands and flags are refused.", markdown(d.about()), d.id)
	if len(d.verbs) == 1 && len(d.verbs[0].cmd.Path) == 0 {
		lead = fmt.Sprintf("%s Call it as below: other flags are refused.", markdown(d.about()))
	}
	if len(d.verbs) == 1 && len(d.verbs[0].cmd.Path) == 0 {
		lead += d.takes(d.verbs[0])
	}
	switch n := d.withJSON(); {
	case n == len(d.verbs):
		lead += " Answers are JSON."
	case n > 0:
		lead += " Commands marked JSON answer JSON, the others text."
	default:
		lead += " Answers are text."
	}
	lead += " A non-zero exit and a line on stderr say that something failed."
	if gated {
		lead += " Commands marked gated change something: add `--confirm` only after the person has agreed to what exactly will be done."
	}
	b.WriteString(hcp.Fold(lead, 140, "\n"))
	b.WriteString("\n\n## Hot path\n\n| Command | Does | Example |\n|---|---|---|\n")
	for _, v := range d.verbs {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` |\n", v.key, d.does(v), d.example(v))
	}
	return []byte(b.String())
}

// takes names the flags of the one command there is.
func (d *drafter) takes(v *verb) string {
	var flags []string
	for _, a := range v.args {
		if !a.pos {
			flags = append(flags, "`"+flagNames(a)+"`")
		}
	}
	s := ""
	if len(flags) > 0 {
		s = " It takes " + strings.Join(flags, ", ") + "."
	}
	if len(v.cmd.Mode) > 0 {
		s += " `" + strings.Join(v.cmd.Mode, " ") + "` is always added, so that it only reads."
	}
	return s
}

// flagNames is how an argument's flag is typed: by its enum where the values
// are flags themselves.
func flagNames(a arg) string {
	if a.flag {
		return strings.Join(a.enum, "`, `")
	}
	return flagOf(a)
}

func (d *drafter) withJSON() int {
	n := 0
	for _, v := range d.verbs {
		if v.cmd.JSON != nil {
			n++
		}
	}
	return n
}

// frontMatter is a description that is one plain YAML scalar of at most 200
// characters.
func (d *drafter) frontMatter() string {
	var names []string
	for _, v := range d.verbs {
		names = append(names, strings.ReplaceAll(v.key, ".", " "))
	}
	s := strings.TrimRight(d.about(), ".")
	if more := s + " - " + strings.Join(names, ", "); len(d.verbs) > 1 && len([]rune(more)) <= 190 {
		s = more
	}
	s = strings.NewReplacer(": ", " - ", " #", " ", `"`, "'", "`", "'").Replace(s)
	s = strings.TrimLeft(strings.TrimRight(s, ": "), "!&*-?|>@%{}[],'#: \\")
	if s == "" {
		s = d.id + " through named commands"
	}
	return cut(s, 190) + "."
}

// does is a command's line in the table.
func (d *drafter) does(v *verb) string {
	s := markdown(cut(strings.TrimRight(v.about, "."), 110))
	var marks []string
	if v.cmd.JSON != nil {
		marks = append(marks, "JSON")
	}
	if v.gated() {
		marks = append(marks, "gated")
	}
	if len(marks) > 0 {
		s += " (" + strings.Join(marks, ", ") + ")"
	}
	return s
}

// markdown keeps text from ending a table's cell or opening code or a tag.
func markdown(s string) string {
	return strings.NewReplacer("|", `\|`, "`", "'", "<", "‹", ">", "›", `\`, `\\`).Replace(s)
}

// example is a line to type: what must be given, and one flag that helps.
func (d *drafter) example(v *verb) string {
	words := append([]string{d.id}, v.cmd.Path...)
	extra := false
	var tail []string
	for _, a := range v.args {
		switch {
		case a.pos && a.required:
			tail = append(tail, a.sample())
		case a.pos:
		case a.required:
			words = append(words, flagOf(a), a.sample())
		case !extra && !a.flag && len(v.args) < 20 && (a.kind == "integer" || len(a.enum) > 0):
			words, extra = append(words, flagOf(a), a.sample()), true
		}
	}
	words = append(words, tail...)
	if v.gated() {
		words = append(words, "--confirm")
	}
	return strings.NewReplacer("|", "/", "`", "'").Replace(strings.Join(words, " "))
}

// flagOf is the flag that an argument is typed with.
func flagOf(a arg) string {
	flag, _, _ := strings.Cut(a.tokens[0], "=")
	return flag
}

func (a *arg) sample() string {
	switch {
	case len(a.enum) > 0:
		return a.enum[0]
	case a.def != "" && a.def != "0" && a.def[0] != '-':
		return a.def
	case a.kind == "integer" || a.kind == "number":
		return "10"
	}
	return "<" + strings.ReplaceAll(a.name, "_", "-") + ">"
}

// notesOnFlags says which flags no draft hands to a caller, and why.
func (d *drafter) notesOnFlags() {
	for _, k := range []struct {
		kind flagKind
		why  string
	}{
		{flagCredential, "name credentials"},
		{flagEndpoint, "name a machine, an account, a place or a configuration"},
		{flagProgram, "run programs"},
		{flagWrites, "write where the command only reads, or beside what it is given"},
		{flagForce, "force or destroy"},
		{flagPlain, "change something where the command only reads"},
		{flagActs, "would act"},
	} {
		if names := d.left[k.kind]; len(names) > 0 {
			shown := names[:min(len(names), 12)]
			text := "flags left out because they " + k.why + ": " + clean(strings.Join(shown, " "))
			if len(names) > len(shown) {
				text += fmt.Sprintf(" and %d more", len(names)-len(shown))
			}
			d.notes = append(d.notes, Note{d.t.ID.Name, text})
		}
	}
}

// notesOnPack says what a person should look at before activating the pack.
func (d *drafter) notesOnPack() {
	if len(d.silent) > 0 {
		d.notes = append(d.notes, Note{d.t.ID.Name, "the help says nothing of the arguments of: " + clean(strings.Join(d.silent, ", "))})
	}
	if d.project() {
		d.notes = append(d.notes, Note{"surface.json", `wrap.workspace.mode is "project": the commands work on the folder their caller stands in`})
	} else {
		d.notes = append(d.notes, Note{"surface.json", "wrap.workspace is left out: the commands see none of the caller's files"})
	}
	if len(d.left[flagCredential]) > 0 || d.asksCredential() != "" {
		env := d.asksCredential()
		if env == "" {
			env = "a variable"
		}
		d.notes = append(d.notes, Note{"surface.json", "it takes a credential: deliver it by binding, for example in " + env + "; none is at hand otherwise"})
	}
	n := 0
	for _, v := range d.verbs {
		if v.gated() {
			n++
		}
	}
	if n > 0 {
		d.notes = append(d.notes, Note{"policy.json", fmt.Sprintf("%d of %d commands wait for a confirm; take it from those that need none", n, len(d.verbs))})
	}
}

// asksCredential is a variable that the help names and that sounds like a
// credential; "" none.
func (d *drafter) asksCredential() string {
	for _, c := range d.t.Commands {
		for w := range strings.FieldsFuncSeq(c.Page.Text, func(r rune) bool { return !(r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_') }) {
			for _, end := range []string{"_TOKEN", "_API_KEY", "_PASSWORD", "_SECRET", "_ACCESS_KEY", "_CREDENTIALS"} {
				if strings.HasSuffix(w, end) && len(w) < 50 && w[0] >= 'A' {
					return w
				}
			}
		}
	}
	return ""
}
