package audit

import (
	"bufio"
	"os"
	"testing"
	"time"
)

// bigLog writes a whole log of n records at once, as Append would have.
func bigLog(t testing.TB, l *Log, n int) {
	t.Helper()
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(segment(l, 1), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	b := bufio.NewWriterSize(f, 1<<20)
	at, size, start := mark{hash: noDigest()}, int64(0), int64(0)
	for i := range n {
		r := note("grant", "abcdefgh", `"principal":"user:anna","tenant":"local","session":"default","invoker":"human","pack_id":"ledger","verb_key":"transfer","operation":"write"`)
		if i == 0 {
			r.Type = typeOpen
		}
		line, next, err := buildLine(at, testTime.Add(time.Duration(i)), r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		at, start, size = next, size, size+int64(len(line))
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := saveHead(l.dir, nil, headFile{mark: at, place: place{1, start, size}}); err != nil {
		t.Fatal(err)
	}
}

func benchAppend(b *testing.B, n int, sync bool) {
	l := newLog(b, 1<<40)
	if n > 0 {
		bigLog(b, l, n)
	}
	r := note("exec.start", "abcdefgh", "user:anna")
	for b.Loop() {
		if err := l.Append(r, sync); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendEmpty(b *testing.B)      { benchAppend(b, 0, false) }
func BenchmarkAppend100000(b *testing.B)     { benchAppend(b, 100_000, false) }
func BenchmarkAppendSync(b *testing.B)       { benchAppend(b, 0, true) }
func BenchmarkAppendSync100000(b *testing.B) { benchAppend(b, 100_000, true) }

// TestVerifyMillion: a million records are read in less than 10 s.
func TestVerifyMillion(t *testing.T) {
	if testing.Short() || raced {
		t.Skip("half a gigabyte, against the clock")
	}
	l := newLog(t, 0)
	bigLog(t, l, 1_000_000)
	start := time.Now()
	r := verify(t, l.dir, nil)
	took := time.Since(start)
	wantStatus(t, r, Intact)
	if r.Records != 1_000_000 {
		t.Fatalf("%d records", r.Records)
	}
	t.Logf("1,000,000 records in %v", took)
	if took > 10*time.Second {
		t.Fatalf("took %v", took)
	}
}
