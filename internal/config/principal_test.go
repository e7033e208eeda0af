package config

import (
	"crypto/sha256"
	"strings"
	"testing"

	"hcp/internal/hcp"
)

func TestWithPrincipalAndBack(t *testing.T) {
	p := newStore(t)
	n := NewPrincipal{ID: "agent:claude", TokenSHA256: sha256.Sum256([]byte("t")), Grants: []GrantSpec{{Principal: "agent:claude", Capability: hcp.CapRead, Packs: []string{"ledger"}}}}
	for _, old := range []string{"", "version = 1", "# c\r\nversion = 1\r\n", "version = 1\n\n\n", "[packs.gh]\nnetwork='host' # x\n"} {
		write(t, p.ConfigFile, old)
		c, steps, blocks, err := WithPrincipal(p, "anna", n)
		if err != nil || len(blocks) != 2 || !strings.HasPrefix(c.After, old) {
			t.Fatalf("%q: %v %v %q", old, err, blocks, c.After)
		}
		if back, ok := Revert(c.After, steps); !ok || back != old {
			t.Errorf("%q: goes back to %q", old, back)
		}
		write(t, p.ConfigFile, c.After)
		cfg, err := Load(p, "anna")
		if err != nil || len(cfg.Principals) != 1 || !Granted(cfg.Grants, "agent:claude", hcp.CapRead, "ledger") || Granted(cfg.Grants, "agent:claude", hcp.CapWrite, "ledger") {
			t.Errorf("%q: %v %+v", old, err, cfg)
		}
		if again, _, _, err := WithPrincipal(p, "anna", NewPrincipal{ID: n.ID, TokenSHA256: n.TokenSHA256}); err != nil || again.After != c.After {
			t.Errorf("%q: the second time: %v %q", old, err, again.After)
		}
		// Another block since; the principal has a new hash.
		later := NewPrincipal{ID: n.ID, TokenSHA256: sha256.Sum256([]byte("u")), Rekey: true}
		if c, _, _, err = WithPrincipal(p, "anna", later); err != nil {
			t.Fatal(err)
		}
		text := joinBlock(c.After, "[[denies]]\npacks = [\"x\"]\n")
		after, left, err := WithoutPrincipal(p, "anna", text, blocks)
		if err != nil || len(left) > 0 || strings.Contains(after, "claude") || !strings.Contains(after, "[[denies]]") || !strings.HasPrefix(after, old) {
			t.Errorf("%q: without: %v %v %q", old, err, left, after)
		}
	}
}

func TestWithPrincipalRefuses(t *testing.T) {
	p := newStore(t)
	write(t, p.ConfigFile, "[[principals]]\nid = \"agent:claude\"\ntoken_sha256 = \""+strings.Repeat("Ab", 32)+"\"\n")
	n := NewPrincipal{ID: "agent:claude", TokenSHA256: sha256.Sum256([]byte("t"))}
	if _, _, _, err := WithPrincipal(p, "anna", n); err == nil || !strings.HasSuffix(err.Error(), ": agent:claude has another token") {
		t.Error(err)
	}
	n.Rekey = true
	if c, _, _, err := WithPrincipal(p, "anna", n); err != nil || strings.Contains(c.After, "AbAb") || strings.Count(c.After, "\n") != 3 {
		t.Errorf("%v %q", err, c.After)
	}
	write(t, p.ConfigFile, "nonsense = 1\n")
	if _, _, _, err := WithPrincipal(p, "anna", n); err == nil || !strings.Contains(err.Error(), ":1: ") {
		t.Error(err)
	}
}
