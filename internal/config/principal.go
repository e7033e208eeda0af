package config

import (
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// NewPrincipal is a principal with a token, as `hcp init --agent` adds it.
type NewPrincipal struct {
	ID          string
	TokenSHA256 [32]byte
	Grants      []GrantSpec
	Rekey       bool // one that is there gets the new hash
}

// WithPrincipal gives hcp.toml as it will be with a principal and its grants,
// for a Batch: blocks are appended, all else stays byte for byte, and the result
// has been read as Load would. What is there already is not added again. blocks
// are those that were added.
func WithPrincipal(p Places, osUser string, n NewPrincipal) (c FileChange, steps []Splice, blocks []string, err error) {
	m, err := loadManaged(p)
	if err != nil {
		return c, nil, nil, err
	}
	if err := m.checkStore(p); err != nil {
		return c, nil, nil, err
	}
	old, mode, err := oldFile(p.ConfigFile)
	if err != nil {
		return c, nil, nil, err
	}
	cfg, err := build(p, osUser, m, old)
	if err != nil {
		return c, nil, nil, err
	}
	s := &splicer{text: old}
	if i := slices.IndexFunc(cfg.Principals, func(t TokenPrincipal) bool { return t.ID == n.ID }); i < 0 {
		blocks = append(blocks, "[[principals]]\nid = \""+n.ID+"\"\ntoken_sha256 = \""+hex.EncodeToString(n.TokenSHA256[:])+"\"\n")
	} else if cfg.Principals[i].TokenSHA256 != n.TokenSHA256 {
		if err := s.rekey(p, cfg.Principals[i], n); err != nil {
			return c, nil, nil, err
		}
	}
	for _, g := range n.Grants {
		if err := g.check(); err != nil {
			return c, nil, nil, err
		}
		blocks = append(blocks, g.block())
	}
	for _, b := range blocks {
		s.put(len(s.text), len(s.text), joinBlock(s.text, b)[len(s.text):])
	}
	if len(s.text) > maxConfig {
		return c, nil, nil, &Error{Path: p.ConfigFile, What: "would be larger than 1 MiB"}
	}
	if _, err := build(p, osUser, m, s.text); err != nil {
		return c, nil, nil, err
	}
	if c, err = Snapshot(p.ConfigFile); err != nil {
		return c, nil, nil, err
	}
	c.After, c.Mode, c.DirTo = s.text, mode, 0o700
	return c, s.steps, blocks, nil
}

// rekey puts the new hash in the place of the old one, whose digits stand in the
// file once, since no two principals may share a token.
func (s *splicer) rekey(p Places, old TokenPrincipal, n NewPrincipal) error {
	digits := hex.EncodeToString(old.TokenSHA256[:])
	for at := 0; n.Rekey && at+len(digits) <= len(s.text); at++ {
		if strings.EqualFold(s.text[at:at+len(digits)], digits) {
			s.put(at, at+len(digits), hex.EncodeToString(n.TokenSHA256[:]))
			return nil
		}
	}
	return &Error{Path: p.ConfigFile, What: n.ID + " has another token"}
}

// WithoutPrincipal gives the text of hcp.toml without the blocks that
// WithPrincipal added, for a Batch; what a person wrote for that principal stays.
// It looks for the blocks in their own words, whatever hash the principal's has by
// now. left are those that are not there any more.
func WithoutPrincipal(p Places, osUser, text string, blocks []string) (after string, left []string, err error) {
	m, err := loadManaged(p)
	if err != nil {
		return text, nil, err
	}
	after = text
	for _, b := range slices.Backward(blocks) {
		if strings.HasPrefix(b, "[[principals]]") {
			b = currentPrincipal(after, b)
		}
		next, ok := cutBlock(after, b)
		if !ok {
			left = append(left, strings.SplitN(b, "\n", 2)[0])
			continue
		}
		after = next
	}
	_, err = build(p, osUser, m, after)
	return after, left, err
}

// currentPrincipal is a principal's block with the hash that it has by now.
func currentPrincipal(text, block string) string {
	head, _, _ := strings.Cut(block, "token_sha256 = \"")
	for _, end := range []string{"\n", "\r\n"} {
		h := strings.ReplaceAll(head, "\n", end) + "token_sha256 = \""
		if at := strings.Index(text, h); at >= 0 {
			if hash, _, ok := strings.Cut(text[at+len(h):], "\""); ok {
				return head + "token_sha256 = \"" + hash + "\"\n"
			}
		}
	}
	return block
}

// cutBlock takes a block out that joinBlock put in, where nothing was added to
// it.
func cutBlock(old, block string) (string, bool) {
	for _, end := range []string{"\n", "\r\n"} {
		b := strings.ReplaceAll(block, "\n", end)
		if at := strings.Index(old, end+b); at >= 0 && startsTable(old[at+len(end)+len(b):]) {
			return old[:at] + old[at+len(end)+len(b):], true
		}
		if strings.HasPrefix(old, b) && startsTable(old[len(b):]) {
			return old[len(b):], true
		}
	}
	return old, false
}

// Granted tells whether grants let a principal run every command of a pack that
// needs a capability, by whatever approval, at no set end.
func Granted(grants []hcp.Grant, principal, capability, pack string) bool {
	return slices.ContainsFunc(grants, func(g hcp.Grant) bool {
		return (g.Principal == principal || g.Principal == "*") && g.Capability == capability && g.Expires.IsZero() &&
			(slices.Contains(g.Packs, pack) || slices.Contains(g.Packs, "*")) && (len(g.Verbs) == 0 || slices.Contains(g.Verbs, "*"))
	})
}

// Agents is the folder of what init wrote for which agent.
func (p Places) Agents() string { return filepath.Join(p.State, "agents") }
