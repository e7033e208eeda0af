package scaffold

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// LockFile is the name of a draft's lock.
const LockFile = "wrap.lock.json"

// Lock says what a draft was made of (wrap.md, stage 2).
type Lock struct {
	Bin    string  `json:"bin"` // path of the file that was read
	SHA256 string  `json:"sha256"`
	Probes []Asked `json:"probes"`
	// Commands is what the help offered, for --diff: a command's words → its
	// flags, each as flagText writes it; nil for a command whose help was not
	// read. A lock without it tells commands by its probes.
	Commands map[string][]string `json:"commands,omitempty"`
}

// Asked is one question that was put to the bin.
type Asked struct {
	Argv   []string `json:"argv"` // without the bin
	Exit   int      `json:"exit"`
	Stream string   `json:"stream"` // where the help was: stdout or stderr; "" for no answer
	Bytes  int      `json:"bytes"`  // of that stream
}

// LockOf is the lock of what was read just now. Questions stand in the order of
// the commands that they are about, so that two runs write the same file.
func LockOf(t *Tool, probes []Asked) Lock {
	l := Lock{Bin: t.ID.Path, SHA256: t.ID.SHA256, Probes: inOrder(t, probes), Commands: map[string][]string{}}
	for _, c := range t.Commands {
		var flags []string
		if c.Probed {
			flags = []string{}
		}
		for _, f := range c.Page.Flags {
			flags = append(flags, flagText(f))
		}
		l.Commands[strings.Join(c.Path, " ")] = flags
	}
	return l
}

// flagText is a flag on one line: "-R, --repo=", "--color[=]", "--web".
func flagText(f Flag) string {
	text := strings.Join(f.Names, ", ")
	switch f.Value {
	case ValueRequired:
		return text + "="
	case ValueOptional:
		return text + "[=]"
	}
	return text
}

// inOrder sorts questions by the command they are about; those about one
// command keep the order in which they were asked.
func inOrder(t *Tool, probes []Asked) []Asked {
	place := map[string]int{}
	for i, c := range t.Commands {
		place[strings.Join(c.Path, " ")] = i
	}
	of := func(a Asked) int {
		for _, words := range subjects(a.Argv) {
			if i, ok := place[strings.Join(words, " ")]; ok {
				return i
			}
		}
		return len(place)
	}
	out := append([]Asked{}, probes...)
	slices.SortStableFunc(out, func(a, b Asked) int { return of(a) - of(b) })
	return out
}

// subjects gives the commands that a question may be about: all of its words but
// the help token, which comes last or first.
func subjects(argv []string) [][]string {
	if len(argv) == 0 {
		return [][]string{nil}
	}
	return [][]string{argv[:len(argv)-1], argv[1:]}
}

// Encode writes one probe and one command a line, for people who compare.
func (l Lock) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"bin\": %s,\n  \"sha256\": %s,\n  \"probes\": [", oneLine(l.Bin), oneLine(l.SHA256))
	for i, p := range l.Probes {
		fmt.Fprintf(&b, "%s\n    %s", comma(i), oneLine(p))
	}
	b.WriteString("\n  ],\n  \"commands\": {")
	for i, name := range slices.Sorted(maps.Keys(l.Commands)) {
		fmt.Fprintf(&b, "%s\n    %s: %s", comma(i), oneLine(name), oneLine(l.Commands[name]))
	}
	b.WriteString("\n  }\n}\n")
	return b.Bytes()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func oneLine(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "null"
	}
	return strings.TrimRight(b.String(), "\n")
}

// ReadLock reads the text of a lock. Nothing is ever run because of what one
// says.
func ReadLock(data []byte) (l Lock, err error) {
	if json.Unmarshal(data, &l) != nil || l.SHA256 == "" {
		return l, errors.New("is no lock of hcp wrap")
	}
	return l, nil
}

// commands gives what the lock knows of each command; nil flags are unknown.
func (l Lock) commands() map[string][]string {
	if l.Commands != nil {
		return l.Commands
	}
	out := map[string][]string{"": nil}
	for _, p := range l.Probes {
		if n := len(p.Argv); n > 1 && p.Stream != "" {
			if p.Argv[0] == "help" {
				out[strings.Join(p.Argv[1:], " ")] = nil
			} else if strings.HasPrefix(p.Argv[n-1], "-") {
				out[strings.Join(p.Argv[:n-1], " ")] = nil
			}
		}
	}
	return out
}
