package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
)

type installCmd struct {
	Dir     string `arg:"" help:"Folder of the pack."`
	Replace bool   `help:"Replace the pack if it is installed."`
}

func (c *installCmd) Run(env *Env, _ *int) error {
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("%s: %s", c.Dir, hcp.Reason(err))
	}
	id, err := s.library.Install(dir, c.Replace)
	if err != nil {
		return err
	}
	env.sayf("installed %s; next: hcp activate %s\n", id, id)
	return nil
}

type uninstallCmd struct {
	Pack string `arg:"" help:"Pack id."`
}

func (c *uninstallCmd) Run(env *Env, status *int) error {
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	switch {
	case c.Pack == adapter.BuiltinPack:
		return fmt.Errorf("%s is built in", c.Pack)
	case !hcp.ValidID(c.Pack):
		return refused(hcp.UnknownPack(c.Pack))
	}
	if _, err := s.pack(c.Pack); notExist(err) {
		ids, _ := s.library.List()
		*status = env.fail("hcp", "pack "+c.Pack+" is not installed", meant(c.Pack, ids))
		return nil
	}
	if err := s.library.Uninstall(c.Pack); err != nil {
		return err
	}
	if err := s.deactivateEverywhere(c.Pack); err != nil {
		return refused(unreadable(err))
	}
	env.sayf("uninstalled %s; its workspace is kept\n", c.Pack)
	return nil
}

// deactivateEverywhere ends a pack's activation on every session: the same pack
// put back later has to be activated anew.
func (s *store) deactivateEverywhere(id string) error {
	sessions, err := os.ReadDir(s.sessions.Dir)
	if notExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range sessions {
		if !hcp.ValidID(e.Name()) {
			continue
		}
		if _, err := s.sessions.Remove(e.Name(), id); err != nil {
			return err
		}
	}
	return nil
}
