package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"hcp/internal/hcp"
)

// rotateRoom is what a log.rotate record may need at the end of a segment.
const rotateRoom = 512

// writer appends to a log whose lock is held.
type writer struct {
	tail
	dir  string
	max  int64
	now  func() time.Time
	slot *os.File // head.json, to be written over; nil: to be made
}

func (l *Log) openWriter() (*writer, error) {
	h, slot, err := openHead(l.dir, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	w := &writer{dir: l.dir, max: l.max, now: l.now, slot: slot}
	if w.tail, err = findTail(l.dir, h, os.O_RDWR|os.O_APPEND); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *writer) close() {
	if w.file != nil {
		w.file.Close()
	}
	if w.slot != nil {
		w.slot.Close()
	}
}

// append writes the record, and before it whatever the log needs: its first
// segment, a log.recover, the step to the next segment. head.json comes last,
// so that a writer who is killed leaves it behind the log and never ahead.
func (w *writer) append(r Record) error {
	if err := w.ready(); err != nil {
		return err
	}
	line, next, err := buildLine(w.mark, w.now(), r)
	if err != nil {
		return err
	}
	// start > 0: a record longer than a segment gets one for itself, not an
	// endless row of empty ones.
	if w.start > 0 && w.size+int64(len(line))+rotateRoom > w.max {
		if err := w.rotateSegment(); err != nil {
			return err
		}
		if line, next, err = buildLine(w.mark, w.now(), r); err != nil {
			return err
		}
	}
	before := w.size
	if err := w.write(line, next); err != nil {
		return err
	}
	if err := saveHead(w.dir, w.slot, headFile{mark: w.mark, place: w.place}); err != nil {
		// Not recorded is what an error says, so it must be true.
		return errors.Join(err, w.file.Truncate(before))
	}
	return nil
}

// ready leaves a segment that is open, whole and begun.
func (w *writer) ready() error {
	if w.slot == nil && w.seq == 0 && w.torn == 0 {
		if err := w.firstHead(); err != nil {
			return err
		}
	}
	if w.file == nil || w.rotate {
		if err := w.begin(); err != nil {
			return err
		}
	}
	if w.size == 0 { // an empty file that somebody put there
		if err := w.add(w.opening(w.segment - 1)); err != nil {
			return err
		}
	}
	if !w.wound() {
		return nil
	}
	line, next, err := buildLine(w.mark, w.now(), w.recovery())
	if err != nil {
		return err
	}
	lead := int64(0)
	if !w.ended {
		// One write for the healing newline and the record that explains it.
		line = append([]byte{'\n'}, line...)
		lead = 1
	}
	if err := w.write(line, next); err != nil {
		return err
	}
	w.start += lead
	w.torn, w.sum, w.ended, w.lost, w.head.state = 0, nil, true, false, headRead
	return nil
}

// firstHead makes head.json before the first record is written: so where there
// are records and no head.json, somebody took it away.
func (w *writer) firstHead() error {
	err := saveHead(w.dir, nil, headFile{mark: w.mark})
	if err == nil {
		w.slot, err = openFile(filepath.Join(w.dir, headName), os.O_RDWR)
	}
	w.head.state = headRead
	return err
}

// add writes one of the log's own records.
func (w *writer) add(r Record) error {
	line, next, err := buildLine(w.mark, w.now(), r)
	if err != nil {
		return err
	}
	return w.write(line, next)
}

// write puts a line at the end of the segment with one write(2), or leaves the
// segment as it was.
func (w *writer) write(line []byte, next mark) error {
	n, err := w.file.Write(line)
	if err != nil {
		if n > 0 {
			// Should this fail too, the next append heals the torn line.
			_ = w.file.Truncate(w.size)
		}
		return err
	}
	w.mark = next
	w.start = w.size
	w.size += int64(n)
	w.end = w.size
	return nil
}

// rotateSegment ends the segment and begins the next.
func (w *writer) rotateSegment() error {
	if err := w.add(Record{Type: typeRotate, ID: NewID(), Fields: []hcp.Member{
		{Name: "next", Value: hcp.StringValue(segmentName(w.segment + 1))},
	}}); err != nil {
		return err
	}
	// The next segment is synced; this one must not be the gap before it.
	if err := datasync(w.file); err != nil {
		return err
	}
	return w.begin()
}

// begin makes the next segment, or the first. It appears under its name with
// its log.open already in it, so a killed writer leaves no half segment. It
// never replaces a file.
func (w *writer) begin() error {
	number := w.segment + 1
	if w.file == nil && w.lost {
		number = max(w.head.segment, 1)
	}
	path := filepath.Join(w.dir, segmentName(number))
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("segment %s is in the way", segmentName(number))
	}
	line, next, err := buildLine(w.mark, w.now(), w.opening(w.segment))
	if err != nil {
		return err
	}
	f, err := publish(path, line)
	if err != nil {
		return err
	}
	if w.file != nil {
		w.file.Close()
	}
	size := int64(len(line))
	w.file, w.size, w.ended, w.rotate = f, size, true, false
	w.mark, w.place = next, place{segment: number, start: 0, end: size}
	return nil
}

// opening is the log.open record: it says after which record, of which segment,
// the chain goes on.
func (w *writer) opening(before int) Record {
	r := Record{Type: typeOpen, ID: NewID()}
	if w.seq > 0 {
		r.Fields = []hcp.Member{{Name: "after", Value: object(
			hcp.Member{Name: "segment", Value: hcp.StringValue(segmentName(max(before, 1)))},
			hcp.Member{Name: "seq", Value: uintValue(w.seq)},
			hcp.Member{Name: "hash", Value: hcp.StringValue(w.hash.String())},
		)}}
	}
	return r
}
