package pipeline

import (
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/pack"
)

// confirmRequired is the gate's refusal with the card a person is shown and the
// line that would pass (P-6, C-5).
func (c *call) confirmRequired() *hcp.Denial {
	d := hcp.ConfirmRequired()
	d.Preview = c.card()
	if c.env.Fault == nil {
		args := append(hcp.Args{}, c.env.Args.Without(hcp.ArgConfirm)...)
		args = args.Set(hcp.ArgConfirm, hcp.BoolValue(true))
		d.Hint = c.pack.Spell(c.command, args, c.pack.ID)
	}
	if f := c.env.Fault; f != nil {
		d.Hint = "the line has a fault too (" + f.Message + "); mend it and repeat it with --confirm"
	}
	if d.Hint == "" {
		d.Hint = "once agreed, repeat the call with confirm true"
	}
	return d
}

// card is the preview with every value made visible; a command without one
// shows its title and the argv (trust.md).
func (c *call) card() []string { return Card(c.pack, c.command, c.env.Args) }

// Card is what a person is shown of a call before it runs (C-5).
func Card(p *pack.Pack, cmd *pack.Command, args hcp.Args) []string {
	if lines := cmd.PreviewLines(hcp.VisibleArgs(args)); len(lines) > 0 {
		return lines
	}
	var lines []string
	if title, ok := cmd.LiveTitle(hcp.VisibleArgs(args)); ok {
		lines = append(lines, title)
	}
	words := []string{p.Wrap.Bin}
	tokens, d := p.Render(cmd, args)
	if d != nil {
		return append(lines, p.ID+" "+cmd.Key)
	}
	for _, t := range tokens {
		words = append(words, hcp.Visible(adapter.ShellQuote(t.Text)))
	}
	return append(lines, strings.Join(words, " "))
}
