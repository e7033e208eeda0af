package cli

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/pack"
)

type listCmd struct {
	sessionFlag
	JSON bool `help:"As JSON." name:"json"`
}

type packLine struct {
	PackID      string `json:"pack_id"`
	Version     string `json:"version"`
	Kind        string `json:"kind"`
	Description string `json:"description"`
	Active      bool   `json:"active"`
	Commands    int    `json:"commands"`
	Error       string `json:"error,omitempty"` // a folder that does not load
}

func (c *listCmd) Run(env *Env, status *int) error {
	s, d := openStore(env, c.Session, "")
	if d != nil {
		return refused(d)
	}
	lines, err := s.list()
	if err != nil {
		return err
	}
	if c.JSON {
		*status = env.printValue(lines, hcp.ExitOK)
		return nil
	}
	rows := [][]string{{"PACK", "VERSION", "ACTIVE", "COMMANDS", "DESCRIPTION"}}
	for _, l := range lines {
		active := map[bool]string{true: "yes", false: "no"}[l.Active]
		about := l.Description
		if l.Error != "" {
			about = "does not load: " + l.Error
		}
		rows = append(rows, []string{l.PackID, l.Version, active, strconv.Itoa(l.Commands), about})
	}
	return env.table(rows)
}

func (s *store) list() ([]packLine, error) {
	ids, err := s.installed()
	if err != nil {
		return nil, err
	}
	lines := []packLine{}
	for _, id := range ids {
		p, err := s.pack(id)
		if err != nil {
			lines = append(lines, packLine{PackID: id, Error: err.Error()})
			continue
		}
		lines = append(lines, packLine{PackID: p.ID, Version: p.Version, Kind: p.Kind, Description: p.Description,
			Active: s.isActive(p), Commands: len(p.Commands)})
	}
	return lines, nil
}

type showCmd struct {
	sessionFlag
	Pack string `arg:"" help:"Pack id."`
	Verb string `arg:"" optional:"" help:"Command of the pack."`
	JSON bool   `help:"As JSON." name:"json"`
}

type packDetail struct {
	PackID      string       `json:"pack_id"`
	Version     string       `json:"version"`
	Kind        string       `json:"kind"`
	Description string       `json:"description"`
	Active      bool         `json:"active"`
	Bin         string       `json:"bin"`
	Workspace   string       `json:"workspace"`
	Binding     string       `json:"binding"`
	Verbs       []verbDetail `json:"verbs"`
}

type verbDetail struct {
	VerbKey     string          `json:"verb_key"`
	CLI         []string        `json:"cli"`
	Description string          `json:"description"`
	Operation   string          `json:"operation"`
	Land        string          `json:"land"`
	Confirm     bool            `json:"confirm"`
	Args        json.RawMessage `json:"args"`
}

func (c *showCmd) Run(env *Env, status *int) error {
	s, d := openStore(env, c.Session, "")
	if d != nil {
		return refused(d)
	}
	if c.JSON {
		v, d := s.shown(c.Pack, c.Verb)
		if d != nil {
			return refused(d)
		}
		*status = env.printValue(v, hcp.ExitOK)
		return nil
	}
	p, cmd, d := s.mustShow(c.Pack, c.Verb)
	switch {
	case d != nil:
		return refused(d)
	case cmd == nil:
		return showPack(env, s, p)
	}
	env.print(commandHelp(p, cmd))
	return nil
}

// mustShow loads a pack and, where verb is not "", finds that command of it.
func (s *store) mustShow(id, verb string) (*pack.Pack, *pack.Command, *hcp.Denial) {
	p, d := s.mustPack(id)
	if d != nil || verb == "" {
		return p, nil, d
	}
	if cmd := p.Command(verb); cmd != nil {
		return p, cmd, nil
	}
	return nil, nil, noCommand(p, verb)
}

// shown is the shape that show prints, of a pack or of one command.
func (s *store) shown(id, verb string) (any, *hcp.Denial) {
	p, cmd, d := s.mustShow(id, verb)
	switch {
	case d != nil:
		return nil, d
	case cmd == nil:
		return s.packDetail(p), nil
	}
	return detail(p, cmd), nil
}

// noCommand refuses a verb_key that the pack does not have.
func noCommand(p *pack.Pack, verb string) *hcp.Denial {
	if near := p.Suggest(verb, true); near != "" {
		return hcp.NoPolicy(verb).WithHint("did you mean %s?", near)
	}
	return hcp.NoPolicy(verb).WithHint("hcp show %s", p.ID)
}

