package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
)

type shimCmd struct {
	Install shimInstallCmd `cmd:"" help:"Make links for packs (default: the active ones)."`
	Remove  shimRemoveCmd  `cmd:"" help:"Remove links."`
	Sync    shimSyncCmd    `cmd:"" help:"Links for exactly the active packs of the session."`
	List    shimListCmd    `cmd:"" help:"List the links."`
	Which   shimWhichCmd   `cmd:"" help:"Show link, pack and the bin it runs."`
}

type shimInstallCmd struct {
	sessionFlag
	Packs  []string `arg:"" optional:"" name:"pack" help:"Pack ids."`
	Shadow bool     `help:"Also where the name is a program on PATH."`
}

func (c *shimInstallCmd) Run(env *Env, status *int) error {
	s, d := openOwned(env, c.Session)
	if d != nil {
		return refused(d)
	}
	ids := c.Packs
	if len(ids) == 0 {
		var err error
		if ids, err = s.shimPacks(); err != nil {
			return err
		}
	}
	l, err := s.links()
	if err != nil {
		return err
	}
	return l.locked(func() error {
		for _, id := range ids {
			if err := s.installShim(l, id, c.Shadow); err != nil {
				*status = env.report(err)
				continue
			}
			env.sayln(l.path(id))
		}
		return nil
	})
}

// report says an error on the way and gives its exit code, for commands that go
// on with the rest.
func (e *Env) report(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		return e.deny("hcp", r.denial)
	}
	return e.fail("hcp", err.Error())
}

func (s *store) installShim(l links, id string, shadow bool) error {
	if err := s.shimmable(id); err != nil {
		return err
	}
	if hides := s.shadowed(id); hides != "" && !shadow && l.state(id) == linkNone {
		return fmt.Errorf("%s is already a program (%s); --shadow makes the shim all the same", id, hides)
	}
	return l.install(id)
}

// shimPacks are the active packs of the session that can have a shim.
func (s *store) shimPacks() ([]string, error) {
	ids, err := s.active()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == adapter.BuiltinPack }), nil
}

type shimRemoveCmd struct {
	Packs []string `arg:"" name:"pack" help:"Pack ids."`
}

func (c *shimRemoveCmd) Run(env *Env, status *int) error {
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	l, err := s.links()
	if err != nil {
		return err
	}
	return l.locked(func() error {
		for _, id := range c.Packs {
			if !hcp.ValidID(id) {
				*status = env.deny("hcp", hcp.UnknownPack(id))
				continue
			}
			was, err := l.remove(id)
			switch {
			case err != nil:
				*status = env.report(err)
			case !was:
				have, _ := l.ours()
				*status = env.fail("hcp", "no shim "+id, meant(id, have))
			default:
				env.sayln("removed " + l.path(id))
			}
		}
		return nil
	})
}

type shimSyncCmd struct {
	sessionFlag
	Shadow bool `help:"Also where the name is a program on PATH."`
}

func (c *shimSyncCmd) Run(env *Env, status *int) error {
	s, d := openOwned(env, c.Session)
	if d != nil {
		return refused(d)
	}
	l, err := s.links()
	if err != nil {
		return err
	}
	want, err := s.shimPacks()
	if err != nil {
		return err
	}
	return l.locked(func() error {
		have, err := l.ours()
		if err != nil {
			return err
		}
		for _, id := range want {
			if hides := s.shadowed(id); hides != "" && !c.Shadow && l.state(id) == linkNone {
				env.complain("hcp", "no shim "+id+": it would hide "+hides, "hcp shim install --shadow "+id)
				continue
			}
			if err := l.install(id); err != nil {
				*status = env.report(err)
			}
		}
		for _, id := range have {
			if slices.Contains(want, id) {
				continue
			}
			if _, err := l.remove(id); err != nil {
				*status = env.report(err)
			}
		}
		have, err = l.ours()
		env.sayf("shims in %s: %d\n", l.dir, len(have))
		return err
	})
}

type shimListCmd struct {
	JSON bool `help:"As JSON." name:"json"`
}

type shimLine struct {
	Name    string `json:"name"`
	PackID  string `json:"pack_id"`
	Link    string `json:"link"`
	OK      bool   `json:"ok"`
	Shadows string `json:"shadows"`
}

func (c *shimListCmd) Run(env *Env, status *int) error {
	s, d := openStore(env, "", "")
	if d != nil {
		return refused(d)
	}
	l, err := s.links()
	if err != nil {
		return err
	}
	ids, err := l.ours()
	if err != nil {
		return err
	}
	lines := []shimLine{}
	for _, id := range ids {
		lines = append(lines, s.shimLine(l, id))
	}
	if c.JSON {
		*status = env.printValue(lines, hcp.ExitOK)
		return nil
	}
	rows := [][]string{{"NAME", "OK", "LINK", "SHADOWS"}}
	for _, x := range lines {
		rows = append(rows, []string{x.Name, map[bool]string{true: "yes", false: "no"}[x.OK], x.Link, x.Shadows})
	}
	return env.table(rows)
}

// shimLine describes one link; it is ok when it starts an hcp and its pack is
// installed.
func (s *store) shimLine(l links, id string) shimLine {
	_, missing := s.pack(id)
	_, dangling := os.Stat(l.path(id))
	return shimLine{Name: id, PackID: id, Link: l.path(id), Shadows: s.shadowed(id),
		OK: missing == nil && dangling == nil && l.state(id) == linkGood}
}

type shimWhichCmd struct {
	sessionFlag
	Pack string `arg:"" help:"Pack id."`
	JSON bool   `help:"As JSON." name:"json"`
}

func (c *shimWhichCmd) Run(env *Env, status *int) error {
	s, d := openStore(env, c.Session, "")
	if d != nil {
		return refused(d)
	}
	if _, d := s.mustPack(c.Pack); d != nil {
		return refused(d)
	}
	l, err := s.links()
	if err != nil {
		return err
	}
	a, _ := s.sessions.Get(s.session, c.Pack)
	link := ""
	if st := l.state(c.Pack); st == linkGood || st == linkStale {
		link = l.path(c.Pack)
	} else {
		*status = hcp.ExitFailure
	}
	if c.JSON {
		*status = env.printValue(map[string]string{"link": link, "pack_id": c.Pack, "bin": a.Bin.Path}, *status)
		return nil
	}
	return env.table([][]string{{"link", first(link, "none; run: hcp shim install "+c.Pack)},
		{"pack", c.Pack}, {"bin", first(a.Bin.Path, "not recorded; run: hcp activate "+c.Pack)}})
}
