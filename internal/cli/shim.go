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
	if d := hcp.CheckWords(words); d != nil {
		return env.printShim(name, hcp.Refuse(envelope, d), wantsJSON(words))
	}
	s, d := openStore(env, "", "")
	if d != nil {
		return env.printShim(name, hcp.Refuse(envelope, d), wantsJSON(words))
	}
	p := s.shimPack(name)
	if p == nil { // the pipeline says what is wrong with it, and records it
		r := s.runtime().Exec(context.Background(), envelope, adapter.Face{})
		return env.printShim(name, r, wantsJSON(words))
	}
	line := p.Match(words)
	if line.Help || len(words) == 0 && env.Terminal(env.Stderr) && line.VerbKey == "" {
		return env.shimHelp(p, line)
	}
	envelope.VerbKey, envelope.Args, envelope.Fault = line.VerbKey, line.Args, line.Fault
	return s.execShim(p, envelope, line)
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
