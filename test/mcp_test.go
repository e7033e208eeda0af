package test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// host is an agent's host: the official client, with the real hcp mcp as its
// child.
type host struct {
	t    *testing.T
	bin  string
	env  []string
	asks func(message string) bool // the user's answer
}

func newHost(t *testing.T) *host {
	h := &host{t: t, bin: buildHCP(t)}
	home := t.TempDir()
	h.env = []string{"HOME=" + home, "HCP_HOME=" + filepath.Join(home, "hcp"), "PATH=/usr/bin:/bin"}
	h.run("init")
	return h
}

func (h *host) run(words ...string) string {
	h.t.Helper()
	cmd := exec.Command(h.bin, words...)
	cmd.Env = h.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("hcp %v: %v\n%s", words, err, out)
	}
	return string(out)
}

func (h *host) connect(more ...string) *mcp.ClientSession {
	h.t.Helper()
	cmd := exec.Command(h.bin, "mcp")
	cmd.Env = append(h.env, more...)
	cmd.Stderr = os.Stderr
	o := &mcp.ClientOptions{}
	if h.asks != nil {
		o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"confirm": h.asks(r.Params.Message)}}, nil
		}
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(h.t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := cs.Close(); err != nil {
			h.t.Errorf("hcp mcp ends with %v", err)
		}
	})
	return cs
}

func (h *host) exec(cs *mcp.ClientSession, command, args string) string {
	h.t.Helper()
	r, err := cs.CallTool(h.t.Context(), &mcp.CallToolParams{Name: "hcp", Arguments: map[string]any{"command": "exec " + command, "args": jsonOf(args)}})
	if err != nil {
		h.t.Error(err)
		return ""
	}
	return r.Content[0].(*mcp.TextContent).Text
}

const transferArgs = `{"amount":"2.80","payee":"demo-transit"}`

// 50 calls of one session, many at once: each is answered once and recorded.
func TestMCPManyCalls(t *testing.T) {
	h := newHost(t)
	cs := h.connect()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			command, args, want := "ledger balance", "{}", `"ok":true,"pack_id":"ledger","verb_key":"balance"`
			switch i % 3 {
			case 1:
				command, args, want = "ledger transfer", `{"amount":"0.10","payee":"demo-transit","confirm":true}`, `"ok":true,"pack_id":"ledger","verb_key":"transfer"`
			case 2:
				command, want = "mail nope", `"error":"no policy for nope"`
			}
			if got := h.exec(cs, command, args); !strings.Contains(got, want) {
				t.Errorf("%s: %s", command, got)
			}
		})
	}
	wg.Wait()
	if got := h.exec(cs, "ledger balance", "{}"); !strings.Contains(got, `"balance":"9998.30"`) {
		t.Error(got)
	}
	if got := h.run("audit", "verify"); !strings.HasPrefix(got, "intact") {
		t.Error(got)
	}
}

// A plain confirm is the host's user to give. An approval is the owner's, on a
// terminal, whatever the host's user says.
func TestMCPAsks(t *testing.T) {
	h := newHost(t)
	var asked []string
	answer := false
	h.asks = func(m string) bool { asked = append(asked, m); return answer }
	cs := h.connect()
	if got := h.exec(cs, "ledger transfer", transferArgs); len(asked) != 1 || !strings.Contains(got, `"hint":"the user was asked and said no"`) {
		t.Errorf("%q %s", asked, got)
	}
	answer = true
	if got := h.exec(cs, "ledger transfer", transferArgs); !strings.Contains(got, `"balance":"9997.20"`) || !strings.Contains(asked[0], "ledger transfer:\n  Pay 2.80 to demo-transit\nRun it?") {
		t.Errorf("%q %s", asked, got)
	}
	config := filepath.Join(h.env[1][len("HCP_HOME="):], "hcp.toml")
	text := read(t, config) + fmt.Sprintf("[[principals]]\nid = \"agent:x\"\ntoken_sha256 = \"%x\"\n[[grants]]\nprincipal = \"agent:x\"\ncapability = \"verb.exec.write\"\npacks = [\"ledger\"]\napproval = \"human\"\n", sha256.Sum256([]byte("token")))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	agent := h.connect("HCP_PRINCIPAL=token")
	asked = nil
	if got := h.exec(agent, "ledger transfer", transferArgs); !strings.Contains(got, `"error":"confirm required"`) || !strings.Contains(got, `"approval":`) || len(asked) != 2 {
		t.Errorf("%q %s", asked, got)
	}
	h.asks = func(m string) bool {
		if id := regexp.MustCompile(`hcp approve ([0-9a-f]+)`).FindStringSubmatch(m); id != nil {
			h.approve(id[1])
		}
		return true
	}
	if got := h.exec(agent, "ledger transfer", transferArgs); !strings.Contains(got, `"balance":"9997.20"`) {
		t.Error(got)
	}
}

// approve is the owner at a terminal.
func (h *host) approve(id string) {
	cmd := exec.Command(h.bin, "approve", id)
	cmd.Env = append(h.env, "TERM=dumb")
	f, err := pty.Start(cmd)
	if err != nil {
		h.t.Error(err)
		return
	}
	f.WriteString("y\n")
	out := drain(f)
	if err := cmd.Wait(); err != nil {
		h.t.Errorf("hcp approve: %v\n%s", err, out)
	}
}
