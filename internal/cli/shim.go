package cli

import (
	"context"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/pack"
)

// runShim is a pack typed by name: its words become the same envelope as on
// every face, and the name selects a pack and nothing else (§6.5). No kong
// model is built here: this is the path that has to be fast.
func runShim(env *Env, name string, words []string) int {
	envelope := hcp.Envelope{PackID: name}
	tooLong := hcp.CheckWords(words)
	s, denied := openStore(env, "", "")
	var p *pack.Pack
	if s != nil && !s.foreign {
		p = s.shimPack(name)
	}
	if p == nil {
		return env.shimWithoutPack(s, first2(tooLong, denied), envelope, words)
	}
	if tooLong != nil {
		words = shortWords(words)
	}
	line := p.Match(words)
	if line.Help || len(words) == 0 && env.Terminal(env.Stderr) && line.VerbKey == "" {
		return env.shimHelp(p, line) // from the manifest alone: a broken config does not matter
	}
	envelope.VerbKey, envelope.Args, envelope.Fault, envelope.Unknown = line.VerbKey, line.Args, line.Fault, line.Unknown
	if d := first2(tooLong, denied); d != nil {
		return env.printShim(name, hcp.Refuse(envelope, d), line.JSON)
	}
	return s.execShim(p, envelope, line)
}

func first2(a, b *hcp.Denial) *hcp.Denial {
	if a != nil {
		return a
	}
	return b
}

// shortWords are the words before one that is too long: enough to name the
// command that the refusal is about.
func shortWords(words []string) []string {
	for i, w := range words {
		if len(w) > hcp.MaxValue {
			return words[:i]
		}
	}
	return words
}

// shimWithoutPack refuses a name that is no pack: the pipeline says what is
// wrong with it, and records it.
func (e *Env) shimWithoutPack(s *store, d *hcp.Denial, envelope hcp.Envelope, words []string) int {
	r := hcp.Result{}
	if d != nil {
		r = hcp.Refuse(envelope, d)
	} else {
		r = s.runtime().Exec(context.Background(), envelope, adapter.Face{})
	}
	return e.printShim(envelope.PackID, r, wantsJSON(words))
}

// wantsJSON is asked only where no pack could say what --json means.
func wantsJSON(words []string) bool {
	for _, w := range words {
		switch w {
		case "--json":
			return true
		case "--":
			return false
		}
	}
	return false
}

// shimPack is the pack of that id, or nil where the pipeline has to refuse. The
// built-in pack has no shim.
func (s *store) shimPack(name string) *pack.Pack {
	if !hcp.ValidID(name) {
		return nil
	}
	p, err := s.pack(name)
	if err != nil {
		return nil
	}
	return p
}

// execShim runs a matched line. On a terminal the child's JSON is held back to
// be shown indented; everywhere else its bytes go straight through.
func (s *store) execShim(p *pack.Pack, e hcp.Envelope, line pack.Line) int {
	env := s.env
	pretty := env.Terminal(env.Stdout) && !line.JSON
	face := adapter.Face{Stdin: env.Stdin, Stdout: env.Stdout, Stderr: env.Stderr, Terminal: env.Terminal(env.Stdout),
		Foreground: s.foreground(line.JSON)}
	var held *jsonHolder
	if pretty {
		held = &jsonHolder{env: env}
		face.Stdout = held
	}
	r := s.runtime().Exec(context.Background(), e, face)
	if pretty {
		result := held.finish()
		if title, ok := s.doneTitle(p, e, result); ok && r.OK {
			env.titleLine(title)
		}
	}
	return env.printShim(p.ID, r, line.JSON)
}

func (s *store) doneTitle(p *pack.Pack, e hcp.Envelope, result []byte) (string, bool) {
	cmd := p.Command(e.VerbKey)
	if cmd == nil {
		return "", false
	}
	return cmd.DoneTitle(e.Args, result)
}

// foreground tells whether the child shares the terminal with a person: Ctrl-C
// then reaches it (cli.md, process behaviour).
func (s *store) foreground(json bool) bool {
	_, token := s.env.LookupEnv("HCP_PRINCIPAL")
	return !json && !token && s.env.atTerminal()
}
