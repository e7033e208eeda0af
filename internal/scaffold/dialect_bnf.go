package scaffold

import "strings"

// grammar reads pages that give their words in a grammar below the usage line:
// "OBJECT := { link | address | route }". The words are sub-commands when the
// usage line has that name where a command stands.
func (c *commandList) grammar(p *Page) {
	if len(c.entries) > 0 || !strings.Contains(p.Text, ":=") {
		return
	}
	text := strings.Join(strings.Fields(p.Text), " ")
	for _, name := range []string{"OBJECT", "COMMAND", "SUBCOMMAND"} {
		at := strings.Index(text, name+" := {")
		if at < 0 || !usesWord(p.Usage, name) {
			continue
		}
		body := text[at+len(name)+5:]
		end := strings.IndexByte(body, '}')
		if end < 0 || strings.ContainsAny(body[:end], "{[<") {
			continue
		}
		for _, w := range strings.Split(body[:end], "|") {
			if w = strings.TrimSpace(w); isLiteral(w) && w != "help" {
				c.add(Entry{Name: w})
			}
		}
		p.Positionals, p.TakesCommand = nil, true
		return
	}
}

func usesWord(usage []string, word string) bool {
	for _, u := range usage {
		if contains(strings.Fields(u), word) {
			return true
		}
	}
	return false
}
