package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/pack"
)

// Every way in which a step can go wrong is a refusal: ok is false, nothing is
// minted and nothing is spawned. The bin writes a file, which tells.
func TestFaultAtEveryStep(t *testing.T) {
	errs := map[string]error{"error": errors.New("broken"), "EIO": syscall.EIO, "ENOSPC": syscall.ENOSPC, "timeout": context.DeadlineExceeded}
	type fault struct {
		at    string
		spoil func(f *fixture, err error) // err nil: panic
	}
	boom := func(err error) error {
		if err == nil {
			panic("canary-of-a-panic")
		}
		return err
	}
	faults := []fault{
		{"pack", func(f *fixture, err error) { f.Pack = func(string) (*pack.Pack, error) { return nil, boom(err) } }},
		{"activation", func(f *fixture, err error) {
			f.Active = func(string) (Activation, error) { return Activation{}, boom(err) }
		}},
		{"policy", func(f *fixture, err error) {
			f.Pack = func(string) (*pack.Pack, error) { return &pack.Pack{ID: "p", Kind: "wrap", Digest: f.pack.Digest}, nil }
		}},
		{"principal", func(f *fixture, err error) { f.Caller = Caller{HasToken: true, Token: "x"} }},
		{"capability", func(f *fixture, err error) { f.Grants = nil }},
		{"confirm", func(f *fixture, err error) {
			f.Grants[1].Approval = hcp.ApprovalHuman
			f.Approvals.Take = func([32]byte) (string, bool, error) { return "", true, boom(err) }
		}},
		{"ask", func(f *fixture, err error) {
			f.Grants[1].Approval = hcp.ApprovalHuman
			f.Approvals.Ask = func(Waiting) (hcp.Approval, error) { return hcp.Approval{}, boom(err) }
		}},
		{"sandbox", func(f *fixture, err error) {
			f.Host.Workspace = func(string, string, string) string { panic("canary-of-a-panic") }
		}},
		{"audit", func(f *fixture, err error) {
			if os.WriteFile(filepath.Join(f.dir, "audit"), nil, 0o600) != nil {
				t.Fatal("cannot spoil the log")
			}
		}},
	}
	errs["panic"] = nil
	for _, x := range faults {
		for kind, err := range errs {
			f := newFixture(t, "wrap", "/usr/bin/touch", "public", `{"operation":"write","confirm":true}`)
			ran := filepath.Join(f.dir, "ran")
			e := call1("go", hcp.Member{Name: "confirm", Value: hcp.BoolValue(true)}, hcp.Member{Name: "x", Value: hcp.StringValue(ran)})
			x.spoil(f, err)
			r := f.Exec(context.Background(), e, adapter.Face{Capture: true})
			text := string(r.AppendJSON(nil))
			if r.OK || r.Error == "" || r.Sandbox != "" || strings.Contains(text, "canary") {
				t.Errorf("%s, %s: %s", x.at, kind, text)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Errorf("%s, %s: the child ran", x.at, kind)
			}
		}
	}
	// the same call, unspoiled, does run
	f := newFixture(t, "wrap", "/usr/bin/touch", "public", `{"operation":"write","confirm":true}`)
	ran := filepath.Join(f.dir, "ran")
	r := f.Exec(context.Background(), call1("go", hcp.Member{Name: "confirm", Value: hcp.BoolValue(true)}, hcp.Member{Name: "x", Value: hcp.StringValue(ran)}), adapter.Face{})
	if _, err := os.Stat(ran); err != nil || !r.OK {
		t.Errorf("the good call: %v %s", err, r.AppendJSON(nil))
	}
}

// trust.md: an agreement is for exactly one call: another argument, principal,
// session, pack or bin is another call; the order of arguments is not.
func TestApprovalIsBound(t *testing.T) {
	base := func() *call {
		f := newFixture(t, "wrap", "/bin/echo", "public", `{"operation":"read"}`)
		a, _ := f.Active("p")
		return &call{Runtime: f.Runtime, pack: f.pack, command: f.pack.Command("go"), principal: f.Caller.Owner, activation: a,
			env: hcp.Envelope{PackID: "p", VerbKey: "go", Args: hcp.Args{{Name: "x", Value: hcp.StringValue("1")}, {Name: "y", Value: hcp.StringValue("2")}}}}
	}
	c := base()
	c.pack.Digest, c.activation.Bin = "d", hcp.BinRecord{}
	same := c.bound()
	for name, change := range map[string]func(*call){
		"argument":  func(c *call) { c.env.Args[0].Value = hcp.StringValue("3") },
		"list":      func(c *call) { c.env.Args[0].Value = hcp.StringsValue([]string{"1"}) },
		"mock":      func(c *call) { c.env.Args = c.env.Args.Set("mode", hcp.StringValue("mock")) },
		"principal": func(c *call) { c.principal.ID = "agent:x" },
		"session":   func(c *call) { r := *c.Runtime; r.Session = "other"; c.Runtime = &r },
		"digest":    func(c *call) { c.pack.Digest = "e" },
		"bin":       func(c *call) { c.activation.Bin.Inode = 7 },
	} {
		c := base()
		c.pack.Digest, c.activation.Bin = "d", hcp.BinRecord{}
		change(c)
		if c.bound() == same {
			t.Errorf("another %s is the same call", name)
		}
	}
	c = base()
	c.pack.Digest, c.activation.Bin = "d", hcp.BinRecord{}
	c.env.Args[0], c.env.Args[1] = c.env.Args[1], c.env.Args[0]
	c.env.Args[0].Value = hcp.Value{Kind: hcp.Number, Text: "2"} // written 2, as "2" is
	c.env.Args = c.env.Args.Set("confirm", hcp.BoolValue(true))
	if c.bound() != same {
		t.Error("the order of arguments, or confirm, makes another call")
	}
}
