package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/term"

	"hcp/internal/binding"
	"hcp/internal/config"
	"hcp/internal/hcp"
	"hcp/internal/pack"
)

type bindingCmd struct {
	Set    bindingSetCmd    `cmd:"" help:"Keep a secret for a pack: from stdin, or a hidden prompt."`
	Status bindingStatusCmd `cmd:"" help:"Show where credentials come from; mints nothing."`
	Remove bindingRemoveCmd `cmd:"" help:"Forget a secret that set has kept."`
}

// hub mints credentials from what is configured. What an expiring one is cached
// in is memory, of this user alone, or nothing.
func (s *store) hub() binding.Hub {
	h := binding.Hub{Now: s.env.Now, Home: s.env.Getenv("HOME"), Getenv: s.env.LookupEnv}
	if run := s.env.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		h.CacheDir = filepath.Join(run, "hcp")
	}
	for _, b := range s.config.Bindings {
		h.Entries = append(h.Entries, entryOf(b))
	}
	return h
}

func entryOf(b config.Binding) binding.Entry {
	return binding.Entry{Pack: b.Pack, Family: b.Family, Principal: b.Principal, Provider: b.Provider, MinTTL: b.MinTTL,
		Timeout: b.Timeout, Command: b.Command, PassEnv: b.PassEnv, Path: b.Path, Service: b.Service, Account: b.Account}
}

type bindingFlags struct {
	Pack      string `arg:"" help:"Pack id."`
	Family    string `help:"user or mothership." default:"user" enum:"user,mothership"`
	Provider  string `help:"file or keyring; a helper (exec) is written into hcp.toml." default:"file" enum:"file,keyring"`
	Principal string `help:"For this principal only." placeholder:"PRINCIPAL"`
}

// entry is where set keeps the secret: a file of the owner's beside hcp.toml, or
// the platform's keyring.
func (f bindingFlags) entry(s *store) config.Binding {
	b := config.Binding{Pack: f.Pack, Family: f.Family, Principal: f.Principal, Provider: f.Provider}
	name := f.Pack + "." + f.Family
	if f.Principal != "" {
		name += "." + strings.ReplaceAll(f.Principal, ":", ".")
	}
	if f.Provider == config.ProviderFile {
		b.Path = filepath.Join(filepath.Dir(s.places.ConfigFile), "secrets", name+".json")
	} else {
		b.Service, b.Account = "hcp", name
	}
	return b
}

type bindingSetCmd struct {
	bindingFlags
}

func (c *bindingSetCmd) Run(env *Env, _ *int) error {
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	p, d := s.mustPack(c.Pack)
	if d != nil {
		return refused(d)
	}
	if p.Binding.Family != c.Family {
		return fmt.Errorf("pack %s has Binding family %s, not %s", p.ID, p.Binding.Family, c.Family)
	}
	fields, err := readSecrets(env, p)
	if err != nil {
		return err
	}
	if err := deliverable(p, fields); err != nil {
		return err
	}
	b := c.entry(s)
	known := false
	for _, have := range s.config.Bindings {
		if have.Pack == b.Pack && have.Family == b.Family && have.Principal == b.Principal {
			if have.Provider != b.Provider || have.Path != b.Path || have.Account != b.Account {
				return fmt.Errorf("%s already has another Binding for %s %s; remove it there first", have.Where, b.Pack, b.Family)
			}
			known = true
		}
	}
	if err := entryOf(b).Store(context.Background(), fields); err != nil {
		return err
	}
	if !known {
		if err := config.AppendBinding(s.places, s.user, b); err != nil {
			return refused(unreadable(err))
		}
	}
	env.sayf("kept for %s %s; see hcp binding status\n", b.Pack, b.Family)
	return nil
}

// deliverable refuses a secret that no call could be given: a variable holds one
// line without NUL. A file may hold more lines.
func deliverable(p *pack.Pack, fields map[string]hcp.Secret) error {
	for _, d := range p.Binding.Deliver {
		bad := "\x00"
		if d.File == "" {
			bad += "\r\n"
		}
		if strings.ContainsAny(fields[d.Field].Reveal(), bad) {
			return fmt.Errorf("the field %s has a line end or NUL in it, and cannot be delivered so", d.Field)
		}
	}
	return nil
}

