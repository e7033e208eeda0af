package mcp

import (
	"bufio"
	"bytes"
	"io"
	"sync"
)

// readLine reads up to a newline. A line over maxLine is read to its end and
// dropped, so that the next one is still found. The last line needs no newline.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine+1 {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}

// read takes one message after the other until the input ends.
func (s *session) read(in io.Reader) {
	defer s.leave()
	for r := bufio.NewReaderSize(in, 64<<10); ; {
		line, tooLong, err := readLine(r)
		switch {
		case tooLong:
			s.out.write(failure(nil, codeParse, "parse error: message larger than 4 MiB"))
		case len(line) > 0:
			s.line(line)
		}
		if err != nil || s.ctx.Err() != nil {
			return
		}
	}
}

// writer writes whole lines, one at a time. After the first failure it writes
// nothing more.
type writer struct {
	mu     sync.Mutex
	w      io.Writer
	failed error
	broken func() // called at the first failure
}

func (w *writer) write(message []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return
	}
	if _, w.failed = w.w.Write(append(message, '\n')); w.failed != nil {
		w.broken()
	}
}

// err is the failure, if any. It does not wait for a write that hangs.
func (w *writer) err() error {
	if !w.mu.TryLock() {
		return nil
	}
	defer w.mu.Unlock()
	return w.failed
}
