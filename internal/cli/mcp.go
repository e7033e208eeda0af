package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/mcp"
	"hcp/internal/pack"
	"hcp/internal/sandbox"
)

type mcpCmd struct {
	sessionFlag
	Tools   string `help:"hcp: one tool; commands: one more for every command of the active packs." enum:"hcp,commands" default:"hcp" placeholder:"WHICH"`
	Project string `help:"Project id for land brain." placeholder:"ID"`
}

// Help is shown below the flags.
func (c *mcpCmd) Help() string {
	return "An agent's host starts this: it speaks the Model Context Protocol on stdin and stdout."
}

// Run serves until the input ends. The store is opened anew for every request,
// so that what is activated, granted or withdrawn meanwhile counts.
func (c *mcpCmd) Run(env *Env, status *int) error {
	if env.Terminal(env.Stdin) {
		env.complain("hcp", "mcp waits for an agent's host on stdin; end it with Ctrl-D")
	}
	env.calls = sandbox.NewCalls()
	if s, d := c.open(env); d == nil {
		_, _ = sandbox.SweepStale(s.places.Jails()) // what it leaves, doctor counts
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(ended, sig)
		}
	}
	by := make(chan int, 1)
	go func() {
		n, _ := (<-ended).(syscall.Signal)
		by <- hcp.ExitSignal + int(n)
		cancel()
	}()
	err := mcp.Serve(ctx, c.host(env), mcp.Options{Commands: c.Tools == "commands"}, env.Stdin, env.Stdout)
	select {
	case *status = <-by:
		return nil
	default:
	}
	if err != nil && !brokenPipe(err) {
		return errors.New("stdout: " + hcp.Reason(err))
	}
	return nil
}

func (c *mcpCmd) open(env *Env) (*store, *hcp.Denial) { return openStore(env, c.Session, c.Project) }

// exec is one call. A child gets nothing of the protocol's streams: no stdin,
// and what it prints is collected.
func (c *mcpCmd) exec(env *Env) func(context.Context, hcp.Envelope) hcp.Result {
	return func(ctx context.Context, e hcp.Envelope) hcp.Result {
		s, d := c.open(env)
		if d != nil {
			return hcp.Refuse(e, d)
		}
		return s.runtime().Exec(ctx, e, adapter.Face{Capture: true})
	}
}

func (c *mcpCmd) host(env *Env) mcp.Host {
	// look answers with what a command of the same name prints.
	look := func(f func(s *store) (any, *hcp.Denial)) (json.RawMessage, *hcp.Denial) {
		s, d := c.open(env)
		if d != nil {
			return nil, d
		}
		v, d := f(s)
		if d != nil {
			return nil, d
		}
		line, err := marshal(v)
		return line, unreadable(err)
	}
	return mcp.Host{
		Version: env.Build.Version,
		Exec:    c.exec(env),
		Active: func() ([]mcp.Pack, *hcp.Denial) {
			s, d := c.open(env)
			if d != nil {
				return nil, d
			}
			return s.mcpPacks()
		},
		List: func() (json.RawMessage, *hcp.Denial) {
			return look(func(s *store) (any, *hcp.Denial) {
				v, err := s.list()
				return v, unreadable(err)
			})
		},
		Show: func(id, verb string) (json.RawMessage, *hcp.Denial) {
			return look(func(s *store) (any, *hcp.Denial) { return s.shown(id, verb) })
		},
		Availability: func(ctx context.Context) (json.RawMessage, *hcp.Denial) {
			return look(func(s *store) (any, *hcp.Denial) {
				v, err := s.availability(ctx)
				return v, unreadable(err)
			})
		},
		Skill: func(id string, full bool) (json.RawMessage, *hcp.Denial) {
			return look(func(s *store) (any, *hcp.Denial) {
				list, d := s.skills(id, full)
				if d == nil && id != "" {
					return list[0], nil
				}
				return list, d
			})
		},
	}
}

// mcpPacks describes the active packs. One that does not load has no command
// that could be named; doctor and list say why.
func (s *store) mcpPacks() ([]mcp.Pack, *hcp.Denial) {
	ids, err := s.active()
	if err != nil {
		return nil, unreadable(err)
	}
	var list []mcp.Pack
	for _, id := range ids {
		p, err := s.pack(id)
		if err != nil || !s.isActive(p) {
			continue
		}
		one := mcp.Pack{ID: p.ID, Description: p.Description, BuiltIn: p.Root == ""}
		for i := range p.Commands {
			one.Commands = append(one.Commands, mcpCommand(p, &p.Commands[i]))
		}
		if text, err := s.skillText(p); err == nil {
			one.Skill = &mcp.Skill{Description: parseSkill(text, false).Description, Text: text}
		}
		list = append(list, one)
	}
	return list, nil
}

func mcpCommand(p *pack.Pack, c *pack.Command) mcp.Command {
	row, _ := p.Row(c.Key)
	one := mcp.Command{VerbKey: c.Key, Title: strings.Join(append([]string{p.ID}, p.Words(c)...), " "), Description: c.Description,
		Write: row.Operation != hcp.OpRead, Confirm: row.Confirm, Local: p.Binding.Family == hcp.FamilyLocal}
	if c.Args != nil {
		one.Args = c.Args.Raw
		return one
	}
	for _, name := range p.Placeholders(c) {
		if !hcp.Reserved(name) {
			one.Names = append(one.Names, name)
		}
	}
	return one
}
