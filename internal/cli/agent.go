package cli

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/config"
	"hcp/internal/hcp"
	"hcp/internal/pack"
)

// agentSetup is what `hcp init --agent` knows before it decides on any file
// (trust.md, Agents).
type agentSetup struct {
	s         *store
	name      string // claude or codex
	principal string
	home      string // of the user
	dir       string // the agent's own folder
	project   string // folder of the project; "": everything goes to the user's files
	self      string // path by which hcp is started
	token     string
	packs     []agentPack
}

// agentPack is one active pack as an agent meets it.
type agentPack struct {
	id    string
	skill string // text of its Skill; "": it has none
	link  bool   // it has a shim
	shim  bool   // its name on PATH is that shim and nothing else
}

// agentTarget is one file and what is to be in it.
type agentTarget struct {
	path    string
	kind    string
	edits   []config.Edit
	text    string // of a file that is all ours
	project bool
}

// newAgentSetup finds out all but the token.
func newAgentSetup(s *store, c *initCmd) (*agentSetup, error) {
	a := &agentSetup{s: s, name: c.Agent, principal: "agent:" + c.Agent, home: s.env.Getenv("HOME")}
	if !filepath.IsAbs(a.home) {
		return nil, errors.New("HOME is not an absolute path")
	}
	folder, variable := ".claude", "CLAUDE_CONFIG_DIR"
	if a.name == agentCodex {
		folder, variable = ".codex", "CODEX_HOME"
	}
	if a.dir = first(s.env.Getenv(variable), filepath.Join(a.home, folder)); !filepath.IsAbs(a.dir) {
		return nil, fmt.Errorf("%s is not an absolute path", variable)
	}
	if c.Project {
		if err := a.findProject(); err != nil {
			return nil, err
		}
	}
	var err error
	if a.self, err = stableSelf(s.env); err != nil {
		return nil, err
	}
	return a, a.findPacks()
}

// findProject takes the folder around the working directory that holds .git,
// where agents look for a project's files, else the working directory.
func (a *agentSetup) findProject() error {
	cwd, err := a.s.env.Getwd()
	if err != nil {
		return errors.New("working directory: " + hcp.Reason(err))
	}
	a.project = cwd
	for dir := cwd; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if fileExists(filepath.Join(dir, ".git")) {
			a.project = dir
			break
		}
	}
	if sameDir(a.project, a.home) || sameDir(filepath.Join(a.project, ".claude"), a.dir) || sameDir(filepath.Join(a.project, ".codex"), a.dir) {
		return errors.New("--project: your home folder is no project; its files are your own (leave --project out)")
	}
	return nil
}

// findPacks lists the active packs, or, before there is a store, those that
// `hcp init` will activate.
func (a *agentSetup) findPacks() error {
	s := a.s
	if !s.configured() {
		return a.findBundled()
	}
	ids, err := s.active()
	if err != nil {
		return refused(unreadable(err))
	}
	l, err := s.links()
	if err != nil {
		return err
	}
	for _, id := range ids {
		p, d := s.mustPack(id)
		if d != nil {
			return refused(d)
		}
		text, err := s.skillText(p)
		if err != nil && !notExist(err) {
			return refused(unreadable(err))
		}
		state := l.state(id)
		link := state == linkGood || state == linkStale
		a.packs = append(a.packs, agentPack{id, text, link, link && s.shadowed(id) == ""})
	}
	return nil
}

func (a *agentSetup) findBundled() error {
	ids, err := bundledPacks(a.s.env)
	if err != nil {
		return err
	}
	for _, id := range append([]string{adapter.BuiltinPack}, ids...) {
		read := func(name string) []byte {
			data, _ := fs.ReadFile(a.s.env.Bundled, id+"/"+name) // missing: Parse says so
			return data
		}
		p, err := pack.Parse("", read("surface.json"), read("policy.json"))
		if err != nil {
			return err
		}
		own := strings.HasPrefix(p.Wrap.Bin, ".") || p.Kind != adapter.KindWrap
		if own || a.s.resolveBin(p).Path != "" {
			link := id != adapter.BuiltinPack && a.s.shadowed(id) == ""
			a.packs = append(a.packs, agentPack{id, string(read("SKILL.md")), link, link})
		}
	}
	return nil
}

// configured tells whether `hcp init` has been here.
func (s *store) configured() bool { return fileExists(s.places.ConfigFile) }

