package scaffold

import "strings"

// Report is what was read of a tool, in the form that "hcp wrap --dry-run
// --json" prints.
type Report struct {
	Subcommands []string           `json:"subcommands"` // of the tool itself, in the order of its help
	Commands    map[string]Finding `json:"commands"`    // by path; the tool itself is ""
}

// Finding is one command of a Report.
type Finding struct {
	Flags       []FoundFlag       `json:"flags"`
	Positionals []FoundPositional `json:"positionals"`
	Effect      Effect            `json:"effect"`
	JSON        []string          `json:"json"` // null: none; []: JSON is the default
}

// FoundFlag is one flag of a Finding.
type FoundFlag struct {
	Names []string `json:"names"`
	Value Arity    `json:"value"`
}

// FoundPositional is one argument of a Finding.
type FoundPositional struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	Variadic bool   `json:"variadic"`
}

// Findings sums up a tool that was classified. Only commands whose help was read
// are in it, besides the names that the tool's own page lists.
func Findings(t *Tool) Report {
	all := Report{Subcommands: t.Subcommands(), Commands: map[string]Finding{}}
	for _, c := range t.Commands {
		if !c.Probed {
			continue
		}
		f := Finding{Flags: []FoundFlag{}, Positionals: []FoundPositional{}, Effect: c.Effect, JSON: c.JSON}
		for _, x := range c.Page.Flags {
			f.Flags = append(f.Flags, FoundFlag{Names: x.Names, Value: x.Value})
		}
		for _, p := range c.Page.Positionals {
			f.Positionals = append(f.Positionals, FoundPositional{p.Name, p.Required, p.Variadic})
		}
		all.Commands[strings.Join(c.Path, " ")] = f
	}
	return all
}
