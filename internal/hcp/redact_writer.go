package hcp

import (
	"errors"
	"io"
)

// RedactWriter masks secrets on their way to another writer, also when they are
// split over any number of writes. Only a suffix that could begin a secret is
// kept back, so output stays live. It is for one goroutine at a time.
type RedactWriter struct {
	w    io.Writer
	r    *Redactor // nil: everything passes
	json *jsonDecoder
	raw  fan    // what reads the stream as it is
	all  []sink // everything with a state
	busy bool   // one of them is not at its beginning

	kept   []byte // read and not yet let out
	store  []byte // kept with what was before it: its memory is used again
	base   int64  // position of kept[0] in the stream
	spans  []span // secrets found in kept, in order, apart from each other
	masked int64  // up to here a mask was written already
	escape span   // the latest whole JSON escape
	out    []byte
	err    error // of w; it stays
}

// Writer gives a writer that masks what is written to w. The end must be told
// with Close or Flush, or what is kept back is lost. Close does not close w.
func (r *Redactor) Writer(w io.Writer) *RedactWriter {
	rw := &RedactWriter{w: w, r: r}
	if r != nil {
		rw.build()
	}
	return rw
}

// build lays out which decodings are looked at. A secret that was encoded twice
// is found where programs do that: JSON in JSON, a URL in JSON, base64 in a URL.
func (w *RedactWriter) build() {
	percent := func(plus bool, next ...sink) sink {
		return w.track(&percentDecoder{next: next, plus: plus})
	}
	w.json = &jsonDecoder{decoded: w.align, next: fan{w.plain(), w.packed(), percent(false, w.plain()),
		w.track(&jsonDecoder{next: fan{w.plain()}})}}
	w.track(w.json)
	w.raw = fan{w.plain(), w.packed(), percent(false, w.plain(), w.packed())}
	if w.r.plus {
		w.raw = append(w.raw, percent(true, w.plain()))
		w.json.next = append(w.json.next, percent(true, w.plain()))
	}
}

func (w *RedactWriter) track(s sink) sink {
	w.all = append(w.all, s)
	return s
}

func (w *RedactWriter) plain() sink {
	return w.track(&matcher{words: &w.r.plain, found: w.found})
}

func (w *RedactWriter) packed() sink {
	return w.track(&matcher{words: &w.r.packed, found: w.found, joins: true})
}

// Write takes all of p, or gives the error of the writer behind.
func (w *RedactWriter) Write(p []byte) (int, error) {
	if w.r == nil {
		return w.w.Write(p)
	}
	if w.err != nil {
		return 0, w.err
	}
	w.scan(p)
	if w.release(w.safe()); w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// Flush lets out what is kept back: the stream has ended, and what could have
// begun a secret did not.
func (w *RedactWriter) Flush() error {
	if w.r == nil || w.err != nil {
		return w.err
	}
	w.release(w.end())
	for _, s := range w.all {
		s.reset()
	}
	w.busy = false
	return w.err
}

// Close is Flush, and then refuses further writes.
func (w *RedactWriter) Close() error {
	err := w.Flush()
	if w.r != nil && w.err == nil {
		w.err = errClosed
	}
	if errors.Is(err, errClosed) {
		return nil
	}
	return err
}

var errClosed = errors.New("write after close")

func (w *RedactWriter) end() int64 { return w.base + int64(len(w.kept)) }

// scan looks at every byte once. Between secrets, what cannot begin one is
// passed over.
func (w *RedactWriter) scan(p []byte) {
	pos := w.end()
	w.kept = append(w.kept, p...)
	w.store = w.kept
	for _, b := range p {
		if w.busy || w.r.hot[b] {
			w.step(b, pos)
		}
		pos++
	}
}

func (w *RedactWriter) step(b byte, pos int64) {
	w.json.push(b, pos, pos+1)
	// A secret that seems to begin inside of a JSON escape takes the whole
	// escape with it: half of one would break the string that it stands in.
	from := pos
	if start := w.json.hold(); start < from {
		from = start
	} else if w.escape.to == pos+1 {
		from = w.escape.from
	}
	w.raw.push(b, from, pos+1)
	w.busy = false
	for _, s := range w.all {
		if !idle(s) {
			w.busy = true
			return
		}
	}
}

func idle(s sink) bool {
	switch s := s.(type) {
	case *matcher:
		return s.at == 0
	case *jsonDecoder:
		return s.n == 0
	case *percentDecoder:
		return s.n == 0
	}
	return false
}

// found enters a secret. Where it overlaps one that is known already, both
// become one mask.
func (w *RedactWriter) found(from, to int64) {
	n := len(w.spans)
	for n > 0 && from < w.spans[n-1].to {
		n--
		from = min(from, w.spans[n].from)
		to = max(to, w.spans[n].to)
	}
	w.spans = w.spans[:n]
	if n == 0 && from < w.masked {
		w.masked = max(w.masked, to)
		return
	}
	w.spans = append(w.spans, span{max(from, w.base), to})
}

// align stretches a mask that ends inside of a JSON escape to the escape's end.
func (w *RedactWriter) align(e span) {
	w.escape = e
	if n := len(w.spans); n > 0 {
		if last := &w.spans[n-1]; e.from < last.to && last.to < e.to {
			last.to = e.to
		}
	}
	if e.from < w.masked && w.masked < e.to {
		w.masked = e.to
	}
}

// safe is up to where nothing can become part of a secret any more.
func (w *RedactWriter) safe() int64 {
	safe := w.end()
	if !w.busy {
		return safe
	}
	for _, s := range w.all {
		safe = min(safe, s.hold())
	}
	return safe
}

// release writes out everything before limit, in one write. A mask goes out as
// soon as its beginning may; what it covers is dropped.
func (w *RedactWriter) release(limit int64) {
	w.out = w.out[:0]
	n := 0
	for n < len(w.spans) && w.spans[n].from <= limit {
		w.take(w.spans[n].from)
		w.out = append(w.out, Mask...)
		w.masked = w.spans[n].to
		n++
	}
	w.spans = append(w.spans[:0], w.spans[n:]...)
	w.take(limit)
	w.kept = append(w.store[:0], w.kept...)
	if len(w.out) == 0 {
		return
	}
	m, err := w.w.Write(w.out)
	if err == nil && m < len(w.out) {
		err = io.ErrShortWrite
	}
	w.err = err
}

// take moves what stands before limit, and is not masked, from kept to out.
func (w *RedactWriter) take(limit int64) {
	w.drop(min(w.masked, w.end()))
	if limit > w.base {
		w.out = append(w.out, w.kept[:limit-w.base]...)
		w.drop(limit)
	}
}

func (w *RedactWriter) drop(to int64) {
	if to > w.base {
		w.kept = w.kept[to-w.base:]
		w.base = to
	}
}
