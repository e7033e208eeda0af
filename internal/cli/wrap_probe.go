package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hcp/internal/hcp"
	"hcp/internal/sandbox"
	"hcp/internal/scaffold"
)

// Limits of probing (wrap.md, stage 2).
const (
	probesMost  = 200
	probeOutput = 4 << 20
	probeGrace  = 300 * time.Millisecond
	probeSlots  = 4
)

// What a bin does that leaves a question without an answer.
const (
	failedTimeout = "timeout"
	failedOutput  = "output over "
)

// patience is how long a bin may take.
type patience struct {
	each time.Duration
	slow time.Duration // once, for a program that is slow to start
	all  time.Duration // for all questions together
}

func defaultPatience() patience { return patience{5 * time.Second, 20 * time.Second, time.Minute} }

// prober asks a bin for its help, in the sandbox only, and keeps the record of
// what was asked. One value serves several callers at once.
type prober struct {
	driver   sandbox.Driver
	spec     sandbox.Spec // all but Bin, Args and what is told by probe
	open     func() (*sandbox.Bin, *hcp.Denial)
	cache    *wrapCache
	now      func() time.Time
	patience patience

	// slots bounds how many run at a time: one until the first says that it was
	// held in namespaces of its own. With another driver, what a child left
	// behind is told from its neighbour's only when that is alone.
	slots chan struct{}

	mu      sync.Mutex
	asked   []answered
	ran     int       // questions for help that were put to the bin
	fresh   int       // argvs that it was run with
	began   time.Time // of the first run; zero: none yet
	ranBy   string    // driver that held them; "" none ran
	refused *hcp.Denial
	slowly  bool // the one long wait is spent
}

func newProber(s *store, rec hcp.BinRecord, name string, read []string, cache *wrapCache) (*prober, *hcp.Denial) {
	value, set := s.env.LookupEnv("HCP_DEPTH")
	depth, ok := sandbox.Depth(value, set)
	if !ok {
		return nil, hcp.Recursive("hcp", "wrap")
	}
	p := &prober{
		driver: sandbox.Select(s.choice()), cache: cache, slots: make(chan struct{}, probeSlots),
		spec: sandbox.Spec{
			Pack: "wrap", Name: name, Operation: hcp.OpRead, Mode: sandbox.ModeEphemeral,
			Jails: s.places.Jails(), Home: s.env.Getenv("HOME"), Store: s.storeDirs(), Read: read,
			Base: sandbox.Base{User: "user"}, Depth: depth, AgentEnv: probeEnv(),
			MaxOutput: probeOutput, Grace: probeGrace,
		},
		now: s.env.Now, patience: defaultPatience(),
	}
	p.open = func() (*sandbox.Bin, *hcp.Denial) {
		b, _, d := sandbox.OpenBin(rec.Found, rec, nil, "", 0)
		return b, d
	}
	p.slots <- struct{}{}
	return p, nil
}

// probeEnv is what keeps a program from asking, paging, colouring and looking
// for updates. What every child of hcp gets comes before it.
func probeEnv() []hcp.KeyValue {
	return []hcp.KeyValue{
		{Name: "PAGER", Value: "cat"}, {Name: "GH_PAGER", Value: "cat"}, {Name: "SYSTEMD_PAGER", Value: "cat"}, {Name: "AWS_PAGER", Value: ""},
		{Name: "LESS", Value: "FRX"}, {Name: "TERM", Value: "dumb"}, {Name: "NO_COLOR", Value: "1"}, {Name: "LC_ALL", Value: "C.UTF-8"},
		{Name: "COLUMNS", Value: "120"}, {Name: "GH_PROMPT_DISABLED", Value: "1"}, {Name: "GCM_INTERACTIVE", Value: "never"},
		{Name: "DEBIAN_FRONTEND", Value: "noninteractive"}, {Name: "NO_UPDATE_NOTIFIER", Value: "1"}, {Name: "GH_NO_UPDATE_NOTIFIER", Value: "1"},
	}
}

// probe is the scaffold.Prober.
func (p *prober) probe(ctx context.Context, argv []string) scaffold.Answer {
	a, ok := p.cache.get(argv)
	if !ok {
		a = p.run(ctx, argv, true)
		p.cache.put(argv, a)
	}
	p.note(argv, a)
	return a
}

func (p *prober) note(argv []string, a scaffold.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := answered{slices.Clone(argv), a}
	if i := slices.IndexFunc(p.asked, func(l answered) bool { return slices.Equal(l.argv, argv) }); i >= 0 {
		p.asked[i] = line
	} else {
		p.asked = append(p.asked, line)
	}
}

