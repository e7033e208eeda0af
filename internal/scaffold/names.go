package scaffold

import (
	"strconv"
	"strings"

	"hcp/internal/hcp"
)

// keyParts are the parts of a verb_key for the words of a command: lower case,
// and a hyphen for what no id may have; a colon separates, as in sites:list.
// Empty for the bin itself.
func keyParts(path []string) []string {
	var parts []string
	for _, word := range path {
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == ':' || r == '.' || r == '/' }) {
			if id := idWord(part); id != "" {
				parts = append(parts, id)
			}
		}
	}
	return parts
}

// idWord makes a word an id as far as it can be one: ASCII letters and digits
// stay, a capital after a small letter and everything else is a hyphen.
func idWord(word string) string {
	var b strings.Builder
	small, gap := false, false
	for _, r := range word {
		upper := r >= 'A' && r <= 'Z'
		switch {
		case upper || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if (gap || upper && small) && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteString(strings.ToLower(string(r)))
			small, gap = !upper, false
		default:
			small, gap = false, true
		}
	}
	return b.String()[:min(b.Len(), 64)]
}

// validID makes a pack id of a bin's name; "" when nothing is left of it. hcp's
// own names are no pack's.
func validID(name string) string {
	id := strings.Trim(idWord(name), "-")
	switch id {
	case "hcp", "hcpx", "hcp-cli":
		return id + "-wrapped"
	}
	return id
}

// badWord says why the words of a command can be no verb path; "" when they can.
func badWord(path []string) string {
	for _, w := range path {
		switch {
		case w == "" || strings.HasPrefix(w, "-"):
			return hcp.Quote(w) + " is not a word"
		case strings.ContainsFunc(w, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:+@", r))
		}):
			return hcp.Quote(w) + " has characters that no verb_key has"
		case idWord(w) == "":
			return hcp.Quote(w) + " has no letter and no digit"
		}
	}
	if !hcp.ValidVerbKey(strings.Join(keyParts(path), ".")) && len(path) > 0 {
		return hcp.Quote(strings.Join(path, " ")) + " is too long"
	}
	return ""
}

// namer hands out argument names, each once.
type namer map[string]bool

// take gives a free name close to want: what no placeholder may be called, and
// what the protocol keeps for itself, gets another one.
func (n namer) take(want string) string {
	var b strings.Builder
	for _, r := range want {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.TrimRight(b.String(), "_")
	if len(name) > 1 {
		name = strings.ToLower(name)
	}
	if len(name) > 40 {
		name = strings.TrimRight(name[:40], "_")
	}
	switch {
	case name == "":
		name = "value"
	case name[0] >= '0' && name[0] <= '9':
		name = "n" + name
	case hcp.Reserved(name):
		name += "_value"
	}
	free := name
	for i := 2; n[free]; i++ {
		free = name + "_" + strconv.Itoa(i)
	}
	n[free] = true
	return free
}
