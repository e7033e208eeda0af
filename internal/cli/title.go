package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"hcp/internal/hcp"
	"hcp/internal/pack"
	"hcp/internal/pipeline"
)

type titleCmd struct {
	Pack   string   `arg:"" help:"Pack id."`
	Verb   string   `arg:"" help:"Command of the pack."`
	Args   []string `arg:"" optional:"" help:"Arguments as name=value, or name:=JSON." name:"k=v"`
	Result string   `help:"File with the result's value as JSON; - is stdin." placeholder:"FILE"`
	JSON   bool     `help:"As JSON (always so)." name:"json" hidden:""`
}

func (c *titleCmd) Run(env *Env, status *int) error {
	_, cmd, args, err := commandAndArgs(env, c.Pack, c.Verb, c.Args)
	if err != nil {
		return err
	}
	result, err := readResult(env, c.Result)
	if err != nil {
		return err
	}
	var out struct {
		Live *string `json:"live"`
		Done *string `json:"done"`
	}
	if t, ok := cmd.LiveTitle(args); ok {
		out.Live = &t
	}
	if t, ok := cmd.DoneTitle(args, result); ok {
		out.Done = &t
	}
	*status = env.printValue(out, hcp.ExitOK)
	return nil
}

// readResult reads a result's value for titles; "" is no result.
func readResult(env *Env, file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	const most = 64 << 20
	in := env.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %s", file, hcp.Reason(err))
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %s", file, hcp.Reason(err))
	case len(data) > most:
		return nil, fmt.Errorf("%s: larger than 64 MiB", file)
	case !json.Valid(data):
		return nil, fmt.Errorf("%s: not JSON", file)
	}
	return data, nil
}

type previewCmd struct {
	Pack   string   `arg:"" help:"Pack id."`
	Verb   string   `arg:"" help:"Command of the pack."`
	Args   []string `arg:"" optional:"" help:"Arguments as name=value, or name:=JSON." name:"k=v"`
	Result string   `hidden:"" help:"Taken and not used: a preview comes before any result."`
	JSON   bool     `help:"As JSON." name:"json"`
}

func (c *previewCmd) Run(env *Env, status *int) error {
	p, cmd, args, err := commandAndArgs(env, c.Pack, c.Verb, c.Args)
	if err != nil {
		return err
	}
	lines := pipeline.Card(p, cmd, args)
	if c.JSON {
		if lines == nil {
			lines = []string{}
		}
		*status = env.printValue(lines, hcp.ExitOK)
		return nil
	}
	for _, line := range lines {
		env.sayln(hcp.Printable(line, ""))
	}
	return nil
}

// commandAndArgs is what title and preview need: no session and no right.
func commandAndArgs(env *Env, id, verb string, words []string) (*pack.Pack, *pack.Command, hcp.Args, error) {
	s, d := openStore(env, "", "")
	if d != nil {
		return nil, nil, nil, refused(d)
	}
	p, d := s.mustPack(id)
	if d != nil {
		return nil, nil, nil, refused(d)
	}
	cmd := p.Command(verb)
	if cmd == nil {
		return nil, nil, nil, refused(noCommand(p, verb))
	}
	args, d := pairs(words)
	if d != nil {
		return nil, nil, nil, errors.New(d.Message)
	}
	return p, cmd, args, nil
}
