package pack

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// SkillFile is what an agent reads of a pack.
const SkillFile = "SKILL.md"

// rows compares policy.json with the commands, and holds the health commands to
// reading (C-1).
func (c *checker) rows() {
	if c.p.Policy.Kind == hcp.Missing {
		c.say(LevelError, "rows", PolicyFile, "missing: no command has a policy, so none runs (X-1)")
		return
	}
	for i := range c.p.Commands {
		cmd := &c.p.Commands[i]
		row, ok := c.p.Row(cmd.Key)
		where := PolicyFile + ": rows." + cmd.Key
		switch {
		case !ok:
			c.say(LevelError, "rows", where, "missing: the command never runs (X-1)")
			continue
		case row.Operation != hcp.OpRead && slices.Contains([]string{"doctor", "capabilities", "validate"}, last(cmd.Key)):
			c.say(LevelError, "health", where, "%s is always read (C-1)", last(cmd.Key))
		}
		if !slices.Contains([]string{"", hcp.LandNone, hcp.LandLocal, hcp.LandBrain}, row.Land) {
			c.say(LevelError, "rows", where, "privacy.land %s unknown", hcp.Quote(row.Land))
		}
		c.gate(cmd, row)
	}
	for _, key := range c.p.RowKeys() {
		if c.p.Command(key) == nil {
			c.say(LevelError, "rows", PolicyFile+": rows."+key, "no such command")
		}
	}
}

// gate: a pack's own program should show the gate too (C-6).
func (c *checker) gate(cmd *Command, row hcp.PolicyRow) {
	if !row.Confirm || row.Operation != hcp.OpWrite || !strings.HasPrefix(c.p.Wrap.Bin, ".") {
		return
	}
	for _, tok := range declaredTokens(c.p, cmd) {
		if tok == "--confirm" || tok == "--apply" {
			return
		}
	}
	c.say(LevelWarning, "gate", atVerb(cmd.Key, ".cli"), "gated, but its own program is not told by --confirm or --apply (C-6)")
}

// probe renders the command with sample arguments through the renderer that
// exec uses (C-7), and sees that they pass its own schema.
func (c *checker) probe(cmd *Command) {
	args := hcp.Args{}
	for _, name := range c.p.ArgNames(cmd) {
		if v := sample(cmd.Args.Property(name)); v.Kind != hcp.Missing {
			args = args.Set(name, v)
		}
	}
	d := c.p.Validate(cmd, args)
	if d != nil {
		// A pattern that no sample of ours meets says nothing of the command.
		return
	}
	if _, d = c.p.Render(cmd, args); d != nil {
		c.say(LevelError, "probe", atVerb(cmd.Key, ".cli"), "does not render: %s", d.Message)
	}
}

// sample is a value that the schema allows, as far as it can be told.
func sample(s *Schema) hcp.Value {
	switch {
	case s == nil:
		return hcp.StringValue("sample")
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Default.Kind != hcp.Missing:
		return s.Default
	case s.List():
		return hcp.Value{Kind: hcp.Array, Items: []hcp.Value{sample(s.Items)}}
	case s.is("integer") || s.is("number"):
		if s.Minimum != "" {
			return hcp.Value{Kind: hcp.Number, Text: s.Minimum}
		}
		return hcp.IntValue(1)
	case s.is("boolean"):
		return hcp.BoolValue(true)
	}
	return hcp.StringValue("sample")
}

// knownFields are what the runtime reads of each part of a manifest; others are
// left alone and listed.
func knownFields(part string) []string {
	switch part {
	case "":
		return []string{"pack_id", "surface_id", "id", "version", "kind", "description", "wrap", "binding", "verbs"}
	case "wrap":
		return []string{"bin", "argv_template", "json_flag", "workspace", "agent_env", "allowedSubcommands"}
	case "wrap.workspace":
		return []string{"mode", "home_env", "file_flags"}
	case "binding":
		return []string{"family", "deliver"}
	case "verbs.*":
		return []string{"description", "cli", "args", "aliases", "title", "preview", "stdin", "timeout", "json_flag"}
	}
	return []string{"live", "done"} // verbs.*.title
}

func (c *checker) unknownFields() {
	c.unknown("", "", c.p.Surface)
	for _, part := range []string{"wrap", "binding"} {
		c.unknown(part, part, c.p.Surface.Get(part))
	}
	c.unknown("wrap.workspace", "wrap.workspace", c.p.Surface.Get("wrap").Get("workspace"))
	for _, m := range c.p.Surface.Get("verbs").Members {
		c.unknown("verbs.*", "verbs."+m.Name, m.Value)
		c.unknown("verbs.*.title", "verbs."+m.Name+".title", m.Value.Get("title"))
	}
}

func (c *checker) unknown(shape, where string, v hcp.Value) {
	for _, m := range v.Members {
		if !slices.Contains(knownFields(shape), m.Name) {
			c.say(LevelNote, "unknown", SurfaceFile+": "+strings.TrimPrefix(where+"."+m.Name, "."), "not a field that hcp reads")
		}
	}
}

// skill looks for drift between the Skill and the commands (C-2).
func (c *checker) skill(text string, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.say(LevelWarning, "skill", SkillFile, "missing: an agent has nothing to read")
		return
	case err != nil:
		c.say(LevelError, "skill", SkillFile, "%s", strings.TrimPrefix(err.Error(), c.p.Root+"/"+SkillFile+": "))
		return
	}
	front, _, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---")
	for _, name := range []string{"name", "description"} {
		m := regexp.MustCompile(`(?m)^` + name + `:[ \t]*(.*)$`).FindStringSubmatch(front)
		switch {
		case !strings.HasPrefix(text, "---\n") || m == nil || m[1] == "":
			c.say(LevelWarning, "skill", SkillFile, "no %s in the front matter", name)
		case name == "description" && len([]rune(m[1])) > 200:
			c.say(LevelWarning, "skill", SkillFile, "the description is longer than 200 characters")
		}
	}
	mentioned := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\|[ \t]*`([^`]+)`").FindAllStringSubmatch(text, -1) {
		mentioned[m[1]] = true
		if hcp.ValidVerbKey(m[1]) && c.p.Command(m[1]) == nil {
			c.say(LevelError, "skill", SkillFile, "names a command that does not exist: %s (C-2)", hcp.Quote(m[1]))
		}
	}
	for i := range c.p.Commands {
		key := c.p.Commands[i].Key
		if !mentioned[key] && !strings.Contains(text, "`"+key+"`") {
			c.say(LevelWarning, "skill", SkillFile, "does not mention %s", key)
		}
	}
}
