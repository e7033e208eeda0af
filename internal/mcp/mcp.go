// Package mcp is the face of hcp that an agent's host talks to: a server of the
// Model Context Protocol on a pair of streams. It hides the protocol and
// decides nothing: every call becomes an envelope for a func that it is handed,
// and whatever that answers, a refusal too, is a tool's result. It writes one
// line of protocol at a time and nothing else; no line that comes in, however
// broken, ends the session.
//
// The protocol is spoken here and not by the official SDK, which the tests use
// as their judge: linked, that costs every call through a shim more than a
// millisecond and every call in namespaces, where hcp starts itself once more,
// twice that (scripts/bench.sh).
package mcp

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"hcp/internal/hcp"
)

// Host is what the server asks of hcp. Every func is called anew for every
// request, and several at the same time, so that each sees what is configured
// and active now. JSON values are one line.
type Host struct {
	Version string // of hcp
	// Exec runs one envelope. It gives up when ctx is done.
	Exec func(ctx context.Context, e hcp.Envelope) hcp.Result
	// Active describes the packs that are active on the session.
	Active func() ([]Pack, *hcp.Denial)
	// The shapes that the commands of the same name print (cli.md).
	List         func() (json.RawMessage, *hcp.Denial)
	Show         func(pack, verb string) (json.RawMessage, *hcp.Denial) // verb "": the pack
	Availability func(ctx context.Context) (json.RawMessage, *hcp.Denial)
	Skill        func(pack string, full bool) (json.RawMessage, *hcp.Denial) // pack "": of all active ones
}

// Pack is an active pack as tools and resources show it.
type Pack struct {
	ID          string
	Description string
	BuiltIn     bool
	Commands    []Command
	Skill       *Skill // nil: it brings none
}

// Command is one command of an active pack.
type Command struct {
	VerbKey     string
	Title       string // as it is typed: "ledger transfer"
	Description string
	Args        hcp.Value // its JSON Schema; Missing: not declared, then Names are the arguments
	Names       []string
	Write       bool
	Confirm     bool // Policy asks for a confirm
	Local       bool // its Binding family is local: it talks to no other system
}

// Skill is a pack's SKILL.md.
type Skill struct{ Description, Text string }

// Options are what the command line says.
type Options struct {
	Commands bool // one more tool for every command of the active packs
}

const (
	maxLine    = 4 << 20 // bytes of one message: an envelope at its limit, written with every escape there is, fits
	maxBatch   = 256     // messages of one line
	maxRunning = 16      // calls at a time; further ones wait
	maxQueued  = 256     // calls that run or wait; beyond, reading waits
	maxAsked   = 8       // questions to the host's user at a time; beyond, a call gets its refusal at once
	patience   = 5 * time.Minute
	farewell   = 8 * time.Second // for calls to be wound up once ctx is done: longer than a child's grace
)

// Serve answers until the input ends, and then until all that was asked is
// answered. A done ctx ends the calls that run, and soon after the session. The
// error is that of the output; nobody hears of it through the protocol any more.
func Serve(ctx context.Context, host Host, o Options, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return newSession(ctx, host, o, &writer{w: out, broken: cancel}).serve(in)
}
