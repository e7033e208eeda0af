package adapter

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"hcp/internal/hcp"
)

// Composite holds the in-process commands of hcp-cli that answer directly: by
// verb_key, a function that gives one JSON value. A verb that is not here
// changes the store, and the store belongs to the command line: it is answered
// with the exact line to run.
type Composite map[string]func(context.Context, hcp.Args) (json.RawMessage, *hcp.Denial)

func (h *Host) composite(ctx context.Context, c Call) Outcome {
	began := time.Now()
	answer := h.deferred
	if f := h.Composite[c.Command.Key]; f != nil {
		answer = func(c Call) (json.RawMessage, *hcp.Denial) { return f(ctx, c.Args) }
	}
	value, d := answer(c)
	if d != nil {
		return Outcome{Denied: d}
	}
	return Outcome{Result: hcp.Result{OK: true, Result: value}, Bytes: int64(len(value)), Took: time.Since(began)}
}

// deferred answers a store-changing command with the line that does it.
func (h *Host) deferred(c Call) (json.RawMessage, *hcp.Denial) {
	args, d := h.render(c)
	if d != nil {
		return nil, d
	}
	line := []string{"hcp"}
	for _, a := range args {
		line = append(line, ShellQuote(a.Text))
	}
	v := hcp.Value{Kind: hcp.Object, Members: []hcp.Member{
		{Name: "deferred_to_cli", Value: hcp.BoolValue(true)},
		{Name: "hint", Value: hcp.StringValue(strings.Join(line, " "))},
	}}
	return v.AppendJSON(nil), nil
}

// ShellQuote writes a word so that a POSIX shell reads it back as it is.
func ShellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./_-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
