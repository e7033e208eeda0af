package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fixture is a log of 200 records over several segments.
func fixture(t *testing.T) *Log {
	l := newLog(t, 16<<10)
	for i := 0; ; i++ {
		id := fmt.Sprintf("call%d", i)
		for _, typ := range []string{"exec.start", "exec.end"} {
			mustAppend(t, l, note(typ, id, "user:anna"))
			if r, _ := ReadHead(l.dir); r.Seq >= 200 && typ == "exec.end" {
				wantStatus(t, verify(t, l.dir, nil), Intact)
				return l
			}
		}
	}
}

// P-9: every one-byte change of a 200-record log is found.
func TestP9_EveryByteFlip(t *testing.T) {
	l := fixture(t)
	segments, _ := listSegments(l.dir)
	stride := 1
	if testing.Short() || raced {
		stride = 7
	}
	masks := []byte{0x01, 0x20, 0x80}
	for _, n := range segments {
		whole := read(t, segment(l, n))
		v := newFlipVerifier(t, l.dir, n)
		for i := 0; i < len(whole); i += stride {
			mask := masks[i%len(masks)]
			whole[i] ^= mask
			if v.status(whole) != Broken {
				t.Errorf("segment %d byte %d ^ %#x is not found", n, i, mask)
			}
			whole[i] ^= mask
		}
		if v.status(whole) != Intact {
			t.Fatal("fixture is not intact any more")
		}
	}
}

// flipVerifier runs Verify's own walk with one segment in memory, so that tens
// of thousands of changes need no files.
type flipVerifier struct {
	t     *testing.T
	snap  snapshot
	parts map[int][]byte
	n     int
}

func newFlipVerifier(t *testing.T, dir string, n int) *flipVerifier {
	s, err := takeSnapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := &flipVerifier{t: t, snap: s, parts: map[int][]byte{}, n: n}
	for _, k := range s.segments {
		f.parts[k] = read(t, filepath.Join(dir, segmentName(k)))
	}
	return f
}

func (f *flipVerifier) status(changed []byte) string {
	v := newVerifier(f.snap, nil)
	for _, k := range f.snap.segments {
		data := f.parts[k]
		if k == f.n {
			data = changed
		}
		if err := v.readSegment(k, newScanner(bytes.NewReader(data), 0, int64(len(data)))); err != nil {
			f.t.Fatal(err)
		}
	}
	v.finish()
	return v.report.Status
}

// P-9: a deleted, doubled, swapped or inserted line anywhere, and every cut of
// the tail.
func TestP9_EveryLine(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 200)
	path := segment(l, 1)
	whole := read(t, path)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines = lines[:len(lines)-1]
	try := func(what string, i int, changed [][]byte) {
		t.Helper()
		write(t, path, bytes.Join(changed, nil))
		if r := verify(t, l.dir, nil); r.Status != Broken {
			t.Errorf("%s %d: %s %+v", what, i, r.Status, r.Problems)
		} else if p := r.Problems[0]; p.Why == "" || strings.Contains(p.Why, "\n") || p.Seq == 0 {
			t.Errorf("%s %d: %+v", what, i, p)
		}
	}
	for i := range lines {
		try("deleted", i, slices.Delete(slices.Clone(lines), i, i+1))
		try("doubled", i, slices.Insert(slices.Clone(lines), i, lines[i]))
		try("garbage before", i, slices.Insert(slices.Clone(lines), i, []byte("garbage\n")))
		try("empty line before", i, slices.Insert(slices.Clone(lines), i, []byte("\n")))
		if i > 0 {
			swapped := slices.Clone(lines)
			swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
			try("swapped", i, swapped)
		}
		try("cut", i, lines[:i])
	}
	for i, s := range []string{"garbage\n", "\n", "garbage", string(lines[199]), `{"v":1,"seq":201` + string(lines[199][16:])} {
		try("appended", i, append(slices.Clone(lines), []byte(s)))
	}
	for n := 1; n <= len(lines[199]); n++ { // also in the middle of a line
		try("cut bytes", n, [][]byte{whole[:len(whole)-n]})
	}
	write(t, path, whole)
	wantStatus(t, verify(t, l.dir, nil), Intact)
}

