package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hcp/internal/hcp"
)

// fake is a Host whose calls are recorded. A verb "wait" runs until it is
// released or cancelled; "pay" asks for a confirm; "wire" for an approval too.
type fake struct {
	mu       sync.Mutex
	calls    []hcp.Envelope
	packs    []Pack
	denied   *hcp.Denial // of everything: a broken configuration
	approved bool
	release  chan struct{}
	ended    chan string // why each "wait" ended
	result   string      // of "print"
}

func newFake() *fake {
	args, err := hcp.ParseJSON([]byte(`{"type":"object","required":["to"],"properties":{"to":{"type":"string"},"amount":{"type":"number","minimum":0.10}}}`), 8)
	if err != nil {
		panic(err)
	}
	return &fake{release: make(chan struct{}), ended: make(chan string, 64), packs: []Pack{
		{ID: "hcp-cli", BuiltIn: true, Commands: []Command{{VerbKey: "hcp.list"}}, Skill: &Skill{"The runtime.", "# hcp\n"}},
		{ID: "mail", Description: "A mailbox.", Skill: &Skill{"Mail.", "# Mail\n\nNaïve.\n"}, Commands: []Command{
			{VerbKey: "mail.list", Title: "mail list", Description: "Lists.", Names: []string{"box"}, Local: true},
			{VerbKey: "send", Title: "mail send", Description: "Sends.", Args: args, Write: true, Confirm: true}}},
		{ID: "empty"},
	}}
}

func (f *fake) exec(ctx context.Context, e hcp.Envelope) hcp.Result {
	f.mu.Lock()
	f.calls = append(f.calls, e)
	approved, result := f.approved, f.result
	f.mu.Unlock()
	if f.denied != nil {
		return hcp.Refuse(e, f.denied)
	}
	card := func(d *hcp.Denial) hcp.Result {
		d.Preview = []string{`Pay 2.80 to \u{202e}x`}
		return hcp.Refuse(e, d.WithHint("how to go on"))
	}
	switch {
	case e.VerbKey == "panic":
		panic("secret words")
	case e.VerbKey == "wait":
		select {
		case <-f.release:
			f.ended <- "released"
		case <-ctx.Done():
			f.ended <- "cancelled"
			return hcp.Refuse(e, hcp.SandboxDenied("cancelled"))
		}
	case (e.VerbKey == "pay" || e.VerbKey == "wire") && !e.Args.Confirmed():
		return card(hcp.ConfirmRequired())
	case e.VerbKey == "wire" && !approved:
		d := hcp.ConfirmRequired()
		d.Approval = &hcp.Approval{ID: "ab12", Expires: "2027-01-01T00:00:00Z"}
		return card(d)
	}
	r := hcp.Result{OK: true, PackID: e.PackID, VerbKey: e.VerbKey, Result: json.RawMessage(`{"z":12345678901234567890,"a":2.80,"s":"<&>"}`)}
	if e.VerbKey == "print" {
		r.Result = json.RawMessage(result)
	}
	return r
}

func (f *fake) host() Host {
	answer := func(text string) (json.RawMessage, *hcp.Denial) { return json.RawMessage(text), f.denied }
	return Host{Version: "1.2.3", Exec: f.exec,
		Active:       func() ([]Pack, *hcp.Denial) { f.mu.Lock(); defer f.mu.Unlock(); return f.packs, f.denied },
		List:         func() (json.RawMessage, *hcp.Denial) { return answer(`[{"pack_id":"mail"}]`) },
		Availability: func(context.Context) (json.RawMessage, *hcp.Denial) { return answer(`[]`) },
		Skill: func(id string, full bool) (json.RawMessage, *hcp.Denial) {
			if id == "" {
				return answer(`[{"name":"mail"}]`)
			}
			return answer(fmt.Sprintf(`{"name":%q,"full":%t}`, id, full))
		},
		Show: func(id, verb string) (json.RawMessage, *hcp.Denial) {
			if id != "mail" {
				return nil, hcp.UnknownPack(id).WithHint("hcp list")
			}
			return answer(fmt.Sprintf(`{"pack_id":%q,"verb_key":%q}`, id, verb))
		}}
}

func (f *fake) envelopes() []hcp.Envelope {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]hcp.Envelope{}, f.calls...)
}

// begun waits until a call has reached the host.
func (f *fake) begun(t *testing.T) {
	t.Helper()
	for stop := time.Now().Add(5 * time.Second); len(f.envelopes()) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(stop) {
			t.Error("no call begins")
			return
		}
	}
}

// mustEnd waits until a "wait" has ended, and says how it has to.
func (f *fake) mustEnd(t *testing.T, want string) {
	t.Helper()
	select {
	case why := <-f.ended:
		if why != want {
			t.Errorf("%s, want %s", why, want)
		}
	case <-time.After(5 * time.Second):
		t.Error("the call goes on")
	}
}

// talk gives whole input and collects the lines that come out.
func talk(t *testing.T, f *fake, o Options, input string) []string {
	t.Helper()
	var out lockedBuilder
	if err := Serve(t.Context(), f.host(), o, strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if last := len(lines) - 1; lines[last] != "" {
		t.Fatalf("the last line has no newline: %q", lines[last])
	}
	for _, l := range lines[:len(lines)-1] {
		if !json.Valid([]byte(l)) {
			t.Fatalf("not JSON: %s", l)
		}
	}
	return lines[:len(lines)-1]
}

type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// live is a session that goes on, line by line.
type live struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
	end chan error
}

func begin(t *testing.T, f *fake, tune func(*session)) *live {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	l := &live{t: t, in: inW, out: bufio.NewScanner(outR), end: make(chan error, 1)}
	l.out.Buffer(nil, 64<<20)
	go func() {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newSession(ctx, f.host(), Options{}, &writer{w: outW, broken: cancel})
		if tune != nil {
			tune(s)
		}
		l.end <- s.serve(inR)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close() })
	return l
}

func (l *live) say(line string) {
	l.t.Helper()
	if _, err := io.WriteString(l.in, line+"\n"); err != nil {
		l.t.Fatal(err)
	}
}

func (l *live) hear() string {
	l.t.Helper()
	line := make(chan string, 1)
	go func() {
		if l.out.Scan() {
			line <- l.out.Text()
		} else {
			line <- ""
		}
	}()
	select {
	case text := <-line:
		return text
	case <-time.After(5 * time.Second):
		l.t.Fatal("nothing comes")
		return ""
	}
}

// connect is a session with the official SDK's client.
func connect(t *testing.T, f *fake, o Options, co *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(t.Context(), f.host(), o, inR, outW); outW.Close() }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, co)
	cs, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cs.Close()
		select {
		case <-served:
		case <-time.After(5 * time.Second):
			t.Error("the server does not end with its input")
		}
	})
	return cs
}

func call(t *testing.T, cs *sdk.ClientSession, name string, args any) *sdk.CallToolResult {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d contents", len(r.Content))
	}
	return r.Content[0].(*sdk.TextContent).Text
}
