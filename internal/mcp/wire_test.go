package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

const listCall = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"hcp","arguments":%s}}`

func callLine(id, args string) string { return fmt.Sprintf(listCall, id, args) }

// No line ends the session: the last one is always answered.
func TestBadLines(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for _, c := range []struct{ line, want string }{
		{"garbage", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"{", `"code":-32700`},
		{`{"jsonrpc":"2.0","id":7,"method":"ping"} x`, `"code":-32700`},
		{"\xff\xfe", `parse error: not UTF-8`},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", `parse error: not UTF-8`},
		{"\x00", `"code":-32700`},
		{strings.Repeat("[", 20000), `"code":-32700`},
		{strings.Repeat("x", maxLine+2), `parse error: message larger than 4 MiB`},
		{`"a"`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: not an object"}}`},
		{`7`, `-32600`}, {`null`, `-32600`}, {`{}`, `-32600`},
		{`{"jsonrpc":"1.0","id":7,"method":"ping"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"invalid request: jsonrpc is not \"2.0\""}}`},
		{`{"jsonrpc":"2.0","id":7}`, `"id":7,"error":{"code":-32600,"message":"invalid request: method missing"}`},
		{`{"jsonrpc":"2.0","id":7,"method":""}`, `method is not a name`},
		{`{"jsonrpc":"2.0","id":7,"method":4}`, `method is not a name`},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `id is neither a string nor a number`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"id":null`},
		{`{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`, `duplicate key \"id\"`},
		{`{"jsonrpc":"2.0","id":7,"method":"nope"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"method not found: \"nope\""}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, `-32602,"message":"invalid params: params: not an object"`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}`, `-32602`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":4}}`, `name is not a string`},
		{`{"jsonrpc":"2.0","id":7,"method":"resources/read"}`, `uri is not a string`},
		{`[]`, `empty batch`},
		{`[` + strings.Repeat("7,", 256) + `7]`, `batch of more than 256 messages`},
		{callLine("7", `{"command":"exec a b","args":`+deep+`}`), `"id":7,"result":{"content":[{"type":"text","text":"{\"ok\":false,\"pack_id\":\"a\",\"verb_key\":\"b\",\"error\":\"invalid envelope: nested deeper than 8\"`},
		{callLine("7", `{"pack_id":"a","verb_key":"b","args":{"x":1,"x":2}}`), `"structuredContent":{"ok":false,"pack_id":"a","verb_key":"b","error":"invalid envelope: duplicate key \"x\""},"isError":true`},
		{callLine("7", `{"pack_id":"a","verb_key":"b","args":{"x":"`+strings.Repeat("x", 70000)+`"}}`), `argument \"x\" exceeds 64 KiB`},
		{callLine("7", `{"pack_id":"a","verb_key":"b","args":{"x":"`+strings.Repeat("x", 1<<20)+`"}}`), `"error":"invalid envelope: larger than 1 MiB"`},
		{callLine("7", `{"pack_id":"a","verb_key":"b","arg":{}}`), `unknown field \"arg\"`},
		{callLine("7", `{"pack_id":"a"}`), `verb_key missing`},
		{callLine("7", `{"pack_id":"a","verb_key":"b","command":"list"}`), `unknown field \"pack_id\" beside command`},
		{callLine("7", `[]`), `not a JSON object`},
		{callLine("7", `{}`), `command missing`},
		{callLine("7", `{"command":4}`), `command is not a string`},
		{callLine("7", `{"command":"  "}`), `command is empty`},
		{callLine("7", `{"command":"","args":null,"pack_id":null}`), `command missing`},
		{callLine("7", `{"command":"rm"}`), `unknown command \"rm\"`},
		{callLine("7", `{"command":"exec"}`), `pack_id missing`},
		{callLine("7", `{"command":"exec a"}`), `"pack_id":"a","verb_key":"","error":"invalid envelope: verb_key missing"`},
		{callLine("7", `{"command":"exec a b c"}`), `too many words after exec`},
		{callLine("7", `{"command":"exec a b","args":4}`), `args is not an object`},
		{callLine("7", `{"command":"list a"}`), `too many words after list`},
		{callLine("7", `{"command":"list","args":{"a":1}}`), `args belong to exec, not to list`},
		{callLine("7", `{"command":"show"}`), `show takes a pack`},
		{callLine("7", `{"command":"show nope"}`), `"pack_id":"nope","verb_key":"","error":"unknown pack nope"`},
		{callLine("7", `{"command":"exec mail panic"}`), `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"internal fault"}}`},
	} {
		lines := talk(t, newFake(), Options{}, c.line+"\n\n \r\n"+`{"jsonrpc":"2.0","id":"end","method":"ping"}`)
		all := strings.Join(lines, "\n")
		if len(lines) != 2 || !strings.Contains(all, c.want) || !strings.Contains(all, `{"jsonrpc":"2.0","id":"end","result":{}}`) || strings.Contains(all, "secret") {
			t.Errorf("%.200s\n gives %.600s", c.line, all)
		}
	}
}

