package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/config"
	"hcp/internal/hcp"
	"hcp/internal/pack"
)

type initCmd struct {
	Agent   string `help:"Also set an agent up: claude or codex." placeholder:"NAME"`
	Project bool   `help:"With --agent: all but the secret into this project's files."`
	Yes     bool   `help:"With --agent: go on without asking, as it does where there is no terminal." short:"y"`
	DryRun  bool   `help:"With --agent: only show what would change." short:"n"`
	Undo    bool   `help:"With --agent: take it back."`
	Rekey   bool   `help:"With --agent: give it a new secret."`
}

func (c *initCmd) Run(env *Env, status *int) error {
	switch c.Agent {
	case agentClaude, agentCodex:
		return c.runAgent(env, status)
	case "":
		if c.Project || c.Yes || c.DryRun || c.Undo || c.Rekey {
			return errors.New("--project, --yes, --dry-run, --undo and --rekey go with --agent")
		}
	default:
		return fmt.Errorf("unknown agent %s; hcp knows %s and %s", hcp.Quote(c.Agent), agentClaude, agentCodex)
	}
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	s, err := c.setUp(env, s, status)
	if err == nil && !slices.Contains(pathDirs(env.Getenv("PATH")), s.places.Shims) {
		env.sayf("for your shell: %s\n", initLine(env))
	}
	return err
}

// setUp makes a store: a first hcp.toml, the bundled packs, activation of those
// whose bin is found, and shims where they shadow nothing. Each part is left
// alone where it is there already, so that a second run changes nothing. It gives
// the store as it is then.
func (c *initCmd) setUp(env *Env, s *store, status *int) (*store, error) {
	bundled, err := bundledPacks(env)
	if err != nil {
		return nil, err
	}
	created, err := config.InitFile(s.places, s.user, bundled)
	if err != nil {
		return nil, refused(unreadable(err))
	}
	if created {
		env.sayf("wrote %s\n", s.places.ConfigFile)
		var d *hcp.Denial
		if s, d = openOwned(env, ""); d != nil {
			return nil, refused(d)
		}
	}
	ready, err := s.installBundled(bundled)
	if err != nil {
		return nil, err
	}
	made, err := s.initShims(ready, status)
	if err != nil {
		return nil, err
	}
	env.sayf("packs ready: %s\n", first(strings.Join(ready, " "), "none"))
	env.sayf("shims in %s: %s\n", s.places.Shims, first(strings.Join(made, " "), "none"))
	return s, nil
}

// bundledPacks names the packs that travel in the binary; the built-in one is
// not written out.
func bundledPacks(env *Env) ([]string, error) {
	entries, err := fs.ReadDir(env.Bundled, ".")
	if err != nil {
		return nil, errors.New("this binary carries no packs")
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != adapter.BuiltinPack {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// installBundled writes out the bundled packs that are not installed, activates
// those whose bin is found and which are not active yet, and names the active
// ones.
func (s *store) installBundled(ids []string) ([]string, error) {
	var ready []string
	have, err := s.installed()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.Contains(have, id) {
			sub, err := fs.Sub(s.env.Bundled, id)
			if err != nil {
				return nil, err
			}
			// Another init may have been quicker: what counts is that it is there.
			if err := s.library.InstallFS(sub, id, false); err == nil {
				s.env.sayf("installed %s\n", id)
			} else if _, missing := s.pack(id); missing != nil {
				return nil, err
			}
		}
		p, d := s.mustPack(id)
		if d != nil {
			return nil, refused(d)
		}
		if !s.isActive(p) || !s.binReady(p) {
			if rec := s.resolveBin(p); rec.Path == "" {
				s.env.sayf("%s: not activated: bin %s %s\n", id, hcp.Quote(p.Wrap.Bin), rec.Why)
				continue
			}
			line, d := s.activate(id)
			if d != nil {
				return nil, refused(d)
			}
			s.env.sayln(hcp.Printable(line, ""))
		}
		ready = append(ready, id)
	}
	return ready, nil
}

// initShims makes the links that hide no program (never shadowing).
func (s *store) initShims(ids []string, status *int) ([]string, error) {
	l, err := s.links()
	if err != nil {
		return nil, err
	}
	var made []string
	err = l.locked(func() error {
		for _, id := range ids {
			if hides := s.shadowed(id); hides != "" && l.state(id) == linkNone {
				s.env.sayf("no shim %s: it would hide %s (hcp shim install --shadow %s)\n", id, hides, id)
				continue
			}
			if err := l.install(id); err != nil {
				*status = s.env.report(err)
				continue
			}
			made = append(made, id)
		}
		return nil
	})
	return made, err
}

// binReady tells whether the bin that was recorded for a pack may still run.
func (s *store) binReady(p *pack.Pack) bool {
	a, err := s.sessions.Get(s.session, p.ID)
	return err == nil && (p.Kind != adapter.KindWrap || s.host().BinReady(adapter.Call{Pack: p, Bin: a.Bin}) == nil)
}
