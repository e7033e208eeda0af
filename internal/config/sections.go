package config

import (
	"encoding/hex"
	"path/filepath"
	"slices"

	"hcp/internal/hcp"
	"maps"
	"strings"
)

// readUser reads every section of an hcp.toml into c.
func readUser(l *layer, c *Config) {
	t := l.root
	readVersion(t)
	c.NativeLocal = readHarness(t.sub("harness"))
	readOwner(t.sub("principal"), &c.Principal)
	readPrincipals(t, c)
	readGrants(t, c)
	c.Denies = readDenies(t)
	readSandbox(t.sub("sandbox"), &c.Sandbox)
	c.Packs = readPacks(t.sub("packs"))
	c.Bindings = readBindings(t)
	readAudit(t.sub("audit"), &c.Audit)
	t.done()
}

func readVersion(t *table) {
	v, there := t.get("version")
	if n, ok := v.(int64); there && (!ok || n != 1) {
		t.fail("version", "must be 1")
	}
}

// readHarness is the double opt-in (S-1): absent, the two keys mean sandbox.
func readHarness(t *table) (nativeLocal bool) {
	if t == nil {
		return false
	}
	sandbox, native := true, false
	t.boolean("sandbox", &sandbox)
	t.boolean("native_local", &native)
	t.done()
	return !sandbox && native
}

const (
	wantPrincipal = `a principal such as "user:anna"`
	wantID        = "an id of lower-case letters, digits and dashes"
	wantAbsolute  = "an absolute path"
)

// readPerson reads the keys that the owner and the others share.
func readPerson(t *table, p *hcp.Principal) {
	t.text("id", &p.ID, wantPrincipal, hcp.ValidPrincipal)
	t.text("tenant", &p.Tenant, wantID, hcp.ValidID)
	t.text("project", &p.Project, "a project id of at most 128 plain characters", isProject)
}

func readOwner(t *table, p *hcp.Principal) {
	if t == nil {
		return
	}
	readPerson(t, p)
	t.done()
}

// readPrincipals wants every id and every hash once: two entries for one token
// would make who is asking a matter of order.
func readPrincipals(t *table, c *Config) {
	ids := map[string]bool{c.Principal.ID: true}
	hashes := map[[32]byte]bool{}
	t.each("principals", func(_ int, t *table) {
		p := TokenPrincipal{Principal: hcp.Principal{Tenant: defaultTenant}}
		readPerson(t, &p.Principal)
		var digits string
		if t.text("token_sha256", &digits, "64 hexadecimal digits", isSHA256) {
			hex.Decode(p.TokenSHA256[:], []byte(digits))
			if hashes[p.TokenSHA256] {
				t.fail("token_sha256", "is another principal's too")
			}
			hashes[p.TokenSHA256] = true
		}
		t.require("id", "token_sha256")
		t.done()
		if ids[p.ID] {
			t.fail("id", "duplicate id %s", p.ID)
		}
		ids[p.ID] = p.ID != ""
		c.Principals = append(c.Principals, p)
	})
}

func isSHA256(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32
}

func readSandbox(t *table, s *Sandbox) {
	if t == nil {
		return
	}
	t.enum("min", &s.Min, DriverNS, DriverLandlock, DriverProcess)
	if t.m["driver"] == "native-local" {
		t.get("driver")
		t.fail("driver", "native-local is no driver; it takes both keys of [harness]")
	} else {
		t.enum("driver", &s.Driver, DriverAuto, DriverNS, DriverLandlock, DriverProcess)
	}
	t.paths("allow", &s.Allow)
	t.duration("timeout", &s.Timeout)
	t.size("max_output", &s.MaxOutput, 1)
	t.boolean("argument_guard", &s.ArgumentGuard)
	if n := t.sub("network"); n != nil {
		for _, family := range []string{hcp.FamilyPublic, hcp.FamilyLocal, hcp.FamilyUser, hcp.FamilyMothership} {
			word := s.Network[family]
			n.enum(family, &word, NetworkNone, NetworkHost)
			s.Network[family] = word
		}
		n.done()
	}
	t.done()
}

// driverRank orders the drivers by strength: ns > landlock > process.
func driverRank(driver string) int {
	return slices.Index([]string{DriverProcess, DriverLandlock, DriverNS}, driver)
}

func readPacks(t *table) map[string]PackConfig {
	if t == nil {
		return nil
	}
	packs := make(map[string]PackConfig, len(t.m))
	for id := range t.m {
		p := t.sub(id)
		switch {
		case !hcp.ValidID(id):
			t.fail(id, "is not a pack_id")
		case p != nil:
			packs[id] = readPack(p)
		}
	}
	return packs
}

// readPack lists the keys of one [packs.<id>]: a new key is a field of
// PackConfig and a line here.
func readPack(t *table) PackConfig {
	var p PackConfig
	t.enum("network", &p.Network, NetworkNone, NetworkHost)
	t.duration("timeout", &p.Timeout)
	t.paths("read", &p.Read)
	t.paths("sockets", &p.Sockets)
	t.paths("path", &p.Path)
	t.boolean("project_git_writable", &p.ProjectGitWritable)
	p.Env = readEnv(t.sub("env"))
	t.done()
	return p
}

// readEnv reads the operator's variables for one pack. Which names may be set is
// the sandbox's rule, the same as for a manifest's.
func readEnv(t *table) []hcp.KeyValue {
	if t == nil {
		return nil
	}
	var list []hcp.KeyValue
	for _, name := range slices.Sorted(maps.Keys(t.m)) {
		var value string
		if t.text(name, &value, "want a string", func(s string) bool { return !strings.ContainsRune(s, 0) }) {
			list = append(list, hcp.KeyValue{Name: name, Value: value})
		}
	}
	return list
}

func readAudit(t *table, a *Audit) {
	if t == nil {
		return
	}
	t.enum("on_failure", &a.OnFailure, OnFailureDeny, OnFailureDenyWrites)
	t.enum("sync", &a.Sync, SyncAlways, SyncWrites, SyncNever)
	t.size("max_segment", &a.MaxSegment, 4<<10)
	t.done()
}

// absolute reads one absolute path and cleans it.
func (t *table) absolute(name string, dst *string) {
	if t.text(name, dst, wantAbsolute, isAbsPath) {
		*dst = filepath.Clean(*dst)
	}
}
