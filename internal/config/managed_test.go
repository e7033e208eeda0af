package config

import "testing"

// formats.md: the managed layer may only tighten, and nothing below undoes it.
func TestManagedLayer(t *testing.T) {
	const native = "[harness]\nsandbox=false\nnative_local=true\n"
	p := newStore(t)
	for _, c := range []struct {
		name, managed, user string
		err                 string // "M" stands for the managed file, "U" for the other
		check               func(*Config) bool
	}{
		{"native-local allowed", "version=1", native, "", func(c *Config) bool { return c.NativeLocal }},
		{"native-local forbidden", "forbid_native_local = true", native, "native-local is forbidden by M", nil},
		{"native-local forbidden, not asked for", "forbid_native_local = true", "[harness]\nsandbox=false", "", func(c *Config) bool { return !c.NativeLocal }},
		{"a ban that says false", "forbid_native_local = false", native, "", func(c *Config) bool { return c.NativeLocal }},
		{"a minimum is a ban too", "[sandbox]\nmin='process'", native, "native-local is forbidden by M", nil},
		{"a ban of the wrong type", "forbid_native_local = 'true'", "", "M:1: forbid_native_local: must be true or false, not a string", nil},
		{"a ban misspelt", "forbid_native-local = true", native, "M:1: unknown key forbid_native-local", nil},
		{"min raises", "[sandbox]\nmin='ns'", "[sandbox]\nmin='process'", "", func(c *Config) bool { return c.Sandbox.Min == "ns" }},
		{"min raises the default", "[sandbox]\nmin='ns'", "", "", func(c *Config) bool { return c.Sandbox.Min == "ns" }},
		{"min does not lower", "[sandbox]\nmin='process'", "[sandbox]\nmin='ns'", "", func(c *Config) bool { return c.Sandbox.Min == "ns" }},
		{"driver under a raised min", "[sandbox]\nmin='landlock'", "\n[sandbox]\nmin='process'\ndriver='process'", "U:4: sandbox.driver: process is weaker than sandbox.min of M, which is landlock", nil},
		{"driver above a raised min", "[sandbox]\nmin='landlock'", "[sandbox]\ndriver='ns'", "", func(c *Config) bool { return c.Sandbox.Driver == "ns" }},
		{"denies of both", "\n[[denies]]\npacks=['a']", "[[denies]]\npacks=['b']", "", func(c *Config) bool {
			return len(c.Denies) == 2 && c.Denies[0].Where == p.Managed+":2" && c.Denies[1].Where == p.ConfigFile+":1" && !c.HasGrants
		}},
		{"deny of everything", "[[denies]]", "", "", func(c *Config) bool { return len(c.Denies) == 1 && c.Denies[0].Covers("u", "c", "p", "v") }},
		{"grants", "version=1\n" + grantHead + "packs=['*']", "", "M:2: grants: not allowed here, this file may only tighten", nil},
		{"harness", "[harness]\nsandbox=false\nnative_local=true", native, "M:1: harness: not allowed here, this file may only tighten", nil},
		{"principals", "[[principals]]\nid='agent:x'\ntoken_sha256='" + hash + "'", "", "M:1: principals: not allowed here, this file may only tighten", nil},
		{"principal", "principal.id='user:x'", "", "M:1: principal: not allowed here, this file may only tighten", nil},
		{"bindings", bindHead, "", "M:1: bindings: not allowed here, this file may only tighten", nil},
		{"packs", "[packs.gh]\nnetwork='host'", "", "M:1: packs: not allowed here, this file may only tighten", nil},
		{"audit", "[audit]\nsync='never'", "", "M:1: audit: not allowed here, this file may only tighten", nil},
		{"allow", "[sandbox]\nmin='ns'\nallow=['/x']", "", "M:3: sandbox.allow: not allowed here, this file may only tighten", nil},
		{"driver", "[sandbox]\ndriver='process'", "", "M:2: sandbox.driver: not allowed here, this file may only tighten", nil},
		{"guard", "[sandbox]\nargument_guard=false", "", "M:2: sandbox.argument_guard: not allowed here, this file may only tighten", nil},
		{"unknown", "x = 1", "", "M:1: unknown key x", nil},
		{"syntax", "\nx = ", "", "M:2: unexpected EOF; expected value", nil},
		{"pinned elsewhere", "store = '/srv/hcp/'", "broken =", "store is pinned to /srv/hcp", nil},
		{"pin relative", "store = 'hcp'", "", `M:1: store: must be an absolute path, not "hcp"`, nil},
		{"pinned here", "store = '" + p.Home + "'", "", "", func(c *Config) bool { return true }},
	} {
		write(t, p.Managed, c.managed)
		write(t, p.ConfigFile, c.user)
		got, err := Load(p, "anna")
		want := expand(c.err, p)
		if text(err) != want {
			t.Errorf("%s: %q, want %q", c.name, text(err), want)
		} else if err == nil && !c.check(got) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// The writers hold to the pin too, and make nothing in another store.
func TestManagedPinStopsWriters(t *testing.T) {
	p := newStore(t)
	write(t, p.Managed, "store = '/srv/hcp'")
	if err := AppendGrant(p, "anna", goodGrant); text(err) != "store is pinned to /srv/hcp" {
		t.Error(err)
	}
	if created, err := InitFile(p, "anna", nil); created || text(err) != "store is pinned to /srv/hcp" {
		t.Error(created, err)
	}
	wantNames(t, p.Home)
}

func expand(s string, p Places) string {
	out := ""
	for i, c := range s {
		switch last := i == len(s)-1 || s[i+1] == ':' || s[i+1] == ','; {
		case c == 'M' && last:
			out += p.Managed
		case c == 'U' && last:
			out += p.ConfigFile
		default:
			out += string(c)
		}
	}
	return out
}
