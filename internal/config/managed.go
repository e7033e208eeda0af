package config

import (
	"errors"
	"io/fs"

	"hcp/internal/hcp"
)

// managed is the layer of the machine's administrator. It may only tighten, and
// nothing below it can undo what it says. The zero managed is no layer.
type managed struct {
	path   string
	denies []hcp.Deny
	min    string // a driver; "": not said
	forbid bool   // native-local
	store  string // the only store; "": any
}

func loadManaged(p Places) (*managed, error) {
	path := p.Managed
	if path == "" {
		path = ManagedPath
	}
	text, err := readConfig(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &managed{path: path}, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := parseLayer(path, text)
	if err != nil {
		return nil, err
	}
	m := readManaged(l)
	if err := l.err(); err != nil {
		return nil, err
	}
	only := Config{Denies: m.denies}
	fillWhere(l, &only)
	return m, nil
}

// readManaged knows five keys. Any other key of an hcp.toml could loosen
// something, so it is an error here and not ignored.
func readManaged(l *layer) *managed {
	m := &managed{path: l.path}
	t := l.root
	readVersion(t)
	m.denies = readDenies(t)
	t.boolean("forbid_native_local", &m.forbid)
	t.absolute("store", &m.store)
	if s := t.sub("sandbox"); s != nil {
		s.enum("min", &m.min, DriverNS, DriverLandlock, DriverProcess)
		onlyTightens(s, "driver", "allow", "timeout", "max_output", "argument_guard", "network")
		s.done()
	}
	onlyTightens(t, "grants", "harness", "principal", "principals", "packs", "bindings", "audit")
	t.done()
	return m
}

// onlyTightens refuses keys that hcp.toml may hold and this layer may not.
func onlyTightens(t *table, names ...string) {
	for _, name := range names {
		if _, there := t.get(name); there {
			t.fail(name, "not allowed here, this file may only tighten")
		}
	}
}

// checkStore refuses every store but the pinned one.
func (m *managed) checkStore(p Places) error {
	if m.store == "" || p.isStore(m.store) {
		return nil
	}
	return errors.New("store is pinned to " + printable(m.store))
}

// forbidsNative: a minimum from above is a ban too, since native-local is weaker
// than every driver and nothing below may undo that minimum.
func (m *managed) forbidsNative() bool { return m.forbid || m.min != "" }

// tighten raises the minimum of c, and holds the chosen driver to it.
func (m *managed) tighten(l *layer, c *Config) {
	by := "sandbox.min"
	if driverRank(m.min) > driverRank(c.Sandbox.Min) {
		c.Sandbox.Min = m.min
		by = "sandbox.min of " + printable(m.path)
	}
	if d := c.Sandbox.Driver; d != DriverAuto && driverRank(d) < driverRank(c.Sandbox.Min) {
		l.fail("sandbox"+pathSep+"driver", d+" is weaker than "+by+", which is "+c.Sandbox.Min)
	}
}
