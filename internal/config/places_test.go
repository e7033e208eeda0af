package config

import "testing"

func env(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

// formats.md, Places.
func TestLocate(t *testing.T) {
	xdgHome := Places{
		ConfigFile: "/h/.config/hcp/hcp.toml", Packs: "/h/.local/share/hcp/packs", Shims: "/h/.local/share/hcp/shims",
		State: "/h/.local/state/hcp", Managed: ManagedPath,
	}
	all := Places{
		ConfigFile: "/c/hcp/hcp.toml", Packs: "/d/hcp/packs", Shims: "/d/hcp/shims", State: "/s/hcp", Managed: ManagedPath,
	}
	one := Places{
		Home: "/x/y", ConfigFile: "/x/y/hcp.toml", Packs: "/x/y/packs", Shims: "/x/y/shims", State: "/x/y/state", Managed: ManagedPath,
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		want Places
		err  string
	}{
		{"home", map[string]string{"HOME": "/h"}, xdgHome, ""},
		{"xdg", map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"}, all, ""},
		{"hcp home wins", map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "c", "HCP_HOME": "/x//y/"}, one, ""},
		{"nothing", nil, Places{}, "HOME is not set; set HOME or HCP_HOME"},
		{"half of xdg", map[string]string{"XDG_CONFIG_HOME": "/c"}, Places{}, "HOME is not set; set HOME or HCP_HOME"},
		{"relative home", map[string]string{"HOME": "h"}, Places{}, "HOME is not an absolute path"},
		{"relative hcp home", map[string]string{"HOME": "/h", "HCP_HOME": "./x"}, Places{}, "HCP_HOME is not an absolute path"},
		{"relative xdg", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "s"}, Places{}, "XDG_STATE_HOME is not an absolute path"},
		{"nul", map[string]string{"HCP_HOME": "/x\x00y"}, Places{}, "HCP_HOME holds a NUL byte"},
	} {
		got, err := Locate(env(c.env), "")
		if text(err) != c.err || got != c.want {
			t.Errorf("%s: %+v, %q; want %+v, %q", c.name, got, text(err), c.want, c.err)
		}
	}
	if _, err := Locate(env(map[string]string{"HOME": "/h"}), "etc/hcp.toml"); err == nil {
		t.Error("a relative managed path was taken")
	}
	if p := one; p.Sessions() != "/x/y/state/sessions" || p.Workspaces() != "/x/y/state/workspaces" ||
		p.Jails() != "/x/y/state/jails" || p.Audit() != "/x/y/state/audit" || p.Approvals() != "/x/y/state/approvals" {
		t.Errorf("folders of the state: %s %s %s %s %s", p.Sessions(), p.Workspaces(), p.Jails(), p.Audit(), p.Approvals())
	}
}

// A pin fits one store and no other (formats.md, store).
func TestPinFitsOneStore(t *testing.T) {
	const xdgPin = "/h/.local/state/hcp"
	for _, c := range []struct {
		name string
		pin  string
		env  map[string]string
		want bool
	}{
		{"HCP_HOME", "/x", map[string]string{"HCP_HOME": "/x/"}, true},
		{"another HCP_HOME", "/x", map[string]string{"HCP_HOME": "/y"}, false},
		{"a folder below", "/x", map[string]string{"HCP_HOME": "/x/y"}, false},
		{"xdg under a pinned HCP_HOME", "/x", map[string]string{"HOME": "/x"}, false},
		{"xdg", xdgPin, map[string]string{"HOME": "/h"}, true},
		{"xdg spelled out", xdgPin, map[string]string{"XDG_CONFIG_HOME": "/h/.config", "XDG_DATA_HOME": "/h/.local/share", "XDG_STATE_HOME": "/h/.local/state"}, true},
		{"another home", xdgPin, map[string]string{"HOME": "/g"}, false},
		{"another home, its state folder kept", xdgPin, map[string]string{"HOME": "/g", "XDG_STATE_HOME": "/h/.local/state"}, false},
		{"own configuration", xdgPin, map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/tmp/c"}, false},
		{"own packs", xdgPin, map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/tmp/d"}, false},
		{"HCP_HOME in an xdg pin's place", xdgPin, map[string]string{"HCP_HOME": xdgPin}, false},
	} {
		p, err := Locate(env(c.env), "")
		if err != nil {
			t.Fatal(err)
		}
		if p.isStore(c.pin) != c.want {
			t.Errorf("%s: isStore(%s) = %v", c.name, c.pin, !c.want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
