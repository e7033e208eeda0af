package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"

	"hcp/internal/hcp"
)

// The error codes of JSON-RPC, and the one of MCP for a resource.
const (
	codeParse      = -32700
	codeRequest    = -32600
	codeMethod     = -32601
	codeParams     = -32602
	codeInternal   = -32603
	codeNoResource = -32002
)

// fields are the members of a JSON object, each as it was written.
type fields map[string]json.RawMessage

// split takes an object apart, its values untouched: whoever acts on one reads
// it strictly. what says what is wrong, "" for nothing.
func split(raw []byte) (f fields, what string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, "not an object"
	}
	f = fields{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, "not an object"
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil, "not an object"
		}
		key := name.(string) // an object's names are strings
		if f[key] != nil {
			return nil, "duplicate key " + hcp.Quote(key)
		}
		f[key] = value
	}
	return f, ""
}

// text is a member that has to be a string.
func (f fields) text(name string) (string, bool) {
	v, err := hcp.ParseJSON(f[name], 1)
	return v.Text, err == nil && v.Kind == hcp.String
}

// message is one message of the peer.
type message struct {
	id     json.RawMessage // as written; nil: a notification
	method string          // "": an answer to a request of ours
	params json.RawMessage // nil: none
	result json.RawMessage // of an answer; nil: it is an error
}

// decode reads a message that is JSON. what says why it is none.
func decode(raw []byte) (m message, what string) {
	f, what := split(raw)
	if what != "" {
		return m, what
	}
	id, hasID := f["id"]
	if hasID && id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		return m, "id is neither a string nor a number"
	}
	m.id, m.params, m.result = id, f["params"], f["result"]
	if version, ok := f.text("jsonrpc"); !ok || version != "2.0" {
		return m, `jsonrpc is not "2.0"`
	}
	if f["method"] == nil {
		if hasID && (f["result"] != nil || f["error"] != nil) {
			return m, ""
		}
		return m, "method missing"
	}
	var ok bool
	if m.method, ok = f.text("method"); !ok || m.method == "" {
		return m, "method is not a name"
	}
	return m, ""
}

// object builds an object value of name, value, name, value, …
func object(list ...any) hcp.Value {
	v := hcp.Value{Kind: hcp.Object}
	for i := 0; i+1 < len(list); i += 2 {
		v.Members = append(v.Members, hcp.Member{Name: list[i].(string), Value: value(list[i+1])})
	}
	return v
}

func value(x any) hcp.Value {
	switch x := x.(type) {
	case string:
		return hcp.StringValue(x)
	case bool:
		return hcp.BoolValue(x)
	case hcp.Value:
		return x
	case []hcp.Value:
		return hcp.Value{Kind: hcp.Array, Items: x}
	}
	return hcp.Value{Kind: hcp.Null}
}

// success is the answer to a request.
func success(id json.RawMessage, result []byte) []byte {
	line := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":`...)
	return append(append(line, result...), '}')
}

// failure is the answer to a request that was none; a nil id is null.
func failure(id json.RawMessage, code int64, words string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	line := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"error":{"code":`...)
	line = append(strconv.AppendInt(line, code, 10), `,"message":`...)
	return append(hcp.AppendString(line, words), `}}`...)
}

// request is a message of ours; an empty id makes it a notification.
func request(id, method string, params hcp.Value) []byte {
	line := []byte(`{"jsonrpc":"2.0"`)
	if id != "" {
		line = append(append(line, `,"id":`...), id...)
	}
	line = hcp.AppendString(append(line, `,"method":`...), method)
	return append(params.AppendJSON(append(line, `,"params":`...)), '}')
}