// mustPack loads a pack for a command that needs one.
func (s *store) mustPack(id string) (*pack.Pack, *hcp.Denial) {
	if !hcp.ValidID(id) {
		return nil, hcp.UnknownPack(id)
	}
	p, err := s.pack(id)
	if err == nil {
		return p, nil
	}
	if notExist(err) {
		d := hcp.UnknownPack(id)
		if near := s.nearestPack(id); near != "" {
			return nil, d.WithHint("did you mean %s?", near)
		}
		return nil, d.WithHint("hcp list")
	}
	return nil, hcp.PackBroken(err.Error()).WithHint("%s", mended(err))
}

func (s *store) packDetail(p *pack.Pack) packDetail {
	out := packDetail{PackID: p.ID, Version: p.Version, Kind: p.Kind, Description: p.Description, Active: s.isActive(p),
		Bin: p.Wrap.Bin, Workspace: p.Wrap.Workspace.Mode, Binding: p.Binding.Family, Verbs: []verbDetail{}}
	for i := range p.Commands {
		out.Verbs = append(out.Verbs, detail(p, &p.Commands[i]))
	}
	return out
}

func showPack(env *Env, s *store, p *pack.Pack) error {
	active := "not active"
	if s.isActive(p) {
		active = "active"
	}
	env.print(hcp.Printable(p.ID+" "+p.Version+" ("+active+"): "+p.Description, "") + "\n\n")
	rows := [][]string{{"COMMAND", "OPERATION", "CONFIRM", "DESCRIPTION"}}
	for i := range p.Commands {
		v := detail(p, &p.Commands[i])
		confirm := ""
		if v.Confirm {
			confirm = "yes"
		}
		rows = append(rows, []string{v.VerbKey, v.Operation, confirm, v.Description})
	}
	return env.table(rows)
}

func detail(p *pack.Pack, cmd *pack.Command) verbDetail {
	row, _ := p.Row(cmd.Key)
	v := verbDetail{VerbKey: cmd.Key, CLI: cmd.CLI, Description: cmd.Description, Operation: row.Operation,
		Land: first(row.Land, hcp.LandNone), Confirm: row.Confirm, Args: json.RawMessage("null")}
	if v.CLI == nil {
		v.CLI = []string{}
	}
	if cmd.Args != nil {
		v.Args = json.RawMessage(cmd.Args.Raw.AppendJSON(nil))
	}
	return v
}

type availabilityCmd struct {
	sessionFlag
	JSON bool `help:"As JSON." name:"json"`
}

type available struct {
	PackID    string `json:"pack_id"`
	VerbKey   string `json:"verb_key"`
	Available bool   `json:"available"`
	Reason    string `json:"reason,omitempty"`
	Hint      string `json:"hint,omitempty"`
}

func (c *availabilityCmd) Run(env *Env, status *int) error {
	s, d := openStore(env, c.Session, "")
	if d != nil {
		return refused(d)
	}
	list, err := s.availability(context.Background())
	if err != nil {
		return err
	}
	if c.JSON {
		*status = env.printValue(list, hcp.ExitOK)
		return nil
	}
	rows := [][]string{{"COMMAND", "AVAILABLE", "REASON"}}
	for _, a := range list {
		rows = append(rows, []string{a.PackID + " " + a.VerbKey, map[bool]string{true: "yes", false: "no"}[a.Available], a.Reason})
	}
	return env.table(rows)
}

func (s *store) availability(ctx context.Context) ([]available, error) {
	ids, err := s.active()
	if err != nil {
		return nil, err
	}
	list := []available{}
	r := s.runtime()
	for _, id := range ids {
		p, err := s.pack(id)
		if err != nil {
			continue // no command of it can be named; doctor and list say why
		}
		for i := range p.Commands {
			a := available{PackID: id, VerbKey: p.Commands[i].Key, Available: true}
			if d := r.Available(ctx, id, a.VerbKey); d != nil {
				a.Available, a.Reason, a.Hint = false, d.Message, d.Hint
			}
			list = append(list, a)
		}
	}
	return list, nil
}

// composite are hcp-cli's commands that answer in process.
func (s *store) composite() adapter.Composite {
	encode := func(v any, err error) (json.RawMessage, *hcp.Denial) {
		if err == nil {
			var line []byte
			if line, err = marshal(v); err == nil {
				return line, nil
			}
		}
		return nil, hcp.SandboxDenied("%s", hcp.Reason(err))
	}
	return adapter.Composite{
		"hcp.list": func(context.Context, hcp.Args) (json.RawMessage, *hcp.Denial) { return encode(s.list()) },
		"hcp.availability": func(ctx context.Context, _ hcp.Args) (json.RawMessage, *hcp.Denial) {
			return encode(s.availability(ctx))
		},
		"hcp.doctor": func(context.Context, hcp.Args) (json.RawMessage, *hcp.Denial) { return encode(s.doctor(), nil) },
		"hcp.skill":  s.skillAnswer,
	}
}

func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}
