package audit

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// Any change to any segment is found, at once and after later appends, and
// never keeps the log from going on.
func TestAnyChangeIsFound(t *testing.T) {
	l := newLog(t, 4<<10)
	fill(t, l, 40)
	segments, _ := listSegments(l.dir)
	saved := map[string][]byte{l.dir + "/" + headName: read(t, l.dir+"/"+headName)}
	for _, n := range segments {
		saved[segment(l, n)] = read(t, segment(l, n))
	}
	rounds := 2000
	if testing.Short() || raced {
		rounds = 300
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range rounds {
		now, _ := listSegments(l.dir)
		for _, n := range now {
			os.Remove(segment(l, n))
		}
		for path, data := range saved {
			write(t, path, data)
		}
		path := segment(l, segments[r.IntN(len(segments))])
		changed := change(r, saved[path])
		if bytes.Equal(changed, saved[path]) {
			continue
		}
		write(t, path, changed)
		rep := verify(t, l.dir, nil)
		if rep.Status != Broken {
			t.Fatalf("round %d: %s is %s: %+v", i, path, rep.Status, rep.Problems)
		}
		for range 2 {
			mustAppend(t, l, note("grant", "later", "x"))
		}
		rep = verify(t, l.dir, nil)
		if rep.Status != Broken {
			t.Fatalf("round %d: %s is %s after an append: %+v", i, path, rep.Status, rep.Problems)
		}
		if lines, err := Show(l.dir, "later"); err != nil || len(lines) != 2 || lines[1].Value.Kind == 0 {
			t.Fatalf("round %d: %v %v", i, lines, err)
		}
	}
}

func change(r *rand.Rand, data []byte) []byte {
	a := r.IntN(len(data) + 1)
	b := min(len(data), a+r.IntN(600))
	switch out := bytes.Clone(data); r.IntN(5) {
	case 0:
		return out[:a]
	case 1:
		return slices.Delete(out, a, b)
	case 2:
		return slices.Insert(out, r.IntN(len(out)+1), data[a:b]...)
	case 3:
		for i := a; i < b; i++ {
			out[i] = byte(r.Uint32())
		}
		return out
	default:
		return slices.Insert(out, a, []byte("\n")...)
	}
}

func FuzzParseLine(f *testing.F) {
	line, _, err := buildLine(mark{hash: noDigest()}, testTime, note("grant", "a", "b"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line[:len(line)-1])
	f.Add([]byte(lineStart + `1` + tsStart + typeStart + idStart + `"` + prevStart))
	f.Fuzz(func(t *testing.T, b []byte) {
		// Only what buildLine can have written is a record.
		if e, why := parseLine(b); why == "" {
			if !bytes.HasSuffix(b, []byte(hashStart+e.hash.String()+hashEnd)) || digestOf(b[:len(b)-hashLen]) != e.hash {
				t.Errorf("%q is a record", b)
			}
		}
		tornLike(b, 1)
		decodeHead(b)
		lineID(b)
		readRecovery(b)
	})
}
