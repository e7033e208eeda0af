package audit

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"hcp/internal/hcp"
)

// DefaultMaxSegment is the size, in bytes, at which a segment is followed by
// another when Options names none.
const DefaultMaxSegment = 16 << 20

// Options say where a log is and how it is cut.
type Options struct {
	Dir        string           // the log's folder; made (0700) by the first Append
	MaxSegment int64            // bytes; 0 is DefaultMaxSegment
	Now        func() time.Time // nil is time.Now
}

// Log appends to one audit log. It keeps no file open between calls, so any
// number of Logs, goroutines and processes may share a folder.
type Log struct {
	dir  string
	max  int64
	now  func() time.Time
	turn turn
	mu   sync.Mutex // guards salt
	salt []byte     // nil until an argument needed it
}

// New returns the log in o.Dir. It touches nothing.
func New(o Options) *Log {
	l := &Log{dir: o.Dir, max: o.MaxSegment, now: o.Now, turn: make(turn, 1)}
	if l.max <= 0 {
		l.max = DefaultMaxSegment
	}
	if l.now == nil {
		l.now = time.Now
	}
	return l
}

// idAlphabet has 32 letters, so that five random bits are one of them.
const idAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

// NewID returns the id of one call, shared by its records: 16 characters of
// [a-z0-9], 80 random bits.
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails (it ends the process instead)
	for i := range b {
		b[i] = idAlphabet[b[i]&31]
	}
	return string(b[:])
}

// Record is what a caller wants written. seq, time and chain are the log's.
type Record struct {
	Type   string       // such as "exec.start"; "log.…" is the log's own
	ID     string       // one per call; "" gets a NewID
	Fields []hcp.Member // written in order between id and prev; names unique
}

// check refuses what would make a line that Verify cannot read.
func (r Record) check() error {
	if !plainWord(r.Type) {
		return fmt.Errorf("bad record type %s", hcp.Quote(r.Type))
	}
	if !plainWord(r.ID) {
		return fmt.Errorf("bad record id %s", hcp.Quote(r.ID))
	}
	for i, m := range r.Fields {
		switch m.Name {
		case "v", "seq", "ts", "type", "id", "prev", "hash":
			return fmt.Errorf("field %s belongs to the log", m.Name)
		}
		for _, other := range r.Fields[:i] {
			if other.Name == m.Name {
				return fmt.Errorf("field %s given twice", hcp.Quote(m.Name))
			}
		}
	}
	return nil
}

// plainWord keeps type and id free of anything JSON would have to escape:
// Verify reads them without a JSON parser.
func plainWord(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// Append writes one record (§9.6). It opens a constant number of files, lists
// no folder and costs the same whatever the log's size; other writers wait up
// to 2 s for their turn. With sync the record is on the disk when Append
// returns. An error means: not recorded (or, with sync, not known to be on the
// disk); hcp.Reason gives the errno's words, which is what
// "denied: audit: <errno>" shows.
func (l *Log) Append(r Record, sync bool) error {
	if r.ID == "" {
		r.ID = NewID()
	}
	if err := r.check(); err != nil {
		return err
	}
	if len(r.Type) > 4 && r.Type[:4] == "log." {
		return errors.New("record type belongs to the log: " + r.Type)
	}
	file, err := l.appendLocked(r)
	if file != nil {
		defer file.Close()
	}
	if err != nil || !sync {
		return err
	}
	// Without the lock: a hundred writers wait for the disk together and not
	// one after the other.
	return datasync(file)
}

// appendLocked returns the segment that the record went to, for syncing.
func (l *Log) appendLocked(r Record) (*os.File, error) {
	start := time.Now()
	if err := l.turn.take(start); err != nil {
		return nil, err
	}
	defer l.turn.give()
	lock, err := lockForWriting(l.dir, start)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	w, err := l.openWriter()
	if err != nil {
		return nil, err
	}
	err = w.append(r)
	if w.slot != nil {
		w.slot.Close()
	}
	return w.file, err
}
