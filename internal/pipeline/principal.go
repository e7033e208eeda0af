package pipeline

import (
	"crypto/sha256"
	"crypto/subtle"

	"hcp/internal/hcp"
)

// Token is a principal that is known by a secret (trust.md).
type Token struct {
	Principal hcp.Principal
	SHA256    [sha256.Size]byte
}

// Caller is what the face knows of whoever sent the envelope, and the
// principals it may be. The zero Caller is nobody.
type Caller struct {
	Owner    hcp.Principal
	Tokens   []Token
	Token    string // value of HCP_PRINCIPAL
	HasToken bool   // it is set, if only to ""
	Terminal bool   // a person's: stdin and stderr are terminals
	Foreign  bool   // under sudo, or the store is another user's
	Project  string // --project or HCP_PROJECT; "": the principal's own
	// Recorded, never deciding (L11):
	Invoker string // "human" or "agent"
	Agent   string // HCP_AGENT, self-declared
	UID     int
}

// Identify says who calls (trust.md, Principal). What an invoker calls itself
// plays no part.
func (c Caller) Identify() (hcp.Principal, *hcp.Denial) {
	p, d := c.principal()
	if d != nil {
		return hcp.Principal{}, d
	}
	if c.Project != "" {
		p.Project = c.Project
	}
	return p, nil
}

func (c Caller) principal() (hcp.Principal, *hcp.Denial) {
	switch {
	case c.Foreign:
		return hcp.Principal{}, hcp.ForeignStore()
	case c.HasToken:
		return c.byToken()
	case c.Owner.ID == "":
		return hcp.Principal{}, hcp.Unauthenticated()
	case len(c.Tokens) == 0 || c.Terminal:
		return c.Owner, nil
	}
	return hcp.Principal{}, hcp.Unauthenticated()
}

// byToken looks at every entry and compares in constant time, so that neither
// order nor content can be measured.
func (c Caller) byToken() (hcp.Principal, *hcp.Denial) {
	sum := sha256.Sum256([]byte(c.Token))
	var found hcp.Principal
	for _, t := range c.Tokens {
		if subtle.ConstantTimeCompare(sum[:], t.SHA256[:]) == 1 && c.Token != "" {
			found = t.Principal
		}
	}
	if found.ID == "" {
		return hcp.Principal{}, hcp.UnknownPrincipal()
	}
	return found, nil
}

// IsOwner tells whether the caller may change the store (cli.md): with token
// principals configured, the owner is whoever is at a terminal without a token.
func (c Caller) IsOwner() *hcp.Denial {
	p, d := c.principal()
	switch {
	case d != nil && d.Message == hcp.Unauthenticated().Message:
		return hcp.OwnerOnly()
	case d != nil:
		return d
	case !p.Owner:
		return hcp.OwnerOnly()
	}
	return nil
}
