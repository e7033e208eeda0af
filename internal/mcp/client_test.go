package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hcp/internal/hcp"
)

// The official SDK's client is the judge of the protocol.
func TestClientListsAndCalls(t *testing.T) {
	f := newFake()
	cs := connect(t, f, Options{}, nil)
	if v := cs.InitializeResult(); v.ProtocolVersion != "2025-11-25" || v.ServerInfo.Name != "hcp" || v.ServerInfo.Version != "1.2.3" {
		t.Errorf("initialize: %+v", v)
	}
	if err := cs.Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}
	tools, err := cs.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != "hcp" || !strings.Contains(tools.Tools[0].Description, "mail: A mailbox.") {
		t.Fatalf("%v %v", err, tools)
	}
	if a := tools.Tools[0].Annotations; a.ReadOnlyHint || !*a.DestructiveHint || !*a.OpenWorldHint {
		t.Errorf("annotations %+v", a)
	}
	r := call(t, cs, "hcp", map[string]any{"command": "exec mail mail.list", "args": map[string]any{"box": "in"}})
	if r.IsError || !strings.Contains(text(t, r), `"result":{"z":12345678901234567890,"a":2.80,"s":"<&>"}`) {
		t.Errorf("%s", text(t, r))
	}
	got := f.envelopes()[0]
	if got.PackID != "mail" || got.VerbKey != "mail.list" || string(got.Args.AppendJSON(nil)) != `{"box":"in"}` {
		t.Errorf("envelope %+v", got)
	}
	r = call(t, cs, "hcp", map[string]any{"pack_id": "mail", "verb_key": "pay"})
	if !r.IsError || r.StructuredContent.(map[string]any)["error"] != "confirm required" {
		t.Errorf("%s", text(t, r))
	}
}

func TestClientCommandTools(t *testing.T) {
	f := newFake()
	cs := connect(t, f, Options{Commands: true}, nil)
	tools, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		schema, _ := json.Marshal(tool.InputSchema)
		switch a := tool.Annotations; tool.Name {
		case "mail__mail_list":
			if !a.ReadOnlyHint || *a.DestructiveHint || *a.OpenWorldHint || tool.Title != "mail list" || string(schema) != `{"properties":{"box":{}},"type":"object"}` {
				t.Errorf("%+v %s", a, schema)
			}
		case "mail__send":
			if a.ReadOnlyHint || !*a.DestructiveHint || !strings.Contains(string(schema), `"confirm":{"description"`) || !strings.Contains(string(schema), `"required":["to"]`) {
				t.Errorf("%+v %s", a, schema)
			}
		}
	}
	if fmt.Sprint(names) != "[hcp mail__mail_list mail__send]" {
		t.Error(names)
	}
	call(t, cs, "mail__mail_list", map[string]any{"box": "in", "confirm": true})
	if got := f.envelopes()[0]; got.VerbKey != "mail.list" || string(got.Args.AppendJSON(nil)) != `{"box":"in","confirm":true}` {
		t.Errorf("%+v", got)
	}
	// What is active counts at each list; a name of a pack that is gone is refused by the pipeline.
	f.mu.Lock()
	f.packs = f.packs[:1]
	f.mu.Unlock()
	if tools, err = cs.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 1 {
		t.Fatal(err, tools)
	}
	call(t, cs, "mail__mail_list", nil)
	if got := f.envelopes()[1]; got.PackID != "mail" || got.VerbKey != "mail.list" {
		t.Errorf("%+v", got)
	}
	if _, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "nope"}); err == nil || !strings.Contains(err.Error(), `unknown tool: "nope"`) {
		t.Error(err)
	}
}

func TestClientSkills(t *testing.T) {
	cs := connect(t, newFake(), Options{}, nil)
	list, err := cs.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 2 || list.Resources[1].URI != "skill://mail" || list.Resources[1].MIMEType != "text/markdown" {
		t.Fatal(err, list)
	}
	r, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "skill://mail"})
	if err != nil || r.Contents[0].Text != "# Mail\n\nNaïve.\n" {
		t.Fatal(err, r)
	}
	for _, uri := range []string{"skill://empty", "skill://mail/../x", "file:///etc/passwd", ""} {
		if _, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "resource not found") {
			t.Errorf("%q: %v", uri, err)
		}
	}
	if r, err := cs.ListResourceTemplates(t.Context(), nil); err != nil || len(r.ResourceTemplates) != 0 {
		t.Error(err, r)
	}
}