// readSecrets reads a pack's credential fields: one hidden prompt each on a
// terminal; on stdin the bare value of the one field, or a JSON object of all.
// Never from the line (trust.md).
func readSecrets(env *Env, p *pack.Pack) (map[string]hcp.Secret, error) {
	var names []string
	for _, d := range p.Binding.Deliver {
		names = append(names, d.Field)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("pack %s takes no credential field", p.ID)
	}
	if env.Terminal(env.Stdin) {
		return promptSecrets(env, names)
	}
	const most = 64 << 10
	data, err := io.ReadAll(io.LimitReader(env.Stdin, most+1))
	switch {
	case err != nil:
		return nil, errors.New("stdin: " + hcp.Reason(err))
	case len(data) > most:
		return nil, errors.New("stdin: larger than 64 KiB")
	}
	if len(names) == 1 && !strings.HasPrefix(strings.TrimSpace(string(data)), "{") {
		value := strings.TrimRight(string(data), "\r\n")
		if value == "" {
			return nil, errors.New("stdin: no secret there")
		}
		return map[string]hcp.Secret{names[0]: hcp.NewSecret(value)}, nil
	}
	return secretObject(data, names)
}

func secretObject(data []byte, names []string) (map[string]hcp.Secret, error) {
	v, err := hcp.ParseJSON(data, 2)
	if err != nil || v.Kind != hcp.Object {
		return nil, fmt.Errorf("stdin: want a JSON object with the fields %s", strings.Join(names, ", "))
	}
	fields := map[string]hcp.Secret{}
	for _, name := range names {
		f := v.Get(name)
		if f.Kind != hcp.String || f.Text == "" {
			return nil, fmt.Errorf("stdin: no text for the field %s", name)
		}
		fields[name] = hcp.NewSecret(f.Text)
	}
	if len(v.Members) != len(fields) {
		return nil, fmt.Errorf("stdin: other fields than %s", strings.Join(names, ", "))
	}
	return fields, nil
}

// hidden reads a line that the terminal does not show. Whoever ends hcp
// meanwhile gets a terminal that shows again what is typed.
func hidden(f *os.File) ([]byte, error) {
	before, err := term.GetState(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	ending := make(chan os.Signal, 1)
	signal.Notify(ending, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(ending)
	go func() {
		sig := <-ending
		_ = term.Restore(int(f.Fd()), before)
		signal.Reset(sig)
		if n, ok := sig.(syscall.Signal); ok {
			_ = syscall.Kill(os.Getpid(), n)
		}
	}()
	return term.ReadPassword(int(f.Fd()))
}

func promptSecrets(env *Env, names []string) (map[string]hcp.Secret, error) {
	fields := map[string]hcp.Secret{}
	for _, name := range names {
		fmt.Fprintf(env.Stderr, "%s (not shown): ", name)
		value, err := hidden(env.Stdin)
		io.WriteString(env.Stderr, "\n")
		if err != nil {
			return nil, errors.New("terminal: " + hcp.Reason(err))
		}
		if len(value) == 0 {
			return nil, fmt.Errorf("no %s given; nothing was changed", name)
		}
		fields[name] = hcp.NewSecret(string(value))
	}
	return fields, nil
}

type bindingStatusCmd struct {
	Pack string `arg:"" optional:"" help:"Pack id (default: all)."`
	JSON bool   `help:"As JSON." name:"json"`
}

type bindingLine struct {
	PackID   string `json:"pack_id"`
	Family   string `json:"family"`
	Provider string `json:"provider"`
	OK       bool   `json:"ok"`
	Expires  string `json:"expires"`
	Detail   string `json:"detail"`
}

func (c *bindingStatusCmd) Run(env *Env, status *int) error {
	s, d := openStore(env, "", "")
	if d != nil {
		return refused(d)
	}
	lines := []bindingLine{}
	for _, b := range s.hub().Status() {
		if c.Pack == "" || c.Pack == b.PackID {
			lines = append(lines, bindingLine{b.PackID, b.Family, b.Provider, b.OK, b.Expires, b.Detail})
		}
	}
	if c.JSON {
		*status = env.printValue(lines, hcp.ExitOK)
		return nil
	}
	rows := [][]string{{"PACK", "FAMILY", "PROVIDER", "OK", "EXPIRES", "DETAIL"}}
	for _, l := range lines {
		rows = append(rows, []string{l.PackID, l.Family, l.Provider, map[bool]string{true: "yes", false: "no"}[l.OK], l.Expires, l.Detail})
	}
	return env.table(rows)
}

type bindingRemoveCmd struct {
	bindingFlags
}

func (c *bindingRemoveCmd) Run(env *Env, _ *int) error {
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	b := c.entry(s)
	// The line goes first: a Binding without its secret only refuses calls, a
	// secret without its line is forgotten about.
	was, err := config.RemoveBinding(s.places, s.user, b)
	if err != nil {
		return refused(unreadable(err))
	}
	err = entryOf(b).Remove(context.Background())
	switch {
	case errors.Is(err, os.ErrNotExist) && !was:
		return fmt.Errorf("no Binding that set has kept for %s %s", b.Pack, b.Family)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	env.sayf("forgot %s %s\n", b.Pack, b.Family)
	return nil
}
