package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hcp/internal/hcp"
)

// P-9: the line is exact bytes P, then the hash of P, in the order of trust.md.
func TestP9_LineFormat(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	l := New(Options{Dir: dir, Now: func() time.Time { return testTime }})
	mustAppend(t, l, Record{Type: "grant", ID: "c1", Fields: []hcp.Member{
		{Name: "z", Value: hcp.IntValue(1)}, {Name: "a", Value: hcp.StringsValue([]string{"x", "<&>"})}}})
	lines := strings.SplitAfter(string(read(t, segment(l, 1))), "\n")
	if len(lines) != 3 || lines[2] != "" {
		t.Fatalf("%q", lines)
	}
	zero := strings.Repeat("0", 64)
	if !strings.HasPrefix(lines[0], `{"v":1,"seq":1,"ts":"2026-11-30T11:00:00.000000005Z","type":"log.open","id":"`) ||
		!strings.Contains(lines[0], `,"prev":"`+zero+`","hash":"`) {
		t.Errorf("first line %q", lines[0])
	}
	first := lines[0][len(lines[0])-67 : len(lines[0])-3]
	p := `{"v":1,"seq":2,"ts":"2026-11-30T11:00:00.000000005Z","type":"grant","id":"c1","z":1,"a":["x","<&>"],"prev":"` + first + `"`
	sum := sha256.Sum256([]byte(p))
	if want := p + `,"hash":"` + hex.EncodeToString(sum[:]) + "\"}\n"; lines[1] != want {
		t.Errorf("got  %q\nwant %q", lines[1], want)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o700, segment(l, 1): 0o600,
		filepath.Join(dir, headName): 0o600, filepath.Join(dir, lockName): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, mode)
		}
	}
	wantStatus(t, verify(t, dir, nil), Intact)
}

