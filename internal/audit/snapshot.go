package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// snapshot is the log at one moment between two appends: reading it later meets
// no record that is only half there, and holds nobody up.
type snapshot struct {
	dir      string
	head     headFile
	segments []int
	size     int64 // of the last segment; others no longer grow
}

// takeSnapshot gives an empty one for a log that does not exist.
func takeSnapshot(dir string) (s snapshot, err error) {
	s.dir = dir
	lock, err := lockForReading(dir)
	if err != nil {
		return s, err
	}
	if lock != nil {
		defer lock.Close()
	}
	if s.head, _, err = openHead(dir, os.O_RDONLY); err != nil {
		return s, err
	}
	s.segments, err = listSegments(dir)
	if err != nil || len(s.segments) == 0 {
		return s, ignoreMissing(err)
	}
	last := s.segments[len(s.segments)-1]
	info, err := os.Lstat(filepath.Join(dir, segmentName(last)))
	if err != nil {
		return s, err
	}
	s.size = info.Size()
	return s, nil
}

// last tells whether segment n is the last.
func (s snapshot) last(n int) bool { return n == s.segments[len(s.segments)-1] }

// scan calls f with a scanner over a segment as it was; the file must be
// trusted.
func (s snapshot) scan(n int, f func(*scanner) error) error {
	file, err := openFile(filepath.Join(s.dir, segmentName(n)), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	size := s.size
	if !s.last(n) {
		info, err := file.Stat()
		if err != nil {
			return err
		}
		size = info.Size()
	}
	return f(newScanner(file, 0, size))
}

// ReadHead returns the last record's number and hash, to be noted elsewhere as
// an anchor. A log that does not exist gives number 0. A log that is not what
// head.json says is an error: its head would vouch for what is left of it.
func ReadHead(dir string) (Head, error) {
	none := mark{hash: noDigest()}.head()
	lock, err := lockForReading(dir)
	if err != nil {
		return none, err
	}
	if lock != nil {
		defer lock.Close()
	}
	h, _, err := openHead(dir, os.O_RDONLY)
	if err != nil {
		return none, err
	}
	t, err := findTail(dir, h, os.O_RDONLY)
	if t.file != nil {
		t.file.Close()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return none, err
	case t.lost:
		return none, fmt.Errorf("the log is not what %s says; run: hcp audit verify", headName)
	}
	return t.mark.head(), nil
}
