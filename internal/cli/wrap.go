package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/sandbox"
	"hcp/internal/scaffold"
)

type wrapCmd struct {
	Bin    string   `arg:"" help:"Program: a name on PATH, or a path."`
	ID     string   `help:"Id of the pack (default: the program's name)." placeholder:"ID"`
	Out    string   `help:"Folder to write (default: ./<id>); it may not exist." placeholder:"DIR"`
	Only   []string `help:"Commands or groups to take, as pr.list,issue." placeholder:"A,B" sep:"none"`
	All    bool     `help:"Take every command that can be one."`
	Static bool     `help:"Run nothing: read installed man pages and completions."`
	Verify bool     `help:"Run commands that read, in the sandbox, and see whether they print JSON."`
	DryRun bool     `help:"Write nothing; show what was found." name:"dry-run"`
	Diff   bool     `help:"Write nothing; show what changed since the draft was made."`
	IKnow  bool     `help:"Also for a shell, an interpreter or a launcher." name:"i-know"`
	JSON   bool     `help:"As JSON." name:"json"`
}

// Run reads a CLI's help and writes a draft pack (wrap.md). It runs a foreign
// program, in the sandbox but without a policy: that is the owner's to do.
func (c *wrapCmd) Run(env *Env, status *int) error {
	if err := c.conflicts(); err != nil {
		return err
	}
	s, d := openOwned(env, "")
	if d != nil {
		return refused(d)
	}
	w := &wrapping{wrapCmd: c, store: s, status: status}
	if err := w.prepare(); err != nil {
		return w.hinted(err)
	}
	ctx, code, stop := untilSignal()
	defer stop()
	err := w.work(ctx)
	if n := code(); n != 0 && !w.done {
		env.complain("hcp", "interrupted; nothing was written")
		*status = n
		return nil
	}
	return w.hinted(err)
}

func (c *wrapCmd) conflicts() error {
	if len(c.Only) > 0 {
		c.Only = strings.Split(strings.Join(c.Only, ","), ",")
	}
	switch {
	case len(c.Only) > 0 && c.All:
		return errors.New("--only and --all can't be used together")
	case slices.ContainsFunc(c.Only, func(s string) bool { return strings.Trim(s, " .") == "" }):
		return errors.New("--only has an empty name")
	case c.Static && c.Verify:
		return errors.New("--static and --verify can't be used together")
	case c.Diff && (c.DryRun || c.Verify || c.All || len(c.Only) > 0):
		return errors.New("--diff goes with --id, --out, --static, --i-know and --json only")
	case c.ID != "" && (!hcp.ValidID(c.ID) || scaffold.PackID(c.ID) != c.ID):
		return fmt.Errorf("%s is not a pack id", hcp.Quote(c.ID))
	}
	return nil
}

// wrapping is one run of hcp wrap.
type wrapping struct {
	*wrapCmd
	store    *store
	status   *int
	bin      wrapBin
	id       scaffold.Identity
	pack     string // id of the draft
	target   string // absolute folder
	shown    string // the folder as the user would write it
	lock     scaffold.Lock
	cache    *wrapCache
	prober   *prober // nil with --static
	progress progress
	done     bool // the draft is written, or the answer on its way out
}

// prepare does all that can fail before anything is run.
func (w *wrapping) prepare() (err error) {
	if w.bin, err = w.store.findWrapBin(w.Bin); err != nil {
		return err
	}
	_, _ = sandbox.SweepStale(w.store.places.Jails()) // what it leaves, doctor counts
	w.bin.found.Trust = w.IKnow
	w.cache = openWrapCache(filepath.Join(w.store.places.State, "wrap"), w.bin.rec, w.store.env.Now())
	if w.id, err = scaffold.Identify(w.bin.found, w.cache.memo(w.bin.rec)); err != nil {
		return err
	}
	w.cache.is(w.bin.rec, w.id)
	if w.pack = first(w.ID, scaffold.PackID(w.id.Name)); w.pack == "" {
		return fmt.Errorf("no pack id can be made of %s; give one with --id", hcp.Quote(w.id.Name))
	}
	if err := w.place(); err != nil {
		return err
	}
	if w.Static {
		return nil
	}
	var d *hcp.Denial
	read := append(slices.Clone(w.bin.beside), w.store.config.Packs[w.pack].Read...) // the owner's word for the pack to be
	w.prober, d = newProber(w.store, w.bin.rec, w.Bin, read, w.cache)
	return refused(d)
}

