package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hcp/internal/adapter"
	"hcp/internal/audit"
	"hcp/internal/hcp"
	"hcp/internal/pack"
	"hcp/internal/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.MaybeChild()
	os.Exit(m.Run())
}

// fixture is a runtime over one pack in memory, whose every step passes; a test
// breaks what it is about.
type fixture struct {
	*Runtime
	pack *pack.Pack
	dir  string
}

const surface = `{"pack_id":"p","version":"1","kind":"%s","description":"d","wrap":{"bin":"%s","json_flag":[]},
"binding":{"family":"%s"},"verbs":{"go":{"cli":["p","go","{{x}}"]},"norow":{"cli":["p","norow"]}}}`

func newFixture(t *testing.T, kind, bin, family, row string) *fixture {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := pack.Parse(dir, fmt.Appendf(nil, surface, kind, bin, family), []byte(`{"pack_id":"p","rows":{"go":`+row+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{pack: p, dir: dir}
	rec := sandbox.ResolveBin(sandbox.Resolve{Bin: bin, PackRoot: dir})
	f.Runtime = &Runtime{
		Session: "default",
		Pack: func(id string) (*pack.Pack, error) {
			if id != "p" {
				return nil, fs.ErrNotExist
			}
			return f.pack, nil
		},
		Active: func(string) (Activation, error) { return Activation{Digest: p.Digest, Bin: rec}, nil },
		Caller: Caller{Owner: hcp.Principal{ID: "user:anna", Tenant: "local", Owner: true}},
		Grants: []hcp.Grant{grant(hcp.CapRead), grant(hcp.CapWrite)},
		Host: &adapter.Host{Driver: sandbox.Process(), Guard: true, Timeout: 10 * time.Second, DepthOK: true,
			Jails:     filepath.Join(dir, "jails"),
			Workspace: func(string, string, string) string { return filepath.Join(dir, "ws") }},
		Audit: Audit{Log: audit.New(audit.Options{Dir: filepath.Join(dir, "audit"), MaxSegment: 1 << 24, Now: time.Now}), DenyReads: true},
		Now:   time.Now,
	}
	return f
}

func grant(capability string) hcp.Grant {
	return hcp.Grant{Rule: hcp.Rule{Principal: "user:anna", Capability: capability, Packs: []string{"p"}, Where: "hcp.toml:1"}}
}

func call1(verb string, args ...hcp.Member) hcp.Envelope {
	return hcp.Envelope{PackID: "p", VerbKey: verb, Args: args}
}

func (f *fixture) log(t *testing.T) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(f.dir, "audit", "audit-*.jsonl"))
	var all strings.Builder
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

func TestRunsAndRecords(t *testing.T) {
	f := newFixture(t, "wrap", "/bin/echo", "public", `{"operation":"read"}`)
	r := f.Exec(context.Background(), call1("go", hcp.Member{Name: "x", Value: hcp.StringValue("hi")}), adapter.Face{Capture: true})
	if !r.OK || string(r.Result) != `"go hi\n"` || r.Code != 0 || r.Sandbox != "process" {
		t.Fatalf("%s", r.AppendJSON(nil))
	}
	log := f.log(t)
	for _, want := range []string{`"type":"exec.start"`, `"type":"exec.end"`, `"principal":"user:anna"`, `"grant":"hcp.toml:1"`, `"operation":"read"`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
}

// P-1 … P-8, X-1: each step's refusal, one break at a time; nothing after it
// runs, so that the log has no start before step 7.
func TestEachStepRefuses(t *testing.T) {
	yes := hcp.Member{Name: "confirm", Value: hcp.BoolValue(true)}
	gated := `{"operation":"write","confirm":true}`
	cases := []struct {
		name, want string
		e          hcp.Envelope
		spoil      func(*fixture)
	}{
		{"P-1", "unknown pack q", hcp.Envelope{PackID: "q", VerbKey: "go"}, nil},
		{"P-2", "pack p not activated", call1("go", yes), func(f *fixture) {
			f.Active = func(string) (Activation, error) { return Activation{}, fs.ErrNotExist }
		}},
		{"P-2 zero record", "pack p not activated", call1("go", yes), func(f *fixture) {
			f.Active = func(string) (Activation, error) { return Activation{}, nil }
		}},
		{"P-2 damaged", "pack p not activated", call1("go", yes), func(f *fixture) {
			f.Active = func(string) (Activation, error) { return Activation{}, errors.New("torn") }
		}},
		{"P-3 no row", "no policy for norow", call1("norow", yes), nil},
		{"P-3 undeclared", "no policy for other", call1("other", yes), nil},
		{"P-4", "denied: unauthenticated invoker", call1("go", yes), func(f *fixture) { f.Caller.Owner = hcp.Principal{} }},
		{"P-5 none", "denied: missing verb.exec.write for p.go", call1("go", yes), func(f *fixture) { f.Grants = f.Grants[:1] }},
		{"P-5 deny", "denied: missing verb.exec.write for p.go", call1("go", yes), func(f *fixture) { f.Denies = []hcp.Deny{{}} }},
		{"P-5 expired", "denied: missing verb.exec.write for p.go", call1("go", yes), func(f *fixture) { f.Grants[1].Expires = time.Unix(1, 0) }},
		{"P-5 empty grant", "denied: missing verb.exec.write for p.go", call1("go", yes), func(f *fixture) { f.Grants = []hcp.Grant{{}} }},
		{"P-6", "confirm required", call1("go"), nil},
		{"args", `invalid args: `, call1("go", yes, hcp.Member{Name: "y", Value: hcp.StringValue("1")}), nil},
		{"human approval", "confirm required", call1("go", yes), func(f *fixture) { f.Grants[1].Approval = hcp.ApprovalHuman }},
		{"recursion", "recursive call: p.go", call1("go", yes), func(f *fixture) { f.Host.DepthOK = false }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, "wrap", "/bin/echo", "public", gated)
			if c.spoil != nil {
				c.spoil(f)
			}
			r := f.Exec(context.Background(), c.e, adapter.Face{Capture: true})
			if r.OK || !strings.HasPrefix(r.Error, c.want) || r.Code != 1 || r.Sandbox != "" {
				t.Errorf("%s", r.AppendJSON(nil))
			}
			if log := f.log(t); strings.Contains(log, "exec.start") || !strings.Contains(log, "exec.deny") {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// A-2, P-7: the kind is judged before the mint, the mint before the bin; a start
// is closed by a refusal of the same id.
func TestLateRefusals(t *testing.T) {
	for _, c := range []struct {
		kind, bin, family, want string
		started                 bool
	}{
		{"openapi", "/bin/echo", "user", "adapter openapi not executable in hcp", false},
		{"composite", "/bin/echo", "public", "adapter composite not executable in hcp", false},
		{"wrap", "/nothing/there", "user", "denied: binding user for p: not configured", true},
		{"wrap", "/nothing/there", "public", `sandbox: bin "/nothing/there" not found`, true},
	} {
		f := newFixture(t, c.kind, c.bin, c.family, `{"operation":"read"}`)
		r := f.Exec(context.Background(), call1("go"), adapter.Face{Capture: true})
		if r.OK || r.Error != c.want {
			t.Errorf("%s %s: %s", c.kind, c.family, r.AppendJSON(nil))
		}
		if log := f.log(t); strings.Contains(log, "exec.start") != c.started || strings.Count(log, "exec.deny") != 1 || strings.Contains(log, "exec.end") {
			t.Errorf("%s %s log: %s", c.kind, c.family, log)
		}
	}
}

// P-9, trust.md: no start in the log, no call; no end in the log, the true
// result all the same.
func TestAuditFailsClosed(t *testing.T) {
	f := newFixture(t, "wrap", "/bin/echo", "public", `{"operation":"read"}`)
	mark := filepath.Join(f.dir, "ran")
	if err := os.WriteFile(filepath.Join(f.dir, "audit"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := f.Exec(context.Background(), call1("go"), adapter.Face{Capture: true})
	if r.OK || !strings.HasPrefix(r.Error, "denied: audit: ") {
		t.Errorf("%s", r.AppendJSON(nil))
	}
	f.Audit.DenyReads = false
	if r := f.Exec(context.Background(), call1("go"), adapter.Face{Capture: true}); !r.OK || r.Audit != "incomplete" {
		t.Errorf("deny-writes: %s", r.AppendJSON(nil))
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("it ran")
	}
}

// A panic in a step is a refusal that says nothing of it, and what was begun is
// closed in the log.
func TestPanicRefuses(t *testing.T) {
	f := newFixture(t, "wrap", "/bin/echo", "public", `{"operation":"read"}`)
	f.Pack = func(string) (*pack.Pack, error) { panic("secret") }
	if r := f.Exec(context.Background(), call1("go"), adapter.Face{}); r.OK || r.Error != "denied: internal fault at step pack" {
		t.Errorf("%s", r.AppendJSON(nil))
	}
	f = newFixture(t, "wrap", "/bin/echo", "public", `{"operation":"read"}`)
	f.Host.Workspace = nil
	r := f.Exec(context.Background(), call1("go"), adapter.Face{})
	if r.OK || r.Error != "denied: internal fault at step sandbox" {
		t.Errorf("%s", r.AppendJSON(nil))
	}
	if log := f.log(t); strings.Contains(log, "secret") || strings.Count(log, "exec.deny") != 1 {
		t.Errorf("log: %s", log)
	}
}

// The order of grants and denies never matters, and a second, naive evaluator
// agrees on every random case.
func TestDecisionOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	some := func(list ...string) []string {
		var out []string
		for _, s := range list {
			if rng.IntN(3) == 0 {
				out = append(out, s)
			}
		}
		return out
	}
	f := newFixture(t, "wrap", "/bin/echo", "public", `{"operation":"read"}`)
	now := time.Now()
	rounds := 100000
	if testing.Short() {
		rounds = 5000
	}
	for range rounds {
		rule := func() hcp.Rule {
			return hcp.Rule{Principal: pick("", "*", "user:anna", "agent:x"), Capability: pick("", hcp.CapRead, hcp.CapWrite),
				Packs: some("p", "q", "*"), Verbs: some("go", "mail.*", "*", "mail.a")}
		}
		when := func() time.Time { return []time.Time{{}, now.Add(time.Hour), now.Add(-time.Hour)}[rng.IntN(3)] }
		f.Grants, f.Denies = nil, nil
		for range rng.IntN(4) {
			f.Grants = append(f.Grants, hcp.Grant{Rule: rule(), Expires: when()})
		}
		for range rng.IntN(2) {
			f.Denies = append(f.Denies, hcp.Deny{Rule: rule(), Expires: when()})
		}
		f.ImplicitRead = rng.IntN(4) == 0
		c := &call{Runtime: f.Runtime, pack: f.pack, principal: hcp.Principal{ID: pick("user:anna", "agent:x"), Owner: rng.IntN(2) == 0},
			command: &pack.Command{Key: pick("go", "mail.a", "mail.a.b", "mail")}}
		capability := pick(hcp.CapRead, hcp.CapWrite, hcp.CapConnect, "")
		got := c.rule(capability).allowed
		if want := naive(c, capability, now); got != want {
			t.Fatalf("%v, oracle %v\ngrants %+v\ndenies %+v\n%s %s %s", got, want, f.Grants, f.Denies, c.principal.ID, capability, c.command.Key)
		}
		rng.Shuffle(len(f.Grants), func(i, j int) { f.Grants[i], f.Grants[j] = f.Grants[j], f.Grants[i] })
		if c.rule(capability).allowed != got {
			t.Fatal("the order of grants matters")
		}
	}
}

// naive decides by the words of trust.md, in another shape than grants.go.
func naive(c *call, capability string, now time.Time) bool {
	fits := func(r hcp.Rule, expires time.Time) bool {
		in := func(list []string, ok func(string) bool) bool {
			for _, s := range list {
				if ok(s) {
					return true
				}
			}
			return len(list) == 0
		}
		verb := c.command.Key
		return (expires.IsZero() || expires.After(now)) && strings.Contains("|*|"+c.principal.ID+"|", "|"+r.Principal+"|") &&
			(r.Capability == "" || r.Capability == capability) &&
			in(r.Packs, func(s string) bool { return s == "*" || s == "p" }) &&
			in(r.Verbs, func(s string) bool {
				return s == "*" || s == verb || s == "mail.*" && strings.HasPrefix(verb, "mail.")
			})
	}
	for _, d := range c.Denies {
		r := d.Rule
		if r.Principal == "" {
			r.Principal = "*"
		}
		if fits(r, d.Expires) {
			return false
		}
	}
	for _, g := range c.Grants {
		if g.Principal != "" && g.Capability != "" && len(g.Packs) > 0 && capability != "" && fits(g.Rule, g.Expires) {
			return true
		}
	}
	return c.ImplicitRead && c.principal.Owner && capability == hcp.CapRead
}
