package scaffold

import (
	"path/filepath"
	"slices"
	"strings"
)

// overlayFor gives the labels for the tool called name, by path; nil for a tool
// that is not known. pip3.11 is pip.
func overlayFor(name string) map[string]Effect {
	name = strings.ToLower(filepath.Base(name))
	if known := overlayLines(name); known != nil {
		return known
	}
	return overlayLines(strings.TrimRight(name, "0123456789."))
}

// optionalWords names commands whose usage line does not say that they need no
// arguments.
func optionalWords(tool, path string) bool {
	return tool == "npm" && slices.Contains([]string{"ls", "list", "ll", "la", "publish", "test", "root", "outdated", "explore"}, path)
}

// overlayLines reads the lines "names effect: path, path, …" and those that
// go on, indented.
func overlayLines(name string) map[string]Effect {
	var known map[string]Effect
	effect := Effect("")
	for line := range strings.Lines(overlayText) {
		if line[0] == '#' {
			continue
		}
		list := line
		if line[0] != ' ' {
			head, rest, _ := strings.Cut(line, ":")
			names, word, _ := strings.Cut(head, " ")
			list, effect = rest, ""
			for n := range strings.SplitSeq(names, ",") {
				if n == name {
					effect = Effect(word)
				}
			}
		}
		if effect == "" {
			continue
		}
		if known == nil {
			known = map[string]Effect{}
		}
		for path := range strings.SplitSeq(list, ",") {
			if path = strings.Join(strings.Fields(path), " "); path == "." {
				path = "" // the tool itself
			}
			known[path] = effect
		}
	}
	return known
}
