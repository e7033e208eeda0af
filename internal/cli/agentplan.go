package cli

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/config"
	"hcp/internal/hcp"
)

// agentPlan is what a run would do, file by file, before it does any of it.
type agentPlan struct {
	changes []config.FileChange
	show    [][]string // what a person is shown of each change: a title, then lines
	notes   []string
	records []config.AgentRecord
	journal config.AgentJournal
	record  config.FileChange // of the journal
}

// plan works out every file; nothing is written. A file that cannot be edited
// ends it.
func (a *agentSetup) plan(rekey bool) (*agentPlan, error) {
	p := &agentPlan{}
	var err error
	if p.journal, p.record, err = config.LoadAgentJournal(a.s.places, a.name); err != nil {
		return nil, refused(unreadable(err))
	}
	for _, t := range a.targets() {
		if err := a.planTarget(p, t); err != nil {
			return nil, err
		}
	}
	if err := a.planConfig(p, rekey); err != nil {
		return nil, err
	}
	var bare []string
	for _, k := range a.packs {
		if !k.link && k.id != adapter.BuiltinPack {
			bare = append(bare, k.id)
		}
	}
	if len(bare) > 0 && len(p.changes) > 0 {
		p.note("no shim, so through the hcp tool or hcp exec only: %s", strings.Join(bare, " "))
	}
	return p, nil
}

func (a *agentSetup) planTarget(p *agentPlan, t agentTarget) error {
	c, err := config.Snapshot(t.path)
	if err != nil {
		return err
	}
	c.Mode, c.DirTo = 0o600, 0o700
	r := config.AgentRecord{Path: t.path, Kind: t.kind, Created: !c.Exists, Dirs: config.MissingDirs(t.path)}
	if t.project {
		r.Project, c.Mode, c.DirTo = a.project, 0o644, 0o755
	}
	if t.kind == config.KindFile {
		a.planOwnFile(p, t, c, r)
		return nil
	}
	edit := config.EditJSON
	if t.kind == config.KindTOML {
		edit = config.EditTOML
	}
	if c.After, r.Steps, r.Edits, err = edit(c.Before, t.edits); err != nil {
		return fmt.Errorf("%s: %w; nothing was changed", hcp.Printable(t.path, ""), err)
	}
	if len(r.Edits) == 0 {
		return nil
	}
	p.add(a, c, r, editLines(t.edits, r.Edits))
	if only := config.TOMLList(c.Before, "shell_environment_policy", "include_only"); t.kind == config.KindTOML && len(only) > 0 &&
		!slices.ContainsFunc(only, func(s string) bool { return s == "HCP_*" || s == "*" }) {
		p.note("shell_environment_policy.include_only in %s drops the shims' variables from Codex's shell: add \"HCP_*\" to it", a.short(t.path))
	}
	if c.Exists && !t.project && c.OthersRead() && slices.ContainsFunc(t.edits, func(e config.Edit) bool { return e.Secret }) {
		p.note("others on this machine can read %s; it will hold a secret: chmod 600 it", a.short(t.path))
	}
	return nil
}

// editLines show those edits that will be made, secrets not.
func editLines(edits, done []config.Edit) []string {
	var lines []string
	for _, e := range edits {
		if !slices.ContainsFunc(done, func(d config.Edit) bool {
			return slices.Equal(d.Path, e.Path) && (d.Value == e.Value || e.Secret)
		}) {
			continue
		}
		mark, value := " = ", e.Value
		if e.Element {
			mark = " + "
		}
		if e.Secret {
			value = "(the agent's secret)"
		}
		lines = append(lines, strings.Join(e.Path, ".")+mark+value)
	}
	return lines
}

// planOwnFile writes a file that is all ours, and never one that is not.
func (a *agentSetup) planOwnFile(p *agentPlan, t agentTarget, c config.FileChange, r config.AgentRecord) {
	ours := p.journal.Ours(t.path)
	switch {
	case c.Exists && c.Before == t.text:
		return
	case c.Exists && (ours == nil || ours.Sum != config.Digest(c.Before)):
		p.note("%s is not hcp's and stays as it is", a.short(t.path))
		return
	}
	c.After, c.Mode = t.text, 0o644
	if c.Exists {
		r.Created, r.Dirs = ours.Created, ours.Dirs
	}
	p.add(a, c, r, nil)
}

// planConfig adds the principal and its grants to hcp.toml. Before there is one,
// they are only shown.
func (a *agentSetup) planConfig(p *agentPlan, rekey bool) error {
	n := config.NewPrincipal{ID: a.principal, TokenSHA256: sha256.Sum256([]byte(a.token)), Grants: a.grants(), Rekey: rekey}
	c, steps, blocks, err := config.WithPrincipal(a.s.places, a.s.user, n)
	if err != nil {
		return refused(unreadable(err))
	}
	if c.After == c.Before {
		return nil
	}
	var lines []string
	if strings.HasPrefix(strings.Join(blocks, ""), "[[principals]]") {
		lines = append(lines, "[[principals]] "+a.principal)
	} else if len(steps) > len(blocks) {
		lines = append(lines, "[[principals]] "+a.principal+": a new token_sha256")
	}
	for _, g := range n.Grants {
		line := "[[grants]] " + g.Principal + " " + g.Capability + " " + strings.Join(g.Packs, " ")
		if g.Approval == hcp.ApprovalHuman {
			line += ", each call after hcp approve"
		}
		lines = append(lines, line)
	}
	p.add(a, c, config.AgentRecord{Path: c.Path, Kind: config.KindConfig, Steps: steps, Blocks: blocks}, lines)
	return nil
}

func (p *agentPlan) add(a *agentSetup, c config.FileChange, r config.AgentRecord, lines []string) {
	r.Sum = config.Digest(c.After)
	p.changes = append(p.changes, c)
	p.records = append(p.records, r)
	title := a.short(c.Path)
	if !c.Exists {
		title += " (new)"
	}
	p.show = append(p.show, append([]string{title}, lines...))
}

func (p *agentPlan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// withJournal is the journal with what the plan does.
func (p *agentPlan) withJournal() config.FileChange {
	for _, r := range p.records {
		if old := p.journal.Ours(r.Path); old != nil && r.Kind == config.KindFile {
			*old = r
			continue
		}
		p.journal.Records = append(p.journal.Records, r)
	}
	p.record.After = p.journal.Text()
	return p.record
}

// short writes a path below the home folder as ~/…
func (a *agentSetup) short(path string) string { return shortPath(a.home, path) }

func shortPath(home, path string) string {
	if rest, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rest) {
		path = "~/" + rest
	}
	return hcp.Printable(path, "")
}

// tell prints a plan for a person.
func (e *Env) tell(show [][]string, notes []string) {
	for _, file := range show {
		e.sayf("  %s\n", file[0])
		for _, line := range file[1:] {
			e.sayf("      %s\n", hcp.Printable(line, ""))
		}
	}
	for _, n := range notes {
		e.sayf("note: %s\n", n)
	}
}
