package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hcp/internal/hcp"
)

// Types of the log's own records.
const (
	typeOpen    = "log.open"    // the first of a segment
	typeRotate  = "log.rotate"  // the last of a segment that has a successor
	typeRecover = "log.recover" // what an append found wrong and went on from
)

// tail is the end of the log as it really is, found under the lock.
type tail struct {
	mark             // the chain goes on from here
	place            // the last record that counts
	file   *os.File  // its segment; nil when there is none
	rotate bool      // that record is a log.rotate
	ended  bool      // the segment's last byte is a newline
	size   int64     // of the segment
	torn   int64     // bytes behind the last record that are no record
	sum    hash.Hash // of those bytes; nil while there are none
	head   headFile  // what head.json says
	lost   bool      // the log is not what head.json says it was
}

// findTail finds the end of the log. head.json names the place, and the record
// there is read and checked; what stands behind it is read as well, because a
// writer may have been killed before it could say so. A head.json that is of no
// use costs one look through the folder and the last segment.
func findTail(dir string, h headFile, flag int) (t tail, err error) {
	t = tail{mark: mark{hash: noDigest()}, ended: true, head: h}
	if h.state == headRead {
		ok, err := t.follow(dir, flag)
		if err != nil || ok {
			return t, err
		}
		t.lost = true
	}
	if err := t.search(dir, flag); err != nil {
		return t, err
	}
	if t.lost && h.seq >= t.seq {
		// The chain goes on from where it was, so that the gap stays visible.
		t.mark = h.mark
	}
	return t, nil
}

// follow trusts head.json as far as the log bears it out; ok is false when it
// does not.
func (t *tail) follow(dir string, flag int) (ok bool, err error) {
	h := t.head
	if h.seq == 0 {
		return t.followFirst(dir, flag)
	}
	if err := t.open(dir, h.segment, flag); err != nil {
		return false, ignoreMissing(err)
	}
	if h.start < 0 || h.end <= h.start || h.end-h.start > maxLine {
		return false, nil
	}
	line := make([]byte, h.end-h.start)
	if _, err := t.file.ReadAt(line, h.start); err != nil {
		if errors.Is(err, io.EOF) {
			return false, nil // shorter than it was
		}
		return false, err
	}
	last := len(line) - 1
	e, why := parseLine(line[:last])
	if line[last] != '\n' || why != "" || e.mark != h.mark {
		return false, nil
	}
	t.mark, t.place, t.rotate = h.mark, h.place, string(e.typ) == typeRotate
	if t.size > h.end {
		if err := t.scan(h.end, true); err != nil {
			return false, err
		}
	}
	return true, t.followRotations(dir, flag)
}

// followFirst is follow for a log whose first record may not be written yet.
func (t *tail) followFirst(dir string, flag int) (ok bool, err error) {
	if err := t.open(dir, 1, flag); err != nil {
		return errors.Is(err, fs.ErrNotExist), ignoreMissing(err)
	}
	if err := t.scan(0, true); err != nil {
		return false, err
	}
	return true, t.followRotations(dir, flag)
}

// followRotations steps to segments that were begun after head.json was written.
func (t *tail) followRotations(dir string, flag int) error {
	for t.rotate {
		if err := t.open(dir, t.segment+1, flag); err != nil {
			return ignoreMissing(err)
		}
		if err := t.scan(0, true); err != nil {
			return err
		}
	}
	return nil
}

// search finds the end without head.json: the last segment is where to write,
// the last record whose hash fits is where the chain goes on.
func (t *tail) search(dir string, flag int) error {
	segments, err := listSegments(dir)
	if err != nil || len(segments) == 0 {
		return err
	}
	last := len(segments) - 1
	if err := t.open(dir, segments[last], flag); err != nil {
		return err
	}
	if err := t.scan(0, false); err != nil {
		return err
	}
	for i := last - 1; i >= 0 && t.seq == 0; i-- {
		var before tail
		if err := before.open(dir, segments[i], os.O_RDONLY); err != nil {
			return err
		}
		err := before.scan(0, false)
		before.file.Close()
		if err != nil {
			return err
		}
		if before.seq > 0 {
			t.mark = before.mark
		}
	}
	return nil
}

// open makes the segment the one that the tail stands in. When there is none,
// the tail stays where it was.
func (t *tail) open(dir string, segment, flag int) error {
	f, err := openFile(filepath.Join(dir, segmentName(segment)), flag)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	if t.file != nil {
		t.file.Close()
	}
	t.file, t.size, t.rotate, t.ended = f, info.Size(), false, true
	t.place = place{segment: segment}
	t.torn, t.sum = 0, nil
	return nil
}

// scan reads the open segment from off to its end. chained takes only records
// that continue the chain; without, the last record with a fitting hash counts.
func (t *tail) scan(off int64, chained bool) error {
	s := newScanner(t.file, off, t.size)
	for s.next() {
		t.ended = s.ended
		t.size = s.off + int64(len(s.raw))
		e, why := s.entry()
		if why != "" || chained && (e.seq != t.seq+1 || e.prev != t.hash) {
			t.tear(s.raw)
			continue
		}
		t.mark, t.rotate = e.mark, string(e.typ) == typeRotate
		t.start, t.end = s.off, t.size
		t.torn, t.sum = 0, nil
	}
	return s.err
}

// tear counts bytes that are no record.
func (t *tail) tear(raw []byte) {
	if t.sum == nil {
		t.sum = sha256.New()
	}
	t.sum.Write(raw)
	t.torn += int64(len(raw))
}

// wound tells whether a log.recover record has to be written first.
func (t *tail) wound() bool {
	return t.lost || t.torn > 0 || !t.ended || t.seq > 0 && t.head.state != headRead
}

// recovery is that record: what was found, in words and in the values by which
// Verify judges it.
func (t *tail) recovery() Record {
	r := Record{Type: typeRecover, ID: NewID()}
	add := func(name string, v hcp.Value) { r.Fields = append(r.Fields, hcp.Member{Name: name, Value: v}) }
	why := "the last line had no newline"
	switch {
	case t.lost:
		why = "the log is not what head.json says"
	case t.torn > 0:
		why = "torn line"
	case t.head.state == headAbsent:
		why = "head.json was missing"
	case t.head.state == headDamaged:
		why = "head.json was damaged"
	}
	add("why", hcp.StringValue(why))
	if t.torn > 0 {
		bytes := t.torn
		if !t.ended {
			t.sum.Write([]byte{'\n'}) // the one that heals it
			bytes++
		}
		add("torn", object(
			hcp.Member{Name: "bytes", Value: hcp.IntValue(bytes)},
			hcp.Member{Name: "sha256", Value: hcp.StringValue(hex.EncodeToString(t.sum.Sum(nil)))},
		))
	}
	if t.lost {
		add("expected", t.head.head().Value())
	}
	return r
}

// listSegments gives the numbers of the segments, ascending.
func listSegments(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, e := range entries {
		if n := segmentNumber(e.Name()); n > 0 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
