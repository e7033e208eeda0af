package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"hcp/internal/config"
	"hcp/internal/hcp"
)

// runAgent sets an agent up: the plan is shown, agreed to, and then done as a
// whole or not at all. On a clean home the store comes first.
func (c *initCmd) runAgent(env *Env, status *int) error {
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	if c.Undo {
		return c.undoAgent(env, s, status)
	}
	a, p, err := c.planAgent(s)
	if err != nil {
		return err
	}
	if len(p.changes) == 0 {
		env.tell(nil, p.notes)
		env.sayf("%s is set up already; nothing was changed\ntry: %s\n", c.Agent, a.tryLine())
		return nil
	}
	env.sayf("hcp init --agent %s changes these files (--undo takes it back):\n", c.Agent)
	if !s.configured() {
		env.sayf("  first the store itself, as hcp init does: hcp.toml, packs, shims\n")
	}
	env.tell(p.show, p.notes)
	if done, err := c.agreed(env, status); !done {
		return err
	}
	if !s.configured() {
		if s, err = c.setUp(env, s, status); err != nil {
			return err
		}
		if a, p, err = c.planAgent(s); err != nil {
			return err
		}
	}
	if err := config.Batch(s.places, []config.FileChange{p.withJournal()}, p.changes); err != nil {
		return err
	}
	a.recordGrants()
	env.sayf("%s is set up as %s\n", c.Agent, a.principal)
	if len(s.config.Principals) == 0 {
		env.sayf("from now on a call without HCP_PRINCIPAL counts as yours on a terminal only; anywhere else it is refused\n" +
			"(denied: unauthenticated invoker), and so are commands that change hcp\n")
	}
	env.sayf("what it writes waits for you: hcp approve\ntry: %s\n", a.tryLine())
	return nil
}

func (c *initCmd) planAgent(s *store) (*agentSetup, *agentPlan, error) {
	a, err := newAgentSetup(s, c)
	if err != nil {
		return nil, nil, err
	}
	if err := a.findToken(c.Rekey); err != nil {
		return nil, nil, err
	}
	p, err := a.plan(c.Rekey)
	return a, p, err
}

// agreed asks, where somebody can answer, whether to go on. Where nobody can, the
// line that was typed is the answer: nothing waits for one (T-4), and the
// first set-up needs no terminal (cli.md).
func (c *initCmd) agreed(env *Env, status *int) (bool, error) {
	switch {
	case c.DryRun:
		return false, nil
	case c.Yes || !env.Terminal(env.Stdin):
		return true, nil
	case !env.Terminal(env.Stderr):
		return false, errors.New("the question cannot be shown, so nothing was changed; --yes goes on")
	}
	if answeredYes(env, "go on? [y/N] ") {
		return true, nil
	}
	*status = hcp.ExitFailure
	fmt.Fprintln(env.Stderr, "nothing was changed")
	return false, nil
}

// recordGrants puts the new grants into the log, as hcp grant does.
func (a *agentSetup) recordGrants() {
	for _, g := range a.grants() {
		if err := a.s.recordGrant(g, ""); err != nil {
			a.s.env.complain("hcp", "warning: granted, but not recorded: "+hcp.Reason(err))
			return
		}
	}
}

// undoAgent takes back what the journal tells of: byte for byte where nobody
// has written since, else our parts only.
func (c *initCmd) undoAgent(env *Env, s *store, status *int) error {
	u := &agentUndo{s: s, files: map[string]*config.FileChange{}, home: env.Getenv("HOME")}
	var err error
	if u.journal, u.record, err = config.LoadAgentJournal(s.places, c.Agent); err != nil {
		return refused(unreadable(err))
	}
	project := ""
	if c.Project {
		a, err := newAgentSetup(s, c)
		if err != nil {
			return err
		}
		project = a.project
	}
	var keep []config.AgentRecord
	for _, r := range slices.Backward(u.journal.Records) {
		if project != "" && r.Project != project {
			keep = append([]config.AgentRecord{r}, keep...)
			continue
		}
		if err := u.takeBack(r); err != nil {
			return err
		}
	}
	if len(keep) == len(u.journal.Records) {
		env.sayf("nothing of %s to take back\n", c.Agent)
		return nil
	}
	env.sayf("hcp init --agent %s --undo changes these files:\n", c.Agent)
	env.tell(u.show(), u.notes)
	if done, err := c.agreed(env, status); !done {
		return err
	}
	u.record.After, u.record.Remove = config.AgentJournal{Version: 1, Records: keep}.Text(), len(keep) == 0
	if err := config.Batch(s.places, u.changes(), []config.FileChange{u.record}); err != nil {
		return err
	}
	u.sweep()
	if len(keep) > 0 {
		env.sayf("taken back; the rest, agent:%s too: hcp init --agent %s --undo\n", c.Agent, c.Agent)
		return nil
	}
	env.sayf("taken back; %s is agent:%s no more\n", c.Agent, c.Agent)
	return nil
}

// agentUndo gathers what several records do to the same files.
type agentUndo struct {
	s       *store
	home    string
	journal config.AgentJournal
	record  config.FileChange
	files   map[string]*config.FileChange
	order   []string
	dirs    []string
	notes   []string
}

func (u *agentUndo) takeBack(r config.AgentRecord) error {
	c := u.files[r.Path]
	if c == nil {
		snap, err := config.Snapshot(r.Path)
		if err != nil {
			return err
		}
		c = &snap
		u.files[r.Path] = c
		u.order = append(u.order, r.Path)
	}
	u.dirs = append(r.Dirs, u.dirs...)
	if !c.Exists || c.Remove {
		return nil
	}
	after, gone, left, err := r.Undo(c.After)
	if r.Kind == config.KindConfig && config.Digest(c.After) != r.Sum {
		if after, left, err = config.WithoutPrincipal(u.s.places, u.s.user, c.After, r.Blocks); err != nil {
			return refused(unreadable(err))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w; nothing was changed", hcp.Printable(r.Path, ""), err)
	}
	for _, what := range left {
		u.notes = append(u.notes, shortPath(u.home, r.Path)+": "+what+" is not as hcp wrote it and stays")
	}
	c.After, c.Remove = after, gone
	return nil
}

func (u *agentUndo) show() [][]string {
	var list [][]string
	for _, path := range u.order {
		switch c := u.files[path]; {
		case !c.Exists || !c.Remove && c.After == c.Before:
		case c.Remove:
			list = append(list, []string{shortPath(u.home, path) + " (removed)"})
		default:
			list = append(list, []string{shortPath(u.home, path)})
		}
	}
	return list
}

// changes undoes hcp.toml first: a token that opens nothing is harmless, one that
// nobody remembers to take away is not.
func (u *agentUndo) changes() []config.FileChange {
	var list []config.FileChange
	for _, path := range u.order {
		if c := u.files[path]; c.Exists && (c.Remove || c.After != c.Before) {
			list = append(list, *c)
		}
	}
	return list
}

// sweep removes what a killed run left and the folders that are empty now.
func (u *agentUndo) sweep() {
	for _, path := range append(u.order, u.record.Path) {
		config.SweepTemp(path)
	}
	config.RemoveEmptyDirs(u.dirs)
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func sameDir(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
