package mcp

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// The Skills of the active packs are resources.
const (
	skillScheme = "skill://"
	markdown    = "text/markdown"
)

func (s *session) listResources(m message) []byte {
	packs, d := s.host.Active()
	if d != nil {
		return failure(m.id, codeInternal, d.Message)
	}
	list := []hcp.Value{}
	for _, p := range packs {
		if p.Skill != nil {
			list = append(list, object("uri", skillScheme+p.ID, "name", p.ID, "title", "Skill of "+p.ID,
				"description", hcp.Printable(p.Skill.Description, ""), "mimeType", markdown))
		}
	}
	return success(m.id, object("resources", list).AppendJSON(nil))
}

func (s *session) readResource(m message) []byte {
	f, _ := split(m.params)
	uri, ok := f.text("uri")
	if !ok {
		return failure(m.id, codeParams, "invalid params: uri is not a string")
	}
	packs, d := s.host.Active()
	if d != nil {
		return failure(m.id, codeInternal, d.Message)
	}
	id, ok := strings.CutPrefix(uri, skillScheme)
	i := slices.IndexFunc(packs, func(p Pack) bool { return ok && p.ID == id && p.Skill != nil })
	if i < 0 {
		return failure(m.id, codeNoResource, "resource not found: "+hcp.Quote(uri))
	}
	return success(m.id, object("contents", []hcp.Value{
		object("uri", uri, "mimeType", markdown, "text", packs[i].Skill.Text)}).AppendJSON(nil))
}