func TestLooks(t *testing.T) {
	for command, want := range map[string]string{
		"list": `{"items":[{"pack_id":"mail"}]}`, "availability": `{"items":[]}`, "hcp list --json": `{"items":[{"pack_id":"mail"}]}`,
		"show mail": `{"pack_id":"mail","verb_key":""}`, "show mail send": `{"pack_id":"mail","verb_key":"send"}`,
		"skill": `{"items":[{"name":"mail"}]}`, "skill mail": `{"name":"mail","full":false}`, "skill mail --full": `{"name":"mail","full":true}`,
	} {
		lines := talk(t, newFake(), Options{}, callLine(`"x"`, fmt.Sprintf(`{"command":%q}`, command)))
		quoted, _ := json.Marshal(want)
		if got := lines[0]; got != `{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":`+string(quoted)+`}],"structuredContent":`+want+`,"isError":false}}` {
			t.Errorf("%s: %s", command, got)
		}
	}
}

// A model that fills in every field there is means those that it fills in with
// something.
func TestUnsaidFields(t *testing.T) {
	for _, args := range []string{
		`{"command":"exec mail send","args":{"to":"","n":null,"x":2.80},"pack_id":"","verb_key":null}`,
		`{"command":"","args":{"to":"","n":null,"x":2.80},"pack_id":"mail","verb_key":"send"}`,
	} {
		f := newFake()
		talk(t, f, Options{}, callLine("1", args))
		got := f.envelopes()
		if len(got) != 1 || got[0].PackID != "mail" || got[0].VerbKey != "send" || string(got[0].Args.AppendJSON(nil)) != `{"to":"","n":null,"x":2.80}` {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

// Notifications and stray answers get no answer; an id comes back as it was.
func TestIDs(t *testing.T) {
	lines := talk(t, newFake(), Options{}, strings.Join([]string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/whatever","params":4}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"x"}}`,
		`{ "id" :  12345678901234567890 , "method":"ping","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":"a\u0041\n","method":"ping"}`,
	}, "\n"))
	want := `{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":"a\u0041\n","result":{}}`
	if got := strings.Join(lines, "\n"); got != want {
		t.Error(got)
	}
}

func TestVersions(t *testing.T) {
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-06-18": "2025-06-18", "2026-07-28": "2025-11-25", "1": "2025-11-25"} {
		lines := talk(t, newFake(), Options{}, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+asked+`"}}`)
		if !strings.Contains(lines[0], `"protocolVersion":"`+want+`"`) {
			t.Errorf("%s: %s", asked, lines[0])
		}
	}
}

// An array is answered by one array, when all of it is done.
func TestBatch(t *testing.T) {
	lines := talk(t, newFake(), Options{}, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},`+
		callLine("2", `{"command":"exec mail mail.list"}`)+`,7]`+"\n"+`[{"jsonrpc":"2.0","method":"notifications/x"}]`)
	var answers []map[string]any
	if len(lines) != 1 || json.Unmarshal([]byte(lines[0]), &answers) != nil || len(answers) != 3 {
		t.Fatalf("%q", lines)
	}
}

// What is in flight when the input ends is finished and written; a question
// that nobody can answer any more is not.
func TestEndOfInput(t *testing.T) {
	f := newFake()
	l := begin(t, f, func(s *session) { s.canAsk = true })
	for i := range 3 {
		l.say(callLine(fmt.Sprint(i), `{"command":"exec mail wait"}`))
	}
	l.say(callLine(`"q"`, `{"command":"exec mail pay"}`))
	if q := l.hear(); !strings.Contains(q, `"id":1,"method":"elicitation/create"`) {
		t.Fatal(q)
	}
	l.in.Close()
	if a := l.hear(); !strings.Contains(a, `"id":"q"`) || !strings.Contains(a, "how to go on") {
		t.Fatal(a)
	}
	close(f.release)
	for range 3 {
		if a := l.hear(); !strings.Contains(a, `"ok":true`) && !strings.Contains(a, `\"ok\":true`) {
			t.Fatal(a)
		}
	}
	if err := <-l.end; err != nil {
		t.Error(err)
	}
}