// A finding names the line, the seq and why.
func TestFindings(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 20)
	path := segment(l, 1)
	whole := read(t, path)
	write(t, path, bytes.Replace(whole, []byte(`"id":"id9"`), []byte(`"id":"idX"`), 1))
	r := verify(t, l.dir, nil)
	if len(r.Problems) != 1 || r.Problems[0] != (Problem{"audit-000001.jsonl", 10, 10, whyHash, false}) {
		t.Errorf("%+v", r.Problems)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	write(t, path, bytes.Join(slices.Delete(slices.Clone(lines), 9, 12), nil))
	r = verify(t, l.dir, nil)
	if p := r.Problems[0]; p.Line != 10 || p.Seq != 13 || p.Why != "seq 10 to 12 are missing" {
		t.Errorf("%+v", r.Problems)
	}
}

// A cut tail stays found after the next append: the gap is never closed over.
func TestCutTailIsNotHidden(t *testing.T) {
	for _, cut := range []int{1, 40, 700, 2000} {
		l := newLog(t, 0)
		fill(t, l, 20)
		whole := read(t, segment(l, 1))
		write(t, segment(l, 1), whole[:len(whole)-cut])
		wantStatus(t, verify(t, l.dir, nil), Broken)
		if _, err := ReadHead(l.dir); err == nil {
			t.Error("head vouches for a cut log")
		}
		for range 3 {
			mustAppend(t, l, note("grant", "later", "x"))
			r := verify(t, l.dir, nil)
			wantStatus(t, r, Broken)
			wantWhy(t, r, "log.recover: the log was not what head.json said (seq 20)")
		}
		if lines, _ := Tail(l.dir, 4); lines[0].Value.Get("type").Text != typeRecover ||
			lines[0].Value.Get("expected").Get("seq").Text != "20" || lines[0].Value.Get("seq").Text != "21" {
			t.Errorf("%+v", lines)
		}
	}
}

// The last record changed and hashed anew: the record itself is whole, and
// head.json knows better, also after the next append.
func TestRewrittenLastRecord(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 20)
	whole := read(t, segment(l, 1))
	lines := bytes.SplitAfter(whole, []byte("\n"))
	e, _ := parseLine(lines[18][:len(lines[18])-1])
	forged, _, err := buildLine(e.mark, testTime, note("grant", "id19", "user:eve1"))
	if err != nil {
		t.Fatal(err)
	}
	lines[19] = forged
	write(t, segment(l, 1), bytes.Join(lines, nil))
	wantStatus(t, verify(t, l.dir, nil), Broken)
	mustAppend(t, l, note("grant", "later", "x"))
	wantStatus(t, verify(t, l.dir, nil), Broken)
}

// Missing, renamed, swapped and emptied segments.
func TestSegments(t *testing.T) {
	for name, damage := range map[string]func(l *Log){
		"first gone":  func(l *Log) { os.Remove(segment(l, 1)) },
		"middle gone": func(l *Log) { os.Remove(segment(l, 3)) },
		"last gone":   func(l *Log) { os.Remove(segment(l, 6)) },
		"all gone": func(l *Log) {
			for n := range 7 {
				os.Remove(segment(l, n))
			}
		},
		"renamed": func(l *Log) { os.Rename(segment(l, 6), segment(l, 7)) },
		"swapped": func(l *Log) {
			os.Rename(segment(l, 2), segment(l, 9))
			os.Rename(segment(l, 3), segment(l, 2))
			os.Rename(segment(l, 9), segment(l, 3))
		},
		"middle emptied": func(l *Log) { os.Truncate(segment(l, 3), 0) },
		"last emptied":   func(l *Log) { os.Truncate(segment(l, 6), 0) },
		"joined": func(l *Log) {
			two, three := read(t, segment(l, 2)), read(t, segment(l, 3))
			write(t, segment(l, 2), append(two, three...))
			os.Remove(segment(l, 3))
		},
		"rotate cut": func(l *Log) {
			two := read(t, segment(l, 2))
			at := bytes.LastIndexByte(two[:len(two)-1], '\n')
			write(t, segment(l, 2), two[:at+1])
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, 4<<10)
			for n := 0; n != 6; {
				fill(t, l, 2)
				list, _ := listSegments(l.dir)
				n = len(list)
			}
			wantStatus(t, verify(t, l.dir, nil), Intact)
			damage(l)
			wantStatus(t, verify(t, l.dir, nil), Broken)
			before := map[string]int64{}
			list, _ := listSegments(l.dir)
			for _, n := range list {
				info, _ := os.Stat(segment(l, n))
				before[info.Name()] = info.Size()
			}
			mustAppend(t, l, note("grant", "later", "x"))
			mustAppend(t, l, note("grant", "later", "x"))
			wantStatus(t, verify(t, l.dir, nil), Broken)
			for file, size := range before { // evidence is never replaced
				if info, err := os.Stat(filepath.Join(l.dir, file)); err != nil || info.Size() < size {
					t.Errorf("%s shrank", file)
				}
			}
			if lines, err := Show(l.dir, "later"); err != nil || len(lines) != 2 {
				t.Error(lines, err)
			}
		})
	}
}

