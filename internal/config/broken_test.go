package config

import (
	"strings"
	"testing"
)

const (
	grantHead = "[[grants]]\nprincipal='*'\ncapability='verb.exec.read'\n"
	bindHead  = "[[bindings]]\npack='gh'\nfamily='user'\n"
	hash      = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	sizeWords = `a size above 0 such as "8MiB" (units B, KiB, MiB, GiB)`
)

// formats.md: keys and values are strict. One broken file a rule, with what is
// said of it after the path.
var broken = []struct{ text, err string }{
	// Syntax: one line, no Go words.
	{"a = 1\na = 2", ":2: key 'a' has already been defined"},
	{"x = \"abc", `:1: unexpected EOF; expected '"'`},
	{"\n[sandbox\nmin='ns'", `:2: expected '.' or ']' to end table name, but got '\n' instead`},
	{"version = 99999999999999999999", ":1: 99999999999999999999 is out of range"},
	{"version = 01", `:1: invalid integer "01": cannot have leading zeroes`},
	{"a = \"\x01\"", ":1: TOML files cannot contain control characters: '0x01'"},
	{"a = \"\xff\"", ":1: invalid UTF-8 byte: 0xff"},
	{"\xff\xfea = 1", ":1: not UTF-8"},
	{"\n" + "a = " + strings.Repeat("[", 5000), ":2: nested too deep"},
	{"\n" + "a = " + strings.Repeat("{a=", 5000), ":2: nested too deep"},
	{"[grants]\n[[grants]]", ":2: key 'grants' was already created and cannot be used as an array"},
	// Keys.
	{"nonsense = 1", ":1: unknown key nonsense"},
	{"version = 1\nVersion = 1", ":2: unknown key Version (write it version)"},
	{"\n[Sandbox]\nmin='ns'", ":2: unknown key Sandbox (write it sandbox)"},
	{"[sandbox]\n\n\"mi\\u006E2\" = 1", ":3: unknown key sandbox.min2"},
	{"'' = 1", `:1: unknown key ""`},
	{"\"a b\\u001b\" = 1", `:1: unknown key "a b\x1b"`},
	{"[sandbox]\nnetwork.x.y = 1", ":2: unknown key sandbox.network.x"},
	{"forbid_native_local = true", ":1: unknown key forbid_native_local"},
	{"store = '/x'", ":1: unknown key store"},
	{"zz = 1\n[audit]\nsync = 7", ":1: unknown key zz"}, // the first one in the file is told
	// Types.
	{"version = 2", ":1: version: must be 1"},
	{"version = '1'", ":1: version: must be 1"},
	{"version = 1.0", ":1: version: must be 1"},
	{"harness = 1", ":1: harness: must be a table, not a number"},
	{"[[harness]]", ":1: harness: must be a table, not a list"},
	{"[grants]\nx = 1", ":1: grants: must be an array of tables ([[grants]]), not a table"},
	{"grants = []", ":1: grants: must not be an empty list"},
	{"grants = [\n1]", ":2: grants: must be a table, not a number"},
	{"[packs]\ngh = 1", ":2: packs.gh: must be a table, not a number"},
	{"[sandbox]\nargument_guard = 'true'", ":2: sandbox.argument_guard: must be true or false, not a string"},
	{"[sandbox]\nallow = '/x'", ":2: sandbox.allow: must be a list of absolute paths, not a string"},
	{"[sandbox]\nallow = ['/x',\n\n 2]", ":4: sandbox.allow: must be a list of absolute paths, not of a number"},
	// Principals.
	{"[principal]\nid = 'Anna'", `:2: principal.id: must be a principal such as "user:anna", not "Anna"`},
	{"[principal]\nid = ''", `:2: principal.id: must be a principal such as "user:anna", not ""`},
	{"[principal]\ntenant = '../x'", `:2: principal.tenant: must be an id of lower-case letters, digits and dashes, not "../x"`},
	{"[principal]\nproject = \"a\\nb\"", `:2: principal.project: must be a project id of at most 128 plain characters, not "a\nb"`},
	{"[[principals]]\nid='agent:a'", ":1: principals: token_sha256 missing"},
	{"[[principals]]\ntoken_sha256='" + hash + "'", ":1: principals: id missing"},
	{"[[principals]]\nid='agent:a'\ntoken_sha256='abc'", `:3: principals.token_sha256: must be 64 hexadecimal digits, not "abc"`},
	{"[[principals]]\nid='agent:a'\ntoken_sha256='" + hash + "'\n[[principals]]\nid='agent:a'\ntoken_sha256='" + strings.Repeat("1", 64) + "'", ":5: principals.id: duplicate id agent:a"},
	{"[[principals]]\nid='agent:a'\ntoken_sha256='" + hash + "'\n[[principals]]\nid='agent:b'\ntoken_sha256='" + strings.ToUpper(hash) + "'", ":6: principals.token_sha256: is another principal's too"},
	{"[[principals]]\nid='user:anna'\ntoken_sha256='" + hash + "'", ":2: principals.id: duplicate id user:anna"},
	// Grants and denies.
	{"[[grants]]\ncapability='verb.exec.read'\npacks=['a']", ":1: grants: principal missing"},
	{grantHead, ":1: grants: packs missing"},
	{"\n\n[[grants]]\nprincipal='*'\npacks=['a']", ":3: grants: capability missing"},
	{grantHead + "packs=[]", ":4: grants.packs: must not be an empty list"},
	{grantHead + "packs=['a']\nverbs=[]", ":5: grants.verbs: must not be an empty list"},
	{grantHead + "packs='a'", `:4: grants.packs: must be a list of pack ids or "*", not a string`},
	{grantHead + "packs=['a', 'B']", `:4: grants.packs: "B" is not one of pack ids or "*"`},
	{grantHead + "packs=['a*']", `:4: grants.packs: "a*" is not one of pack ids or "*"`},
	{grantHead + "packs=['a']\nverbs=['a*']", `:5: grants.verbs: "a*" is not one of verb keys, "*" or keys that end in ".*"`},
	{grantHead + "packs=['a']\nverbs=['.*']", `:5: grants.verbs: ".*" is not one of verb keys, "*" or keys that end in ".*"`},
	{grantHead + "packs=['a']\nverbs=['*.*']", `:5: grants.verbs: "*.*" is not one of verb keys, "*" or keys that end in ".*"`},
	{grantHead + "packs=['a']\napproval='humane'", `:5: grants.approval: must be envelope or human, not "humane"`},
	{grantHead + "packs=['a']\nexpires='2027-01-31T00:00:00Z'", ":5: grants.expires: must be a time with its offset such as 2027-01-31T00:00:00Z, not a string"},
	{grantHead + "packs=['a']\nexpires=2027-01-31T00:00:00", ":5: grants.expires: must be a time with its offset such as 2027-01-31T00:00:00Z, not a time without its offset"},
	{grantHead + "packs=['a']\nexpires=2027-01-31", ":5: grants.expires: must be a time with its offset such as 2027-01-31T00:00:00Z, not a time without its offset"},
	{"[[grants]]\nprincipal='Agent'\ncapability='verb.exec.read'\npacks=['a']", `:2: grants.principal: must be a principal or "*", not "Agent"`},
	{"[[grants]]\nprincipal='*'\ncapability='verb.exec'\npacks=['a']", `:3: grants.capability: must be verb.exec.read, verb.exec.write or pack.connect, not "verb.exec"`},
	{grantHead + "packs=['a']\n" + grantHead + "pack=['a']", ":5: grants: packs missing"},
	{"[[denies]]\npacks=[]", ":2: denies.packs: must not be an empty list"},
	{"[[denies]]\napproval='human'", ":2: unknown key denies.approval"},
	{"[[denies]]\nprincipal=''", `:2: denies.principal: must be a principal or "*", not ""`},
	// Sandbox.
	{"[sandbox]\nmin='none'", `:2: sandbox.min: must be ns, landlock or process, not "none"`},
	{"[sandbox]\nmin='auto'", `:2: sandbox.min: must be ns, landlock or process, not "auto"`},
	{"[sandbox]\ndriver='bwrap'", `:2: sandbox.driver: must be auto, ns, landlock or process, not "bwrap"`},
	{"[sandbox]\ndriver='process'\nmin='landlock'", ":2: sandbox.driver: process is weaker than sandbox.min, which is landlock"},
	{"[sandbox]\ndriver='landlock'\nmin='ns'", ":2: sandbox.driver: landlock is weaker than sandbox.min, which is ns"},
	{"[sandbox]\nallow=['jq']", `:2: sandbox.allow: "jq" is not one of absolute paths`},
	{"[sandbox]\nallow=['/a/../b']", `:2: sandbox.allow: "/a/../b" is not one of absolute paths`},
	{"[sandbox]\nallow=[\"/a\\u0000\"]", `:2: sandbox.allow: "/a\x00" is not one of absolute paths`},
	{"[sandbox]\nallow=[]", ":2: sandbox.allow: must not be an empty list"},
	{"[sandbox]\ntimeout='0s'", `:2: sandbox.timeout: must be a duration above 0 such as "30s", not "0s"`},
	{"[sandbox]\ntimeout='-1s'", `:2: sandbox.timeout: must be a duration above 0 such as "30s", not "-1s"`},
	{"[sandbox]\ntimeout='2'", `:2: sandbox.timeout: must be a duration above 0 such as "30s", not "2"`},
	{"[sandbox]\ntimeout=2", `:2: sandbox.timeout: must be a duration above 0 such as "30s", not a number`},
	{"[sandbox]\ntimeout='999999999d'", `:2: sandbox.timeout: must be a duration above 0 such as "30s", not "999999999d"`},
	{"[sandbox]\nmax_output=8", ":2: sandbox.max_output: must be " + sizeWords + ", not a number"},
	{"[sandbox]\nmax_output='8'", ":2: sandbox.max_output: must be " + sizeWords + `, not "8"`},
	{"[sandbox]\nmax_output='8MB'", ":2: sandbox.max_output: must be " + sizeWords + `, not "8MB"`},
	{"[sandbox]\nmax_output='0B'", ":2: sandbox.max_output: must be " + sizeWords + `, not "0B"`},
	{"[sandbox]\nmax_output='-1B'", ":2: sandbox.max_output: must be " + sizeWords + `, not "-1B"`},
	{"[sandbox]\nmax_output='9999999999999GiB'", ":2: sandbox.max_output: must be " + sizeWords + `, not "9999999999999GiB"`},
	{"[sandbox.network]\nlocal='lan'", `:2: sandbox.network.local: must be none or host, not "lan"`},
	{"[sandbox.network]\nmock='none'", ":2: unknown key sandbox.network.mock"},
	// Packs.
	{"[packs.Gh]", ":1: packs.Gh: is not a pack_id"},
	{"[packs.gh]\nnetwork='maybe'", `:2: packs.gh.network: must be none or host, not "maybe"`},
	{"[packs.gh]\nread=['etc']", `:2: packs.gh.read: "etc" is not one of absolute paths`},
	{"[packs.gh]\nsockets=['~/s']", `:2: packs.gh.sockets: "~/s" is not one of absolute paths`},
	{"[packs.gh]\npath=['bin']", `:2: packs.gh.path: "bin" is not one of absolute paths`},
	{"[packs.gh]\nproject_git_writable=1", ":2: packs.gh.project_git_writable: must be true or false, not a number"},
	{"[packs.gh]\ndriver='ns'", ":2: unknown key packs.gh.driver"},
	// Bindings.
	{"[[bindings]]\nfamily='user'\nprovider='file'\npath='/x'", ":1: bindings: pack missing"},
	{"[[bindings]]\npack='gh'\nfamily='public'\nprovider='file'\npath='/x'", `:3: bindings.family: must be user or mothership, not "public"`},
	{bindHead, ":1: bindings: provider missing"},
	{bindHead + "provider='env'", `:4: bindings.provider: must be exec, file or keyring, not "env"`},
	{bindHead + "provider='exec'", ":1: bindings: command missing"},
	{bindHead + "provider='exec'\ncommand=[]", ":5: bindings.command: must not be an empty list"},
	{bindHead + "provider='exec'\ncommand='/bin/x y'", ":5: bindings.command: must be a list of program and arguments, not a string"},
	{bindHead + "provider='exec'\ncommand=['gh-token']", `:5: bindings.command: must begin with an absolute path, not "gh-token"`},
	{bindHead + "provider='exec'\ncommand=['/x']\npass_env=['HCP_PRINCIPAL']", `:6: bindings.pass_env: "HCP_PRINCIPAL" is not one of names of environment variables, none of hcp's own`},
	{bindHead + "provider='exec'\ncommand=['/x']\npass_env=['A=B']", `:6: bindings.pass_env: "A=B" is not one of names of environment variables, none of hcp's own`},
	{bindHead + "provider='exec'\ncommand=['/x']\npath='/x'", ":6: unknown key bindings.path"},
	{bindHead + "provider='file'", ":1: bindings: path missing"},
	{bindHead + "provider='file'\npath='x'", `:5: bindings.path: must be an absolute path, not "x"`},
	{bindHead + "provider='file'\npath='/x'\ncommand=['/x']", ":6: unknown key bindings.command"},
	{bindHead + "provider='keyring'\nservice='s'", ":1: bindings: account missing"},
	{bindHead + "provider='keyring'\nservice='-s'\naccount='a'", `:5: bindings.service: must be a plain name, not "-s"`},
	{bindHead + "provider='file'\npath='/x'\nmin_ttl='soon'", `:6: bindings.min_ttl: must be a duration above 0 such as "30s", not "soon"`},
	{bindHead + "provider='file'\npath='/x'\n" + bindHead + "provider='file'\npath='/y'", ":6: bindings: duplicate of an earlier one for gh, user"},
	// Audit.
	{"[audit]\non_failure='allow'", `:2: audit.on_failure: must be deny or deny-writes, not "allow"`},
	{"[audit]\nsync='often'", `:2: audit.sync: must be always, writes or never, not "often"`},
	{"[audit]\nmax_segment='4095B'", `:2: audit.max_segment: must be at least 4096 bytes, not "4095B"`},
}

