package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hcp/internal/hcp"
)

// ErrBadSession is what every method of Sessions answers to a session id that
// is none; no path is built from it. Its text is what follows "denied: config: ".
var ErrBadSession = errors.New("bad session id")

var errBadPack = errors.New("bad pack id")

// maxSession is the largest session file that is read, in bytes.
const maxSession = 64 << 10

// Sessions is the session store (formats.md): one file for each activated pack,
// <Dir>/<session>/<pack>.json. A missing file means not activated.
type Sessions struct{ Dir string }

// Activation is what activating a pack recorded.
type Activation struct {
	PackID string
	Digest string // of surface.json and policy.json
	Root   string // the pack's absolute folder
	Bin    hcp.BinRecord
	At     time.Time
}

// Get reads one activation. A pack that is not active gives fs.ErrNotExist; any
// other error means that the file is damaged or not to be trusted, and the pack
// must count as not activated.
func (s Sessions) Get(session, pack string) (Activation, error) {
	path, err := s.file(session, pack)
	if err != nil {
		return Activation{}, err
	}
	return readNamed(path, maxSession, func(data []byte) (Activation, error) {
		a, err := decodeActivation(data)
		if err == nil && a.PackID != pack {
			err = errors.New("names another pack")
		}
		return a, err
	})
}

// readNamed reads a file of ours that is named after what it holds. One that is
// not there gives fs.ErrNotExist; what decode does not take is damaged.
func readNamed[T any](path string, most int64, decode func([]byte) (T, error)) (none T, _ error) {
	data, err := hcp.ReadTrusted(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return none, err
	}
	if err != nil {
		return none, fileError(path, err)
	}
	v, err := decode(data)
	if err != nil {
		return none, &Error{Path: path, What: "damaged: " + err.Error()}
	}
	return v, nil
}

// Put records an activation, in place of the pack's old one. A reader sees the
// old file or the new one, never a part, whenever this process dies.
func (s Sessions) Put(session string, a Activation) error {
	path, err := s.file(session, a.PackID)
	if err != nil {
		return err
	}
	data, err := encodeActivation(a)
	if err != nil {
		return &Error{Path: path, What: err.Error()}
	}
	if len(data) > maxSession {
		return &Error{Path: path, What: "would be larger than 64 KiB"}
	}
	if err := makeDir(s.Dir); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := makeDir(dir); err != nil {
		return err
	}
	return locked(dir, func() error { return replace(path, data, 0o600) })
}

// Remove deactivates a pack; false when it was not active.
func (s Sessions) Remove(session, pack string) (bool, error) {
	path, err := s.file(session, pack)
	if err != nil {
		return false, err
	}
	err = locked(filepath.Dir(path), func() error {
		if err := os.Remove(path); err != nil {
			return err
		}
		syncDir(filepath.Dir(path))
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, asError(path, err)
	}
	return true, nil
}

// List names the activated packs of a session, sorted; nil when there are none.
// A damaged file is listed too: Get says what is wrong with it.
func (s Sessions) List(session string) ([]string, error) {
	if !hcp.ValidID(session) {
		return nil, ErrBadSession
	}
	dir := filepath.Join(s.Dir, session)
	err := hcp.CheckTrustedDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError(dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fileError(dir, err)
	}
	var packs []string
	for _, e := range entries {
		// A temporary file of a writer that was killed has no valid id.
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && hcp.ValidID(id) {
			packs = append(packs, id)
		}
	}
	slices.Sort(packs)
	return packs, nil
}

func (s Sessions) file(session, pack string) (string, error) {
	if !hcp.ValidID(session) {
		return "", ErrBadSession
	}
	if !hcp.ValidID(pack) {
		return "", errBadPack
	}
	return filepath.Join(s.Dir, session, pack+".json"), nil
}
