package pack

import (
	"slices"
	"strings"

	"hcp/internal/hcp"
)

// index finds the command a typed line begins with. It holds every template of
// the pack, compiled.
type index struct {
	pack      *Pack
	templates []*template
	paths     map[string]*template // words joined by NUL, which no word contains
	aliases   map[string]*template
	empty     *template // the command without words: takes what no other path takes; nil: none
	longest   int       // words in the longest path
	problems  []string  // two commands with one path, and the like
}

func newIndex(p *Pack) *index {
	ix := &index{pack: p, paths: map[string]*template{}, aliases: map[string]*template{}}
	for i := range p.Commands {
		t := p.templateOf(&p.Commands[i])
		ix.templates = append(ix.templates, t)
		switch {
		case len(t.path) > 0:
			ix.add(ix.paths, t.path, t)
		case ix.empty == nil:
			ix.empty = t
		default:
			ix.problems = append(ix.problems, t.key+": a second command without words")
		}
	}
	for i := range p.Commands {
		c, t := &p.Commands[i], ix.templates[i]
		for _, words := range aliasPaths(c, t) {
			ix.add(ix.aliases, words, t)
		}
	}
	return ix
}

// add keeps the first command of a path: the manifest's order decides.
func (ix *index) add(set map[string]*template, path []string, t *template) {
	key := strings.Join(path, "\x00")
	other := ix.paths[key]
	if other == nil {
		other = set[key]
	}
	if other != nil {
		if other != t {
			ix.problems = append(ix.problems, t.key+": the words "+strings.Join(path, " ")+" belong to "+other.key)
		}
		return
	}
	set[key] = t
	ix.longest = max(ix.longest, len(path))
}

// aliasPaths are a command's paths in other languages (T-7): one word stands
// for the last word of the path, several for all of it.
func aliasPaths(c *Command, t *template) [][]string {
	if len(t.path) == 0 {
		return nil
	}
	var langs []string
	for lang := range c.Aliases {
		langs = append(langs, lang)
	}
	slices.Sort(langs)
	var list [][]string
	for _, lang := range langs {
		for _, alias := range c.Aliases[lang] {
			words := strings.Fields(alias)
			if len(words) == 1 {
				words = append(slices.Clone(t.path[:len(t.path)-1]), words...)
			}
			list = append(list, words)
		}
	}
	return list
}

// locate finds the longest path that words begin with, canonical before alias.
func (ix *index) locate(words []string) (t *template, n int) {
	for n = min(ix.longest, len(words)); n > 0; n-- {
		key := strings.Join(words[:n], "\x00")
		if t = ix.paths[key]; t != nil {
			return t, n
		}
		if t = ix.aliases[key]; t != nil {
			return t, n
		}
	}
	return nil, 0
}

// suggest names the command that words most likely meant, as it is typed.
func (ix *index) suggest(words []string) string {
	if len(words) == 0 {
		return ""
	}
	var near, within []string
	for _, t := range ix.templates {
		path := strings.Join(t.path, " ")
		switch {
		case path == "":
		case t.key == words[0]: // the JSON face's name
			return path
		case len(t.path) > 1 && t.path[0] == words[0]:
			within = append(within, path)
		default:
			near = append(near, path)
		}
	}
	for n := min(ix.longest, len(words)); n > 0; n-- {
		typed := strings.Join(words[:n], " ")
		if s := hcp.Nearest(typed, within); s != "" {
			return s
		}
		if s := hcp.Nearest(typed, near); s != "" {
			return s
		}
	}
	if len(within) > 0 {
		return within[0]
	}
	return ""
}
