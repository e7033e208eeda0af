package audit

import (
	"bufio"
	"errors"
	"io"
)

// scanner gives a segment line by line, in constant memory. A line longer than
// a record may be comes in pieces, none of which is a record.
type scanner struct {
	r     *bufio.Reader
	off   int64  // offset of raw
	raw   []byte // the line or piece with its newline; valid until the next call
	line  int    // number of the line, from 1 where the scanner began
	whole bool   // raw is all of a line, its newline perhaps missing
	ended bool   // raw ends with a newline
	inner bool   // raw is a further piece of the same line
	err   error
}

// newScanner reads the bytes of r from off to end; a line begins at off.
func newScanner(r io.ReaderAt, off, end int64) *scanner {
	n := max(end-off, 0)
	// No larger than it need be: most scans are of one line.
	buf := min(n+1, maxLine)
	return &scanner{r: bufio.NewReaderSize(io.NewSectionReader(r, off, n), int(buf)), off: off, ended: true}
}

// next steps on; false at the end or at an error, and then line, ended and
// inner still speak of what came last.
func (s *scanner) next() bool {
	s.off += int64(len(s.raw))
	raw, err := s.r.ReadSlice('\n')
	s.raw = raw
	full := errors.Is(err, bufio.ErrBufferFull)
	if err != nil && !full && !errors.Is(err, io.EOF) {
		s.err = err
		return false
	}
	if len(raw) == 0 {
		return false
	}
	if s.inner = !s.ended; !s.inner {
		s.line++
	}
	s.ended = err == nil
	s.whole = !s.inner && !full
	return true
}

// text is raw without its newline.
func (s *scanner) text() []byte {
	if s.ended {
		return s.raw[:len(s.raw)-1]
	}
	return s.raw
}

// entry reads a whole line as a record.
func (s *scanner) entry() (entry, string) {
	if !s.whole {
		return entry{}, whyNoRecord
	}
	return parseLine(s.text())
}
