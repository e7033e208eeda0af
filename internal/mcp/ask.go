package mcp

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"hcp/internal/hcp"
)

// A host that can put a question to its user is asked where a call waits for
// one (elicitation). That opens no gate. What the user's yes does is what the
// agent itself may do: send the call once more, with confirm. A call that a
// person has to approve passes only after the owner's own hcp approve, at a
// terminal that no host is; there the question shows the card, says what to
// run, and waits.

// exec runs an envelope, and asks the host's user where it waits for one.
func (s *session) exec(ctx context.Context, e hcp.Envelope) hcp.Result {
	r := s.run(ctx, e)
	for range 2 { // a confirm, and then an approval
		if !waits(r) || !s.mayAsk() {
			return r
		}
		var why string
		if why = s.ask(ctx, question(e, r)); why != "" {
			if why != noAnswer {
				r.Hint = why
			}
			return r
		}
		last := r.Approval != nil
		e.Args = e.Args.Without(hcp.ArgConfirm).Set(hcp.ArgConfirm, hcp.BoolValue(true))
		if r = s.run(ctx, e); last {
			return r
		}
	}
	return r
}

// run waits for its turn.
func (s *session) run(ctx context.Context, e hcp.Envelope) hcp.Result {
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return hcp.Refuse(e, hcp.SandboxDenied("cancelled"))
	}
	return s.host.Exec(ctx, e)
}

// waits tells whether a call was refused for want of a person's word.
func waits(r hcp.Result) bool {
	return r.Denied && !r.OK && r.Error == hcp.ConfirmRequired().Message
}

func (s *session) mayAsk() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.canAsk
}

// question is the card, as it would be on a terminal: its values were made
// visible when the call was refused.
func question(e hcp.Envelope, r hcp.Result) hcp.Value {
	var b strings.Builder
	b.WriteString(hcp.Printable(e.PackID+" "+e.VerbKey, "") + ":\n")
	for _, line := range r.Preview {
		b.WriteString("  " + hcp.Printable(line, "") + "\n")
	}
	label := "Run it"
	if r.Approval != nil {
		b.WriteString("The owner has to approve this call in a terminal: hcp approve " + r.Approval.ID + "\n" +
			"A yes here does not approve it. It says that this is done, and sends the call once more.")
		label = "It is approved"
	} else {
		b.WriteString("Run it?")
	}
	return object("message", b.String(), "requestedSchema", object("type", "object",
		"properties", object(hcp.ArgConfirm, object("type", "boolean", "title", label)),
		"required", []hcp.Value{hcp.StringValue(hcp.ArgConfirm)}))
}

// noAnswer is a question that could not be put.
const noAnswer = "-"

// ask puts a question to the host's user: "" is yes, anything else the hint
// that says why not. It waits no longer than patience, and not for a client
// that is gone.
func (s *session) ask(ctx context.Context, q hcp.Value) string {
	select {
	case s.asked <- struct{}{}:
		defer func() { <-s.asked }()
	default:
		return noAnswer
	}
	id, reply := s.await()
	defer s.forget(id)
	s.out.write(request(id, "elicitation/create", q))
	timeout := time.NewTimer(s.patience)
	defer timeout.Stop()
	select {
	case raw := <-reply:
		return verdict(raw)
	case <-s.left:
		return noAnswer
	case <-timeout.C:
		s.out.write(request("", "notifications/cancelled", object("requestId", idValue(id), "reason", "no answer")))
		return "the user was asked and did not answer"
	case <-ctx.Done():
		s.out.write(request("", "notifications/cancelled", object("requestId", idValue(id), "reason", "the call was cancelled")))
		return noAnswer
	}
}

func idValue(id string) hcp.Value { return hcp.Value{Kind: hcp.Number, Text: id} }

// await makes an id for a question of ours.
func (s *session) await() (string, <-chan json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	id, reply := strconv.Itoa(s.number), make(chan json.RawMessage, 1)
	s.waiting[id] = reply
	return id, reply
}

func (s *session) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
}

// answered takes the client's answer to a question, once.
func (s *session) answered(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reply := s.waiting[string(m.id)]; reply != nil {
		delete(s.waiting, string(m.id))
		reply <- m.result
	}
}

// verdict reads the answer to a question. Only the box that was ticked is yes.
func verdict(raw json.RawMessage) string {
	v, err := hcp.ParseJSON(raw, hcp.MaxDepth)
	if err != nil {
		return noAnswer // an error: the host does not ask after all
	}
	yes := v.Get("content").Get(hcp.ArgConfirm)
	switch action := v.Get("action"); {
	case action.Text == "accept" && yes.Kind == hcp.Bool && yes.Bool:
		return ""
	case action.Text == "cancel":
		return "the user was asked and did not answer"
	}
	return "the user was asked and said no"
}
