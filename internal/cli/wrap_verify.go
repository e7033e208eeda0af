package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hcp/internal/scaffold"
)

const (
	verifyAll = time.Minute // for all commands together
	// fieldsWord stands in Command.JSON for Command.Fields.
	fieldsWord = "{{fields}}"
)

// verify runs the chosen commands that read and claim to print JSON, and that
// need no argument, in the same sandbox that gave their help. Without network
// and credentials many can't answer; one that answers with something else has
// its JSON flag taken away.
func (w *wrapping) verify(ctx context.Context, tool *scaffold.Tool, choice scaffold.Choice) {
	ctx, cancel := context.WithTimeout(ctx, verifyAll)
	defer cancel()
	for _, c := range choice.Commands {
		if c.Effect != scaffold.Read || c.JSON == nil || needsWords(c) || c.Fields == "" && slices.Contains(c.JSON, fieldsWord) {
			continue
		}
		argv := slices.Clone(c.Path)
		for _, token := range c.JSON {
			argv = append(argv, strings.ReplaceAll(token, fieldsWord, c.Fields))
		}
		a := w.prober.run(ctx, argv, false)
		w.prober.note(argv, a)
		what := ""
		switch {
		case a.Failed != "":
			what = "JSON not verified: " + a.Failed
		case a.Exit != 0:
			what = "JSON not verified: without network and credentials it fails (" + first(firstLine(a.Stderr, a.Stdout), "no word why") + ")"
		case len(bytes.TrimSpace(a.Stdout)) == 0:
			what = "JSON not verified: it printed nothing"
		case json.Valid(a.Stdout):
			what = "JSON verified"
		case jsonLines(a.Stdout):
			what = "prints JSON lines, not one value: the result will be text"
		default:
			c.JSON, c.Fields = nil, ""
			what = "printed no JSON when run: its JSON flag is left out"
		}
		tool.Notes = append(tool.Notes, scaffold.Note{Where: tool.ID.Name + " " + strings.Join(argv, " "), What: what})
	}
}

// needsWords tells whether a command cannot be run as it stands.
func needsWords(c *scaffold.Command) bool {
	return slices.ContainsFunc(c.Page.Positionals, func(p scaffold.Positional) bool { return p.Required }) ||
		slices.ContainsFunc(c.Page.Flags, func(f scaffold.Flag) bool { return f.Required })
}

func jsonLines(b []byte) bool {
	for line := range bytes.Lines(b) {
		if len(bytes.TrimSpace(line)) > 0 && !json.Valid(line) {
			return false
		}
	}
	return true
}

// firstLine is the first line of the first stream that has one.
func firstLine(streams ...[]byte) string {
	for _, b := range streams {
		if line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n"); line != "" {
			return cutText(strings.ToValidUTF8(line, "?"), 80)
		}
	}
	return ""
}
