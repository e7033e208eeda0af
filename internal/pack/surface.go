package pack

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

var idNames = [...]string{"pack_id", "surface_id", "id"}

// decodeSurface fills p from surface.json. Unknown members are left alone
// (formats.md), except those that would name a sandbox driver (S-12).
func (p *Pack) decodeSurface(data []byte) error {
	v, err := hcp.ParseJSON(data, maxManifestDepth)
	if err != nil {
		return err
	}
	d, top := &decoder{}, node{v: v}
	d.members(top)
	p.Surface = v
	p.ID = d.packID(top)
	if top.get("driver").there() {
		d.fail(top.get("driver"), "a pack may not name a driver")
	}
	p.Version = d.text(top.get("version"))
	p.Description = d.text(top.get("description"))
	if p.Kind = d.text(top.get("kind")); p.Kind == "" {
		d.fail(top.get("kind"), "missing")
	}
	p.Wrap = d.wrap(top.get("wrap"), p.Kind)
	p.Binding = d.binding(top.get("binding"))
	verbs := top.get("verbs")
	for i, n := range d.members(verbs) {
		key := verbs.v.Members[i].Name
		if !hcp.ValidVerbKey(key) {
			d.fail(n, "not a verb_key")
		}
		p.Commands = append(p.Commands, d.command(key, n))
	}
	return d.err
}

func (d *decoder) packID(top node) string {
	id := ""
	for _, name := range idNames {
		n := top.get(name)
		switch s := d.text(n); {
		case !n.there():
		case !hcp.ValidID(s) || s == "hcp" || s == "hcpx":
			d.fail(n, hcp.Quote(s)+" is not a pack id")
		case id != "" && s != id:
			d.fail(n, "differs from "+idNames[0])
		default:
			id = s
		}
	}
	if id == "" {
		d.fail(top.get(idNames[0]), "missing")
	}
	return id
}

func (d *decoder) wrap(n node, kind string) Wrap {
	d.members(n)
	w := Wrap{
		Bin:          d.text(n.get("bin")),
		ArgvTemplate: d.texts(n.get("argv_template")),
		JSONFlag:     d.texts(n.get("json_flag")),
		Workspace:    d.workspace(n.get("workspace")),
	}
	if n.get("driver").there() {
		d.fail(n.get("driver"), "a pack may not name a driver")
	}
	if w.Bin == "" && kind == KindWrap {
		d.fail(n.get("bin"), "missing")
	}
	env := n.get("agent_env")
	for i, m := range d.members(env) {
		name := env.v.Members[i].Name
		d.envName(env, name)
		if m.v.Kind != hcp.String {
			d.fail(m, "not a string")
		}
		w.AgentEnv = append(w.AgentEnv, hcp.KeyValue{Name: name, Value: d.text(m)})
	}
	return w
}

// workspace fills in the defaults of R-9.
func (d *decoder) workspace(n node) Workspace {
	if n.v.Kind == hcp.String {
		d.fail(n, "a pack may not name a place on the host or in an object store")
	}
	for _, m := range d.members(n) {
		if namesPlace(m.v) {
			d.fail(m, "a pack may not name a place on the host or in an object store")
		}
	}
	if n.get("driver").there() {
		d.fail(n.get("driver"), "a pack may not name a driver")
	}
	w := Workspace{Mode: d.text(n.get("mode")), HomeEnv: d.texts(n.get("home_env")), FileFlags: d.texts(n.get("file_flags"))}
	if !n.get("mode").there() {
		w.Mode = ModeNone
	}
	if !slices.Contains([]string{ModeNone, ModeEphemeral, ModeWorkspace, ModeProject}, w.Mode) {
		d.fail(n.get("mode"), hcp.Quote(w.Mode)+" is not none, ephemeral, workspace or project")
	}
	if w.HomeEnv == nil && w.Mode == ModeWorkspace {
		w.HomeEnv = []string{"HOME"}
	}
	for _, name := range w.HomeEnv {
		d.envName(n.get("home_env"), name)
	}
	if w.FileFlags == nil {
		w.FileFlags = []string{"--file", "--json-file", "--output", "-o", "--env-file"}
	}
	return w
}

func namesPlace(v hcp.Value) bool {
	return v.Kind == hcp.String &&
		(strings.Contains(v.Text, "://") || strings.HasPrefix(v.Text, "/") || strings.HasPrefix(v.Text, "~"))
}

