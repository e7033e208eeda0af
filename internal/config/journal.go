package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"hcp/internal/hcp"
)

// Kinds of file that `hcp init --agent` writes.
const (
	KindJSON   = "json"   // another program's, edited in place
	KindTOML   = "toml"   // likewise
	KindFile   = "file"   // all of it ours
	KindConfig = "config" // hcp.toml
)

// AgentRecord is what one run did to one file, kept so that it can be taken back.
// It holds no secret that is still good: of ours the digest, and of a replaced one
// what stood there.
type AgentRecord struct {
	Path    string   `json:"path"`
	Kind    string   `json:"kind"`
	Project string   `json:"project,omitempty"` // project folder; "": the user's own files
	Created bool     `json:"created,omitempty"` // the file was not there
	Dirs    []string `json:"dirs,omitempty"`    // folders that were not there, outermost first
	Sum     string   `json:"sum"`               // Digest of the text after it
	Steps   []Splice `json:"steps,omitempty"`   // the way back, while the text is still that
	Edits   []Edit   `json:"edits,omitempty"`   // what to look for once it is not
	Blocks  []string `json:"blocks,omitempty"`  // likewise, in hcp.toml
}

// AgentJournal is what init did for one agent, oldest first.
type AgentJournal struct {
	Version int           `json:"version"`
	Records []AgentRecord `json:"records"`
}

// LoadAgentJournal reads the journal of an agent, and the change that would
// replace it. A missing one is empty.
func LoadAgentJournal(p Places, agent string) (AgentJournal, FileChange, error) {
	const most = 16 << 20
	path := filepath.Join(p.Agents(), agent+".json")
	j := AgentJournal{Version: 1}
	c := FileChange{Path: path, Mode: 0o600, DirTo: 0o700}
	data, err := hcp.ReadTrusted(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return j, c, nil
	}
	if err != nil {
		return j, c, fileError(path, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil || j.Version != 1 {
		return j, c, &Error{Path: path, What: "damaged"}
	}
	if c, err = Snapshot(path); err != nil {
		return j, c, err
	}
	return j, c, nil
}

// Text is the journal as it is written; an empty one is not to be kept.
func (j AgentJournal) Text() string {
	data, _ := json.Marshal(j) // strings and numbers always can
	return string(data) + "\n"
}

// Ours finds the last record of a file that is all ours; nil when there is none.
func (j AgentJournal) Ours(path string) *AgentRecord {
	for i := range slices.Backward(j.Records) {
		if j.Records[i].Path == path && j.Records[i].Kind == KindFile {
			return &j.Records[i]
		}
	}
	return nil
}

// Undo gives a file's text without what a record says was done to it, and
// whether the file is to go. left names what is somebody else's by now and stays.
func (r AgentRecord) Undo(text string) (after string, gone bool, left []string, err error) {
	if Digest(text) == r.Sum {
		if r.Kind == KindFile {
			return "", true, nil, nil
		}
		if back, ok := Revert(text, r.Steps); ok {
			return back, r.Created, nil, nil
		}
	}
	switch r.Kind {
	case KindJSON:
		after, left, err = UndoJSON(text, r.Edits)
		return after, r.Created && sameJSON(after, "{}"), left, err
	case KindTOML:
		after, left, err = UndoTOML(text, r.Edits)
		return after, r.Created && len(bytes.TrimSpace([]byte(after))) == 0, left, err
	}
	return text, false, []string{"changed since"}, nil
}
