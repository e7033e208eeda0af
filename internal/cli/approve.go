package cli

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hcp/internal/config"
	"hcp/internal/hcp"
	"hcp/internal/pipeline"
)

// approvals connects the pipeline to the store's approvals.
func (s *store) approvals() pipeline.Approvals {
	a := config.Approvals{Dir: s.places.Approvals()}
	return pipeline.Approvals{
		Take: func(bound [sha256.Size]byte) (string, bool, error) {
			id := config.ApprovalID(bound)
			ok, err := a.Take(id, hex.EncodeToString(bound[:]), s.env.Now())
			return id, ok, err
		},
		Peek: func(bound [sha256.Size]byte) bool {
			return a.Agreed(config.ApprovalID(bound), hex.EncodeToString(bound[:]), s.env.Now())
		},
		Ask: func(w pipeline.Waiting) (hcp.Approval, error) {
			p, err := a.Ask(config.Pending{ID: config.ApprovalID(w.Bound), Bound: hex.EncodeToString(w.Bound[:]), Principal: w.Principal,
				PackID: w.PackID, VerbKey: w.VerbKey, Preview: w.Preview}, s.env.Now())
			return hcp.Approval{ID: p.ID, Expires: p.Expires.Format(time.RFC3339)}, err
		},
	}
}

type approvalsCmd struct {
	JSON bool `help:"As JSON." name:"json"`
}

type approvalLine struct {
	ID        string   `json:"id"`
	Principal string   `json:"principal"`
	PackID    string   `json:"pack_id"`
	VerbKey   string   `json:"verb_key"`
	Preview   []string `json:"preview"`
	Expires   string   `json:"expires"`
}

func (c *approvalsCmd) Run(env *Env, status *int) error {
	s, d := openStore(env, "", "")
	if d != nil {
		return refused(d)
	}
	list, err := config.Approvals{Dir: s.places.Approvals()}.Waiting(env.Now())
	if err != nil {
		return refused(unreadable(err))
	}
	if list, d = s.ownCalls(list); d != nil {
		return refused(d)
	}
	if c.JSON {
		lines := []approvalLine{}
		for _, p := range list {
			lines = append(lines, approvalLine{p.ID, p.Principal, p.PackID, p.VerbKey, p.Preview, p.Expires.Format(time.RFC3339)})
		}
		*status = env.printValue(lines, hcp.ExitOK)
		return nil
	}
	rows := [][]string{{"ID", "PRINCIPAL", "COMMAND", "EXPIRES", "PREVIEW"}}
	for _, p := range list {
		rows = append(rows, []string{p.ID, p.Principal, p.PackID + " " + p.VerbKey, p.Expires.Format(time.RFC3339), strings.Join(p.Preview, "; ")})
	}
	return env.table(rows)
}

// ownCalls leaves a token principal the calls that are its own: what others
// asked for is theirs and the owner's to see.
func (s *store) ownCalls(list []config.Pending) ([]config.Pending, *hcp.Denial) {
	if _, token := s.env.LookupEnv("HCP_PRINCIPAL"); !token {
		return list, nil
	}
	p, d := s.caller().Identify()
	if d != nil {
		return nil, d
	}
	return slices.DeleteFunc(list, func(one config.Pending) bool { return one.Principal != p.ID }), nil
}

type approveCmd struct {
	ID   string `arg:"" optional:"" help:"Approval id (default: the only one that waits)."`
	Deny bool   `help:"Drop the call instead."`
}

// Run shows the card and takes the owner's answer. It is always a person's at a
// terminal: an agreement that could be piped in would be no person's. To drop a
// call needs the owner, not a terminal's answer.
func (c *approveCmd) Run(env *Env, status *int) error {
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	if _, token := env.LookupEnv("HCP_PRINCIPAL"); token || !c.Deny && !env.atTerminal() {
		return refused(hcp.OwnerOnly())
	}
	a := config.Approvals{Dir: s.places.Approvals()}
	p, err := c.pick(a, env.Now())
	if err != nil {
		return err
	}
	agreed := false
	if !c.Deny {
		showCard(env, p)
		agreed = answeredYes(env, "approve? [y/N] ")
	}
	if !agreed {
		if _, err := a.Drop(p.ID, env.Now()); err != nil {
			return err
		}
		if !c.Deny {
			*status = hcp.ExitFailure
		}
		fmt.Fprintf(env.Stderr, "dropped %s\n", p.ID)
		return c.record(env, s, p, false)
	}
	// Recorded first: an agreement that the log lacks must not be used.
	if err := c.record(env, s, p, true); err != nil {
		return err
	}
	if p, err = a.Agree(p.ID, env.Now()); err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "approved %s: the same call passes once, until %s\n", p.ID, p.Expires.Format(time.RFC3339))
	return nil
}

// pick finds the waiting call of that id, or the only one.
func (c *approveCmd) pick(a config.Approvals, now time.Time) (config.Pending, error) {
	list, err := a.Waiting(now)
	if err != nil {
		return config.Pending{}, refused(unreadable(err))
	}
	if c.ID == "" && len(list) > 1 {
		return config.Pending{}, fmt.Errorf("%d calls wait; name one of hcp approvals", len(list))
	}
	for _, p := range list {
		if c.ID == "" || p.ID == c.ID {
			return p, nil
		}
	}
	if c.ID == "" {
		return config.Pending{}, errors.New("no call waits for approval")
	}
	return config.Pending{}, fmt.Errorf("no such approval: %s", hcp.Quote(c.ID))
}

// showCard prints what is agreed to; its values were made visible when the call
// was refused.
func showCard(env *Env, p config.Pending) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s asks to run %s %s:\n", p.Principal, p.PackID, p.VerbKey)
	for _, line := range p.Preview {
		fmt.Fprintf(&b, "  %s\n", hcp.Printable(line, ""))
	}
	io.WriteString(env.Stderr, b.String())
}

// answeredYes asks, and takes y or yes only; anything else, and the end of
// input, is no.
func answeredYes(env *Env, question string) bool {
	io.WriteString(env.Stderr, question)
	line, _ := bufio.NewReader(io.LimitReader(env.Stdin, 256)).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}

func (c *approveCmd) record(env *Env, s *store, p config.Pending, agreed bool) error {
	err := s.runtime().Record("approve", hcp.Member{Name: "approval", Value: hcp.Value{Kind: hcp.Object, Members: []hcp.Member{
		{Name: "id", Value: hcp.StringValue(p.ID)}, {Name: "bound", Value: hcp.StringValue(p.Bound)},
		{Name: "principal", Value: hcp.StringValue(p.Principal)}, {Name: "pack_id", Value: hcp.StringValue(p.PackID)},
		{Name: "verb_key", Value: hcp.StringValue(p.VerbKey)}, {Name: "agreed", Value: hcp.BoolValue(agreed)}}}})
	if err != nil {
		return refused(hcp.AuditFailed(hcp.Reason(err)))
	}
	return nil
}
