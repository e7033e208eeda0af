// Package binding mints the credentials a call runs with (step 7, §8). It
// hides where a credential comes from (a helper program, a file, the platform's
// keyring), how long it lives and where it is kept meanwhile. It never reads
// hcp's own environment, never falls back to anything when a mint fails,
// puts no value and no word of a helper into a reason, and decides nothing about
// who may call.
package binding

import (
	"context"
	"strings"
	"time"

	"hcp/internal/hcp"
)

// Deliver says how the pack's CLI takes one credential field: as the environment
// variable Env, as the file File in $CREDENTIALS_DIRECTORY, or, with both set, as
// that file with its path in the variable. At least one is set.
type Deliver struct {
	Field string
	Env   string
	File  string
}

// Request is one mint: for whom and for what.
type Request struct {
	Principal hcp.Principal
	Pack      string
	Verb      string
	Operation string
	Family    string // the pack's declared family; "" is public
	Mock      bool   // the envelope asked for it; nothing else can (E-4, S-6)
	Deliver   []Deliver
}

// Minted is what a mint gives the child. The zero Minted gives nothing.
type Minted struct {
	Family   string // the family that was used; FamilyMock for a mock
	Provider string // "" when there was nothing to mint
	Mock     bool   // the child is told so
	Env      []hcp.KeyValue
	Files    []hcp.CredentialFile
	Secrets  []hcp.Secret // every delivered value, for the Redactor; nil for a mock, whose values are no secret
	Expires  time.Time    // zero: not known to expire
}

// Hub mints Bindings by family. The zero Hub has no entry, so that only public,
// local and mock work.
type Hub struct {
	Entries  []Entry
	CacheDir string                           // $XDG_RUNTIME_DIR/hcp; "" or not memory-backed: nothing is cached
	Now      func() time.Time                 // nil: the system's clock
	Home     string                           // the passwd entry's home, a helper's HOME; "": it gets none
	Getenv   func(name string) (string, bool) // looks up pass_env only; nil: every name is unset
}

// NotConfigured is Mint's reason when nothing says where the credential comes
// from.
const NotConfigured = "not configured"

// Reasons of a refusal (trust.md). They never hold a value.
const (
	reasonNone      = NotConfigured
	reasonKilled    = "helper killed"
	reasonMissing   = "helper missing"
	reasonTimeout   = "helper timeout"
	reasonResponse  = "bad response"
	reasonExpired   = "expired"
	reasonSoon      = "expires too soon"
	reasonUntrusted = "untrusted file"
)

// Mint makes the credential for a request (P-7). A non-empty reason means that
// nothing was minted and the call must not run. A health command gets only a
// credential that expires, and runs without one where there is none to be had
//
func (h Hub) Mint(ctx context.Context, r Request) (Minted, string) {
	family := r.family()
	switch {
	case r.Mock:
		return mock(r), ""
	case free(family):
		return Minted{Family: family}, ""
	}
	none := Minted{Family: family}
	e, ok := h.entry(r)
	if health(r.Verb) {
		if !ok || !e.expiring() {
			return none, ""
		}
		if m, reason := h.mint(ctx, e, r); reason == "" && !m.Expires.IsZero() {
			return m, ""
		}
		return none, ""
	}
	if !ok {
		return Minted{}, reasonNone
	}
	return h.mint(ctx, e, r)
}

// Probe tells whether Mint could work, without minting: "" or the reason. It
// only looks at files (trust.md).
func (h Hub) Probe(r Request) string {
	if r.Mock || health(r.Verb) || free(r.family()) {
		return ""
	}
	e, ok := h.entry(r)
	if !ok {
		return reasonNone
	}
	return e.probe()
}

// mint asks the provider and shares the fields out. A field that the pack does
// not take never leaves this function.
func (h Hub) mint(ctx context.Context, e Entry, r Request) (Minted, string) {
	c, reason := h.provide(ctx, e, r)
	if reason != "" {
		return Minted{}, reason
	}
	m := Minted{Family: r.family(), Provider: e.Provider, Expires: c.expires}
	for _, d := range r.Deliver {
		value, reason := c.field(d)
		if reason != "" {
			return Minted{}, reason
		}
		m.Secrets = append(m.Secrets, hcp.NewSecret(value))
		m.deliver(d, value)
	}
	return m, ""
}

func (h Hub) provide(ctx context.Context, e Entry, r Request) (credential, string) {
	switch e.Provider {
	case providerExec:
		return h.execCached(ctx, e, r)
	case providerFile:
		return readFile(e.Path)
	case providerKeyring:
		return e.lookup(ctx, r)
	}
	return credential{}, reasonNone
}

func (h Hub) now() time.Time {
	if h.Now == nil {
		return time.Now()
	}
	return h.Now()
}

func (r Request) family() string {
	if r.Family == "" {
		return hcp.FamilyPublic
	}
	return r.Family
}

// free tells whether a family has nothing to mint.
func free(family string) bool { return family == hcp.FamilyPublic || family == hcp.FamilyLocal }

// health tells whether a command is one that must not mint anything long-lived
// the last part of its key is doctor or status.
func health(verb string) bool {
	last := verb[strings.LastIndexByte(verb, '.')+1:]
	return last == "doctor" || last == "status"
}

// mock gives each declared field a fixed value that no service takes.
func mock(r Request) Minted {
	m := Minted{Family: hcp.FamilyMock, Provider: hcp.FamilyMock, Mock: true}
	for _, d := range r.Deliver {
		m.deliver(d, "mock-"+d.Field)
	}
	return m
}

func (m *Minted) deliver(d Deliver, value string) {
	if d.File != "" {
		m.Files = append(m.Files, hcp.CredentialFile{Name: d.File, Value: value, Env: d.Env})
		return
	}
	m.Env = append(m.Env, hcp.KeyValue{Name: d.Env, Value: value})
}
