package cli

import (
	"fmt"
	"strings"

	"hcp/internal/hcp"
	"hcp/internal/scaffold"
)

// undrafted is a bin of which nothing is drafted unless somebody asks for it.
type undrafted struct {
	name   string
	tool   *scaffold.Tool
	choice scaffold.Choice
}

func (e *undrafted) Error() string {
	return "no command of " + hcp.Printable(e.name, "") + " is drafted unasked"
}

// hints says why, a reason a line, and what to type where that helps. line is
// the command line so far.
func (e *undrafted) hints(line string) []string {
	var hints, reasons []string
	by := map[string][]scaffold.Left{}
	for _, l := range e.choice.Left {
		why, _, _ := strings.Cut(l.Why, " (--only ")
		if by[why] == nil {
			reasons = append(reasons, why)
		}
		by[why] = append(by[why], l)
	}
	for i, why := range reasons {
		list := by[why]
		if why == "a group of commands" || why == "the bin itself, which has commands" {
			if i < len(reasons)-1 || len(hints) > 0 {
				continue // that goes without saying
			}
		}
		who, more := strings.TrimSpace(e.name+" "+spaced(list[0].Path)), ""
		if n := len(list); n > 1 {
			more = fmt.Sprintf(" and %d more", n-1)
		}
		hint := hcp.Printable(who+more+": "+why, "")
		if _, only, ok := strings.Cut(list[0].Why, " (--only "); ok {
			hint += "; if that is what you want: " + line + " --only " + strings.TrimSuffix(only, ")")
		}
		if hints = append(hints, hint); i == maxListed {
			break
		}
	}
	for _, n := range e.tool.Notes[:min(len(e.tool.Notes), 3)] {
		hints = append(hints, hcp.Printable(n.Where+": "+n.What, ""))
	}
	return hints
}
