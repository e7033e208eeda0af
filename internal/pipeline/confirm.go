package pipeline

import (
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
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
	if d.Hint == "" {
		d.Hint = "once agreed, repeat the call with confirm true"
	}
	return d
}

// card is the preview with every value made visible; a command without one
// shows its title and the argv (trust.md).
func (c *call) card() []string {
	if lines := c.command.PreviewLines(hcp.VisibleArgs(c.env.Args)); len(lines) > 0 {
		return lines
	}
	var lines []string
	if title, ok := c.command.LiveTitle(hcp.VisibleArgs(c.env.Args)); ok {
		lines = append(lines, title)
	}
	words := []string{c.pack.Wrap.Bin}
	tokens, d := c.pack.Render(c.command, c.env.Args)
	if d != nil {
		return append(lines, c.pack.ID+" "+c.command.Key)
	}
	for _, t := range tokens {
		words = append(words, hcp.Visible(adapter.ShellQuote(t.Text)))
	}
	return append(lines, strings.Join(words, " "))
}