// place finds the draft's folder: a free one to write to, or with --diff the
// one that is there.
func (w *wrapping) place() error {
	w.shown = first(w.Out, "./"+w.pack)
	if w.target = filepath.Clean(w.shown); !filepath.IsAbs(w.target) {
		cwd, err := w.store.env.Getwd()
		if err != nil {
			return fmt.Errorf("working directory: %s", hcp.Reason(err))
		}
		w.target = filepath.Join(cwd, w.target)
	}
	switch {
	case w.Diff:
		path := filepath.Join(w.target, scaffold.LockFile)
		data, err := readBounded(path, maxLockFile)
		if err == nil {
			w.lock, err = scaffold.ReadLock(data)
		}
		if err != nil {
			return fmt.Errorf("%s: %s", hcp.Printable(filepath.Join(w.shown, scaffold.LockFile), ""), hcp.Reason(err))
		}
		if len(w.bin.rec.Interp) > 0 {
			w.cache.forget() // what a script answers may change without it
		}
		return nil
	case w.DryRun:
		return nil
	}
	return freeTarget(w.target, w.shown)
}

// work asks, judges, and writes or shows.
func (w *wrapping) work(ctx context.Context) error {
	began := w.store.env.Now()
	w.progress = newProgress(w.store.env, w.id.Name)
	tool, err := w.discover(ctx)
	w.progress.clear()
	if err != nil || ctx.Err() != nil {
		return err
	}
	scaffold.Classify(tool)
	scaffold.SelectJSON(tool)
	tool.About = scaffold.ManAbout(w.id)
	if w.Diff {
		w.done = true
		return w.showDiff(tool)
	}
	choice, err := scaffold.Choose(tool, w.Only, w.All)
	if err != nil {
		return err
	}
	if len(choice.Commands) == 0 && !w.DryRun {
		return &undrafted{w.id.Name, tool, choice}
	}
	if w.Verify {
		w.verify(ctx, tool, choice)
	}
	if ctx.Err() != nil {
		return nil
	}
	if w.DryRun {
		w.done = true
		if w.JSON {
			w.print(scaffold.Findings(tool))
			return nil
		}
		w.showFindings(tool)
		w.summary(tool, choice, w.store.env.Now().Sub(began))
		return nil
	}
	return w.write(tool, choice, began)
}

// discover reads the CLI. An error is a CLI of which nothing could be read.
func (w *wrapping) discover(ctx context.Context) (*scaffold.Tool, error) {
	opt := scaffold.DiscoverOptions{Progress: w.progress.show, Only: w.Only}
	if w.Static {
		if opt.Static, opt.Texts = true, scaffold.StaticTexts(w.id); opt.Texts == nil {
			return nil, fmt.Errorf("%s has no man page and no fish completion to read", hcp.Printable(w.id.Name, ""))
		}
		return scaffold.Discover(ctx, w.id, nil, opt), nil
	}
	tool := scaffold.Discover(ctx, w.id, w.prober.probe, opt)
	if len(tool.Commands) == 0 {
		w.cache.forget() // what stood in its way may be mended in a moment
	}
	w.cache.save()
	switch refusal := w.prober.refused; {
	case refusal != nil:
		return nil, &unheld{refusal}
	case len(tool.Commands) == 0 && ctx.Err() == nil:
		return nil, &helpless{w.id.Name, tool.Notes, w.prober.said()}
	}
	return tool, nil
}

// unheld is a bin that was not run, since nothing could hold it.
type unheld struct{ denial *hcp.Denial }

func (e *unheld) Error() string { return e.denial.Message }

// helpless is a bin that gives no help.
type helpless struct {
	name  string
	notes []scaffold.Note
	said  string // what it printed instead, its first line; "" nothing
}

func (e *helpless) Error() string {
	return hcp.Printable(e.name, "") + " gives no help that could be read"
}

// hinted says an error with what would help.
func (w *wrapping) hinted(err error) error {
	env, line := w.store.env, "hcp wrap "+adapter.ShellQuote(w.Bin)
	var launcher *scaffold.Launcher
	var held *unheld
	var none *helpless
	var empty *undrafted
	switch {
	case errors.As(err, &launcher):
		*w.status = env.fail("hcp", err.Error(), "if that is what you want: "+line+" --i-know")
	case errors.As(err, &held):
		*w.status = env.fail("hcp", err.Error(), held.denial.Hint, "to read man pages and completions and run nothing: "+line+" --static")
		*w.status = exitOf(held.denial)
	case errors.As(err, &none):
		var hints []string
		for _, n := range none.notes {
			hints = append(hints, n.Where+": "+n.What)
		}
		if none.said != "" {
			hints = append(hints, "it says: "+none.said)
		}
		*w.status = env.fail("hcp", err.Error(), append(hints, "to read its man page: "+line+" --static")...)
	case errors.As(err, &empty):
		*w.status = env.fail("hcp", err.Error(), empty.hints(line)...)
	default:
		return err
	}
	return nil
}

// took is how long something lasted, for people.
func took(d time.Duration) string { return d.Round(10 * time.Millisecond).String() }
