package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// ManagedPath is the managed layer of this machine (formats.md, Places).
const ManagedPath = "/etc/hcp/hcp.toml"

// Places are the absolute paths of one store (formats.md). Make one with Locate.
type Places struct {
	Home       string // HCP_HOME; "" when the XDG folders hold the store
	ConfigFile string // hcp.toml; need not exist
	Packs      string // folder of the installed packs
	Shims      string // folder of the links
	State      string // folder of sessions, workspaces, approvals, audit and jails
	Managed    string // the managed layer's file; "" is ManagedPath, never "none"
}

// Sessions is the folder that holds one folder for each session.
func (p Places) Sessions() string { return filepath.Join(p.State, "sessions") }

// Workspaces is the folder of the kept jails: <tenant>/<principal>/<pack>.
func (p Places) Workspaces() string { return filepath.Join(p.State, "workspaces") }

// Jails is the folder of the jails that live for one call.
func (p Places) Jails() string { return filepath.Join(p.State, "jails") }

// Audit is the folder of the audit log's segments.
func (p Places) Audit() string { return filepath.Join(p.State, "audit") }

// Approvals is the folder of pending and given approvals.
func (p Places) Approvals() string { return filepath.Join(p.State, "approvals") }

// Locate says where the store is: under HCP_HOME when that is set, else in the
// XDG folders, which default to places below HOME. An empty variable counts as
// unset. A relative value is refused and not ignored: it would name another
// store in every working directory. managed is the managed layer's file, "" for
// ManagedPath; it is a parameter and no variable, so that no invoker can choose
// it. The error is one line, ready for hcp.ConfigDenied.
func Locate(getenv func(string) string, managed string) (Places, error) {
	if managed == "" {
		managed = ManagedPath
	}
	if !filepath.IsAbs(managed) {
		return Places{}, errors.New("the managed layer's path is not absolute")
	}
	if home := getenv("HCP_HOME"); home != "" {
		if err := wantAbs("HCP_HOME", home); err != nil {
			return Places{}, err
		}
		return underHome(filepath.Clean(home), managed), nil
	}
	return underXDG(getenv, managed)
}

func underHome(home, managed string) Places {
	return Places{
		Home:       home,
		ConfigFile: filepath.Join(home, "hcp.toml"),
		Packs:      filepath.Join(home, "packs"),
		Shims:      filepath.Join(home, "shims"),
		State:      filepath.Join(home, "state"),
		Managed:    managed,
	}
}

func underXDG(getenv func(string) string, managed string) (Places, error) {
	var dirs [3]string
	for i, x := range xdg {
		dir := getenv(x.name)
		if dir == "" {
			home := getenv("HOME")
			if home == "" {
				return Places{}, errors.New("HOME is not set; set HOME or HCP_HOME")
			}
			if err := wantAbs("HOME", home); err != nil {
				return Places{}, err
			}
			dir = filepath.Join(home, x.below)
		} else if err := wantAbs(x.name, dir); err != nil {
			return Places{}, err
		}
		dirs[i] = filepath.Join(dir, "hcp")
	}
	return Places{
		ConfigFile: filepath.Join(dirs[0], "hcp.toml"),
		Packs:      filepath.Join(dirs[1], "packs"),
		Shims:      filepath.Join(dirs[1], "shims"),
		State:      dirs[2],
		Managed:    managed,
	}, nil
}

// xdg holds the three variables with their defaults below HOME: config, data,
// state.
var xdg = [3]struct{ name, below string }{
	{"XDG_CONFIG_HOME", ".config"},
	{"XDG_DATA_HOME", filepath.Join(".local", "share")},
	{"XDG_STATE_HOME", filepath.Join(".local", "state")},
}

func wantAbs(name, value string) error {
	if !filepath.IsAbs(value) {
		return fmt.Errorf("%s is not an absolute path", name)
	}
	if strings.ContainsRune(value, 0) {
		return fmt.Errorf("%s holds a NUL byte", name)
	}
	return nil
}

// isStore tells whether these Places are the store that a managed pin names.
// A pin names HCP_HOME, compared as a cleaned path. For a store in the XDG
// folders it names the state folder, "/home/anna/.local/state/hcp"; then the
// other two folders must be the defaults of that same home, or whoever sets
// XDG_CONFIG_HOME alone would bring their own grants; and an HCP_HOME of that
// name does not count, so that a pin never fits two stores.
func (p Places) isStore(pin string) bool {
	home, isXDG := strings.CutSuffix(pin, filepath.Join("/", xdg[2].below, "hcp"))
	if !isXDG {
		return p.Home == pin
	}
	if p.Home != "" {
		return false
	}
	none := func(name string) string {
		if name == "HOME" {
			return home
		}
		return ""
	}
	want, err := underXDG(none, p.Managed)
	return err == nil && p == want
}
