package binding

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hcp/internal/hcp"
)

// P-7: public and local have nothing to mint, mock is the envelope's word only,
// everything else fails closed. X-4: health commands run without.
func TestMint(t *testing.T) {
	token := []Deliver{{Field: "token", Env: "GH_TOKEN"}, {Field: "key", File: "key.pem"}}
	cases := []struct {
		name   string
		in     Request
		want   Minted
		reason string
	}{
		{"no family is public", Request{}, Minted{Family: "public"}, ""},
		{"local", Request{Family: "local"}, Minted{Family: "local"}, ""},
		{"user", Request{Family: "user", Verb: "pr.list", Deliver: token}, Minted{}, "not configured"},
		{"mothership", Request{Family: "mothership", Verb: "x"}, Minted{}, "not configured"},
		{"an odd family", Request{Family: "other", Verb: "x"}, Minted{}, "not configured"},
		{"doctor", Request{Family: "user", Verb: "setup.doctor", Deliver: token}, Minted{Family: "user"}, ""},
		{"not quite doctor", Request{Family: "user", Verb: "doctor.run"}, Minted{}, "not configured"},
		{"mock", Request{Family: "user", Verb: "pr.list", Mock: true, Deliver: token}, Minted{Family: "mock", Provider: "mock", Mock: true,
			Env: []hcp.KeyValue{{Name: "GH_TOKEN", Value: "mock-token"}}, Files: []hcp.CredentialFile{{Name: "key.pem", Value: "mock-key"}}}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, reason := Hub{}.Mint(context.Background(), c.in)
			if diff := cmp.Diff(c.want, got); diff != "" || reason != c.reason {
				t.Errorf("reason %q, want %q; minted (-want +got):\n%s", reason, c.reason, diff)
			}
			if probe := (Hub{}).Probe(c.in); probe != c.reason {
				t.Errorf("probe says %q, mint %q", probe, c.reason)
			}
		})
	}
}

// no variable of hcp's own environment makes a mint succeed or shows up.
func TestMintIgnoresEnvironment(t *testing.T) {
	for _, name := range []string{"GH_TOKEN", "HCP_BINDING", "HCP_MOCK", "MOCK", "AWS_ACCESS_KEY_ID"} {
		t.Setenv(name, "mock")
	}
	if m, reason := (Hub{}).Mint(context.Background(), Request{Family: "user", Verb: "x", Deliver: []Deliver{{Field: "t", Env: "GH_TOKEN"}}}); reason != reasonNone || m.Env != nil {
		t.Errorf("minted %v, %q", m, reason)
	}
}
