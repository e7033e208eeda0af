package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"hcp/internal/hcp"
)

// maxProblems bounds a Report about a log that is nothing but problems.
const maxProblems = 1000

// Verify reads the whole log in dir and reports every place where it is not
// what was written: a changed, missing, added or reordered record, a segment
// that is missing or joined wrongly, a tail that head.json knows and the log
// has lost. anchor, if not nil, is a Head noted earlier that the log must still
// hold. A log that does not exist is intact and proves nothing. It changes
// nothing, and runs beside writers. An error means that the log could not be
// judged: not readable, or not to be trusted.
func Verify(dir string, anchor *Anchor) (Report, error) {
	s, err := takeSnapshot(dir)
	if err != nil {
		return Report{}, err
	}
	v := newVerifier(s, anchor)
	for i, n := range s.segments {
		want := 1
		if i > 0 {
			want = s.segments[i-1] + 1
		}
		for missing := want; missing < n && len(v.report.Problems) < maxProblems; missing++ {
			v.segment, v.line = segmentName(missing), 0
			v.broken("segment is missing")
		}
		if err := s.scan(n, func(sc *scanner) error { return v.readSegment(n, sc) }); err != nil {
			return Report{}, err
		}
	}
	v.finish()
	return v.report, nil
}

type startedAt struct {
	segment string
	line    int
	seq     uint64
}

// verifier walks the chain; mark is the last record that was accepted.
type verifier struct {
	mark
	snap    snapshot
	anchor  *Anchor
	report  Report
	hidden  int                  // problems over maxProblems
	fatal   bool                 // a problem, hidden or not, was no mere warning
	open    map[string]startedAt // calls that have a start and no end, by id
	segment string
	number  int
	line    int
	first   bool   // no record of this segment was seen yet
	typ     string // the last record's type, in this segment
	metHead bool
	metMark bool // the anchor's record was seen, with its hash
	bad     wound
}

// wound is a run of bytes that are no records.
type wound struct {
	line  int    // where it begins; 0: there is none
	why   string // of its first line
	bytes int64
	sum   hash.Hash
	torn  bool // each line of it can be a torn record
}

func (v *verifier) broken(format string, a ...any)  { v.problem(false, v.line, v.seq+1, format, a...) }
func (v *verifier) warning(format string, a ...any) { v.problem(true, v.line, v.seq, format, a...) }

func (v *verifier) problem(warning bool, line int, seq uint64, format string, a ...any) {
	v.fatal = v.fatal || !warning
	if len(v.report.Problems) >= maxProblems {
		v.hidden++
		return
	}
	v.report.Problems = append(v.report.Problems, Problem{
		Segment: v.segment, Line: line, Seq: seq, Why: fmt.Sprintf(format, a...), Warning: warning})
}

func newVerifier(s snapshot, anchor *Anchor) *verifier {
	return &verifier{mark: mark{hash: noDigest()}, snap: s, anchor: anchor, open: map[string]startedAt{}}
}

func (v *verifier) readSegment(n int, s *scanner) error {
	v.segment, v.number, v.first, v.typ, v.bad = segmentName(n), n, true, "", wound{}
	for s.next() {
		v.line = s.line
		if e, why := s.entry(); why == "" {
			v.accept(e, s)
		} else {
			v.reject(s, why)
		}
	}
	if s.err != nil {
		return s.err
	}
	v.endSegment(s)
	return nil
}

// reject collects what is no record; what follows tells whether it was a torn
// line that has been healed.
func (v *verifier) reject(s *scanner, why string) {
	if v.bad.line == 0 {
		v.bad = wound{line: s.line, why: why, sum: sha256.New(), torn: !v.first}
	}
	v.bad.bytes += int64(len(s.raw))
	v.bad.sum.Write(s.raw)
	v.bad.torn = v.bad.torn && s.whole && tornLike(s.text(), v.seq+1)
}

// accept takes a record whose own hash fits and judges its place.
func (v *verifier) accept(e entry, s *scanner) {
	v.report.Records++
	typ := string(e.typ)
	var said recovery
	if typ == typeRecover {
		said = readRecovery(s.text())
	}
	after := v.typ
	resync := v.closeWound(e, said)
	switch {
	case typ == typeRecover && said.lost:
		v.problem(false, s.line, e.seq, "log.recover: the log was not what head.json said (seq %s): records before this one are missing or changed", said.expected)
	case !resync && e.seq == v.seq+1 && e.prev != v.hash:
		v.problem(false, s.line, e.seq, "prev is not the hash of seq %d", v.seq)
	case !resync && e.seq == v.seq+2:
		v.problem(false, s.line, e.seq, "seq %d is missing", v.seq+1)
	case !resync && e.seq > v.seq+1:
		v.problem(false, s.line, e.seq, "seq %d to %d are missing", v.seq+1, e.seq-1)
	case !resync && e.seq <= v.seq:
		v.problem(false, s.line, e.seq, "seq %d is out of order: seq %d stands before it", e.seq, v.seq)
	}
	v.mark = e.mark
	v.judgeSeam(typ, after)
	v.judgeRecovery(typ, said)
	v.meet(e, s)
	v.pair(typ, e)
	v.first, v.typ = false, typ
}

