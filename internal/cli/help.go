package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hcp/internal/hcp"
	"hcp/internal/pack"
)

// shimHelp answers --help on a shim from the manifest; nothing is spawned. A
// shim without any words gets the same on stderr, and exit 1, as hcp alone does.
func (e *Env) shimHelp(p *pack.Pack, line pack.Line) int {
	text := packHelp(p)
	if cmd := p.Command(line.VerbKey); cmd != nil {
		text = commandHelp(p, cmd)
	}
	if !line.Help {
		e.Stderr.WriteString(text)
		return hcp.ExitFailure
	}
	return e.write([]byte(text), hcp.ExitOK)
}

func packHelp(p *pack.Pack) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nusage: %s <command> [arguments] [--json]\n\n", p.ID, p.Description, p.ID)
	width := 0
	for i := range p.Commands {
		width = max(width, len(words(p, &p.Commands[i])))
	}
	for i := range p.Commands {
		cmd := &p.Commands[i]
		fmt.Fprintf(&b, "  %-*s  %s%s\n", width, words(p, cmd), cmd.Description, gateNote(p, cmd))
	}
	fmt.Fprintf(&b, "\n%s <command> --help tells about one of them.\n", p.ID)
	return hcp.Printable(b.String(), "\n")
}

func gateNote(p *pack.Pack, cmd *pack.Command) string {
	if row, _ := p.Row(cmd.Key); row.Confirm {
		return " (asks for --confirm)"
	}
	return ""
}

func commandHelp(p *pack.Pack, cmd *pack.Command) string {
	var b strings.Builder
	row, ok := p.Row(cmd.Key)
	usage := p.ID + " " + p.Usage(cmd)
	if row.Confirm {
		usage += " --confirm"
	}
	fmt.Fprintf(&b, "%s %s: %s\n\nusage: %s\n", p.ID, words(p, cmd), cmd.Description, usage)
	if params := p.Params(cmd); len(params) > 0 {
		b.WriteString("\narguments:\n")
		writeParams(&b, params)
	}
	switch {
	case !ok:
		b.WriteString("\nThis command has no policy and does not run.\n")
	case row.Confirm:
		fmt.Fprintf(&b, "\n%s %s; it runs only with --confirm.\n", "operation", row.Operation)
	default:
		fmt.Fprintf(&b, "\noperation %s\n", row.Operation)
	}
	if aliases := aliases(cmd); len(aliases) > 0 {
		fmt.Fprintf(&b, "also: %s\n", strings.Join(aliases, ", "))
	}
	fmt.Fprintf(&b, "as an envelope: hcp exec %s %s -- name=value …\n", p.ID, cmd.Key)
	return hcp.Printable(b.String(), "\n")
}

func words(p *pack.Pack, cmd *pack.Command) string { return strings.Join(p.Words(cmd), " ") }

// aliases are a command's words in other languages, by language.
func aliases(cmd *pack.Command) []string {
	var list []string
	for _, lang := range slices.Sorted(maps.Keys(cmd.Aliases)) {
		list = append(list, cmd.Aliases[lang]...)
	}
	return list
}

func writeParams(b *strings.Builder, params []pack.Param) {
	width := 0
	for _, a := range params {
		width = max(width, len(typed(a)))
	}
	for _, a := range params {
		about := ""
		if a.Schema != nil {
			about = a.Schema.Description
			if choices := enumTexts(a.Schema); len(choices) > 0 && len(a.Choices) == 0 {
				about = strings.TrimSpace(about + " (one of " + strings.Join(choices, ", ") + ")")
			}
		}
		if !a.Required {
			about = strings.TrimSpace(about + " (optional)")
		}
		fmt.Fprintf(b, "  %-*s  %s\n", width, typed(a), about)
	}
}

// typed is how an argument is written on the line.
func typed(a pack.Param) string {
	switch {
	case len(a.Choices) > 0:
		return strings.Join(a.Choices, "|")
	case a.Flag != "":
		return a.Flag + " <" + a.Name + ">"
	}
	return a.Form
}

// enumTexts are the values that a schema allows, as they are typed; nil allows
// any.
func enumTexts(s *pack.Schema) []string {
	if s == nil {
		return nil
	}
	var list []string
	for _, v := range s.Enum {
		if text, ok := hcp.CLIText(v); ok {
			list = append(list, text)
		}
	}
	return list
}