// user is the host's: what it was asked, and what it does then.
type user struct {
	mu       sync.Mutex
	messages []string
	answer   *sdk.ElicitResult // nil: the host has nobody to ask after all
	onAsk    func(nth int)
}

func (u *user) asked(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.messages = append(u.messages, r.Params.Message)
	u.onAsk(len(u.messages))
	if u.answer == nil {
		return nil, errors.New("nobody here")
	}
	return u.answer, nil
}

// A yes to a confirm runs the call. To an approval it only sends the call again,
// which passes once the owner has approved it.
func TestClientAsks(t *testing.T) {
	yes := &sdk.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}
	for _, c := range []struct {
		verb   string
		answer *sdk.ElicitResult
		owner  bool // approves while the second question is there
		ok     bool
		hint   string
		asked  int
	}{
		{"pay", yes, false, true, "", 1},
		{"pay", &sdk.ElicitResult{Action: "decline"}, false, false, "the user was asked and said no", 1},
		{"pay", &sdk.ElicitResult{Action: "cancel"}, false, false, "the user was asked and did not answer", 1},
		{"pay", &sdk.ElicitResult{Action: "accept", Content: map[string]any{"confirm": false}}, false, false, "the user was asked and said no", 1},
		{"pay", nil, false, false, "how to go on", 1},
		{"wire", yes, false, false, "how to go on", 2},
		{"wire", yes, true, true, "", 2},
		{"mail.list", nil, false, true, "", 0},
	} {
		f := newFake()
		u := &user{answer: c.answer, onAsk: func(nth int) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.approved = c.owner && nth == 2
		}}
		cs := connect(t, f, Options{}, &sdk.ClientOptions{ElicitationHandler: u.asked})
		r := call(t, cs, "hcp", map[string]any{"pack_id": "mail", "verb_key": c.verb})
		m := r.StructuredContent.(map[string]any)
		hint, _ := m["hint"].(string)
		if m["ok"] != c.ok || r.IsError == c.ok || hint != c.hint || len(u.messages) != c.asked {
			t.Errorf("%+v: %s; asked %d", c, text(t, r), len(u.messages))
		}
		if c.asked > 0 && u.messages[0] != "mail "+c.verb+":\n  Pay 2.80 to \\u{202e}x\nRun it?" {
			t.Errorf("asked %q", u.messages[0])
		}
		if c.asked > 1 && !strings.Contains(u.messages[1], "hcp approve ab12\nA yes here does not approve it.") {
			t.Errorf("asked %q", u.messages[1])
		}
	}
}

func TestClientCancels(t *testing.T) {
	f := newFake()
	cs := connect(t, f, Options{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		f.begun(t)
	}()
	if _, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "hcp", Arguments: map[string]any{"command": "exec mail wait"}}); err == nil {
		t.Error("a cancelled call is answered")
	}
	f.mustEnd(t, "cancelled")
}

func TestClientManyAtOnce(t *testing.T) {
	f := newFake()
	cs := connect(t, f, Options{}, nil)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			r := call(t, cs, "hcp", map[string]any{"command": "exec mail mail.list", "args": map[string]any{"n": i}})
			if r.IsError {
				t.Error(text(t, r))
			}
		})
	}
	wg.Wait()
	if n := len(f.envelopes()); n != 50 {
		t.Error(n)
	}
}

func TestBrokenConfigIsAResult(t *testing.T) {
	f := newFake()
	f.denied = hcp.ConfigDenied("/x/hcp.toml:3: unknown key foo")
	cs := connect(t, f, Options{Commands: true}, nil)
	if tools, err := cs.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 1 {
		t.Fatal(err, tools)
	}
	for _, args := range []map[string]any{{"command": "list"}, {"command": "show mail send"}, {"command": "skill"}, {"command": "exec mail send"}, {"command": "availability"}} {
		r := call(t, cs, "hcp", args)
		if !r.IsError || !strings.Contains(text(t, r), `"error":"denied: config: /x/hcp.toml:3: unknown key foo"`) && args["command"] != "show mail send" {
			t.Errorf("%v: %s", args, text(t, r))
		}
	}
	if _, err := cs.ListResources(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "denied: config") {
		t.Error(err)
	}
}
