package binding

import (
	"context"
	"strings"
	"time"

	"hcp/internal/hcp"
)

const (
	apiVersion = "hcp/v1"
	kind       = "ExecCredential"
)

// execCached gives a credential of a helper's: the one that is cached, as long
// as enough of it is left, else a new one. A helper that is not to be trusted
// any more has no credential in the cache either.
func (h Hub) execCached(ctx context.Context, e Entry, r Request) (credential, string) {
	path, reason := trustedHelper(e.Command)
	if reason != "" {
		return credential{}, reason
	}
	env := h.helperEnv(e)
	ask := func() (credential, string) { return h.ask(ctx, path, env, e, r) }
	c := openCache(h.CacheDir, cacheKey(e, r, env))
	if c == nil {
		return ask()
	}
	good := func(got credential) bool { return got.ends(h.now(), e.MinTTL) == "" }
	return c.refresh(ctx, e.timeout(), good, ask)
}

// ask runs the helper once.
func (h Hub) ask(ctx context.Context, path string, env []string, e Entry, r Request) (credential, string) {
	p := program{path: path, argv: e.Command, env: env, stdin: execRequest(r), timeout: e.timeout()}
	out, reason := p.run(ctx)
	if reason != "" {
		return credential{}, reason
	}
	c, ok := execResponse(out)
	if !ok {
		return credential{}, reasonResponse
	}
	return c, c.ends(h.now(), e.MinTTL)
}

// execRequest is what a helper reads: an ExecCredential with a spec.
func execRequest(r Request) []byte {
	text := func(name, value string) hcp.Member {
		return hcp.Member{Name: name, Value: hcp.StringValue(value)}
	}
	spec := hcp.Value{Kind: hcp.Object, Members: []hcp.Member{
		{Name: "interactive", Value: hcp.BoolValue(false)},
		text("pack_id", r.Pack), text("verb_key", r.Verb), text("operation", r.Operation),
		text("family", r.family()), text("principal", r.Principal.ID), text("tenant", r.Principal.Tenant),
	}}
	v := hcp.Value{Kind: hcp.Object, Members: []hcp.Member{
		text("apiVersion", apiVersion), text("kind", kind), {Name: "spec", Value: spec},
	}}
	return append(v.AppendJSON(nil), '\n')
}

// execResponse reads a helper's answer, the strict way: an ExecCredential of
// our version with a status. Members that we do not know are left alone, as
// Kubernetes does.
func execResponse(out []byte) (credential, bool) {
	v, err := hcp.ParseJSON(out, maxDepth)
	if err != nil || !isText(v.Get("apiVersion"), apiVersion) || !isText(v.Get("kind"), kind) {
		return credential{}, false
	}
	status := v.Get("status")
	fields, ok := fieldsOf(status.Get("fields"))
	if !ok {
		return credential{}, false
	}
	for _, value := range fields {
		if unclean(value) {
			return credential{}, false
		}
	}
	expires, ok := expiry(status.Get("expirationTimestamp"))
	return credential{fields, expires}, ok
}

func isText(v hcp.Value, want string) bool { return v.Kind == hcp.String && v.Text == want }

// expiry reads an RFC 3339 time; none, or null, means that no end is known.
func expiry(v hcp.Value) (time.Time, bool) {
	if v.Kind == hcp.Missing || v.Kind == hcp.Null {
		return time.Time{}, true
	}
	t, err := time.Parse(time.RFC3339, v.Text)
	return t, v.Kind == hcp.String && err == nil && !t.IsZero()
}

// fixedEnv is what every helper has, whatever pass_env says: nothing may prompt,
// page or be looked up where the caller wants it to.
func fixedEnv() []string {
	return []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"LANG=C.UTF-8", "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat",
		"GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_ASKPASS=/bin/false",
		"SSH_ASKPASS=/bin/false", "SSH_ASKPASS_REQUIRE=never",
		"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "DEBIAN_FRONTEND=noninteractive",
	}
}

// helperEnv is built from nothing (S-4). Of the caller's variables it holds
// those that the owner named in pass_env, but none of hcp's own.
func (h Hub) helperEnv(e Entry) []string {
	env := fixedEnv()
	if h.Home != "" {
		env = append(env, "HOME="+h.Home)
	}
	taken := map[string]bool{"HOME": true, markName: true}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		taken[name] = true
	}
	for _, name := range e.PassEnv {
		if h.Getenv == nil || taken[name] || strings.HasPrefix(name, "HCP_") || strings.Contains(name, "=") {
			continue
		}
		taken[name] = true
		if value, ok := h.Getenv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
