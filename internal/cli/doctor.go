package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hcp/internal/adapter"
	"hcp/internal/audit"
	"hcp/internal/binding"
	"hcp/internal/config"
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
	h := diagnose(env, c.Session)
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
			rows = append(rows, []string{"", "", "hint: " + k.Hint})
		}
	}
	return table(env.Stdout, append(rows, []string{h.Status, "", ""}))
}

func diagnose(env *Env, session string) health {
	s, d := openStore(env, session, "")
	if d != nil {
		return sum([]check{{"config", healthBroken, d.Message, d.Hint}})
	}
	return s.doctor()
}

// doctor examines an open store.
func (s *store) doctor() health {
	removed, err := sandbox.SweepStale(s.places.Jails())
	checks := []check{s.checkConfig(), s.checkPlaces()}
	checks = append(checks, s.checkPacks()...)
	checks = append(checks, s.checkBindings()...)
	checks = append(checks, s.checkShims()...)
	checks = append(checks, s.checkAudit(), s.checkSandbox(removed, err))
	return sum(checks)
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

func (s *store) checkConfig() check {
	c := check{Name: "config", Status: healthOK, Detail: s.places.ConfigFile}
	if _, err := os.Lstat(s.places.ConfigFile); err != nil {
		c.Status, c.Detail, c.Hint = healthDegraded, "no "+s.places.ConfigFile+": built-in defaults, the owner may only read", "hcp init"
	}
	return c
}

// checkPlaces tells whether the folders that hold our state are ours alone.
func (s *store) checkPlaces() check {
	for _, dir := range []string{s.places.State, s.places.Packs, s.places.Sessions(), s.places.Workspaces()} {
		err := hcp.CheckTrustedDir(dir)
		if err != nil && !notExist(err) {
			return check{"store", healthBroken, err.Error(), "chmod go-w " + adapter.ShellQuote(dir)}
		}
	}
	return check{Name: "store", Status: healthOK, Detail: s.places.State}
}

func (s *store) checkPacks() []check {
	ids, err := s.installed()
	if err != nil {
		return []check{{"packs", healthBroken, hcp.Reason(err), ""}}
	}
	var checks []check
	for _, id := range ids {
		if id != adapter.BuiltinPack {
			checks = append(checks, s.checkPack(id))
		}
	}
	active, err := s.active()
	if err != nil {
		return append(checks, check{"session", healthBroken, hcp.Reason(err), ""})
	}
	for _, id := range active {
		if !slices.Contains(ids, id) {
			checks = append(checks, check{"pack " + id, healthDegraded, "active on session " + s.session + ", but not installed", "hcp deactivate " + id})
		}
	}
	return checks
}

func (s *store) checkPack(id string) check {
	c := check{Name: "pack " + id, Status: healthOK}
	p, err := s.pack(id)
	if err != nil {
		c.Status, c.Detail = healthBroken, err.Error()
		return c
	}
	c.Detail = p.Version
	a, err := s.sessions.Get(s.session, id)
	switch {
	case notExist(err):
		c.Detail += ", not active"
		return c
	case err != nil:
		c.Status, c.Detail, c.Hint = healthDegraded, err.Error(), "hcp activate "+id
		return c
	case a.Digest != p.Digest:
		c.Status, c.Detail, c.Hint = healthDegraded, "changed since activation", "hcp activate "+id
		return c
	}
	if p.Kind != adapter.KindWrap {
		return c
	}
	if d := s.host().BinReady(adapter.Call{Pack: p, Bin: a.Bin}); d != nil {
		c.Status, c.Detail, c.Hint = healthDegraded, d.Message, d.Hint
		if a.Bin.Why != "" {
			c.Detail += " (" + a.Bin.Why + ")"
		}
		return c
	}
	c.Detail += ", runs " + a.Bin.Path
	return c
}

// checkBindings looks whether the active packs that need a credential could get
// one; it mints nothing.
func (s *store) checkBindings() []check {
	ids, _ := s.active()
	var checks []check
	for _, id := range ids {
		p, err := s.pack(id)
		if err != nil || p.Binding.Family != hcp.FamilyUser && p.Binding.Family != hcp.FamilyMothership {
			continue
		}
		c := check{Name: "binding " + id, Status: healthOK, Detail: "family " + p.Binding.Family}
		req := binding.Request{Principal: s.config.Principal, Pack: id, Verb: "any", Family: p.Binding.Family}
		if why := s.hub().Probe(req); why != "" {
			c.Detail, c.Hint = c.Detail+": "+why, "hcp binding set "+id+" --family "+p.Binding.Family
			if why != binding.NotConfigured { // a pack nobody uses yet is no fault
				c.Status = healthDegraded
			}
		}
		checks = append(checks, c)
	}
	return checks
}

func (s *store) checkShims() []check {
	l, err := s.links()
	if err != nil {
		return []check{{"shims", healthBroken, err.Error(), ""}}
	}
	ids, err := l.ours()
	if err != nil {
		return []check{{"shims", healthBroken, err.Error(), ""}}
	}
	c := check{Name: "shims", Status: healthOK, Detail: fmt.Sprintf("%d in %s", len(ids), l.dir)}
	dirs := pathDirs(s.env.Getenv("PATH"))
	switch at := slices.Index(dirs, l.dir); {
	case at < 0:
		c.Status, c.Detail, c.Hint = healthDegraded, l.dir+" is not on PATH",
			fmt.Sprintf("export PATH=%s:\"$PATH\"", adapter.ShellQuote(l.dir))
	case at > 0:
		for _, id := range ids {
			if hides := s.hiddenBy(dirs[:at], id); hides != "" {
				c.Status, c.Detail, c.Hint = healthDegraded, hides+" comes before the shim "+id, "put "+l.dir+" first on PATH"
			}
		}
	}
	checks := []check{c}
	for _, id := range ids {
		if line := s.shimLine(l, id); !line.OK {
			checks = append(checks, check{"shim " + id, healthDegraded, "stale, or its pack is gone: " + line.Link, "hcp shim sync"})
		}
	}
	return checks
}

func (s *store) hiddenBy(dirs []string, id string) string {
	for _, dir := range dirs {
		path := filepath.Join(dir, id)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// checkAudit looks at the log without writing to it. A log that takes no record
// stops every call, unless reads may pass.
func (s *store) checkAudit() check {
	dir := s.places.Audit()
	c := check{Name: "audit", Status: healthOK, Detail: dir}
	if why := unwritable(dir); why != "" {
		c.Status, c.Detail = healthBroken, why
		if s.config.Audit.OnFailure == config.OnFailureDenyWrites {
			c.Status = healthDegraded
		}
		return c
	}
	head, err := audit.ReadHead(dir)
	switch {
	case notExist(err):
		c.Detail += " (not begun)"
	case err != nil:
		c.Status, c.Detail, c.Hint = healthDegraded, hcp.Reason(err), "hcp audit verify"
	default:
		c.Detail = fmt.Sprintf("%d records in %s", head.Seq, dir)
	}
	return c
}

// unwritable says why the log could not be appended to, or "". A folder that is
// not there yet is made by the first call, where its parent can be written.
func unwritable(dir string) string {
	err := hcp.CheckTrustedDir(dir)
	if notExist(err) {
		parent := filepath.Dir(dir)
		for _, statErr := os.Stat(parent); notExist(statErr) && parent != "/"; _, statErr = os.Stat(parent) {
			parent = filepath.Dir(parent)
		}
		dir, err = parent, nil
	}
	if err == nil {
		const write = 2 // W_OK
		if err = syscall.Access(dir, write); err != nil {
			return dir + ": " + hcp.Reason(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	for _, name := range append(files, filepath.Join(dir, "head.json"), filepath.Join(dir, "lock")) {
		f, openErr := hcp.OpenTrusted(name, os.O_RDWR)
		if openErr == nil {
			f.Close()
		} else if !notExist(openErr) {
			return openErr.Error()
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// checkSandbox proves the drivers that may run, and says which one does and
// what it does not hold here.
func (s *store) checkSandbox(swept int, sweepErr error) check {
	r := sandbox.Inspect(s.choice())
	c := check{Name: "sandbox", Status: healthOK, Hint: r.Hint}
	parts := []string{"driver " + first(r.Driver, "none: every call is refused"), fmt.Sprintf("Landlock ABI %d", r.ABI), r.Proof}
	switch {
	case r.Driver == "":
		c.Status = healthBroken
	case r.Problem != "" || s.config.NativeLocal:
		c.Status = healthDegraded
	}
	if r.Problem != "" {
		parts = append(parts, r.Problem)
	}
	if s.config.NativeLocal {
		parts = append(parts, "native-local is on: calls run without any of it")
	}
	if swept > 0 {
		parts = append(parts, fmt.Sprintf("%d stale jails removed", swept))
	}
	if sweepErr != nil && !errors.Is(sweepErr, os.ErrNotExist) {
		c.Status = healthDegraded
		parts = append(parts, hcp.Reason(sweepErr))
	}
	c.Detail = strings.Join(parts, "; ")
	if len(r.NotCovered) > 0 {
		c.Detail += "; not covered here: " + strings.Join(r.NotCovered, "; ")
	}
	return c
}
