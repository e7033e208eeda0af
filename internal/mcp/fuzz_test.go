package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Whatever comes in, what goes out is one JSON value a line, and the line after
// it is answered.
func FuzzSession(f *testing.F) {
	seeds := []string{
		callLine("1", `{"command":"exec mail mail.list","args":{"a":[1,{"b":2.80}]}}`), callLine(`"x"`, `{"pack_id":"mail","verb_key":"send"}`),
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{}]`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"skill://mail"}}`, "\xff\x00{", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail__send","arguments":{"to":"\ud800"}}}`,
	}
	for _, s := range seeds {
		f.Add(s)
	}
	const last = `{"jsonrpc":"2.0","id":"the last","method":"ping"}`
	f.Fuzz(func(t *testing.T, line string) {
		host := newFake()
		close(host.release)
		var out bytes.Buffer
		if err := Serve(t.Context(), host.host(), Options{Commands: true}, strings.NewReader(line+"\n"+last), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `{"jsonrpc":"2.0","id":"the last","result":{}}`+"\n") {
			t.Errorf("%q: %s", line, out.String())
		}
		for answer := range bytes.Lines(out.Bytes()) {
			if !json.Valid(answer) {
				t.Errorf("%q: not JSON: %s", line, answer)
			}
		}
	})
}