func (d *decoder) binding(n node) Binding {
	d.members(n)
	b := Binding{Family: d.text(n.get("family"))}
	if !n.get("family").there() {
		b.Family = hcp.FamilyPublic
	}
	if !slices.Contains([]string{hcp.FamilyPublic, hcp.FamilyLocal, hcp.FamilyUser, hcp.FamilyMothership}, b.Family) {
		d.fail(n.get("family"), hcp.Quote(b.Family)+" is not public, local, user or mothership")
	}
	list := n.get("deliver")
	if list.there() && list.v.Kind != hcp.Array {
		d.fail(list, "not a list")
	}
	for _, it := range list.v.Items {
		b.Deliver = append(b.Deliver, d.deliver(node{it, list.at}, b.Deliver))
	}
	return b
}

// deliver refuses every form it does not know: a credential must not be handed
// over in a way that was not asked for.
func (d *decoder) deliver(n node, before []Deliver) Deliver {
	for i := range d.members(n) {
		if name := n.v.Members[i].Name; name != "field" && name != "env" && name != "file" {
			d.fail(n, "unknown form "+hcp.Quote(name))
		}
	}
	one := Deliver{Field: d.text(n.get("field")), Env: d.text(n.get("env")), File: d.text(n.get("file"))}
	switch {
	case one.Field == "":
		d.fail(n, "field missing")
	case one.Env == "" && one.File == "":
		d.fail(n, "needs env or file")
	case strings.Contains(one.File, "/") || one.File == "." || one.File == "..":
		d.fail(n, hcp.Quote(one.File)+" is not a file name")
	}
	if one.Env != "" {
		d.envName(n, one.Env)
	}
	for _, b := range before {
		if one.Env != "" && one.Env == b.Env {
			d.fail(n, hcp.Quote(one.Env)+" is used twice")
		}
		if one.File != "" && one.File == b.File {
			d.fail(n, hcp.Quote(one.File)+" is used twice")
		}
	}
	return one
}

func (d *decoder) command(key string, n node) Command {
	d.members(n)
	title := n.get("title")
	d.members(title)
	c := Command{
		Key:         key,
		Description: d.text(n.get("description")),
		CLI:         d.texts(n.get("cli")),
		JSONFlag:    d.texts(n.get("json_flag")),
		Title:       Title{Live: d.textOrTexts(title.get("live")), Done: d.textOrTexts(title.get("done"))},
		Preview:     d.textOrTexts(n.get("preview")),
		Stdin:       d.flag(n.get("stdin")),
		Timeout:     d.duration(n.get("timeout")),
	}
	if c.CLI != nil && len(c.CLI) == 0 {
		d.fail(n.get("cli"), "empty")
	}
	if args := n.get("args"); args.there() {
		c.Args = d.schema(args)
		if len(c.Args.Types) > 0 && !slices.Equal(c.Args.Types, []string{"object"}) {
			d.fail(args.get("type"), "not \"object\"")
		}
	}
	aliases := n.get("aliases")
	for i, m := range d.members(aliases) {
		if c.Aliases == nil {
			c.Aliases = map[string][]string{}
		}
		c.Aliases[aliases.v.Members[i].Name] = d.aliasWords(m)
	}
	return c
}

func (d *decoder) aliasWords(n node) []string {
	words := d.texts(n)
	for _, w := range words {
		if len(strings.Fields(w)) == 0 || strings.HasPrefix(w, "-") {
			d.fail(n, hcp.Quote(w)+" is not a word")
		}
	}
	return words
}

// decodePolicy reads policy.json. nil data is a missing file: no rows.
func (p *Pack) decodePolicy(data []byte) error {
	if data == nil {
		return nil
	}
	v, err := hcp.ParseJSON(data, maxManifestDepth)
	if err != nil {
		return err
	}
	p.Policy = v
	d, top := &decoder{}, node{v: v}
	d.members(top)
	for _, name := range idNames {
		if n := top.get(name); n.there() && d.text(n) != p.ID {
			d.fail(n, "is not "+p.ID)
		}
	}
	rows := top.get("rows")
	for i, n := range d.members(rows) {
		p.rows = append(p.rows, namedRow{rows.v.Members[i].Name, d.row(n)})
	}
	return d.err
}

func (d *decoder) row(n node) hcp.PolicyRow {
	d.members(n)
	d.members(n.get("privacy"))
	r := hcp.PolicyRow{
		Operation: d.text(n.get("operation")),
		Land:      d.text(n.get("privacy").get("land")),
		Confirm:   d.flag(n.get("confirm")),
	}
	if op := n.get("operation"); r.Operation != hcp.OpRead && r.Operation != hcp.OpWrite {
		if !op.there() {
			d.fail(op, "missing")
		}
		d.fail(op, hcp.Quote(r.Operation)+" is not read or write")
	}
	return r
}
