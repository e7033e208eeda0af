package cli

import (
	"context"

	"hcp/internal/hcp"
	"hcp/internal/sandbox"
)

type doctorCmd struct {
	sessionFlag
	JSON bool `help:"As JSON." name:"json"`
}

// Health of one check and of the whole (cli.md).
const (
	healthOK       = "ok"
	healthDegraded = "degraded"
	healthBroken   = "broken"
)

type health struct {
	Status string  `json:"status"`
	Checks []check `json:"checks"`
}

type check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
}

// Run works where every other command is refused: it says why they are.
func (c *doctorCmd) Run(env *Env, status *int) error {
	ctx, ended, stop := untilSignal()
	defer stop()
	h := diagnose(ctx, env, c.Session)
	if *status = ended(); *status != 0 {
		return nil
	}
	code := map[string]int{healthOK: hcp.ExitOK, healthDegraded: hcp.ExitWarning, healthBroken: hcp.ExitFailure}[h.Status]
	if c.JSON {
		*status = env.printValue(h, code)
		return nil
	}
	*status = code
	rows := [][]string{}
	for _, k := range h.Checks {
		rows = append(rows, []string{k.Status, k.Name, k.Detail})
		if k.Hint != "" {
			rows = append(rows, []string{"", "", hintMark + k.Hint})
		}
	}
	return env.table(append(rows, []string{h.Status, "", ""}))
}

// diagnose examines the installation and what the shells make of it. What needs
// no configuration is looked at without one too.
func diagnose(ctx context.Context, env *Env, session string) health {
	s, d := openStore(env, session, "")
	var checks []check
	switch {
	case d != nil:
		checks = []check{{"config", healthBroken, d.Message, d.Hint}}
	default:
		checks = s.doctor().Checks
	}
	if s == nil || s.foreign {
		return sum(checks)
	}
	if d != nil {
		checks = append(checks, s.checkShell()...)
	}
	return sum(append(checks, s.checkLogins(ctx)...))
}

// doctor examines an open store; it starts nobody's shell.
func (s *store) doctor() health {
	removed, err := sandbox.SweepStale(s.places.Jails())
	checks := []check{s.checkConfig(), s.checkPlaces()}
	checks = append(checks, s.checkPacks()...)
	checks = append(checks, s.checkBindings()...)
	checks = append(checks, s.checkAudit(), s.checkSandbox(removed, err))
	return sum(append(checks, s.checkShell()...))
}

func sum(checks []check) health {
	h := health{Status: healthOK, Checks: checks}
	for _, c := range checks {
		if c.Status == healthBroken || c.Status == healthDegraded && h.Status == healthOK {
			h.Status = c.Status
		}
	}
	return h
}
