package cli

import (
	"encoding/json"
	"fmt"

	"hcp/internal/audit"
	"hcp/internal/hcp"
)

type auditCmd struct {
	Tail   auditTailCmd   `cmd:"" help:"Show the last records."`
	Show   auditShowCmd   `cmd:"" help:"Show every record of one call."`
	Verify auditVerifyCmd `cmd:"" help:"Check the chain: 0 intact, 1 broken, 2 warnings."`
	Head   auditHeadCmd   `cmd:"" help:"Print SEQ:HASH of the last record, to note elsewhere."`
}

// auditStore opens the log for reading: it is the owner's to read.
func auditStore(env *Env) (string, error) {
	s, d := openStore(env, "", "")
	if d != nil {
		return "", refused(d)
	}
	return s.places.Audit(), nil
}

type auditTailCmd struct {
	N    int  `short:"n" default:"10" help:"How many records."`
	JSON bool `help:"As JSON Lines: the records' own bytes." name:"json"`
}

func (c *auditTailCmd) Run(env *Env, status *int) error {
	dir, err := auditStore(env)
	if err != nil {
		return err
	}
	if c.N < 0 {
		return fmt.Errorf("-n takes a number from 0")
	}
	lines, err := audit.Tail(dir, c.N)
	if err != nil {
		return err
	}
	return printRecords(env, lines, c.JSON)
}

type auditShowCmd struct {
	ID   string `arg:"" help:"Id of a call, as in its records."`
	JSON bool   `help:"As JSON Lines: the records' own bytes." name:"json"`
}

func (c *auditShowCmd) Run(env *Env, status *int) error {
	dir, err := auditStore(env)
	if err != nil {
		return err
	}
	lines, err := audit.Show(dir, c.ID)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return fmt.Errorf("no record of %s", hcp.Quote(c.ID))
	}
	return printRecords(env, lines, c.JSON)
}

// printRecords shows records one a line: what happened, or their own bytes.
func printRecords(env *Env, lines []audit.Line, raw bool) error {
	var rows [][]string
	for _, l := range lines {
		if raw || l.Value.Kind != hcp.Object {
			rows = append(rows, []string{l.Text})
			continue
		}
		get := func(path ...string) string {
			v := l.Value
			for _, p := range path {
				v = v.Get(p)
			}
			text, _ := hcp.CLIText(v)
			return text
		}
		what := get("what", "pack_id") + " " + get("what", "verb_key")
		how := first(get("denied", "error"), get("result", "error"))
		if how == "" && get("type") == "exec.end" {
			how = "exit " + get("result", "exit") + ", " + get("result", "ms") + " ms"
		}
		rows = append(rows, []string{get("seq"), get("ts"), get("type"), get("id"), get("who", "principal"), what, how})
	}
	return env.table(rows)
}

type auditVerifyCmd struct {
	Anchor string `help:"A head noted earlier: SEQ:HASH." placeholder:"SEQ:HASH"`
	JSON   bool   `help:"As JSON." name:"json"`
}

func (c *auditVerifyCmd) Run(env *Env, status *int) error {
	dir, err := auditStore(env)
	if err != nil {
		return err
	}
	var anchor *audit.Anchor
	if c.Anchor != "" {
		a, err := audit.ParseAnchor(c.Anchor)
		if err != nil {
			return err
		}
		anchor = &a
	}
	r, err := audit.Verify(dir, anchor)
	if err != nil {
		// A log that cannot be read or trusted proves nothing.
		r = audit.Report{Status: audit.Broken, Problems: []audit.Problem{{Why: hcp.Reason(err)}}, Proves: "nothing"}
	}
	if c.JSON {
		*status = env.printValue(json.RawMessage(r.Value().AppendJSON(nil)), r.ExitCode())
		return nil
	}
	*status = r.ExitCode()
	env.sayf("%s: %d records, head %s\n", r.Status, r.Records, r.Head)
	for _, p := range r.Problems {
		env.sayln(audit.Printable(fmt.Sprintf("  %s line %d, seq %d: %s", p.Segment, p.Line, p.Seq, p.Why)))
	}
	env.sayln(r.Proves)
	return nil
}

type auditHeadCmd struct {
	JSON bool `help:"As JSON." name:"json"`
}

func (c *auditHeadCmd) Run(env *Env, status *int) error {
	dir, err := auditStore(env)
	if err != nil {
		return err
	}
	h, err := audit.ReadHead(dir)
	if err != nil && !notExist(err) {
		return err
	}
	if c.JSON {
		*status = env.printValue(struct {
			Seq  uint64 `json:"seq"`
			Hash string `json:"hash"`
		}{h.Seq, h.Hash}, hcp.ExitOK)
		return nil
	}
	env.sayln(h)
	return nil
}
