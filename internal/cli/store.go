package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"hcp/internal/adapter"
	"hcp/internal/audit"
	"hcp/internal/config"
	"hcp/internal/hcp"
	"hcp/internal/pack"
	"hcp/internal/pipeline"
	"hcp/internal/sandbox"
)

const defaultSession = "default"

// store is one installation as this process sees it: where it lives, what is
// configured, and the library and sessions in it.
type store struct {
	env      *Env
	places   config.Places
	config   *config.Config
	library  pack.Library
	sessions config.Sessions
	user     string // login name
	session  string
	project  string
	foreign  bool
	log      *audit.Log
	packs    map[string]loaded // one load a process and pack
}

type loaded struct {
	pack *pack.Pack
	err  error
}

// openStore reads the configuration. A denial is before step 1: the store is
// not to be trusted, or not to be read (formats.md).
func openStore(env *Env, session, project string) (*store, *hcp.Denial) {
	places, err := config.Locate(env.Getenv, env.Managed)
	if err != nil {
		return nil, unreadable(err)
	}
	s := &store{env: env, places: places, foreign: foreignStore(env, places.State), packs: map[string]loaded{}}
	s.library = pack.Library{Dir: places.Packs}
	s.sessions = config.Sessions{Dir: places.Sessions()}
	if s.foreign {
		return s, hcp.ForeignStore()
	}
	s.user = osUser()
	s.config, err = config.Load(places, s.user)
	if err != nil {
		return s, unreadable(err)
	}
	s.log = audit.New(audit.Options{Dir: places.Audit(), MaxSegment: s.config.Audit.MaxSegment, Now: env.Now})
	if s.session = first(session, env.Getenv("HCP_SESSION"), defaultSession); !hcp.ValidID(s.session) {
		return s, hcp.ConfigDenied("bad session id")
	}
	if s.project = first(project, env.Getenv("HCP_PROJECT")); !validProject(s.project) {
		return s, hcp.ConfigDenied("bad project id")
	}
	return s, nil
}

