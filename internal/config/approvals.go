package config

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hcp/internal/hcp"
)

// ApprovalTTL is how long a call waits for a person, and how long an agreement
// waits for the call (trust.md).
const ApprovalTTL = 5 * time.Minute

// maxApproval is the largest file that is read, in bytes: a preview shows
// arguments at full length.
const maxApproval = 2 << 20

// Approvals keeps calls that wait for a person and agreements that wait for
// their call: <Dir>/<id>.json and <Dir>/<id>.ok. The id is made from what the
// approval is bound to, so that a repeat of the same call finds the same one.
type Approvals struct{ Dir string }

// Pending is a call that a person has to agree to.
type Pending struct {
	ID        string
	Bound     string // hex sha256 of everything the agreement is for
	Principal string
	PackID    string
	VerbKey   string
	Preview   []string
	Expires   time.Time
}

// ErrNoApproval means that there is nothing of that id, or that it expired.
var ErrNoApproval = errors.New("no such approval")

// idLength is how many hex digits of the bound hash make an id: enough that two
// waiting calls do not meet, few enough to type.
const idLength = 10

// ApprovalID is the id of the approval for what bound stands for.
func ApprovalID(bound [32]byte) string { return hex.EncodeToString(bound[:])[:idLength] }

// Ask makes a call wait, or finds it waiting already: its expiry is then the
// first one's.
func (a Approvals) Ask(p Pending, now time.Time) (Pending, error) {
	if err := makeDir(a.Dir); err != nil {
		return Pending{}, err
	}
	err := locked(a.Dir, func() error {
		old, err := a.read(p.ID, pendingEnd)
		if err == nil && old.Bound == p.Bound && now.Before(old.Expires) {
			p = old
			return nil
		}
		a.sweep(now)
		p.Expires = now.Add(ApprovalTTL).UTC().Truncate(time.Second)
		return replace(a.path(p.ID, pendingEnd), encodePending(p), 0o600)
	})
	return p, err
}

// Take uses an agreement up: true once, for exactly what was agreed to.
func (a Approvals) Take(id, bound string, now time.Time) (bool, error) {
	if !validApprovalID(id) {
		return false, nil
	}
	p, err := a.read(id, agreedEnd)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if p.Bound != bound || !now.Before(p.Expires) {
		return false, nil
	}
	// Of several calls that got here, one renames the file; the others find
	// nothing.
	used := a.path(id, ".used")
	if err := os.Rename(a.path(id, agreedEnd), used); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, fileError(used, err)
	}
	_ = os.Remove(used)
	return true, nil
}

// Agreed tells whether Take would agree now; it uses nothing up.
func (a Approvals) Agreed(id, bound string, now time.Time) bool {
	if !validApprovalID(id) {
		return false
	}
	p, err := a.read(id, agreedEnd)
	return err == nil && p.Bound == bound && now.Before(p.Expires)
}

// Agree turns a waiting call into an agreement, which waits for the call to be
// repeated.
func (a Approvals) Agree(id string, now time.Time) (Pending, error) {
	return a.settle(id, now, func(p Pending) error {
		p.Expires = now.Add(ApprovalTTL).UTC().Truncate(time.Second)
		return replace(a.path(id, agreedEnd), encodePending(p), 0o600)
	})
}

// Drop forgets a waiting call.
func (a Approvals) Drop(id string, now time.Time) (Pending, error) {
	return a.settle(id, now, func(Pending) error { return nil })
}

func (a Approvals) settle(id string, now time.Time, do func(Pending) error) (Pending, error) {
	var p Pending
	if !validApprovalID(id) {
		return p, ErrNoApproval
	}
	err := locked(a.Dir, func() error {
		var err error
		if p, err = a.read(id, pendingEnd); err != nil {
			return err
		}
		if !now.Before(p.Expires) {
			return ErrNoApproval
		}
		if err := do(p); err != nil {
			return err
		}
		if err := os.Remove(a.path(id, pendingEnd)); err != nil {
			return fileError(a.path(id, pendingEnd), err)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoApproval
	}
	return p, err
}

// Waiting lists the calls that wait and have not expired, the oldest first.
func (a Approvals) Waiting(now time.Time) ([]Pending, error) {
	entries, err := os.ReadDir(a.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError(a.Dir, err)
	}
	var list []Pending
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), pendingEnd)
		if !ok || !validApprovalID(id) {
			continue
		}
		p, err := a.read(id, pendingEnd)
		if err == nil && now.Before(p.Expires) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(x, y Pending) int {
		return cmpOr(x.Expires.Compare(y.Expires), strings.Compare(x.ID, y.ID))
	})
	return list, nil
}

func cmpOr(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

// sweep removes what expired. It runs only where a new call begins to wait, and
// what it cannot remove stays expired.
func (a Approvals) sweep(now time.Time) {
	entries, _ := os.ReadDir(a.Dir)
	for _, e := range entries {
		for _, end := range []string{pendingEnd, agreedEnd} {
			id, ok := strings.CutSuffix(e.Name(), end)
			if !ok || !validApprovalID(id) {
				continue
			}
			if p, err := a.read(id, end); err != nil || !now.Before(p.Expires) {
				_ = os.Remove(a.path(id, end))
			}
		}
	}
}

const (
	pendingEnd = ".json"
	agreedEnd  = ".ok"
)

func validApprovalID(id string) bool {
	_, err := hex.DecodeString(id)
	return err == nil && len(id) == idLength && strings.ToLower(id) == id
}

func (a Approvals) path(id, end string) string { return filepath.Join(a.Dir, id+end) }

func (a Approvals) read(id, end string) (Pending, error) {
	return readNamed(a.path(id, end), maxApproval, func(data []byte) (Pending, error) {
		p, err := decodePending(data)
		if err == nil && p.ID != id {
			err = errors.New("names another approval")
		}
		return p, err
	})
}

func encodePending(p Pending) []byte {
	text := func(name, s string) hcp.Member { return hcp.Member{Name: name, Value: hcp.StringValue(s)} }
	v := hcp.Value{Kind: hcp.Object, Members: []hcp.Member{
		text("id", p.ID), text("bound", p.Bound), text("principal", p.Principal), text("pack_id", p.PackID),
		text("verb_key", p.VerbKey), {Name: "preview", Value: hcp.StringsValue(p.Preview)},
		text("expires", p.Expires.Format(time.RFC3339)),
	}}
	return append(v.AppendJSON(nil), '\n')
}

func decodePending(data []byte) (Pending, error) {
	v, err := hcp.ParseJSON(data, 4)
	if err != nil {
		return Pending{}, err
	}
	p := Pending{ID: v.Get("id").Text, Bound: v.Get("bound").Text, Principal: v.Get("principal").Text,
		PackID: v.Get("pack_id").Text, VerbKey: v.Get("verb_key").Text}
	preview, ok := v.Get("preview").Strings()
	expires, err := time.Parse(time.RFC3339, v.Get("expires").Text)
	if len(p.Bound) != 64 || !ok || err != nil {
		return Pending{}, errors.New("a field is missing")
	}
	p.Preview, p.Expires = preview, expires
	return p, nil
}
