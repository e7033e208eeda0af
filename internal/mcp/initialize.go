package mcp

import (
	"encoding/json"
	"slices"

	"hcp/internal/hcp"
)

// versions of the protocol that begin with initialize, the newest first. A
// client of a later one falls back to it.
func versions() []string { return []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} }

const instructions = "hcp runs command-line tools as named, policed commands. Look with list and show, " +
	"read a pack's Skill before its first use, run with exec. Never confirm a write that the user has not agreed to."

// initialize answers the client's hello. A client that leaves it out is served
// all the same: nothing that hcp guards hangs on it.
func (s *session) initialize(params json.RawMessage) hcp.Value {
	p, _ := split(params)
	version, _ := p.text("protocolVersion")
	if !slices.Contains(versions(), version) {
		version = versions()[0]
	}
	s.mu.Lock()
	s.canAsk = takesForms(p["capabilities"])
	s.mu.Unlock()
	return object("protocolVersion", version,
		"capabilities", object("tools", object(), "resources", object()),
		"serverInfo", object("name", "hcp", "title", "hcp", "version", s.host.Version),
		"instructions", instructions)
}

// takesForms tells whether the client can put a form before its user. One that
// names only the other mode, a page in a browser, cannot.
func takesForms(capabilities json.RawMessage) bool {
	c, _ := split(capabilities)
	e, what := split(c["elicitation"])
	return what == "" && c["elicitation"] != nil && (e["form"] != nil || e["url"] == nil)
}
