package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// asked is what the arguments of the tool hcp ask for: a refusal, a look at the
// store, or a call.
type asked struct {
	envelope hcp.Envelope // its ids are known as far as they could be read
	denied   *hcp.Denial
	look     func(context.Context, Host) (json.RawMessage, *hcp.Denial)
}

// usage is the hint of every command that is none.
const usage = "list | show P [V] | availability | skill [P] | exec P V; arguments go into args"

func refuse(a asked, format string, list ...any) asked {
	a.denied = hcp.InvalidEnvelope(format, list...).WithHint(usage)
	return a
}

// parseArguments reads an envelope, or a command with its args.
func parseArguments(raw json.RawMessage) asked {
	f, _ := split(raw)
	a := asked{envelope: named(f)}
	v, d := parse(raw)
	if a.denied = d; d != nil {
		return a
	}
	given := len(v.Members)
	v.Members = slices.DeleteFunc(v.Members, unsaid)
	command, args := v.Get("command"), v.Get("args")
	if command.Kind == hcp.Missing && (v.Get("pack_id").Kind != hcp.Missing || v.Get("surface_id").Kind != hcp.Missing) {
		if len(v.Members) < given {
			raw = v.AppendJSON(nil)
		}
		a.envelope, a.denied = hcp.DecodeEnvelope(raw)
		return a
	}
	for _, m := range v.Members {
		if m.Name != "command" && m.Name != "args" {
			return refuse(a, "unknown field %s beside command", hcp.Quote(m.Name))
		}
	}
	switch {
	case command.Kind == hcp.Missing:
		return refuse(a, "command missing")
	case command.Kind != hcp.String:
		return refuse(a, "command is not a string")
	case args.Kind != hcp.Missing && args.Kind != hcp.Object:
		return refuse(a, "args is not an object")
	}
	return parseCommand(commandWords(command.Text), args.Members)
}

// unsaid tells whether a field of the tool says nothing: models that fill in
// every field there is send those they do not mean as null or "".
func unsaid(m hcp.Member) bool {
	return m.Value.Kind == hcp.Null || m.Value.Kind == hcp.String && m.Value.Text == ""
}

// named gives the ids that arguments name, no good as they may be as a whole:
// every result names them (E-8).
func named(f fields) (e hcp.Envelope) {
	e.PackID, _ = f.text("pack_id")
	e.VerbKey, _ = f.text("verb_key")
	if command, ok := f.text("command"); ok {
		if words := commandWords(command); word(words, 0) == "exec" {
			e.PackID, e.VerbKey = word(words, 1), word(words, 2)
		}
	}
	return e
}

// commandWords splits a command. Whoever has learnt the command line, as the
// Skills teach it, may begin with hcp and ask for JSON, which it gets anyway.
func commandWords(command string) []string {
	words := slices.DeleteFunc(strings.Fields(command), func(w string) bool { return w == "--json" })
	if len(words) > 1 && (words[0] == "hcp" || words[0] == "hcpx") {
		return words[1:]
	}
	return words
}

// parseCommand reads the words of a command.
func parseCommand(words []string, args hcp.Args) asked {
	if len(words) == 0 {
		return refuse(asked{}, "command is empty")
	}
	if words[0] == "exec" {
		return parseExec(words[1:], args)
	}
	var a asked
	full := slices.Contains(words[1:], "--full")
	rest := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool { return w == "--full" && words[0] == "skill" })
	pack, verb := word(rest, 0), word(rest, 1)
	most := 0
	switch words[0] {
	case "list":
		a.look = func(_ context.Context, h Host) (json.RawMessage, *hcp.Denial) { return h.List() }
	case "availability":
		a.look = func(ctx context.Context, h Host) (json.RawMessage, *hcp.Denial) { return h.Availability(ctx) }
	case "skill":
		most = 1
		a.look = func(_ context.Context, h Host) (json.RawMessage, *hcp.Denial) { return h.Skill(pack, full) }
	case "show":
		if most = 2; pack == "" {
			return refuse(a, "show takes a pack")
		}
		a.look = func(_ context.Context, h Host) (json.RawMessage, *hcp.Denial) { return h.Show(pack, verb) }
	default:
		return refuse(a, "unknown command %s", hcp.Quote(words[0]))
	}
	a.envelope.PackID, a.envelope.VerbKey = pack, verb
	switch {
	case len(rest) > most:
		return refuse(asked{}, "too many words after %s", words[0])
	case len(args) > 0:
		return refuse(a, "args belong to exec, not to %s", words[0])
	}
	return a
}

func parseExec(words []string, args hcp.Args) asked {
	a := asked{envelope: hcp.Envelope{PackID: word(words, 0), VerbKey: word(words, 1), Args: args}}
	switch {
	case a.envelope.PackID == "":
		return refuse(a, "pack_id missing")
	case a.envelope.VerbKey == "":
		return refuse(a, "verb_key missing")
	case len(words) > 2:
		return refuse(a, "too many words after exec %s %s", hcp.Quote(words[0]), hcp.Quote(words[1]))
	}
	a.denied = a.envelope.Check()
	return a
}

func word(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// parse reads a tool's arguments as strictly as an envelope.
func parse(raw json.RawMessage) (hcp.Value, *hcp.Denial) {
	if len(raw) > hcp.MaxEnvelope {
		return hcp.Value{}, hcp.InvalidEnvelope("larger than 1 MiB")
	}
	v, err := hcp.ParseJSON(raw, hcp.MaxDepth)
	switch {
	case hcp.IsTooDeep(err):
		return v, hcp.InvalidEnvelope("nested deeper than %d", hcp.MaxDepth)
	case err != nil:
		return v, hcp.InvalidEnvelope("%v", err)
	case v.Kind != hcp.Object:
		return v, hcp.InvalidEnvelope("not a JSON object")
	}
	return v, nil
}

// arguments reads those of a command's own tool.
func arguments(raw json.RawMessage) (hcp.Args, *hcp.Denial) {
	v, d := parse(raw)
	if d != nil {
		return nil, d
	}
	return v.Members, hcp.Envelope{Args: v.Members}.Check()
}
