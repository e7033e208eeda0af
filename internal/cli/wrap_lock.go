package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hcp/internal/hcp"
	"hcp/internal/scaffold"
)

const (
	lockFile    = "wrap.lock.json"
	maxLockFile = 4 << 20
)

// wrapLock is wrap.lock.json: what a draft was made of (wrap.md, stage 2).
type wrapLock struct {
	Bin    string  `json:"bin"` // path of the file that was read
	SHA256 string  `json:"sha256"`
	Probes []asked `json:"probes"`
	// Commands is what the help offered, for --diff: a command's words → its
	// flags, each as flagText writes it. nil in a lock that does not say.
	Commands map[string][]string `json:"commands,omitempty"`
}

// lockOf is the lock of what was read just now. Questions stand in the order of
// the commands that they are about, so that two runs write the same file.
func lockOf(tool *scaffold.Tool, probes []asked) wrapLock {
	l := wrapLock{Bin: tool.ID.Path, SHA256: tool.ID.SHA256, Probes: inOrder(tool, probes), Commands: map[string][]string{}}
	for _, c := range tool.Commands {
		flags := []string{}
		for _, f := range c.Page.Flags {
			flags = append(flags, flagText(f))
		}
		l.Commands[strings.Join(c.Path, " ")] = flags
	}
	return l
}

// flagText is a flag on one line: "-R, --repo=", "--color[=]", "--web".
func flagText(f scaffold.Flag) string {
	return strings.Join(f.Names, ", ") + map[scaffold.Arity]string{scaffold.ValueRequired: "=", scaffold.ValueOptional: "[=]"}[f.Value]
}

// inOrder sorts questions by the command they are about; those about one
// command keep the order in which they were asked.
func inOrder(tool *scaffold.Tool, probes []asked) []asked {
	place := map[string]int{}
	for i, c := range tool.Commands {
		place[strings.Join(c.Path, " ")] = i
	}
	of := func(a asked) int {
		for _, words := range aboutOf(a.Argv) {
			if i, ok := place[strings.Join(words, " ")]; ok {
				return i
			}
		}
		return len(place)
	}
	out := append([]asked{}, probes...)
	slices.SortStableFunc(out, func(a, b asked) int { return of(a) - of(b) })
	return out
}

// aboutOf gives the commands that a question may be about: all of its words but
// the help token, which comes last or first.
func aboutOf(argv []string) [][]string {
	if len(argv) == 0 {
		return [][]string{nil}
	}
	return [][]string{argv[:len(argv)-1], argv[1:]}
}

// encode writes one probe and one command a line, for people who compare.
func (l wrapLock) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"bin\": %s,\n  \"sha256\": %s,\n  \"probes\": [", jsonText(l.Bin), jsonText(l.SHA256))
	for i, p := range l.Probes {
		fmt.Fprintf(&b, "%s\n    %s", comma(i), jsonText(p))
	}
	b.WriteString("\n  ],\n  \"commands\": {")
	names := make([]string, 0, len(l.Commands))
	for name := range l.Commands {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		fmt.Fprintf(&b, "%s\n    %s: %s", comma(i), jsonText(name), jsonText(l.Commands[name]))
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

func jsonText(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "null"
	}
	return strings.TrimRight(b.String(), "\n")
}

// readLock reads the lock of a draft. Nothing is run because of what it says.
func readLock(dir string) (wrapLock, error) {
	path := filepath.Join(dir, lockFile)
	data, err := readBounded(path, maxLockFile)
	var l wrapLock
	if err == nil && (json.Unmarshal(data, &l) != nil || l.SHA256 == "") {
		err = errors.New("is no lock of hcp wrap")
	}
	if err != nil {
		return l, fmt.Errorf("%s: %s", hcp.Printable(path, ""), hcp.Reason(err))
	}
	return l, nil
}

// readBounded reads a regular file of at most that many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("larger than %d bytes", most)
	}
	return data, err
}
