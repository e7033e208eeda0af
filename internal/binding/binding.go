// Package binding mints the credentials a call runs with (step 7, §8). It
// hides where a credential comes from and how it reaches the child. It never
// reads hcp's own environment, never falls back to anything when a mint fails
// and decides nothing about who may call.
package binding

import (
	"context"
	"strings"

	"hcp/internal/hcp"
)

// Deliver says how the pack's CLI takes one credential field: as an environment
// variable or as a file in $CREDENTIALS_DIRECTORY. Exactly one of Env and File
// is set.
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
	Files    []hcp.KeyValue // file name and content
}

// Hub mints Bindings by family. The zero Hub has no provider, so that only
// public, local and mock work.
type Hub struct{}

// Mint makes the credential for a request (P-7). A non-empty reason means that
// nothing was minted and the call must not run. Health commands run without a
// credential where there is none to be had.
func (h Hub) Mint(_ context.Context, r Request) (Minted, string) {
	family := r.family()
	switch {
	case r.Mock:
		return mock(r), ""
	case family == hcp.FamilyPublic || family == hcp.FamilyLocal:
		return Minted{Family: family}, ""
	case health(r.Verb):
		return Minted{Family: family}, ""
	}
	return Minted{}, reasonNone
}

// Probe tells whether Mint could work, without minting: "" or the reason.
func (h Hub) Probe(r Request) string {
	family := r.family()
	if r.Mock || health(r.Verb) || family == hcp.FamilyPublic || family == hcp.FamilyLocal {
		return ""
	}
	return reasonNone
}

const reasonNone = "not configured"

func (r Request) family() string {
	if r.Family == "" {
		return hcp.FamilyPublic
	}
	return r.Family
}

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
		value := "mock-" + d.Field
		if d.Env != "" {
			m.Env = append(m.Env, hcp.KeyValue{Name: d.Env, Value: value})
		} else {
			m.Files = append(m.Files, hcp.KeyValue{Name: d.File, Value: value})
		}
	}
	return m
}
