package config

import (
	"bytes"
	"path/filepath"
	"strconv"
	"time"

	"hcp/internal/hcp"
)

const (
	wantWho   = `a principal or "*"`
	wantPacks = `pack ids or "*"`
	wantVerbs = `verb keys, "*" or keys that end in ".*"`
)

// readRule reads the keys that grants and denies share.
func readRule(t *table) hcp.Rule {
	var r hcp.Rule
	t.text("principal", &r.Principal, wantWho, isWho)
	t.enum("capability", &r.Capability, hcp.CapRead, hcp.CapWrite, hcp.CapConnect)
	t.list("packs", &r.Packs, wantPacks, isPackPattern)
	t.list("verbs", &r.Verbs, wantVerbs, isVerbPattern)
	return r
}

// readGrant wants what hcp.Rule would read as "everything" when it is missing.
func readGrant(t *table) hcp.Grant {
	g := hcp.Grant{Rule: readRule(t), Approval: hcp.ApprovalEnvelope}
	t.enum("approval", &g.Approval, hcp.ApprovalEnvelope, hcp.ApprovalHuman)
	t.instant("expires", &g.Expires)
	t.require("principal", "capability", "packs")
	t.done()
	return g
}

func readGrants(t *table, c *Config) {
	t.each("grants", func(_ int, t *table) {
		c.HasGrants = true
		c.Grants = append(c.Grants, readGrant(t))
	})
}

func readDenies(t *table) []hcp.Deny {
	var denies []hcp.Deny
	t.each("denies", func(_ int, t *table) {
		d := hcp.Deny{Rule: readRule(t)}
		t.instant("expires", &d.Expires)
		t.done()
		denies = append(denies, d)
	})
	return denies
}

// What a Binding has when its table says nothing (trust.md).
const (
	defaultMinTTL        = time.Minute
	defaultHelperTimeout = 10 * time.Second
)

func readBindings(t *table) []Binding {
	var all []Binding
	type owner struct{ pack, family, principal string }
	seen := map[owner]bool{}
	t.each("bindings", func(_ int, t *table) {
		b := readBinding(t)
		// Two entries for one caller would make the credential a matter of order.
		key := owner{b.Pack, b.Family, b.Principal}
		if seen[key] {
			t.fail("", "duplicate of an earlier one for %s, %s", b.Pack, b.Family)
		}
		seen[key] = b.Pack != "" && b.Family != ""
		all = append(all, b)
	})
	return all
}

// readBinding takes the keys of the named provider only: a path under a keyring
// is a mistake that nobody would notice.
func readBinding(t *table) Binding {
	b := Binding{MinTTL: defaultMinTTL}
	t.text("pack", &b.Pack, "a pack_id", hcp.ValidID)
	t.enum("family", &b.Family, hcp.FamilyUser, hcp.FamilyMothership)
	t.text("principal", &b.Principal, wantPrincipal, hcp.ValidPrincipal)
	t.enum("provider", &b.Provider, ProviderExec, ProviderFile, ProviderKeyring)
	t.duration("min_ttl", &b.MinTTL)
	t.require("pack", "family", "provider")
	switch b.Provider {
	case ProviderExec:
		b.Timeout = defaultHelperTimeout
		t.list("command", &b.Command, "program and arguments", isArgument)
		t.duration("timeout", &b.Timeout)
		t.list("pass_env", &b.PassEnv, "names of environment variables, none of hcp's own", isEnvName)
		t.require("command")
		checkCommand(t, b.Command)
	case ProviderFile:
		t.absolute("path", &b.Path)
		t.require("path")
	case ProviderKeyring:
		t.text("service", &b.Service, "a plain name", isLabel)
		t.text("account", &b.Account, "a plain name", isLabel)
		t.require("service", "account")
	default:
		return b // which keys belong here is not known
	}
	t.done()
	return b
}

func checkCommand(t *table, command []string) {
	if len(command) == 0 {
		return
	}
	if !isAbsPath(command[0]) {
		t.fail("command", "must begin with an absolute path, not %s", hcp.Quote(command[0]))
		return
	}
	command[0] = filepath.Clean(command[0])
}

// fillWhere writes "<path>:<line>" into every grant, deny and binding of l. One
// scan serves them all, and none is made where there is nothing to name.
func fillWhere(l *layer, c *Config) {
	if len(c.Grants)+len(c.Denies)+len(c.Bindings) == 0 {
		return
	}
	prefix := printable(l.path) + ":"
	scanLines(l.text, func(path []byte, line int) {
		if name, i, ok := elementOf(path); ok {
			if dst := whereField(c, name, i); dst != nil && *dst == "" {
				*dst = prefix + strconv.Itoa(line)
			}
		}
	})
}

// elementOf splits the path of an element of a top-level array.
func elementOf(path []byte) (name []byte, i int, ok bool) {
	name, rest, found := bytes.Cut(path, []byte(pathSep+indexMark))
	if !found || bytes.Contains(name, []byte(pathSep)) {
		return nil, 0, false
	}
	i, err := strconv.Atoi(string(rest))
	return name, i, err == nil
}

func whereField(c *Config, name []byte, i int) *string {
	switch string(name) {
	case "grants":
		if i < len(c.Grants) {
			return &c.Grants[i].Where
		}
	case "denies":
		if i < len(c.Denies) {
			return &c.Denies[i].Where
		}
	case "bindings":
		if i < len(c.Bindings) {
			return &c.Bindings[i].Where
		}
	}
	return nil
}