// A question is not waited for without end, and is taken back.
func TestPatience(t *testing.T) {
	l := begin(t, newFake(), func(s *session) { s.canAsk, s.patience = true, 20*time.Millisecond })
	l.say(callLine("5", `{"command":"exec mail pay"}`))
	l.hear()
	if c := l.hear(); !strings.Contains(c, `"method":"notifications/cancelled","params":{"requestId":1,`) {
		t.Error(c)
	}
	if a := l.hear(); !strings.Contains(a, `"id":5,`) || !strings.Contains(a, "did not answer") {
		t.Error(a)
	}
	// an answer that comes too late is nobody's
	l.say(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true}}}`)
	l.say(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	if a := l.hear(); a != `{"jsonrpc":"2.0","id":6,"result":{}}` {
		t.Error(a)
	}
}

// More questions than a person could answer get their refusal at once.
func TestTooManyQuestions(t *testing.T) {
	f := newFake()
	l := begin(t, f, func(s *session) { s.canAsk = true })
	for i := range maxAsked + 3 {
		l.say(callLine(fmt.Sprint(i), `{"command":"exec mail pay"}`))
	}
	refused := 0
	for range maxAsked + 3 {
		if strings.Contains(l.hear(), "how to go on") {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("%d of %d refused", refused, maxAsked+3)
	}
}

func TestIDInUseAndCancel(t *testing.T) {
	f := newFake()
	l := begin(t, f, nil)
	l.say(callLine("1", `{"command":"exec mail wait"}`))
	l.say(callLine("1", `{"command":"exec mail wait"}`))
	if a := l.hear(); !strings.Contains(a, "id is in use") {
		t.Error(a)
	}
	f.begun(t)
	l.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	f.mustEnd(t, "cancelled")
	l.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if a := l.hear(); a != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("a cancelled call is answered: %s", a)
	}
}

// Calls beyond the limits wait their turn; all are answered.
func TestManyQueued(t *testing.T) {
	f := newFake()
	var in strings.Builder
	const n = maxQueued + 100
	for i := range n {
		in.WriteString(callLine(fmt.Sprint(i), `{"command":"exec mail wait"}`) + "\n")
	}
	go func() {
		for range n {
			f.release <- struct{}{}
			<-f.ended
		}
	}()
	if lines := talk(t, f, Options{}, in.String()); len(lines) != n {
		t.Errorf("%d answers", len(lines))
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A client that reads no more ends its calls and the session.
func TestBrokenOutput(t *testing.T) {
	f := newFake()
	r, w := io.Pipe()
	defer w.Close()
	done := make(chan error, 1)
	go func() { done <- Serve(t.Context(), f.host(), Options{}, r, brokenPipe{}) }()
	io.WriteString(w, callLine("1", `{"command":"exec mail wait"}`)+"\n")
	f.begun(t)
	io.WriteString(w, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	select {
	case err := <-done:
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("goes on")
	}
	f.mustEnd(t, "cancelled")
}

// JSON that nests deeper than clients read travels as the string it was.
func TestDeepResult(t *testing.T) {
	for depth, want := range map[int]string{100: `"result":[[`, 101: `"result":"[[`} {
		f := newFake()
		f.result = strings.Repeat("[", depth) + `"]\"["` + strings.Repeat("]", depth)
		lines := talk(t, f, Options{}, callLine("1", `{"command":"exec mail print"}`))
		if !strings.Contains(lines[0], want) {
			t.Errorf("%d: %s", depth, lines[0])
		}
	}
}
