package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
)

type execCmd struct {
	sessionFlag
	Pack    string   `arg:"" optional:"" help:"Pack id, or - for an envelope on stdin."`
	Verb    string   `arg:"" optional:"" help:"Command of the pack."`
	Args    []string `arg:"" optional:"" help:"Arguments as name=value, or name:=JSON." name:"k=v"`
	JSON    bool     `help:"One line of JSON also on a terminal." name:"json"`
	Get     *string  `help:"Print one value of the result by gjson path." placeholder:"PATH"`
	Batch   bool     `help:"JSON Lines of envelopes on stdin, of results on stdout."`
	Project string   `help:"Project id for land brain." placeholder:"ID"`
}

// Help is shown below the flags.
func (c *execCmd) Help() string {
	return "Example: hcp exec ledger transfer -- amount=2.80 payee=demo-transit confirm=true"
}

func (c *execCmd) Run(env *Env, status *int) error {
	switch {
	case c.Batch && (c.Pack != "" || c.Get != nil):
		return errors.New("--batch takes envelopes on stdin and neither a pack nor --get")
	case c.Batch:
		code, err := c.batch(env)
		*status = code
		return err
	case c.Pack == "":
		return errors.New("exec takes a pack and a command, or - for an envelope on stdin")
	case c.Pack == "-" && c.Verb != "":
		return errors.New("exec - takes its envelope on stdin and nothing else")
	}
	e, d := c.envelope(env)
	*status = c.print(env, c.exec(context.Background(), env, e, d))
	return nil
}

func (c *execCmd) print(env *Env, r hcp.Result) int {
	if c.Get != nil {
		return env.printGet(r, *c.Get)
	}
	return env.printResult(r, c.JSON)
}

func (c *execCmd) envelope(env *Env) (hcp.Envelope, *hcp.Denial) {
	if c.Pack == "-" {
		data, err := io.ReadAll(io.LimitReader(env.Stdin, hcp.MaxEnvelope+1))
		if err != nil {
			return hcp.Envelope{}, hcp.InvalidEnvelope("stdin: %s", hcp.Reason(err))
		}
		return decode(data)
	}
	e := hcp.Envelope{PackID: c.Pack, VerbKey: c.Verb}
	if c.Verb == "" {
		return e, hcp.InvalidEnvelope("verb_key missing").WithHint("hcp show %s", c.Pack)
	}
	var d *hcp.Denial
	e.Args, d = pairs(c.Args)
	return e, d
}

// decode reads an envelope. Where it was no good as a whole, its ids are named
// in the answer all the same, if each is there once (E-8).
func decode(data []byte) (hcp.Envelope, *hcp.Denial) {
	e, d := hcp.DecodeEnvelope(data)
	if d != nil && e.PackID == "" && e.VerbKey == "" && len(data) <= hcp.MaxEnvelope {
		e.PackID, e.VerbKey = salvageIDs(data)
	}
	return e, d
}

// exec sends one envelope, or answers it where it was no good.
func (c *execCmd) exec(ctx context.Context, env *Env, e hcp.Envelope, d *hcp.Denial) hcp.Result {
	if d != nil {
		return hcp.Refuse(e, d)
	}
	s, d := openStore(env, c.Session, c.Project)
	if d != nil {
		return hcp.Refuse(e, d)
	}
	face := adapter.Face{Capture: true, Terminal: env.Terminal(env.Stdout)}
	if c.Pack != "-" && !c.Batch {
		face.Stdin = env.Stdin
	}
	if face.Terminal && !c.JSON && !c.Batch {
		face.Stderr = env.Stderr
		face.Foreground = s.foreground(false)
	}
	return s.runtime().Exec(ctx, e, face)
}

// batch answers each line before it reads the next. The configuration is read
// anew for each, so that a grant withdrawn meanwhile is gone. Ctrl-C ends the
// call that runs, which is answered, and then all of it.
func (c *execCmd) batch(env *Env) (int, error) {
	ctx, ended, stop := untilSignal()
	defer stop()
	next := lineReader(env.Stdin)
	for {
		in := next(ctx)
		if code := ended(); code != 0 {
			return code, nil
		}
		if in.err == io.EOF && len(in.text) == 0 && !in.tooLong {
			return hcp.ExitOK, nil
		}
		if in.err != nil && in.err != io.EOF {
			return hcp.ExitFailure, errors.New("stdin: " + hcp.Reason(in.err))
		}
		var e hcp.Envelope
		d := hcp.InvalidEnvelope("larger than 1 MiB")
		if !in.tooLong {
			e, d = decode(in.text)
		}
		if _, err := env.Stdout.Write(append(c.exec(ctx, env, e, d).AppendJSON(nil), '\n')); err != nil {
			if brokenPipe(err) {
				return hcp.ExitOK, nil
			}
			return hcp.ExitFailure, errors.New("stdout: " + hcp.Reason(err))
		}
	}
}

type batchLine struct {
	text    []byte
	tooLong bool
	err     error
}

// lineReader reads lines, each when it is asked for, beside a caller that may
// have to leave while a read waits.
func lineReader(f *os.File) func(context.Context) batchLine {
	ask, lines := make(chan struct{}, 1), make(chan batchLine, 1)
	go func() {
		in := bufio.NewReaderSize(f, 64<<10)
		for range ask {
			text, tooLong, err := readLine(in)
			lines <- batchLine{text, tooLong, err}
		}
	}()
	return func(ctx context.Context) batchLine {
		ask <- struct{}{}
		select {
		case in := <-lines:
			return in
		case <-ctx.Done():
			return batchLine{}
		}
	}
}

// readLine reads up to a newline; a line over the envelope's limit is read to
// its end and dropped, so that the next one is still found.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > hcp.MaxEnvelope+1 {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, tooLong, err
		}
	}
}

// pairs reads name=value and name:=JSON words. confirm and apply become
// booleans where they say true; every other value stays a string (T-5).
func pairs(words []string) (hcp.Args, *hcp.Denial) {
	var args hcp.Args
	for _, w := range words {
		name, text, ok := strings.Cut(w, "=")
		typed := strings.HasSuffix(name, ":")
		name = strings.TrimSuffix(name, ":")
		if !ok || name == "" {
			return args, hcp.InvalidEnvelope("argument %s is not name=value", hcp.Quote(w))
		}
		if args.Get(name).Kind != hcp.Missing {
			return args, hcp.InvalidEnvelope("argument %s given twice", hcp.Quote(name))
		}
		v := hcp.StringValue(text)
		switch {
		case typed:
			var err error
			if v, err = hcp.ParseJSON([]byte(text), hcp.MaxDepth-2); err != nil {
				return args, hcp.InvalidEnvelope("argument %s: %v", hcp.Quote(name), err)
			}
		case (name == hcp.ArgConfirm || name == hcp.ArgApply) && text == "true":
			v = hcp.BoolValue(true)
		}
		args = append(args, hcp.Member{Name: name, Value: v})
	}
	return args, nil
}