// Anchor: it is the only thing that finds a tail cut together with head.json.
func TestAnchor(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 12)
	noted, err := ReadHead(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	anchor, err := ParseAnchor(noted.String())
	if err != nil || anchor != noted {
		t.Fatal(anchor, err)
	}
	fill(t, l, 5)
	r := verify(t, l.dir, &anchor)
	wantStatus(t, r, Intact)
	if !r.Anchored || !strings.Contains(r.Proves, "anchor given") || strings.Contains(verify(t, l.dir, nil).Proves, "anchor given: records") {
		t.Errorf("%+v", r)
	}
	// The owner cuts the log and makes head.json fit.
	cut := newLog(t, 0)
	fill(t, cut, 8)
	wantStatus(t, verify(t, cut.dir, nil), Intact)
	r = verify(t, cut.dir, &anchor)
	wantStatus(t, r, Broken)
	wantWhy(t, r, "anchor")
	wantStatus(t, verify(t, filepath.Join(l.dir, "none"), &anchor), Broken)
	for _, bad := range []string{"", "1", "1:", "0:" + noted.Hash, "01:" + noted.Hash, "+1:" + noted.Hash, "-1:" + noted.Hash, "1:" + noted.Hash[1:], "x:" + noted.Hash, "1:" + noted.Hash + "0"} {
		if a, err := ParseAnchor(bad); err == nil {
			t.Errorf("%q: %v", bad, a)
		}
	}
}

// 2 = warnings: a start without an end; exec.deny closes one too.
func TestStartWithoutEnd(t *testing.T) {
	l := newLog(t, 0)
	for _, r := range []Record{note("exec.start", "a", ""), note("exec.start", "b", ""), note("exec.start", "c", ""),
		note("exec.end", "a", ""), note("exec.deny", "c", ""), note("exec.deny", "d", "")} {
		mustAppend(t, l, r)
	}
	r := verify(t, l.dir, nil)
	if r.ExitCode() != 2 || len(r.Problems) != 1 || r.Problems[0] != (Problem{"audit-000001.jsonl", 3, 3, "start without end", true}) {
		t.Errorf("%+v", r)
	}
}

// cli.md: the shape of `audit verify --json`.
func TestReportShape(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 3)
	r := verify(t, l.dir, nil)
	b, err := json.Marshal(r)
	if want := `{"status":"intact","records":3,"head":{"seq":3,"hash":"` + r.Head.Hash + `"},"problems":[]}`; err != nil || string(b) != want {
		t.Errorf("%s %v", b, err)
	}
	mustAppend(t, l, note("exec.start", "a", ""))
	b, _ = json.Marshal(verify(t, l.dir, nil).Value().Get("problems"))
	if want := `[{"segment":"audit-000001.jsonl","line":4,"seq":4,"why":"start without end"}]`; string(b) != want {
		t.Errorf("%s", b)
	}
	if (Report{}).ExitCode() != 1 {
		t.Error("the zero report passes")
	}
}

// A log that is nothing but problems gives a bounded report.
func TestProblemsAreBounded(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 3)
	whole := read(t, segment(l, 1))
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for range 3000 {
		whole = append(whole, lines[1]...)
	}
	write(t, segment(l, 1), whole)
	r := verify(t, l.dir, nil)
	wantStatus(t, r, Broken)
	if len(r.Problems) != maxProblems {
		t.Errorf("%d problems", len(r.Problems))
	}
	wantWhy(t, r, "(and 2")
}

// Show and Tail never hand a changed or foreign byte to a terminal.
func TestShowIsPrintable(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 3)
	whole := read(t, segment(l, 1))
	write(t, segment(l, 1), append(append(whole, "\x1b[2Jé\xff\n"...), bytes.Repeat([]byte{7}, 3<<20)...))
	lines, err := Tail(l.dir, 2)
	if err != nil || len(lines) != 2 || lines[0].Text != `\u{1b}[2J\u{e9}\xff` || len(lines[1].Text) > 8*maxShown || lines[1].Value.Kind != 0 {
		t.Errorf("%.300v %v", lines, err)
	}
}