// findToken takes the secret that the agent already has, when it is the
// principal's, and makes one where there is none.
func (a *agentSetup) findToken(rekey bool) error {
	var known *config.TokenPrincipal
	for i, t := range a.s.config.Principals {
		if t.ID == a.principal {
			known = &a.s.config.Principals[i]
		}
	}
	if !rekey {
		for _, token := range a.tokensInFiles() {
			if strings.HasPrefix(token, tokenPrefix) && (known == nil || config.Digest(token) == fmt.Sprintf("%x", known.TokenSHA256)) {
				a.token = token
				return nil
			}
		}
		if known != nil {
			return fmt.Errorf("%s is in hcp.toml, but its secret is not in the files of %s; to make a new one: hcp init --agent %s --rekey",
				a.principal, a.name, a.name)
		}
	}
	a.token = newToken()
	return nil
}

func (a *agentSetup) tokensInFiles() []string {
	var list []string
	for _, t := range a.targets() {
		c, err := config.Snapshot(t.path)
		if err != nil || t.project {
			continue // what is wrong with it is said when it is to be edited
		}
		read := map[string]func(string, ...string) string{config.KindJSON: config.JSONText, config.KindTOML: config.TOMLText}[t.kind]
		for _, e := range t.edits {
			if e.Secret && read != nil {
				list = append(list, read(c.Before, e.Path...))
			}
		}
	}
	return list
}

const tokenPrefix = "hcp_"

// newToken is 32 random bytes in a form that survives files, shells and headers.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: the process ends instead
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// grants are those that the principal lacks: reads, and writes that wait for a
// person. Where no grant is written down, the owner's own implicit read is
// written too, or the first grant would end it.
func (a *agentSetup) grants() []config.GrantSpec {
	var list []config.GrantSpec
	c := a.s.config
	if a.s.configured() && !c.HasGrants {
		list = append(list, config.GrantSpec{Principal: c.Principal.ID, Capability: hcp.CapRead, Packs: []string{"*"}})
	}
	for _, g := range []config.GrantSpec{
		{Principal: a.principal, Capability: hcp.CapRead},
		{Principal: a.principal, Capability: hcp.CapWrite, Approval: hcp.ApprovalHuman},
	} {
		for _, p := range a.packs {
			if p.id != adapter.BuiltinPack && !config.Granted(c.Grants, a.principal, g.Capability, p.id) {
				g.Packs = append(g.Packs, p.id)
			}
		}
		if len(g.Packs) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// storeEnv are the variables that lead to this store, when it is not where hcp
// looks by itself.
func (a *agentSetup) storeEnv() []hcp.KeyValue {
	var list []hcp.KeyValue
	names := []string{"HCP_HOME", "HCP_SESSION"}
	if a.s.places.Home == "" {
		names = []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HCP_SESSION"}
	}
	for _, name := range names {
		if v := a.s.env.Getenv(name); v != "" {
			list = append(list, hcp.KeyValue{Name: name, Value: v})
		}
	}
	return list
}

// shims are the packs whose name an agent may type without being asked: only
// where nothing but our shim can answer to it.
func (a *agentSetup) shims() []string {
	var ids []string
	for _, p := range a.packs {
		if p.shim {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// skills are the Skill files below a folder: of the packs that have a shim, and
// of hcp itself. A Skill tells to type the pack's name; without the shim that
// would be another program, with none of hcp's walls.
func (a *agentSetup) skills(dir string) []agentTarget {
	var list []agentTarget
	for _, p := range a.packs {
		if p.skill != "" && (p.link || p.id == adapter.BuiltinPack) {
			list = append(list, agentTarget{path: filepath.Join(dir, p.id, "SKILL.md"), kind: config.KindFile, text: p.skill, project: a.project != ""})
		}
	}
	return list
}

func (a *agentSetup) targets() []agentTarget {
	if a.name == agentCodex {
		return a.codexTargets()
	}
	return a.claudeTargets()
}

// set is an edit that writes a string or a list of strings.
func set(value string, path ...string) config.Edit {
	return config.Edit{Path: path, Value: config.JSONString(value)}
}

func setList(values []string, path ...string) config.Edit {
	var quoted []string
	for _, v := range values {
		quoted = append(quoted, config.JSONString(v))
	}
	return config.Edit{Path: path, Value: "[" + strings.Join(quoted, ", ") + "]"}
}

func secret(e config.Edit) config.Edit { e.Secret = true; return e }

func owned(keys int, edits []config.Edit) []config.Edit {
	edits = slices.Clone(edits)
	for i := range edits {
		edits[i].Own = keys
	}
	return edits
}
