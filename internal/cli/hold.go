package cli

import (
	"bytes"
	"encoding/json"
)

// maxHeld bounds what is held back in the hope that it is JSON; more than that
// nobody reads on a terminal.
const maxHeld = 8 << 20

// jsonHolder stands before a terminal: output that begins like a JSON object or
// array is held until it is whole, and shown indented; anything else passes as
// it comes.
type jsonHolder struct {
	env     *Env
	buf     bytes.Buffer
	through bool
}

func (h *jsonHolder) Write(p []byte) (int, error) {
	if h.through {
		return h.env.Stdout.Write(p)
	}
	h.buf.Write(p)
	start := bytes.TrimLeft(h.buf.Bytes(), " \t\r\n")
	if len(start) == 0 && h.buf.Len() <= maxHeld {
		return len(p), nil
	}
	if len(start) > 0 && (start[0] == '{' || start[0] == '[') && h.buf.Len() <= maxHeld {
		return len(p), nil
	}
	h.through = true
	if _, err := h.env.Stdout.Write(h.buf.Bytes()); err != nil {
		return 0, err
	}
	h.buf.Reset()
	return len(p), nil
}

// finish shows what was held and gives it as JSON, or nil when it was none.
func (h *jsonHolder) finish() []byte {
	if h.through || h.buf.Len() == 0 {
		return nil
	}
	if !json.Valid(h.buf.Bytes()) {
		h.env.Stdout.Write(h.buf.Bytes())
		return nil
	}
	var line bytes.Buffer
	if json.Compact(&line, h.buf.Bytes()) != nil {
		return nil
	}
	h.env.write(h.env.pretty(line.Bytes()), 0)
	return line.Bytes()
}