// answered is a question and its answer.
type answered struct {
	argv   []string
	answer scaffold.Answer
}

// probes is the record of what was asked, in the order in which it was.
func (p *prober) probes() []scaffold.Asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]scaffold.Asked, 0, len(p.asked))
	for _, q := range p.asked {
		line, a := scaffold.Asked{Argv: append([]string{}, q.argv...), Exit: q.answer.Exit}, q.answer
		help := func(b []byte) bool { return scaffold.LooksLikeHelp(scaffold.Normalise(b)) }
		switch {
		case a.Failed != "":
		case len(a.Stdout) > 0 && (len(a.Stderr) == 0 || help(a.Stdout) || !help(a.Stderr)):
			line.Stream, line.Bytes = "stdout", len(a.Stdout)
		case len(a.Stderr) > 0:
			line.Stream, line.Bytes = "stderr", len(a.Stderr)
		}
		out = append(out, line)
	}
	return out
}

// said is the first line of what the bin printed when it was first asked.
func (p *prober) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.asked {
		if a := q.answer; len(a.Stdout)+len(a.Stderr) > 0 {
			return firstLine(a.Stderr, a.Stdout)
		}
	}
	return ""
}

// run runs the bin once, or says why not. help: it is a probe, and counts.
func (p *prober) run(ctx context.Context, argv []string, help bool) scaffold.Answer {
	select {
	case <-p.slots:
		defer func() { p.slots <- struct{}{} }()
	case <-ctx.Done():
		return scaffold.Answer{Failed: "cancelled"}
	}
	limit, why := p.allowance(help)
	if why != "" {
		return scaffold.Answer{Failed: why}
	}
	if ctx.Err() != nil {
		return scaffold.Answer{Failed: "cancelled"}
	}
	a, o := p.once(ctx, argv, limit)
	if o.Denied != nil && o.Denied.Exit == hcp.ExitTimeout && p.mayBeSlow() {
		a, o = p.once(ctx, argv, p.patience.slow)
	}
	if a.Failed == failedTimeout && limit < p.patience.each {
		a.Failed = "no time left"
	}
	p.settle(o)
	return a
}

// allowance is how long the next run may take, or why there is none.
func (p *prober) allowance(help bool) (limit time.Duration, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() {
		p.began = p.now()
	}
	left := p.patience.all - p.now().Sub(p.began)
	switch {
	case p.refused != nil:
		return 0, p.refused.Message
	case !help:
		return p.patience.each, ""
	case p.ran >= probesMost:
		return 0, fmt.Sprintf("more than %d questions", probesMost)
	case left <= 0:
		return 0, "no time left"
	}
	p.ran++
	return min(p.patience.each, left), ""
}

// mayBeSlow spends the one long wait, on a program that has not answered yet.
func (p *prober) mayBeSlow() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	may := !p.slowly && p.ranBy == ""
	p.slowly = true
	return may
}

// settle learns from a run which driver holds the bin, and whether any does.
func (p *prober) settle(o sandbox.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fresh++
	switch {
	case !o.Ran && o.Denied != nil && o.Denied.Message != "sandbox: cancelled" && p.refused == nil:
		p.refused = o.Denied
	case o.Ran && p.ranBy == "":
		p.ranBy = o.Driver
		if p.ranBy == "ns" {
			for range probeSlots - 1 {
				p.slots <- struct{}{}
			}
		}
	}
}

func (p *prober) once(ctx context.Context, argv []string, limit time.Duration) (scaffold.Answer, sandbox.Outcome) {
	bin, d := p.open()
	if d != nil {
		return scaffold.Answer{Failed: d.Message}, sandbox.Outcome{Denied: d}
	}
	var out, errOut bytes.Buffer
	spec := p.spec
	spec.Bin, spec.Stdout, spec.Stderr, spec.Timeout = bin, &out, &errOut, limit // Run closes the bin
	for _, word := range argv {
		spec.Args = append(spec.Args, sandbox.Arg{Text: word})
	}
	o := sandbox.Run(ctx, p.driver, spec)
	a := scaffold.Answer{Exit: o.Exit}
	switch {
	case o.Denied == nil:
		a.Stdout, a.Stderr = out.Bytes(), errOut.Bytes()
	case o.Denied.Exit == hcp.ExitTimeout:
		a.Failed = failedTimeout
	case ctx.Err() != nil:
		a.Failed = "cancelled"
	case strings.HasPrefix(o.Denied.Message, "sandbox: output exceeds "):
		a.Failed = failedOutput + strings.TrimPrefix(o.Denied.Message, "sandbox: output exceeds ")
	default:
		a.Failed = o.Denied.Message
	}
	return a, o
}
