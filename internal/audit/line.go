package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"time"
)

// A line is exact bytes P, then the SHA-256 of P, so that coreutils can check
// it and no canonical form of JSON is needed (trust.md).
const (
	maxLine    = 1 << 20 // bytes of a whole line, newline included
	lineStart  = `{"v":1,"seq":`
	tsStart    = `,"ts":"`
	typeStart  = `","type":"`
	idStart    = `","id":"`
	prevStart  = `,"prev":"`
	hashStart  = `,"hash":"`
	hashEnd    = `"}`
	timeLayout = "2006-01-02T15:04:05.000000000Z"

	// prevLen and hashLen are the bytes that end P and end the line.
	prevLen = len(prevStart) + 2*sha256.Size + 1
	hashLen = len(hashStart) + 2*sha256.Size + len(hashEnd)
)

// digest is a SHA-256 in lower-case hex.
type digest [2 * sha256.Size]byte

func (d digest) String() string { return string(d[:]) }

// noDigest is the prev of the first record.
func noDigest() (d digest) {
	for i := range d {
		d[i] = '0'
	}
	return d
}

func digestOf(p []byte) (d digest) {
	sum := sha256.Sum256(p)
	hex.Encode(d[:], sum[:])
	return d
}

// isHex tells whether b is a digest's text. Upper case is not: a changed case
// is a changed byte.
func isHex(b []byte) bool {
	if len(b) != 2*sha256.Size {
		return false
	}
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// mark is a place in the chain: a record's number and hash. The chain begins at
// number 0 with noDigest.
type mark struct {
	seq  uint64
	hash digest
}

func (m mark) head() Head { return Head{Seq: m.seq, Hash: m.hash.String()} }

// buildLine makes the line of the record after prev, newline included, and
// tells where the chain is then.
func buildLine(prev mark, ts time.Time, r Record) ([]byte, mark, error) {
	if prev.seq >= math.MaxInt64 {
		return nil, mark{}, errors.New("record numbers are used up")
	}
	next := mark{seq: prev.seq + 1}
	b := make([]byte, 0, 1024)
	b = strconv.AppendUint(append(b, lineStart...), next.seq, 10)
	b = ts.UTC().AppendFormat(append(b, tsStart...), timeLayout)
	b = append(append(b, typeStart...), r.Type...)
	b = append(append(append(b, idStart...), r.ID...), '"')
	var err error
	for _, m := range r.Fields {
		b = append(appendString(append(b, ','), m.Name), ':')
		if b, err = appendValue(b, m.Value, 1); err != nil {
			return nil, mark{}, err
		}
	}
	b = append(append(append(b, prevStart...), prev.hash[:]...), '"')
	next.hash = digestOf(b)
	b = append(append(append(b, hashStart...), next.hash[:]...), hashEnd...)
	b = append(b, '\n')
	if len(b) > maxLine {
		return nil, mark{}, errors.New("record exceeds 1 MiB")
	}
	return b, next, nil
}

// entry is what the chain needs of one line. typ and id share the line's memory.
type entry struct {
	mark
	prev    digest
	typ, id []byte
}

const (
	whyNoRecord = "not a record"
	whyHash     = "hash does not match the record"
)

// parseLine reads a line without its newline. why is "" for a record whose hash
// fits; else the seq is still given where it can be read.
func parseLine(line []byte) (e entry, why string) {
	rest, ok := bytes.CutPrefix(line, []byte(lineStart))
	if !ok {
		return e, whyNoRecord
	}
	num, rest, ok := bytes.Cut(rest, []byte(tsStart))
	seq, err := strconv.ParseUint(string(num), 10, 63)
	if !ok || err != nil || seq == 0 || num[0] == '0' || num[0] == '+' {
		return e, whyNoRecord
	}
	e.seq = seq
	_, rest, ok = bytes.Cut(rest, []byte(typeStart))
	if !ok {
		return e, whyNoRecord
	}
	if e.typ, rest, ok = bytes.Cut(rest, []byte(idStart)); !ok {
		return e, whyNoRecord
	}
	if e.id, rest, ok = bytes.Cut(rest, []byte{'"'}); !ok || len(rest) < prevLen+hashLen {
		return e, whyNoRecord
	}
	return e, e.parseHashes(line)
}

func (e *entry) parseHashes(line []byte) (why string) {
	p := line[:len(line)-hashLen]
	hash, ok := hexBetween(line[len(p):], hashStart, hashEnd)
	if !ok {
		return whyNoRecord
	}
	prev, ok := hexBetween(p[len(p)-prevLen:], prevStart, `"`)
	if !ok {
		return whyNoRecord
	}
	e.prev = prev
	if e.hash = digestOf(p); e.hash != hash {
		return whyHash
	}
	return ""
}

func hexBetween(b []byte, start, end string) (d digest, ok bool) {
	b, ok1 := bytes.CutPrefix(b, []byte(start))
	b, ok2 := bytes.CutSuffix(b, []byte(end))
	if !ok1 || !ok2 || !isHex(b) {
		return d, false
	}
	return digest(b), true
}

// tornLike tells whether a bad line can be what a killed or powerless writer
// left of the record numbered seq: a beginning of it, zeros where the disk kept
// nothing, and not a whole record whose hash is wrong.
func tornLike(frag []byte, seq uint64) bool {
	if len(frag) == 0 || len(frag) >= maxLine {
		return false
	}
	want := append(strconv.AppendUint([]byte(lineStart), seq, 10), tsStart...)
	for i, c := range want {
		if i < len(frag) && frag[i] != 0 && frag[i] != c {
			return false
		}
	}
	if len(frag) < hashLen {
		return true
	}
	_, whole := hexBetween(frag[len(frag)-hashLen:], hashStart, hashEnd)
	return !whole
}

// lineID is the id that a line names, without a look at its hash.
func lineID(line []byte) ([]byte, bool) {
	_, rest, ok := bytes.Cut(line, []byte(idStart))
	if !ok {
		return nil, false
	}
	id, _, ok := bytes.Cut(rest, []byte{'"'})
	return id, ok
}
