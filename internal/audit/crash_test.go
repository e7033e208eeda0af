package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hcp/internal/hcp"
)

// JSONL torn/interleaved: 1,000 writers are killed while they write, two at a
// time. What they leave is whole, or a torn line that the next one heals; never
// a broken log.
func TestP9_KillStorm(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 60
	}
	dir := filepath.Join(t.TempDir(), "a")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range rounds / 2 {
				killOne(t, dir)
				if i%50 == 0 {
					if r := verify(t, dir, nil); r.Status == Broken {
						t.Errorf("round %d: %+v", i, r.Problems)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	l := New(Options{Dir: dir})
	mustAppend(t, l, note("grant", "last", "x"))
	r := verify(t, dir, nil)
	if r.Status == Broken || r.Records < uint64(rounds) {
		t.Fatalf("%d records: %+v", r.Records, r.Problems)
	}
	if lines, err := Show(dir, "last"); err != nil || len(lines) != 1 {
		t.Error(lines, err)
	}
	t.Logf("%d records, %d torn", r.Records, len(r.Problems))
}

func killOne(t *testing.T, dir string) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Error(err)
		return
	}
	defer out.Close()
	p := child(t, in, "forever", dir)
	in.Close()
	out.Read(make([]byte, 16)) // it has begun
	time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
	p.Kill()
	p.Wait()
}

