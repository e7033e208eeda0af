package scaffold

import "strings"

// listed gives the arguments of a command that has no page of its own, from the
// line in which its parent's page lists it: "  status [PATTERN…|PID…]   Show …".
func listed(t *Tool, c *Command) []Positional {
	if c.Probed || len(c.Path) == 0 {
		return c.Page.Positionals
	}
	up := c.Path[:len(c.Path)-1]
	for _, parent := range t.Commands {
		if strings.Join(parent.Path, " ") != strings.Join(up, " ") {
			continue
		}
		for line := range strings.Lines(parent.Page.Text) {
			rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), c.Path[len(c.Path)-1]+" ")
			if !ok || line[0] != ' ' && line[0] != '\t' || rest == "" || rest[0] == ' ' {
				continue
			}
			spec, _, _ := strings.Cut(strings.TrimRight(rest, "\n"), "  ")
			if list := listedArgs(spec); list != nil {
				return list
			}
		}
	}
	return nil
}

// listedArgs reads "NAME[=VALUE] [PATTERN...]"; nil when a word is no argument.
func listedArgs(spec string) []Positional {
	var list []Positional
	for w := range strings.FieldsSeq(spec) {
		p := Positional{Required: true}
		bare := strings.ReplaceAll(w, "…", "...")
		if strings.HasPrefix(bare, "[") || strings.HasSuffix(bare, "]") && !strings.Contains(bare, "[=") {
			p.Required = false
		}
		p.Variadic = strings.Contains(bare, "...")
		bare = strings.Trim(bare, "[]<>().")
		for _, stop := range []string{"|", "...", "[", "="} {
			bare, _, _ = strings.Cut(bare, stop)
		}
		if bare == "" || bare != strings.ToUpper(bare) && !strings.ContainsAny(w, "<[") {
			return nil
		}
		p.Name = bare
		list = append(list, p)
	}
	return list
}

// adopt takes the commands that a tool's own page lists for commands where none
// has a page of its own, as systemctl, whose every command answers a call for
// help with the tool's: only from sections that say they list commands. They are
// no findings (wrap.md, stage 3); a draft takes them where it would have none.
func adopt(t *Tool) {
	if len(t.Commands) != 1 || len(t.Commands[0].Path) != 0 || !t.Commands[0].Page.TakesCommand {
		return
	}
	var found []*Command
	for _, e := range t.Commands[0].Page.Commands {
		if e.Help != "" && strings.Contains(strings.ToLower(e.Section), "command") {
			found = append(found, &Command{Path: []string{e.Name}, Listed: e, Shared: true})
		}
	}
	if len(found) >= 3 {
		t.Commands = append(t.Commands, found...)
	}
}
