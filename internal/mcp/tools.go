package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"hcp/internal/hcp"
)

const toolName = "hcp"

// callParams are those of tools/call.
type callParams struct {
	name string
	args json.RawMessage // an object; {} where none was given
}

func decodeCall(params json.RawMessage) (c callParams, what string) {
	f, what := split(params)
	if what != "" {
		return c, "params: " + what
	}
	var ok bool
	if c.name, ok = f.text("name"); !ok {
		return c, "name is not a string"
	}
	if c.args = f["arguments"]; c.args == nil || string(c.args) == "null" {
		c.args = json.RawMessage("{}")
	}
	return c, ""
}

// callTool answers what only looks at the store at once and in order, and lets
// calls run beside.
func (s *session) callTool(m message, done answer) {
	c, what := decodeCall(m.params)
	if what != "" {
		done(failure(m.id, codeParams, "invalid params: "+what))
		return
	}
	var a asked
	switch target, ok := s.target(c.name); {
	case c.name == toolName:
		a = parseArguments(c.args)
	case ok:
		a = asked{envelope: target}
		a.envelope.Args, a.denied = arguments(c.args)
	default:
		done(failure(m.id, codeParams, "unknown tool: "+hcp.Quote(c.name)))
		return
	}
	switch {
	case a.denied != nil:
		done(success(m.id, resultOf(hcp.Refuse(a.envelope, a.denied))))
	case a.look != nil:
		done(success(m.id, s.looked(a)))
	default:
		s.start(m, done, func(ctx context.Context) []byte { return resultOf(s.exec(ctx, a.envelope)) })
	}
}

// looked answers a command that only looks: an object as it is, an array as
// {"items":[…]}, a refusal as a result envelope.
func (s *session) looked(a asked) []byte {
	line, d := a.look(s.ctx, s.host)
	switch {
	case d != nil:
		return resultOf(hcp.Refuse(a.envelope, d))
	case len(line) > 0 && line[0] == '[':
		line = append(append([]byte(`{"items":`), line...), '}')
	}
	return toolResult(line, false)
}

// resultOf is a result envelope as a tool's result.
func resultOf(r hcp.Result) []byte {
	if tooDeep(r.Result) {
		r.Result = hcp.AppendString(nil, string(r.Result))
	}
	return toolResult(r.AppendJSON(nil), !r.OK)
}

// toolResult says the same twice, byte for byte: for programs and, as text, for
// models. Numbers are the digits they were.
func toolResult(line []byte, isError bool) []byte {
	out := hcp.AppendString([]byte(`{"content":[{"type":"text","text":`), string(line))
	out = append(append(out, `}],"structuredContent":`...), line...)
	if isError {
		return append(out, `,"isError":true}`...)
	}
	return append(out, `,"isError":false}`...)
}

// tooDeep tells whether a child's JSON nests so deep that a client may give up
// on the whole session; it then travels as the string it was printed as.
func tooDeep(line []byte) bool {
	const most = 100 // ordinary clients stop between 128 and 1,000
	depth, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// listTools describes the tools there are now: the one called hcp and, where
// they are wanted, one for every command of the active packs. The built-in
// pack's commands are not listed: hcp itself does what they do.
func (s *session) listTools() hcp.Value {
	packs, d := s.host.Active()
	tools := []hcp.Value{hcpTool(packs, d)}
	if s.names && d == nil {
		for _, t := range projected(packs) {
			if !t.pack.BuiltIn {
				tools = append(tools, t.describe())
			}
		}
	}
	return object("tools", tools)
}

func hcpTool(packs []Pack, d *hcp.Denial) hcp.Value {
	var b strings.Builder
	b.WriteString("Runs commands of installed packs, policed: each call is checked, confined and recorded. " +
		"list: the packs; show P: its commands; show P V: one command and its args; skill P: how to use a pack; " +
		"availability: what may run now; exec P V: runs command V of pack P with args. " +
		"A refusal is a result with ok false and an error; its hint says what would help. " +
		"confirm required: show the preview to the user, and send the same call with \"confirm\": true in args once they agree.")
	if d == nil {
		b.WriteString(" Active packs:")
		for _, p := range packs {
			if !p.BuiltIn {
				b.WriteString("\n" + p.ID + ": " + hcp.Printable(p.Description, ""))
			}
		}
		if strings.HasSuffix(b.String(), ":") {
			b.WriteString(" none.")
		}
	}
	text := func(about string) hcp.Value { return object("type", "string", "description", about) }
	return object("name", toolName, "title", "hcp", "description", b.String(),
		"inputSchema", object("type", "object", "properties", object(
			"command", text("list | show P [V] | availability | skill [P] | exec P V"),
			"args", object("type", "object", "description", "The arguments of exec, by name."),
			"pack_id", text("Instead of command: the pack of an envelope."),
			"verb_key", text("Instead of command: the command of an envelope."))),
		"annotations", hints("hcp", true, false))
}

// hints are what a host may go by when it decides whether to ask its user.
// Nothing is known of a write but that it is one.
func hints(title string, write, local bool) hcp.Value {
	return object("title", title, "readOnlyHint", !write, "destructiveHint", write, "idempotentHint", !write, "openWorldHint", !local)
}
