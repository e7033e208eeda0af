package audit

import (
	"slices"

	"hcp/internal/hcp"
)

// Line is one line of the log, for people and programs to look at.
type Line struct {
	Text  string    // the line in printable ASCII; a record's own bytes
	Value hcp.Value // the record; Missing when the line is none, or was changed
}

// maxShown bounds what is shown of a line that is no record.
const maxShown = 4 << 10

func lineOf(s *scanner) Line {
	text := s.text()
	if _, why := s.entry(); why == "" {
		if v, err := hcp.ParseJSON(text, maxNesting); err == nil {
			return Line{Text: Printable(string(text)), Value: v}
		}
	}
	if len(text) > maxShown {
		return Line{Text: Printable(string(text[:maxShown])) + "..."}
	}
	return Line{Text: Printable(string(text))}
}

// Tail returns the last n lines, oldest first; fewer when there are no more,
// none for n < 1 or a log that does not exist. Only Verify says whether they
// are what was written.
func Tail(dir string, n int) ([]Line, error) {
	s, err := takeSnapshot(dir)
	if err != nil || n < 1 {
		return nil, err
	}
	var out []Line
	for _, number := range slices.Backward(s.segments) {
		lines, err := s.lastLines(number, n-len(out))
		if err != nil {
			return nil, err
		}
		if out = append(lines, out...); len(out) >= n {
			break
		}
	}
	return out, nil
}

// lastLines keeps the last n lines of a segment: first it counts, so that only
// those are kept and parsed.
func (s snapshot) lastLines(number, n int) ([]Line, error) {
	count := 0
	if err := s.each(number, func(*scanner) { count++ }); err != nil {
		return nil, err
	}
	var out []Line
	skip := count - n
	err := s.each(number, func(sc *scanner) {
		if skip--; skip < 0 {
			out = append(out, lineOf(sc))
		}
	})
	return out, err
}

// each calls f for every line of a segment; an overlong line counts once.
func (s snapshot) each(number int, f func(*scanner)) error {
	return s.scan(number, func(sc *scanner) error {
		for sc.next() {
			if !sc.inner {
				f(sc)
			}
		}
		return sc.err
	})
}

// Show returns every record of the call id, oldest first, from the whole log;
// none for an id that is not there. A line that names the id and was changed
// comes too, with a Missing Value.
func Show(dir, id string) ([]Line, error) {
	s, err := takeSnapshot(dir)
	if err != nil || !plainWord(id) {
		return nil, err
	}
	var out []Line
	for _, number := range s.segments {
		err := s.each(number, func(sc *scanner) {
			if got, ok := lineID(sc.text()); ok && string(got) == id {
				out = append(out, lineOf(sc))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