func TestBrokenFiles(t *testing.T) {
	p := newStore(t)
	for _, c := range broken {
		write(t, p.ConfigFile, c.text)
		got, err := Load(p, "anna")
		if want := p.ConfigFile + c.err; text(err) != want || got != nil {
			t.Errorf("%.60q:\n got %q\nwant %q", c.text, text(err), want)
		}
		// What does not load is not appended to, either.
		if err := AppendGrant(p, "anna", goodGrant); text(err) != p.ConfigFile+c.err {
			t.Errorf("%.60q: AppendGrant: %v", c.text, err)
		}
		if read(t, p.ConfigFile) != c.text {
			t.Fatalf("%.60q: the file was changed", c.text)
		}
	}
	wantNames(t, p.Home, "hcp.toml")
}

// The first problem is told, the same each time, whatever order a map has.
func TestErrorIsStable(t *testing.T) {
	p := newStore(t)
	write(t, p.ConfigFile, "[packs]\nc.x=1\na.x=1\nb.x=1\n[audit]\nz=1\ny=1\n")
	for range 50 {
		if _, err := Load(p, "anna"); text(err) != p.ConfigFile+":2: unknown key packs.c.x" {
			t.Fatal(err)
		}
	}
}

// A path is shown at full length and never breaks the line.
func TestErrorShowsOddPaths(t *testing.T) {
	long := "/" + strings.Repeat("x", 200)
	for path, want := range map[string]string{long: long + ":3: what", "/a\nb\x1b": `/a\nb\x1b:3: what`, "/ü": "/ü:3: what"} {
		if got := (&Error{Path: path, Line: 3, What: "what"}).Error(); got != want {
			t.Errorf("%q", got)
		}
	}
}