// closeWound ends a run of bad bytes at the record e. resync is true when the
// run was reported, so that the chain is taken up again without a second
// finding for the same gap.
func (v *verifier) closeWound(e entry, said recovery) (resync bool) {
	b := v.bad
	v.bad = wound{}
	if b.line == 0 {
		if said.torn {
			v.problem(false, v.line, e.seq, "log.recover speaks of a torn line that is not there")
		}
		return false
	}
	if b.torn && said.torn && said.bytes == b.bytes && said.sum == hex.EncodeToString(b.sum.Sum(nil)) {
		v.problem(true, b.line, e.seq, "torn line, recovered by seq %d", e.seq)
		return false
	}
	v.problem(false, b.line, v.seq+1, "%s", b.why)
	return e.seq > v.seq+1
}

// judgeSeam holds a segment to log.open first and log.rotate last.
func (v *verifier) judgeSeam(typ, after string) {
	switch {
	case v.first && typ != typeOpen:
		v.problem(false, v.line, v.seq, "segment does not begin with log.open")
	case !v.first && typ == typeOpen:
		v.problem(false, v.line, v.seq, "log.open inside a segment")
	case after == typeRotate:
		v.problem(false, v.line, v.seq, "record behind log.rotate")
	}
}

func (v *verifier) judgeRecovery(typ string, said recovery) {
	if typ == typeRecover && !said.torn && !said.lost {
		v.warning("log.recover: %s", said.why)
	}
}

// meet compares the record with head.json and with the anchor.
func (v *verifier) meet(e entry, s *scanner) {
	if h := v.snap.head; h.state == headRead && e.mark == h.mark {
		v.metHead = h.place == place{v.number, s.off, s.off + int64(len(s.raw))} && s.ended
	}
	if v.anchor != nil && e.seq == v.anchor.Seq && e.hash.String() == v.anchor.Hash {
		v.metMark = true
	}
}

// pair matches starts with ends: an exec.deny after a start closes it too.
func (v *verifier) pair(typ string, e entry) {
	switch typ {
	case "exec.start":
		v.open[string(e.id)] = startedAt{v.segment, v.line, e.seq}
	case "exec.end", "exec.deny":
		delete(v.open, string(e.id))
	}
}

// endSegment judges what stands at a segment's end.
func (v *verifier) endSegment(s *scanner) {
	last := v.snap.last(v.number)
	switch b := v.bad; {
	case b.line != 0 && b.torn && last:
		v.problem(true, b.line, v.seq+1, "torn line: a writer was stopped; the next append heals it")
	case b.line != 0:
		v.problem(false, b.line, v.seq+1, "%s", b.why)
	case v.first && !last:
		v.broken("segment holds no record")
	case v.first:
		v.broken("segment holds no record: its tail was cut")
	case !s.ended:
		v.warning("the last line has no newline: a writer was stopped; the next append heals it")
	}
	if !last && v.typ != typeRotate && !v.first {
		v.broken("segment does not end with log.rotate")
	}
}

// finish judges the log as a whole.
func (v *verifier) finish() {
	r := &v.report
	r.Head = v.mark.head()
	v.segment, v.line = "", 0
	v.judgeHead()
	if v.anchor != nil && !v.metMark {
		v.problem(false, 0, v.anchor.Seq, "no record has the anchor's number and hash")
	}
	for _, at := range v.unfinished() {
		v.segment = at.segment
		v.problem(true, at.line, at.seq, "start without end")
	}
	if v.hidden > 0 {
		r.Problems[maxProblems-1].Why += fmt.Sprintf(" (and %d more problems)", v.hidden)
	}
	r.conclude(v.fatal, v.anchor)
}

func (v *verifier) judgeHead() {
	h := v.snap.head
	switch {
	case h.state == headRead && h.seq > v.seq:
		v.problem(false, 0, h.seq, "the log ends at seq %d, head.json knows seq %d: the tail was cut (or lost with the power, unsynced)", v.seq, h.seq)
	case h.state == headRead && h.seq > 0 && !v.metHead:
		v.problem(false, 0, h.seq, "head.json's record is not in the log where head.json says")
	case h.state == headDamaged:
		v.problem(true, 0, v.seq, "head.json is damaged: a cut tail cannot be seen without an anchor")
	case h.state == headAbsent && len(v.snap.segments) > 0:
		v.problem(true, 0, v.seq, "head.json is missing: a cut tail cannot be seen without an anchor")
	}
}

func (v *verifier) unfinished() []startedAt {
	list := make([]startedAt, 0, len(v.open))
	for _, at := range v.open {
		list = append(list, at)
	}
	slices.SortFunc(list, func(a, b startedAt) int {
		if a.seq != b.seq {
			return int(int64(a.seq) - int64(b.seq))
		}
		return strings.Compare(a.segment, b.segment)
	})
	return list
}

// recovery is what a log.recover record says.
type recovery struct {
	why      string
	torn     bool // it explains bad bytes before it: these many, with this sum
	bytes    int64
	sum      string
	lost     bool // the log was not what head.json said
	expected string
}

func readRecovery(line []byte) recovery {
	v, err := hcp.ParseJSON(line, maxNesting)
	if err != nil {
		return recovery{lost: true, expected: "?"}
	}
	r := recovery{why: Printable(v.Get("why").Text)}
	if t := v.Get("torn"); t.Kind == hcp.Object {
		r.torn = true
		r.bytes, _ = strconv.ParseInt(t.Get("bytes").Text, 10, 64) // a bad one fits nothing
		r.sum = t.Get("sha256").Text
	}
	if e := v.Get("expected"); e.Kind != hcp.Missing {
		r.lost, r.expected = true, Printable(e.Get("seq").Text)
	}
	return r
}
