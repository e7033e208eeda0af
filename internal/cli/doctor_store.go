package cli

import (
	"os"
	"slices"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/binding"
	"hcp/internal/hcp"
)

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
			return check{"store", healthBroken, err.Error(), mended(err)}
		}
	}
	return check{Name: "store", Status: healthOK, Detail: s.places.State}
}

func (s *store) checkPacks() []check {
	ids, err := s.installed()
	if err != nil {
		return []check{{"packs", healthBroken, hcp.Reason(err), mended(err)}}
	}
	active, err := s.active()
	if err != nil { // of each pack the same would be said again
		return []check{{"session", healthBroken, hcp.Reason(err), mended(err)}}
	}
	var checks []check
	for _, id := range ids {
		if id != adapter.BuiltinPack {
			checks = append(checks, s.checkPack(id))
		}
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
		c.Status, c.Detail, c.Hint = healthBroken, err.Error(), first(mended(err), "hcp check "+id)
		return c
	}
	c.Detail = p.Version
	a, err := s.sessions.Get(s.session, id)
	switch {
	case notExist(err):
		c.Detail += ", not active"
		return c
	case err != nil:
		c.Status, c.Detail, c.Hint = healthDegraded, err.Error(), first(mended(err), "hcp activate "+id)
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
		if why, mend, ok := strings.Cut(d.Hint, "; run: "); ok {
			c.Detail, c.Hint = c.Detail+": "+why, mend
		}
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
