package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

const maxName = 64 // what hosts take as a tool's name

// projectedTool is one command as a tool of its own.
type projectedTool struct {
	name    string
	pack    *Pack
	command *Command
}

// longName is pack id, two underscores, verb_key with dots as underscores
// (C-8). Neither id has an underscore of its own, so that no two are the same.
func longName(pack, verb string) string { return pack + "__" + strings.ReplaceAll(verb, ".", "_") }

// shortName is a name that is too long, cut, with n hex digits of the whole
// one's hash.
func shortName(name string, n int) string {
	sum := sha256.Sum256([]byte(name))
	return name[:maxName-1-n] + "_" + hex.EncodeToString(sum[:])[:n]
}

// projected names every command of the packs. The same packs give the same
// names: those that fit are as they are, and a longer one whose cut form is
// taken gets more of its hash.
func projected(packs []Pack) []projectedTool {
	var list []projectedTool
	taken := map[string]bool{}
	for i := range packs {
		for k := range packs[i].Commands {
			t := projectedTool{pack: &packs[i], command: &packs[i].Commands[k]}
			if t.name = longName(t.pack.ID, t.command.VerbKey); len(t.name) <= maxName {
				taken[t.name] = true
			}
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b projectedTool) int { return strings.Compare(a.name, b.name) })
	for i := range list {
		if full := list[i].name; len(full) > maxName {
			n := 8
			for list[i].name = shortName(full, n); taken[list[i].name] && n < 40; n++ {
				list[i].name = shortName(full, n+1)
			}
			taken[list[i].name] = true
		}
	}
	return list
}

// target is the envelope that a tool's name means. The name of a command whose
// pack is not active any more still means it: what is wrong then is the
// pipeline's to say.
func (s *session) target(name string) (hcp.Envelope, bool) {
	if !s.names || name == toolName {
		return hcp.Envelope{}, false
	}
	if len(name) == maxName { // it may have been cut
		packs, _ := s.host.Active()
		for _, t := range projected(packs) {
			if t.name == name {
				return hcp.Envelope{PackID: t.pack.ID, VerbKey: t.command.VerbKey}, true
			}
		}
	}
	pack, verb, ok := strings.Cut(name, "__")
	verb = strings.ReplaceAll(verb, "_", ".")
	return hcp.Envelope{PackID: pack, VerbKey: verb}, ok && hcp.ValidID(pack) && hcp.ValidVerbKey(verb)
}

func (t *projectedTool) describe() hcp.Value {
	c := t.command
	about := hcp.Printable(c.Description, "\n")
	if c.Confirm {
		about = strings.TrimSpace(about + " Needs \"confirm\": true, once the user has agreed.")
	}
	title := hcp.Printable(c.Title, "")
	return object("name", t.name, "title", title, "description", about,
		"inputSchema", t.schema(), "annotations", hints(title, c.Write, c.Local))
}

// schema is the args schema of the command, and confirm where it means
// something.
func (t *projectedTool) schema() hcp.Value {
	c := t.command
	props := c.Args.Get("properties")
	if props.Kind != hcp.Object {
		props = object()
	}
	if c.Args.Kind == hcp.Missing {
		for _, name := range c.Names {
			props.Members = append(props.Members, hcp.Member{Name: name, Value: object()})
		}
	}
	if (c.Write || c.Confirm) && props.Get(hcp.ArgConfirm).Kind == hcp.Missing {
		props.Members = append(slices.Clip(props.Members), hcp.Member{Name: hcp.ArgConfirm, Value: object("type", "boolean",
			"description", "true: the user has agreed to exactly this call.")})
	}
	out := object("type", "object", "properties", props)
	for _, m := range c.Args.Members {
		if m.Name != "type" && m.Name != "properties" {
			out.Members = append(out.Members, m)
		}
	}
	return out
}
