package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hcp/internal/hcp"
)

const (
	headName = "head.json"
	// headLen is the size of head.json, always: it is written over in place by
	// one small write, which a full disk cannot refuse and kill -9 cannot cut.
	headLen = 288
	sumLen  = 16 // hex digits of the sum that tells a damaged head from a wrong one
)

// place is where the last record of a segment stands.
type place struct {
	segment int   // from 1; 0: none yet
	start   int64 // offset of its line
	end     int64 // offset behind its newline
}

// headFile is what head.json says. It is written after the record, so it may be
// behind the log (a writer was killed in between), and never ahead of it,
// unless the log lost its tail.
type headFile struct {
	mark
	place
	state headState
}

type headState int

const (
	headAbsent headState = iota
	headDamaged
	headRead
)

func segmentName(n int) string { return fmt.Sprintf("audit-%06d.jsonl", n) }

// segmentNumber is segmentName's inverse; 0 for any other name.
func segmentNumber(name string) int {
	digits, ok1 := strings.CutPrefix(name, "audit-")
	digits, ok2 := strings.CutSuffix(digits, ".jsonl")
	n, err := strconv.Atoi(digits)
	if !ok1 || !ok2 || err != nil || n < 1 || segmentName(n) != name {
		return 0
	}
	return n
}

func (h headFile) encode() []byte {
	b := strconv.AppendUint([]byte(lineStart), h.seq, 10)
	b = append(append(b, hashStart...), h.hash[:]...)
	b = append(append(b, `","segment":"`...), segmentName(max(h.segment, 1))...)
	b = strconv.AppendInt(append(b, `","start":`...), h.start, 10)
	b = strconv.AppendInt(append(b, `,"end":`...), h.end, 10)
	sum := digestOf(b)
	b = append(append(append(b, `,"sum":"`...), sum[:sumLen]...), `"}`...)
	for len(b) < headLen-1 {
		b = append(b, ' ')
	}
	return append(b, '\n')
}

// decodeHead reads only what encode writes; anything else is damaged.
func decodeHead(data []byte) (h headFile) {
	h.state = headDamaged
	v, err := hcp.ParseJSON(data, 1)
	if err != nil {
		return h
	}
	seq, err1 := strconv.ParseUint(v.Get("seq").Text, 10, 63)
	start, err2 := strconv.ParseInt(v.Get("start").Text, 10, 64)
	end, err3 := strconv.ParseInt(v.Get("end").Text, 10, 64)
	hash := []byte(v.Get("hash").Text)
	segment := segmentNumber(v.Get("segment").Text)
	if err1 != nil || err2 != nil || err3 != nil || segment == 0 || !isHex(hash) {
		return h
	}
	got := headFile{mark{seq, digest(hash)}, place{segment, start, end}, headRead}
	if string(got.encode()) != string(data) {
		return h
	}
	return got
}

// openHead reads head.json. The file is nil unless it can be written over in
// place: it was read whole, and flag asks for writing.
func openHead(dir string, flag int) (headFile, *os.File, error) {
	f, err := openFile(filepath.Join(dir, headName), flag)
	if errors.Is(err, fs.ErrNotExist) {
		return headFile{}, nil, nil
	}
	if err != nil {
		return headFile{}, nil, err
	}
	buf := make([]byte, headLen+1)
	n, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		f.Close()
		return headFile{}, nil, err
	}
	h := decodeHead(buf[:n])
	if flag == os.O_RDONLY || h.state != headRead {
		f.Close()
		f = nil
	}
	return h, f, nil
}

// saveHead writes h over the open head.json, or makes a new one.
func saveHead(dir string, f *os.File, h headFile) error {
	if f != nil {
		_, err := f.WriteAt(h.encode(), 0)
		return err
	}
	f, err := publish(filepath.Join(dir, headName), h.encode())
	if err != nil {
		return err
	}
	return f.Close()
}
