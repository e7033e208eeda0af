package mcp

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"hcp/internal/hcp"
)

// session is one client's.
type session struct {
	ctx   context.Context // done: every call is ended
	host  Host
	names bool // a tool for every command
	out   *writer

	running chan struct{} // one for each call that runs
	queued  chan struct{} // one for each call that runs or waits
	asked   chan struct{} // one for each question to the host's user
	left    chan struct{} // closed when nothing more comes in
	leaving sync.Once

	mu      sync.Mutex
	flight  map[string]*flight              // calls by the id of their request
	waiting map[string]chan json.RawMessage // questions by our id; an answer that is an error closes it
	number  int                             // of our last question
	canAsk  bool                            // the client takes elicitations

	patience time.Duration // for an answer to a question
}

// flight is a call that has not been answered.
type flight struct {
	cancel    context.CancelFunc
	cancelled bool // by the client, which wants no answer then
}

// answer takes the answer to one message, nil where it gets none. It is called
// exactly once.
type answer func(line []byte)

func newSession(ctx context.Context, host Host, o Options, out *writer) *session {
	return &session{ctx: ctx, host: host, names: o.Commands, out: out,
		running: make(chan struct{}, maxRunning), queued: make(chan struct{}, maxQueued), asked: make(chan struct{}, maxAsked),
		patience: patience, left: make(chan struct{}), flight: map[string]*flight{}, waiting: map[string]chan json.RawMessage{}}
}

// serve is Serve. Reading cannot be interrupted: where the session ends before
// its input does, a goroutine is left to the end of the process.
func (s *session) serve(in io.Reader) error {
	ended, idle := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.read(in)
	}()
	select {
	case <-ended:
	case <-s.ctx.Done():
	}
	s.leave()
	go func() {
		defer close(idle)
		s.drain()
	}()
	select {
	case <-idle:
	case <-s.ctx.Done():
		select {
		case <-idle:
		case <-time.After(farewell):
		}
	}
	return s.out.err()
}

// leave says that nobody answers our questions any more.
func (s *session) leave() { s.leaving.Do(func() { close(s.left) }) }

// drain comes back when every call is answered; none begins after it.
func (s *session) drain() {
	for range maxQueued {
		s.queued <- struct{}{}
	}
}

// line takes one line of input: a message, or an array of them.
func (s *session) line(line []byte) {
	if _, err := hcp.ParseJSON(line, 0); err != nil && !hcp.IsTooDeep(err) {
		// Well-formed is all that is asked here; ParseJSON has the words.
		s.out.write(failure(nil, codeParse, "parse error: "+err.Error()))
		return
	}
	if line[0] != '[' {
		s.message(line, func(a []byte) {
			if a != nil {
				s.out.write(a)
			}
		})
		return
	}
	var list []json.RawMessage
	switch _ = json.Unmarshal(line, &list); {
	case len(list) == 0:
		s.out.write(failure(nil, codeRequest, "invalid request: empty batch"))
		return
	case len(list) > maxBatch:
		s.out.write(failure(nil, codeRequest, "invalid request: batch of more than 256 messages"))
		return
	}
	b := &batch{left: len(list), out: s.out}
	for _, raw := range list {
		s.message(raw, b.answer)
	}
}

// batch collects the answers to an array of messages (JSON-RPC 2.0, MCP
// 2025-03-26).
type batch struct {
	mu   sync.Mutex
	left int
	line []byte
	out  *writer
}

func (b *batch) answer(a []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a != nil {
		b.line = append(append(b.line, ','), a...)
	}
	if b.left--; b.left == 0 && b.line != nil {
		b.line[0] = '['
		b.out.write(append(b.line, ']'))
	}
}

func (s *session) message(raw []byte, done answer) {
	m, what := decode(raw)
	switch {
	case what != "":
		done(failure(m.id, codeRequest, "invalid request: "+what))
	case m.method == "":
		s.answered(m)
		done(nil)
	case m.id == nil:
		if m.method == "notifications/cancelled" {
			s.cancelled(m.params)
		}
		done(nil)
	default:
		s.request(m, done)
	}
}

// request answers at once what can be; calls run beside. A fault in here is the
// answer to one request, and nothing of its words goes out.
func (s *session) request(m message, done answer) {
	defer func() {
		if recover() != nil {
			done(failure(m.id, codeInternal, "internal fault"))
		}
	}()
	switch m.method {
	case "initialize":
		done(success(m.id, s.initialize(m.params).AppendJSON(nil)))
	case "ping":
		done(success(m.id, []byte("{}")))
	case "tools/list":
		done(success(m.id, s.listTools().AppendJSON(nil)))
	case "tools/call":
		s.callTool(m, done)
	case "resources/list":
		done(s.listResources(m))
	case "resources/templates/list":
		done(success(m.id, []byte(`{"resourceTemplates":[]}`)))
	case "resources/read":
		done(s.readResource(m))
	default:
		done(failure(m.id, codeMethod, "method not found: "+hcp.Quote(m.method)))
	}
}

// start runs a call beside the others. Its context ends with the client's
// cancellation, which takes the place of an answer.
func (s *session) start(m message, done answer, run func(context.Context) []byte) {
	ctx, cancel := context.WithCancel(s.ctx)
	f := &flight{cancel: cancel}
	s.mu.Lock()
	if s.flight[string(m.id)] != nil {
		s.mu.Unlock()
		cancel()
		done(failure(m.id, codeRequest, "invalid request: id is in use"))
		return
	}
	s.flight[string(m.id)] = f
	s.mu.Unlock()
	s.queued <- struct{}{}
	go func() {
		defer func() { <-s.queued }()
		line := guarded(m.id, func() []byte { return success(m.id, run(ctx)) })
		cancel()
		s.mu.Lock()
		delete(s.flight, string(m.id))
		if f.cancelled {
			line = nil
		}
		s.mu.Unlock()
		done(line)
	}()
}

func guarded(id json.RawMessage, f func() []byte) (line []byte) {
	defer func() {
		if recover() != nil {
			line = failure(id, codeInternal, "internal fault")
		}
	}()
	return f()
}

// cancelled is the client's word that it does not want an answer any more.
func (s *session) cancelled(params json.RawMessage) {
	p, _ := split(params)
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.flight[string(p["requestId"])]; f != nil {
		f.cancelled = true
		f.cancel()
	}
}