// A writer may have been killed after any byte of its write, and before
// head.json: what was whole stays, what is torn is healed, once.
func TestTornAtEveryByte(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 5)
	whole, head := read(t, segment(l, 1)), read(t, filepath.Join(l.dir, headName))
	e, err := ReadHead(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	line, _, err := buildLine(mark{e.Seq, digest([]byte(e.Hash))}, testTime, note("grant", "torn", "user:anna"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= len(line); n++ {
		write(t, segment(l, 1), append(bytes.Clone(whole), line[:n]...))
		write(t, filepath.Join(l.dir, headName), head)
		want, records := Warnings, uint64(5+2)
		if n >= len(line)-1 {
			records++ // all but the newline is there: the record counts
		}
		if n == len(line) {
			want, records = Intact, 7 // nothing is torn, head.json is only behind
		}
		if r := verify(t, l.dir, nil); r.Status != want {
			t.Fatalf("torn at %d: %s %+v", n, r.Status, r.Problems)
		}
		mustAppend(t, l, note("grant", "next", "x"))
		r := verify(t, l.dir, nil)
		if r.Status != want || r.Records != records || len(r.Problems) > 1 {
			t.Fatalf("healed at %d: %s %d %+v", n, r.Status, r.Records, r.Problems)
		}
		mustAppend(t, l, note("grant", "next", "x"))
		if again := verify(t, l.dir, nil); again.Records != records+1 || len(again.Problems) != len(r.Problems) {
			t.Fatalf("after %d: %+v", n, again)
		}
	}
}

// The healing write itself is torn, at every byte; and zeros that a power
// failure left are a torn line too.
func TestTornWhileHealing(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 5)
	torn := append(read(t, segment(l, 1)), `{"v":1,"seq":6,"ts":"2026`...)
	head := read(t, filepath.Join(l.dir, headName))
	write(t, segment(l, 1), torn)
	mustAppend(t, l, note("grant", "next", "x"))
	healed := read(t, segment(l, 1))
	end := len(torn) + 1 + bytes.IndexByte(healed[len(torn)+1:], '\n')
	for n := len(torn); n < end; n++ {
		write(t, segment(l, 1), healed[:n])
		write(t, filepath.Join(l.dir, headName), head)
		wantStatus(t, verify(t, l.dir, nil), Warnings)
		mustAppend(t, l, note("grant", "again", "x"))
		wantStatus(t, verify(t, l.dir, nil), Warnings)
	}
	for _, zeros := range []string{strings.Repeat("\x00", 5000), `{"v":1,` + strings.Repeat("\x00", 90)} {
		write(t, segment(l, 1), append(bytes.Clone(torn[:len(torn)-25]), zeros...))
		write(t, filepath.Join(l.dir, headName), head)
		wantStatus(t, verify(t, l.dir, nil), Warnings)
		mustAppend(t, l, note("grant", "again", "x"))
		wantStatus(t, verify(t, l.dir, nil), Warnings)
	}
}

// A healed line is still under the chain: changing it, or passing foreign bytes
// off as a torn line, is found.
func TestHealedLineIsGuarded(t *testing.T) {
	l := newLog(t, 0)
	fill(t, l, 5)
	torn := append(read(t, segment(l, 1)), `{"v":1,"seq":6,"ts":"2026-11-30T`...)
	write(t, segment(l, 1), torn)
	mustAppend(t, l, note("grant", "next", "x"))
	healed := read(t, segment(l, 1))
	v := newFlipVerifier(t, l.dir, 1)
	for i := range healed {
		healed[i] ^= 1
		if v.status(healed) != Broken {
			t.Errorf("byte %d", i)
		}
		healed[i] ^= 1
	}
	if v.status(healed) != Warnings {
		t.Fatal("fixture")
	}
	for _, foreign := range []string{"foreign", "foreign\n", "\n", `{"v":1,"seq":9,"ts":"2026-11-30T`, strings.Repeat("x", 3<<20)} {
		l := newLog(t, 0)
		fill(t, l, 5)
		write(t, segment(l, 1), append(read(t, segment(l, 1)), foreign...))
		wantStatus(t, verify(t, l.dir, nil), Broken)
		mustAppend(t, l, note("grant", "next", "x"))
		mustAppend(t, l, note("grant", "next", "x"))
		r := verify(t, l.dir, nil)
		wantStatus(t, r, Broken)
		if r.Records != 8 {
			t.Errorf("%.20q: %d records", foreign, r.Records)
		}
	}
}

// head.json missing, damaged, behind, ahead or a liar: Append finds the end
// itself, and says what it met.
func TestHeadFile(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(path string, old, now []byte)
		status string // at once, and after the next append
		why    string
	}{
		"missing":    {func(p string, _, _ []byte) { os.Remove(p) }, Warnings, "head.json was missing"},
		"empty":      {func(p string, _, _ []byte) { os.Truncate(p, 0) }, Warnings, "head.json was damaged"},
		"cut":        {func(p string, _, _ []byte) { os.Truncate(p, 100) }, Warnings, "head.json was damaged"},
		"longer":     {func(p string, _, now []byte) { os.WriteFile(p, append(now, '\n'), 0o600) }, Warnings, "head.json was damaged"},
		"flipped":    {func(p string, _, now []byte) { now[20] ^= 1; os.WriteFile(p, now, 0o600) }, Warnings, "head.json was damaged"},
		"half":       {func(p string, old, now []byte) { os.WriteFile(p, append(now[:40:40], old[40:]...), 0o600) }, Warnings, "head.json was damaged"},
		"garbage":    {func(p string, _, _ []byte) { os.WriteFile(p, []byte("\x00\xff{"), 0o600) }, Warnings, "head.json was damaged"},
		"behind":     {func(p string, old, _ []byte) { os.WriteFile(p, old, 0o600) }, Intact, ""},
		"at nothing": {func(p string, _, _ []byte) { os.WriteFile(p, headFile{mark: mark{hash: noDigest()}}.encode(), 0o600) }, Intact, ""},
		"wrong hash": {func(p string, _, now []byte) {
			h := decodeHead(now)
			h.hash[3] ^= 1
			if h.hash[3] == 'a'-1 || h.hash[3] > 'f' {
				h.hash[3] = '7'
			}
			os.WriteFile(p, h.encode(), 0o600)
		}, Broken, "not what head.json said"},
		"ahead": {func(p string, _, now []byte) {
			h := decodeHead(now)
			h.seq += 5
			os.WriteFile(p, h.encode(), 0o600)
		}, Broken, "not what head.json said (seq 16)"},
		"wrong place": {func(p string, _, now []byte) {
			h := decodeHead(now)
			h.start, h.end = h.start-1, h.end-1
			os.WriteFile(p, h.encode(), 0o600)
		}, Broken, "not what head.json said"},
		"wild place": {func(p string, _, now []byte) {
			h := decodeHead(now)
			h.start, h.end, h.segment = 0, 1<<62, 77
			os.WriteFile(p, h.encode(), 0o600)
		}, Broken, "not what head.json said"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, 0)
			fill(t, l, 6)
			path := filepath.Join(l.dir, headName)
			old := read(t, path)
			fill(t, l, 6)
			c.damage(path, old, read(t, path))
			wantStatus(t, verify(t, l.dir, nil), c.status)
			for range 2 {
				mustAppend(t, l, note("grant", "next", "x"))
				r := verify(t, l.dir, nil)
				wantStatus(t, r, c.status)
				if c.why != "" {
					wantWhy(t, r, c.why)
				}
			}
			if info, err := os.Stat(path); err != nil || info.Size() != headLen {
				t.Error("head.json was not made good", err)
			}
			if n := len(must(listSegments(l.dir))); n != 1 {
				t.Errorf("%d segments", n)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// An empty segment file that somebody made beforehand is begun, not distrusted.
func TestEmptyFirstSegment(t *testing.T) {
	l := newLog(t, 0)
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, segment(l, 1), nil)
	mustAppend(t, l, note("grant", "a", "x"))
	mustAppend(t, l, note("grant", "b", "x"))
	r := verify(t, l.dir, nil)
	wantStatus(t, r, Intact)
	if r.Records != 3 {
		t.Error(r.Records)
	}
}

// A full disk in the middle of a line (here: a limit on the file's size) leaves
// whole lines, and the errno's words.
func TestP9_ShortWrite(t *testing.T) {
	for limit := 2000; limit < 2300; limit += 50 {
		dir := filepath.Join(t.TempDir(), "a")
		said := strings.Fields(runChild(t, "limited", dir, fmt.Sprint(limit)))
		if len(said) < 2 || strings.Join(said[1:], " ") != "file too large" {
			t.Fatal(said)
		}
		r := verify(t, dir, nil)
		wantStatus(t, r, Intact)
		if fmt.Sprint(r.Records-1) != said[0] {
			t.Errorf("%d records, %s appends", r.Records, said[0])
		}
		mustAppend(t, New(Options{Dir: dir}), note("grant", "a", "x"))
		wantStatus(t, verify(t, dir, nil), Intact)
	}
}

// denied: audit: <errno>: no folder, no file, no right.
func TestP9_Errnos(t *testing.T) {
	base := t.TempDir()
	if err := os.WriteFile(filepath.Join(base, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := New(Options{Dir: filepath.Join(base, "file", "audit")}).Append(note("grant", "a", "x"), true)
	if err == nil || hcp.Reason(err) != "not a directory" {
		t.Error(err)
	}
}

// Untrusted modes and kinds of the folder and of every file in it.
func TestUntrusted(t *testing.T) {
	chmod := func(mode os.FileMode) func(string) error {
		return func(p string) error { return os.Chmod(p, mode) }
	}
	link := func(p string) error {
		if err := os.Rename(p, p+"x"); err != nil {
			return err
		}
		return os.Symlink(p+"x", p)
	}
	folder := func(p string) error { os.Remove(p); return os.Mkdir(p, 0o700) }
	for _, file := range []string{".", "audit-000001.jsonl", headName, lockName, saltName} {
		for name, damage := range map[string]func(string) error{"0666": chmod(0o666), "0620": chmod(0o620), "link": link, "folder": folder} {
			if file == "." && (name == "link" || name == "folder") {
				continue
			}
			t.Run(file+" "+name, func(t *testing.T) {
				l := newLog(t, 0)
				fill(t, l, 3)
				secret := hcp.Args{{Name: "token", Value: hcp.StringValue("x")}}
				if _, err := l.Args(secret); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(l.dir, file)
				if file == "." {
					path = l.dir
					if name == "0666" {
						damage = chmod(0o777)
					} else {
						damage = chmod(0o720)
					}
				}
				if err := damage(path); err != nil {
					t.Fatal(err)
				}
				if file == saltName {
					if v, err := New(Options{Dir: l.dir}).Args(secret); err == nil {
						t.Error("salt was used", v)
					}
					return
				}
				before, _ := os.ReadFile(segment(l, 1))
				if err := l.Append(note("grant", "a", "x"), false); err == nil {
					t.Error("appended")
				} else if strings.ContainsAny(hcp.Reason(err), "\n*") {
					t.Errorf("%q", hcp.Reason(err))
				}
				if after, _ := os.ReadFile(segment(l, 1)); !bytes.Equal(before, after) {
					t.Error("the log was touched")
				}
				if r, err := Verify(l.dir, nil); err == nil {
					t.Error("judged", r)
				}
			})
		}
	}
}