// validProject: project ids are other systems' names; all they may not do is
// hide something in a log or on a line.
func validProject(id string) bool {
	const most = 128
	return len(id) <= most && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// foreignStore tells whether this store is somebody else's: we run under sudo,
// or its state folder belongs to another user (trust.md). Acting on it would
// leave files behind that its owner cannot change.
func foreignStore(env *Env, state string) bool {
	if uid, ok := env.LookupEnv("SUDO_UID"); ok && uid != "" && uid != "0" && os.Geteuid() == 0 {
		return true
	}
	info, err := os.Stat(state)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(st.Uid) != int64(os.Geteuid())
}

// pack loads an installed pack, or the built-in one, once.
func (s *store) pack(id string) (*pack.Pack, error) {
	if l, ok := s.packs[id]; ok {
		return l.pack, l.err
	}
	var l loaded
	if id == adapter.BuiltinPack {
		l.pack, l.err = s.builtin()
	} else {
		l.pack, l.err = pack.Load(s.library.Root(id))
	}
	s.packs[id] = l
	return l.pack, l.err
}

func (s *store) builtin() (*pack.Pack, error) {
	surface, err := fs.ReadFile(s.env.Bundled, adapter.BuiltinPack+"/surface.json")
	if err != nil {
		return nil, err
	}
	policy, err := fs.ReadFile(s.env.Bundled, adapter.BuiltinPack+"/policy.json")
	if err != nil {
		return nil, err
	}
	return pack.Parse("", surface, policy)
}

// runtime is the pipeline over this store, for one call.
func (s *store) runtime() *pipeline.Runtime {
	c := s.config
	return &pipeline.Runtime{
		Session: s.session,
		Pack:    s.pack,
		Active: func(id string) (pipeline.Activation, error) {
			a, err := s.sessions.Get(s.session, id)
			var bad *config.Error
			if errors.As(err, &bad) && !strings.HasPrefix(bad.What, "damaged: ") {
				err = &pipeline.Untrusted{What: bad.Error()}
			}
			return pipeline.Activation{Digest: a.Digest, Bin: a.Bin}, err
		},
		Renew:        s.renew,
		Suggest:      s.nearestPack,
		Caller:       s.caller(),
		Grants:       c.Grants,
		Denies:       c.Denies,
		ImplicitRead: !c.HasGrants,
		Hub:          s.hub(),
		Host:         s.host(),
		Approvals:    s.approvals(),
		Audit: pipeline.Audit{Log: s.log, DenyReads: c.Audit.OnFailure != "deny-writes",
			SyncReads: c.Audit.Sync == "always", SyncWrites: c.Audit.Sync != "never"},
		Now: s.env.Now,
	}
}

func (s *store) renew(id string, a pipeline.Activation) {
	old, err := s.sessions.Get(s.session, id)
	if err != nil || old.Digest != a.Digest {
		return
	}
	old.Bin = a.Bin
	// Not recorded only means that the next call looks again.
	_ = s.sessions.Put(s.session, old)
}

func (s *store) caller() pipeline.Caller {
	token, has := s.env.LookupEnv("HCP_PRINCIPAL")
	c := pipeline.Caller{
		Owner: s.config.Principal, Token: token, HasToken: has, Terminal: s.env.atTerminal(),
		Foreign: s.foreign, Project: s.project, Invoker: "agent", Agent: s.env.Getenv("HCP_AGENT"), UID: os.Getuid(),
	}
	if c.Terminal {
		c.Invoker = "human"
	}
	for _, t := range s.config.Principals {
		c.Tokens = append(c.Tokens, pipeline.Token{Principal: t.Principal, SHA256: t.TokenSHA256})
	}
	return c
}

func (s *store) host() *adapter.Host {
	c := s.config
	depthValue, depthSet := s.env.LookupEnv("HCP_DEPTH")
	depth, depthOK := sandbox.Depth(depthValue, depthSet)
	cwd, _ := s.env.Getwd() // "": mode project says that there is no project
	h := &adapter.Host{
		Driver: sandbox.Select(s.choice()), Allow: c.Sandbox.Allow, Guard: c.Sandbox.ArgumentGuard,
		Timeout: c.Sandbox.Timeout, MaxOutput: c.Sandbox.MaxOutput,
		Jails: s.places.Jails(), Store: s.storeDirs(),
		Workspace: func(tenant, principal, id string) string {
			return sandbox.WorkspaceDir(s.places.Workspaces(), tenant, principal, id)
		},
		Cwd: cwd, Home: s.env.Getenv("HOME"), User: s.user, Getenv: s.env.Getenv,
		Depth: depth, DepthOK: depthOK, Native: c.NativeLocal, EUID: os.Geteuid(),
		Network: c.Network, Composite: s.composite(), Timeouts: map[string]time.Duration{},
		PackSandbox: map[string]adapter.PackSandbox{},
	}
	for id, p := range c.Packs {
		if p.Timeout > 0 {
			h.Timeouts[id] = p.Timeout
		}
		h.PackSandbox[id] = adapter.PackSandbox{Env: p.Env, Read: p.Read, Sockets: p.Sockets, ProjectGitWritable: p.ProjectGitWritable}
	}
	return h
}

// choice is what configuration, and nothing else, says about drivers.
func (s *store) choice() sandbox.Choice {
	self, _ := os.Executable() // "": no proof is kept
	return sandbox.Choice{Driver: s.config.Sandbox.Driver, Min: s.config.Sandbox.Min, CacheDir: filepath.Join(s.places.State, "proofs"), Exe: self,
		Calls: s.env.calls}
}

// storeDirs are the folders that no project may contain or lie in.
func (s *store) storeDirs() []string {
	return []string{filepath.Dir(s.places.ConfigFile), s.places.Packs, s.places.Shims, s.places.State}
}

// active lists the packs that are active on the session, the built-in one
// first.
func (s *store) active() ([]string, error) {
	ids, err := s.sessions.List(s.session)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return append([]string{adapter.BuiltinPack}, ids...), nil
}

// installed lists every pack, the built-in one first.
func (s *store) installed() ([]string, error) {
	ids, err := s.library.List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// A stray folder of the built-in pack's name is never read.
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == adapter.BuiltinPack })
	return append([]string{adapter.BuiltinPack}, ids...), nil
}

// isActive tells whether a call of the pack passes step 2.
func (s *store) isActive(p *pack.Pack) bool {
	if p.Root == "" {
		return true
	}
	a, err := s.sessions.Get(s.session, p.ID)
	return err == nil && a.Digest == p.Digest
}

func (s *store) nearestPack(id string) string {
	ids, _ := s.installed()
	return hcp.Nearest(id, ids)
}