// P-9, CVE-2023-28487: no argument makes a second line or a byte that a
// terminal acts on.
func TestP9_LinesAreASCII(t *testing.T) {
	l := newLog(t, 0)
	nasty := []string{"\x1b[2K\x1b[1Aok", "a\r\nFAKE", "\x00\x7f\u0085\u2028\u202e", "demo-tr\u0430nsit", "😀\xff\xed\xa0\x80", `"\`}
	for _, s := range nasty {
		mustAppend(t, l, Record{Type: "grant", ID: "n", Fields: []hcp.Member{{Name: s, Value: object(hcp.Member{Name: s, Value: hcp.StringsValue(nasty)})}}})
	}
	data := read(t, segment(l, 1))
	if n := bytes.Count(data, []byte("\n")); n != 1+len(nasty) {
		t.Errorf("%d lines", n)
	}
	for i, c := range data {
		if c != '\n' && (c < 0x20 || c > 0x7e) {
			t.Fatalf("byte %#x at %d", c, i)
		}
	}
	shown, err := Show(l.dir, "n")
	if err != nil || len(shown) != len(nasty) {
		t.Fatal(shown, err)
	}
	for i, s := range nasty {
		want := strings.ToValidUTF8(strings.ReplaceAll(s, "\xff\xed\xa0\x80", "\ufffd\ufffd\ufffd\ufffd"), "\ufffd")
		if got := shown[i].Value.Get(want).Members[0].Name; got != want {
			t.Errorf("%q came back as %q", want, got)
		}
	}
	wantStatus(t, verify(t, l.dir, nil), Intact)
}

func TestAppendRefusesBadRecords(t *testing.T) {
	deep := hcp.StringValue("x")
	for range 40 {
		deep = hcp.Value{Kind: hcp.Array, Items: []hcp.Value{deep}}
	}
	field := func(name string, v hcp.Value) Record {
		return Record{Type: "grant", ID: "a", Fields: []hcp.Member{{Name: name, Value: v}}}
	}
	for name, r := range map[string]Record{
		"no type":      {ID: "a"},
		"own type":     {Type: "log.recover", ID: "a"},
		"bad type":     {Type: "a\"b", ID: "a"},
		"bad id":       {Type: "grant", ID: "a b"},
		"own field":    field("prev", hcp.StringValue("x")),
		"twice":        {Type: "grant", ID: "a", Fields: []hcp.Member{{Name: "x"}, {Name: "x"}}},
		"bad number":   field("n", hcp.Value{Kind: hcp.Number, Text: "1,\"seq\":2"}),
		"empty number": field("n", hcp.Value{Kind: hcp.Number}),
		"word number":  field("n", hcp.Value{Kind: hcp.Number, Text: "true"}),
		"too deep":     field("d", deep),
		"too long":     field("l", hcp.StringValue(strings.Repeat("\n", maxLine/6))),
	} {
		l := newLog(t, 0)
		if err := l.Append(r, false); err == nil {
			t.Errorf("%s: no error", name)
		}
		if rep := verify(t, l.dir, nil); rep.ExitCode() != 0 || rep.Records > 1 {
			t.Errorf("%s: %+v", name, rep)
		}
	}
}

func TestNewTouchesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	New(Options{Dir: dir})
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error(err)
	}
	if r := verify(t, dir, nil); r.Status != Intact || r.Records != 0 || r.Head.Hash != strings.Repeat("0", 64) {
		t.Errorf("%+v", r)
	}
	if h, err := ReadHead(dir); err != nil || h.Seq != 0 {
		t.Error(h, err)
	}
	if lines, err := Tail(dir, 5); err != nil || lines != nil {
		t.Error(lines, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("reading made the folder")
	}
}

func TestNewID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := NewID()
		if len(id) != 16 || !hcp.ValidID(id) || seen[id] {
			t.Fatal(id)
		}
		seen[id] = true
	}
}

// Segments are joined by log.rotate and log.open, and Append still finds its
// place.
func TestRotation(t *testing.T) {
	l := newLog(t, 4<<10)
	fill(t, l, 100)
	segments, err := listSegments(l.dir)
	if err != nil || len(segments) < 5 {
		t.Fatal(segments, err)
	}
	for _, n := range segments {
		if info, _ := os.Stat(segment(l, n)); info.Size() > 4<<10 {
			t.Errorf("segment %d has %d bytes", n, info.Size())
		}
	}
	// A record longer than a segment gets through.
	mustAppend(t, l, note("grant", "big", strings.Repeat("b", 9000)))
	mustAppend(t, l, note("grant", "after", "x"))
	r := verify(t, l.dir, nil)
	wantStatus(t, r, Intact)
	head, err := ReadHead(l.dir)
	if err != nil || head != r.Head {
		t.Error(head, r.Head, err)
	}
	second := strings.SplitN(string(read(t, segment(l, 2))), "\n", 2)[0]
	if !strings.Contains(second, `"type":"log.open"`) || !strings.Contains(second, `"after":{"segment":"audit-000001.jsonl","seq":`) {
		t.Error(second)
	}
	lines, err := Tail(l.dir, 30)
	if err != nil || len(lines) != 30 || lines[29].Value.Get("id").Text != "after" {
		t.Fatal(len(lines), err)
	}
	for i := 1; i < len(lines); i++ {
		if lines[i].Value.Get("prev").Text != lines[i-1].Value.Get("hash").Text {
			t.Errorf("line %d is not in order", i)
		}
	}
	if all, _ := Tail(l.dir, 1<<30); uint64(len(all)) != r.Records {
		t.Errorf("%d lines, %d records", len(all), r.Records)
	}
}

// A rotation may stop between any two of its steps.
func TestRotationInterrupted(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 10)
	func() { // log.rotate is written, then the writer dies
		w, err := l.openWriter()
		if err != nil {
			t.Fatal(err)
		}
		defer w.close()
		if err := w.add(Record{Type: typeRotate, ID: "r"}); err != nil {
			t.Fatal(err)
		}
	}()
	wantStatus(t, verify(t, l.dir, nil), Intact)
	head := read(t, filepath.Join(l.dir, headName))
	mustAppend(t, l, note("grant", "a", "x"))
	wantStatus(t, verify(t, l.dir, nil), Intact)
	// The next segment exists, head.json still speaks of the old one.
	write(t, filepath.Join(l.dir, headName), head)
	mustAppend(t, l, note("grant", "b", "x"))
	r := verify(t, l.dir, nil)
	wantStatus(t, r, Intact)
	if segments, _ := listSegments(l.dir); len(segments) != 2 || r.Records != 14 {
		t.Error(segments, r.Records)
	}
}

// JSONL torn/interleaved: 64 writers with 200 records each, no break.
func TestP9_Parallel(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 40
	}
	l := newLog(t, 1<<20)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range n {
				if err := l.Append(note("grant", NewID(), "user:anna"), false); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	r := verify(t, l.dir, nil)
	wantStatus(t, r, Intact)
	segments, _ := listSegments(l.dir)
	if want := uint64(64*n + 2*len(segments) - 1); r.Records != want {
		t.Errorf("%d records, want %d", r.Records, want)
	}
}

// The same from eight processes, all of which find no log yet.
func TestP9_ParallelProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { runChild(t, "many", dir, "50") })
	}
	wg.Wait()
	r := verify(t, dir, nil)
	wantStatus(t, r, Intact)
	if segments, _ := listSegments(dir); r.Records != uint64(8*8*50+2*len(segments)-1) {
		t.Errorf("%d records", r.Records)
	}
}

// The lock is waited for two seconds, then the call is refused.
func TestLockDeadline(t *testing.T) {
	l := newLog(t, 0)
	mustAppend(t, l, note("grant", "a", "x"))
	lock, err := lockForWriting(l.dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	err = l.Append(note("grant", "b", "x"), false)
	if took := time.Since(start); err == nil || hcp.Reason(err) != "log is locked" || took < lockWait || took > 2*lockWait {
		t.Errorf("%v after %v", err, took)
	}
	lock.Close()
	mustAppend(t, l, note("grant", "b", "x"))
}
