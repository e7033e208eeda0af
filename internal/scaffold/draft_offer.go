package scaffold

import "strings"

// changes tells whether a flag's help says that it changes something: such a
// flag makes a command that reads one that writes. A switch that says nothing
// of itself is not trusted either.
func (d *drafter) changes(f *Flag) bool {
	if strings.TrimSpace(f.Help) == "" && usefulness(f) < 10 {
		return true // nothing is known of it
	}
	said := d.lex.says(f.Help)
	if said.also != "" { // "show entries after the cursor in FILE and update FILE"
		return true
	}
	for i, w := range nameWords(longFirst(f.Names)[0]) {
		if said.class == wordRead { // "--fork: show only forks"
			break
		}
		if c := d.lex.leaf[w]; c == wordDestroy && i == 0 || c == wordWrite && !harmless(w) && (f.Value == ValueNone || deed(w)) {
			return true
		}
	}
	if said.class != wordWrite && said.class != wordDestroy && said.class != wordExec {
		return false
	}
	if f.Value != ValueNone { // a value is mostly a setting: "Accepts a list of …"
		return deed(said.verb)
	}
	return !harmless(said.verb)
}

// deed: verbs that are one even where a value follows.
func deed(verb string) bool {
	switch verb {
	case "write", "save", "store", "create", "delete", "append", "upload", "send", "export", "record", "update", "install", "post", "publish", "execute", "exec", "push", "add", "edit", "modify", "vacuum", "rotate", "trim":
		return true
	}
	return false
}

// harmless verbs of a switch are about what is shown.
func harmless(verb string) bool {
	switch verb {
	case "use", "sort", "order", "format", "resolve", "expand", "render", "translate", "follow", "prefer", "allow", "enable", "disable", "turn", "do", "activate", "deactivate", "compact",
		"compress", "on", "off", "start", "alias", "accept", "split", "join", "convert", "prepend":
		return true
	}
	return false
}

// destroys: a switch that turns a command into one that loses something.
func (d *drafter) destroys(f *Flag) bool {
	for _, n := range f.Names {
		for _, w := range nameWords(n) {
			if d.lex.leaf[w] == wordDestroy {
				return true
			}
		}
	}
	return d.lex.says(f.Help).class == wordDestroy
}

// usefulness ranks the flags of a command.
func usefulness(f *Flag) int {
	score := 0
	if f.Required {
		score += 1000
	}
	if f.Value != ValueNone {
		score += 4
	}
	if len(f.Enum) > 0 {
		score += 4
	}
	if strings.HasPrefix(longFirst(f.Names)[0], "--") {
		score += 3
	}
	if f.Help == "" {
		score -= 6
	}
	switch argName(f) {
	case "limit", "max_count", "count", "n", "state", "status", "author", "assignee", "label", "labels", "filter", "filters", "search", "query", "name", "all", "since", "until",
		"before", "after", "sort", "repo", "namespace", "project", "tag", "tags", "branch", "type", "kind", "message", "title", "body", "description", "all_namespaces", "selector", "depth", "file", "create", "extract", "list":
		score += 12
	case "location", "request", "data", "fail", "max_time", "user_agent", "compressed", "dry_run", "recursive", "page", "per_page", "milestone", "base", "head", "version", "latest", "owner", "group", "path", "include", "exclude", "pattern", "ref", "stat", "staged", "cached", "draft":
		score += 6
	}
	help := strings.ToLower(f.Help)
	for _, w := range []string{"deprecated", "experimental", "unstable", "nightly", "internal", "legacy", "debug", "no effect", "ignored", "compatib"} {
		if strings.Contains(help, w) {
			score -= 20
		}
	}
	return score
}
