package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hcp/internal/adapter"
	"hcp/internal/config"
	"hcp/internal/hcp"
	"hcp/internal/pack"
	"hcp/internal/sandbox"
)

func notExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// openOwned opens the store for a command that changes it: the owner's, and
// nobody else's (cli.md).
func openOwned(env *Env, session string) (*store, *hcp.Denial) {
	s, d := openStore(env, session, "")
	if d != nil {
		return s, d
	}
	return s, s.runtime().Caller.IsOwner()
}

type activateCmd struct {
	sessionFlag
	Packs []string `arg:"" name:"pack" help:"Pack ids."`
}

func (c *activateCmd) Run(env *Env, status *int) error {
	s, d := openOwned(env, c.Session)
	if d != nil {
		return refused(d)
	}
	_, _ = sandbox.SweepStale(s.places.Jails()) // what it leaves, doctor counts
	for _, id := range c.Packs {
		line, d := s.activate(id)
		if d != nil {
			*status = env.deny("hcp", d)
			continue
		}
		env.sayln(hcp.Printable(line, ""))
	}
	return nil
}

// activate pins a pack on the session: its manifest's digest and the one file
// its bin is (formats.md). It gives the line that says what was found.
func (s *store) activate(id string) (string, *hcp.Denial) {
	if id == adapter.BuiltinPack {
		return id + ": always active", nil
	}
	p, d := s.mustPack(id)
	if d != nil {
		return "", d
	}
	rec := s.resolveBin(p)
	a := config.Activation{PackID: p.ID, Digest: p.Digest, Root: p.Root, Bin: rec, At: s.env.Now().UTC()}
	if err := s.sessions.Put(s.session, a); err != nil {
		return "", unreadable(err)
	}
	fields := []hcp.Member{{Name: "what", Value: hcp.Value{Kind: hcp.Object, Members: []hcp.Member{
		{Name: "pack_id", Value: hcp.StringValue(p.ID)}, {Name: "version", Value: hcp.StringValue(p.Version)},
		{Name: "digest", Value: hcp.StringValue(p.Digest)}}}}, {Name: "bin", Value: hcp.StringValue(rec.Path)}}
	if err := s.runtime().Record("activate", fields...); err != nil {
		// An activation nobody can see in the log is taken back.
		_, _ = s.sessions.Remove(s.session, p.ID)
		return "", hcp.AuditFailed(hcp.Reason(err))
	}
	return p.ID + ": " + found(p, rec), nil
}

func found(p *pack.Pack, rec hcp.BinRecord) string {
	switch {
	case p.Kind != adapter.KindWrap:
		return "active"
	case rec.Path != "":
		return "active, runs " + rec.Path
	}
	return fmt.Sprintf("active, but its commands will not run: bin %s %s", hcp.Quote(p.Wrap.Bin), rec.Why)
}

func (s *store) resolveBin(p *pack.Pack) hcp.BinRecord {
	if p.Kind != adapter.KindWrap {
		return hcp.BinRecord{}
	}
	self, _ := os.Executable() // "": then only the shim folder is told apart
	return sandbox.ResolveBin(sandbox.Resolve{Bin: p.Wrap.Bin, PackRoot: p.Root, Path: pathDirs(s.env.Getenv("PATH")),
		Extra: s.config.Packs[p.ID].Path, Allow: s.config.Sandbox.Allow, ShimDirs: []string{s.places.Shims}, Self: self,
		Private: []string{s.env.Getenv("HOME"), s.places.State, s.places.Packs}})
}

type deactivateCmd struct {
	sessionFlag
	Packs []string `arg:"" name:"pack" help:"Pack ids."`
}

func (c *deactivateCmd) Run(env *Env, status *int) error {
	s, d := openOwned(env, c.Session)
	if d != nil {
		return refused(d)
	}
	for _, id := range c.Packs {
		if !hcp.ValidID(id) {
			*status = env.deny("hcp", hcp.UnknownPack(id))
			continue
		}
		if id == adapter.BuiltinPack {
			*status = env.fail("hcp", id+" is built in and always active")
			continue
		}
		was, err := s.sessions.Remove(s.session, id)
		switch {
		case err != nil:
			*status = env.deny("hcp", unreadable(err))
		case !was:
			active, _ := s.sessions.List(s.session)
			*status = env.fail("hcp", "pack "+id+" is not active", meant(id, active))
		default:
			env.sayln(id + ": no longer active")
		}
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
