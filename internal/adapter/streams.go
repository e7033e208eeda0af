package adapter

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"hcp/internal/hcp"
	"hcp/internal/sandbox"
)

// streams collects what the child wrote, where the face wants a result.
type streams struct {
	capture  bool
	out, err bytes.Buffer
	masks    []*hcp.RedactWriter // hold back what could be the beginning of a secret
}

// limit is max_output on a face that captures; a live stream has none.
func (f Face) limit(max int64) int64 {
	if f.Capture {
		return max
	}
	return 0
}

// collect points the spec's streams at the face and, with Capture, at buffers
// that max_output bounds.
func collect(f Face, s *sandbox.Spec, mask *hcp.Redactor) *streams {
	c := &streams{capture: f.Capture}
	s.Stdout, s.Stderr = f.Stdout, f.Stderr
	if f.Capture {
		s.Stdout, s.Stderr = tee(&c.out, f.Stdout), tee(&c.err, f.Stderr)
	}
	if mask != nil {
		s.Stdout, s.Stderr = c.masked(mask, s.Stdout), c.masked(mask, s.Stderr)
	}
	return c
}

// masked puts the redactor before a stream: whatever leaves, whichever way,
// passes it.
func (c *streams) masked(mask *hcp.Redactor, w io.Writer) io.Writer {
	if w == nil {
		return nil
	}
	m := mask.Writer(w)
	c.masks = append(c.masks, m)
	return m
}

// finish lets out what was held back, once the child has ended.
func (c *streams) finish() {
	for _, m := range c.masks {
		_ = m.Close() // a reader that went away has been noticed while it ran
	}
}

func tee(buf *bytes.Buffer, live io.Writer) io.Writer {
	if live == nil {
		return buf
	}
	return io.MultiWriter(buf, live)
}

// result turns a finished child into a result (R-13, E-6, E-7).
func (c *streams) result(o sandbox.Outcome) hcp.Result {
	r := hcp.Result{OK: o.Denied == nil && o.Exit == 0, Code: o.Exit, Files: o.Files, Sandbox: o.Driver}
	if o.Ran {
		exit := o.Exit
		r.Exit = &exit
	}
	if c.capture {
		out, bad1 := text(c.out.Bytes())
		errOut, bad2 := text(c.err.Bytes())
		r.Stdout, r.Stderr, r.Binary = &out, &errOut, bad1 || bad2
		if r.OK {
			r.Result = resultOf(out)
		}
	}
	if o.Denied == nil && o.Exit != 0 {
		r.Error = failure(c.err.Bytes(), o.Exit)
	}
	return r
}

// text is a stream as JSON can carry it.
func text(b []byte) (s string, binary bool) {
	if utf8.Valid(b) {
		return string(b), false
	}
	return strings.ToValidUTF8(string(b), "\ufffd"), true
}

// resultOf is stdout as JSON where it is exactly one JSON value, numbers and
// key order untouched, else the raw string (E-6).
func resultOf(out string) json.RawMessage {
	if json.Valid([]byte(out)) {
		var line bytes.Buffer
		if json.Compact(&line, []byte(out)) == nil {
			return line.Bytes()
		}
	}
	return hcp.AppendString(nil, out)
}

// failure is stderr without trailing white space, or "exit <code>".
func failure(stderr []byte, exit int) string {
	s, _ := text(stderr)
	if s = strings.TrimRight(s, " \t\r\n\v\f"); s != "" {
		return s
	}
	return "exit " + strconv.Itoa(exit)
}
