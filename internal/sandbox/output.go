package sandbox

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"hcp/internal/hcp"
)

// output carries what the child writes to our writers. The pipes are our own,
// so that what still holds one after the child's end delays nothing.
type output struct {
	limit          int64
	total          atomic.Int64
	once           sync.Once
	over           chan struct{} // closed when the limit is passed
	stdout, stderr stream
}

type stream struct {
	read   *os.File
	child  *os.File // the child's end; nil once it was started
	to     io.Writer
	bytes  atomic.Int64
	broken atomic.Bool // nobody reads to any more
	err    error       // what else to said; valid after done
	done   chan struct{}
}

func newOutput(s *Spec) (*output, *hcp.Denial) {
	o := &output{limit: s.MaxOutput, over: make(chan struct{})}
	o.stdout.to, o.stderr.to = s.Stdout, s.Stderr
	for _, st := range [...]*stream{&o.stdout, &o.stderr} {
		var err error
		if st.read, st.child, err = os.Pipe(); err != nil {
			o.close()
			return nil, failed("pipe", err)
		}
		st.done = make(chan struct{})
	}
	return o, nil
}

// started lets go of the child's ends: only the child may keep the pipes open.
func (o *output) started() {
	for _, st := range [...]*stream{&o.stdout, &o.stderr} {
		if st.child != nil {
			st.child.Close()
			st.child = nil
		}
	}
}

func (o *output) close() {
	o.started()
	for _, st := range [...]*stream{&o.stdout, &o.stderr} {
		if st.read != nil {
			st.read.Close()
		}
	}
}

// pump passes on what comes; nothing is written before ready is closed, since a
// broken stdout would then end hcp itself.
func (o *output) pump(ready <-chan struct{}) {
	go o.stdout.copy(o, ready)
	go o.stderr.copy(o, ready)
}

// drain waits until everything the child wrote has been passed on.
func (o *output) drain() {
	for _, st := range [...]*stream{&o.stdout, &o.stderr} {
		st.read.SetReadDeadline(time.Now().Add(drained))
	}
	<-o.stdout.done
	<-o.stderr.done
}

// fault is a refusal for output that went too far or nowhere; nil for none.
func (o *output) fault(limit int64) *hcp.Denial {
	switch {
	case o.limit > 0 && o.total.Load() > o.limit:
		return exceeds(limit)
	case o.stdout.err != nil:
		return failed("stdout", o.stdout.err)
	case o.stderr.err != nil:
		return failed("stderr", o.stderr.err)
	}
	return nil
}

func (st *stream) copy(o *output, ready <-chan struct{}) {
	defer close(st.done)
	<-ready
	buf := make([]byte, 4<<10)
	for {
		n, err := st.read.Read(buf)
		if n > 0 && !st.pass(o, buf[:n]) {
			st.read.Close() // the child's next write is a SIGPIPE
			return
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			st.rest(o, buf)
			return
		}
		if err != nil {
			return
		}
		if n == len(buf) && n < 64<<10 {
			buf = make([]byte, 4*n) // most programs say little
		}
	}
}

func (st *stream) pass(o *output, b []byte) bool {
	if o.limit > 0 && o.total.Add(int64(len(b))) > o.limit {
		o.once.Do(func() { close(o.over) })
		return false
	}
	st.bytes.Add(int64(len(b)))
	if st.to == nil {
		return true
	}
	switch _, err := st.to.Write(b); {
	case err == nil:
		return true
	case errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe):
		st.broken.Store(true)
	default:
		st.err = err
	}
	return false
}

// rest takes what lies in the pipe and waits for no more.
func (st *stream) rest(o *output, buf []byte) {
	st.read.SetReadDeadline(time.Time{})
	raw, err := st.read.SyscallConn()
	if err != nil {
		return
	}
	for {
		n := 0
		raw.Read(func(fd uintptr) bool {
			n, _ = syscall.Read(int(fd), buf)
			return true
		})
		if n <= 0 || !st.pass(o, buf[:n]) {
			return
		}
	}
}
