package cli

import (
	"context"
	"strings"
	"unicode/utf8"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/pipeline"
)

func validText(s string) bool { return utf8.ValidString(s) }

type explainCmd struct {
	sessionFlag
	Pack    string   `arg:"" help:"Pack id."`
	Verb    string   `arg:"" help:"Command of the pack."`
	Args    []string `arg:"" optional:"" help:"Arguments as name=value, or name:=JSON." name:"k=v"`
	JSON    bool     `help:"As JSON." name:"json"`
	Project string   `help:"Project id for land brain." placeholder:"ID"`
}

func (c *explainCmd) Run(env *Env, status *int) error {
	e := hcp.Envelope{PackID: c.Pack, VerbKey: c.Verb}
	var d *hcp.Denial
	e.Args, d = pairs(c.Args)
	var x pipeline.Explanation
	if d == nil {
		var s *store
		if s, d = openStore(env, c.Session, c.Project); d == nil {
			x = s.runtime().Explain(context.Background(), e)
		}
	}
	if d != nil {
		x = pipeline.Unexplained(d)
	}
	if *status = hcp.ExitOK; !x.Allowed {
		*status = hcp.ExitFailure
	}
	if c.JSON {
		*status = env.printValue(explanationJSON(x), *status)
		return nil
	}
	return c.show(env, x)
}

// explanation is the --json shape (cli.md).
type explanation struct {
	Allowed bool          `json:"allowed"`
	Error   *string       `json:"error"` // null when allowed
	Argv    []string      `json:"argv"`
	Steps   []stepVerdict `json:"steps"`
	Hint    *string       `json:"hint"`
}

type stepVerdict struct {
	N    int    `json:"n"`
	Name string `json:"name"`
	OK   *bool  `json:"ok"`
	Why  string `json:"why"`
}

func explanationJSON(x pipeline.Explanation) explanation {
	out := explanation{Allowed: x.Allowed, Argv: x.Argv}
	if x.Denial != nil {
		out.Error = &x.Denial.Message
		if x.Denial.Hint != "" {
			out.Hint = &x.Denial.Hint
		}
	}
	if out.Argv == nil {
		out.Argv = []string{}
	}
	for _, s := range x.Steps {
		out.Steps = append(out.Steps, stepVerdict{int(s.Step), s.Step.String(), s.OK, s.Why})
	}
	return out
}

func (c *explainCmd) show(env *Env, x pipeline.Explanation) error {
	var rows [][]string
	for _, s := range x.Steps {
		mark := "-"
		if s.OK != nil {
			mark = map[bool]string{true: "ok", false: "DENIED"}[*s.OK]
		}
		rows = append(rows, []string{string(rune('0' + int(s.Step))), s.Step.String(), mark, s.Why})
	}
	if err := env.table(rows); err != nil {
		return err
	}
	if len(x.Argv) > 0 {
		words := make([]string, len(x.Argv))
		for i, w := range x.Argv {
			words[i] = adapter.ShellQuote(w)
		}
		env.print("argv: " + hcp.Printable(strings.Join(words, " "), "") + "\n")
	}
	if x.Denial != nil {
		env.complain("hcp", x.Denial.Message, x.Denial.Hint)
	}
	return nil
}
