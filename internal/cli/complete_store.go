package cli

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/config"
	"hcp/internal/hcp"
	"hcp/internal/pack"
	"hcp/internal/sandbox"
)

// packChoices are the packs that a command could be about. Many of them are
// named without a description: to read every manifest takes too long for a key.
func (s *store) packChoices(command, typed string) (list []pack.Choice) {
	const described = 50
	var ids []string
	switch command {
	case "deactivate":
		ids, _ = s.sessions.List(s.session)
	case "shim remove":
		if l, err := s.links(); err == nil {
			ids, _ = l.ours()
		}
	default:
		ids, _ = s.installed()
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		return !strings.HasPrefix(id, typed) || id == adapter.BuiltinPack && (command == "uninstall" || command == "activate" || strings.HasPrefix(command, "shim"))
	})
	for _, id := range ids {
		if len(ids) > described {
			list = append(list, pack.Choice{Word: id})
			continue
		}
		switch p, err := s.pack(id); {
		case err != nil:
			list = append(list, pack.Choice{Word: id, About: "does not load"})
		default:
			list = append(list, pack.Choice{Word: id, About: p.Description})
		}
	}
	return list
}

func (s *store) verbChoices(id string) (list []pack.Choice) {
	p := s.shimPack(id)
	if p == nil {
		return nil
	}
	for i := range p.Commands {
		list = append(list, pack.Choice{Word: p.Commands[i].Key, About: p.Commands[i].Description})
	}
	return list
}

// pairChoices completes name=value behind a pack and a command: the names that
// are not given yet, and the values that the schema names.
func (s *store) pairChoices(given []string, last string) (list []pack.Choice) {
	if len(given) < 2 {
		return nil
	}
	p := s.shimPack(given[0])
	if p == nil || p.Command(given[1]) == nil {
		return nil
	}
	cmd := p.Command(given[1])
	used := map[string]bool{}
	for _, w := range given[2:] {
		name, _, _ := strings.Cut(w, "=")
		used[strings.TrimSuffix(name, ":")] = true
	}
	name, _, eq := strings.Cut(last, "=")
	if eq {
		for _, v := range enumTexts(cmd.Args.Property(strings.TrimSuffix(name, ":"))) {
			list = append(list, pack.Choice{Word: name + "=" + v})
		}
		return list
	}
	for _, arg := range p.ArgNames(cmd) {
		if schema := cmd.Args.Property(arg); !used[arg] {
			about := ""
			if schema != nil {
				about = schema.Description
			}
			list = append(list, pack.Choice{Word: arg + "=", About: about, Open: true})
		}
	}
	if row, _ := p.Row(cmd.Key); row.Confirm && !used[hcp.ArgConfirm] {
		list = append(list, pack.Choice{Word: hcp.ArgConfirm + "=true", About: "Agree to what this does"})
	}
	return list
}

func (s *store) sessionChoices() []pack.Choice {
	list := []pack.Choice{{Word: defaultSession}}
	entries, _ := os.ReadDir(s.sessions.Dir)
	for _, e := range entries {
		if e.IsDir() && hcp.ValidID(e.Name()) && e.Name() != defaultSession {
			list = append(list, pack.Choice{Word: e.Name()})
		}
	}
	return list
}

func (s *store) principalChoices() (list []pack.Choice) {
	if s.config == nil {
		return nil
	}
	for _, p := range s.config.Principals {
		list = append(list, pack.Choice{Word: p.ID})
	}
	return list
}

// waitingChoices are the calls that wait for a person; only approve's ids can
// be listed, and an agent approves nothing.
func (s *store) waitingChoices(command string) (list []pack.Choice) {
	if _, token := s.env.LookupEnv("HCP_PRINCIPAL"); token || command != "approve" {
		return nil
	}
	waiting, _ := config.Approvals{Dir: s.places.Approvals()}.Waiting(s.env.Now())
	for _, p := range waiting {
		list = append(list, pack.Choice{Word: p.ID, About: p.Principal + ": " + p.PackID + " " + p.VerbKey})
	}
	return list
}

// workspaceChoices are the files that workspace get could copy out.
func (s *store) workspaceChoices(line ownLine) (list []pack.Choice) {
	if line.node.Name != "get" || len(line.given) == 0 {
		return nil
	}
	if p := s.shimPack(line.given[0]); p != nil {
		for _, name := range s.jailNames(p, "") {
			list = append(list, pack.Choice{Word: name, Open: strings.HasSuffix(name, "/")})
		}
	}
	return list
}

// jailFiles completes a file flag's value. In a project it is a file of the
// caller's; elsewhere one of the jail's, which lie in the workspace
// (sandbox.md, Files in and out).
func (s *store) jailFiles(p *pack.Pack, front, last string, a *answer) {
	const ref = "workspace:"
	typed := strings.TrimPrefix(last, front)
	if p.Wrap.Workspace.Mode == pack.ModeProject && !strings.HasPrefix(typed, ref) {
		a.files = true
		return
	}
	before := ref
	if p.Wrap.Workspace.Mode == pack.ModeWorkspace && !strings.HasPrefix(typed, ref) {
		before = ""
	}
	dir, _ := path.Split(strings.TrimPrefix(typed, before))
	for _, name := range s.jailNames(p, dir) {
		a.words = append(a.words, pack.Choice{Word: front + before + dir + name, Open: strings.HasSuffix(name, "/")})
	}
}

// jailNames lists one folder of the caller's workspace of a pack; a folder's
// name ends with "/". Nothing is listed through a link.
func (s *store) jailNames(p *pack.Pack, dir string) (list []string) {
	if s.config == nil {
		return nil
	}
	who, d := s.runtime().Caller.Identify()
	if d != nil {
		return nil
	}
	root, err := openWorkspace(sandbox.WorkspaceDir(s.places.Workspaces(), who.Tenant, who.ID, p.ID), false)
	if err != nil {
		return nil
	}
	defer root.Close()
	f, err := root.Open(path.Clean("./" + dir))
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxChoices)
	for _, e := range entries {
		switch {
		case e.IsDir():
			list = append(list, e.Name()+"/")
		case e.Type()&fs.ModeType == 0:
			list = append(list, e.Name())
		}
	}
	return list
}
