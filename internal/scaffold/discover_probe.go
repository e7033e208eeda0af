package scaffold

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
)

// ask probes one argv and gives the help text of the answer, whichever stream
// it is on and whatever the exit status. failed says why there is none.
func (d *discovery) ask(ctx context.Context, form helpForm, path []string) (text, failed string) {
	if ctx.Err() != nil {
		return "", "out of time"
	}
	if d.spent >= d.opt.Probes {
		return "", "out of probes"
	}
	d.spent++
	return answerText(d.probe(ctx, form.argv(path)))
}

// answerText picks the stream that reads more like help.
func answerText(a Answer) (text, failed string) {
	out, err := Normalise(a.Stdout), Normalise(a.Stderr)
	switch {
	case LooksLikeHelp(out):
		return out, a.Failed
	case LooksLikeHelp(err):
		return err, a.Failed
	case strings.TrimSpace(out) != "":
		return out, a.Failed
	}
	return strings.TrimLeft(err, "\n"), a.Failed
}

// level probes the commands of one level. The first command that answers shows
// which form the others are asked in first; who does not answer in one form is
// asked in the next, in rounds, so that the order of answers changes nothing.
func (d *discovery) level(ctx context.Context, cs []*Command) {
	all := cs
	cs = d.wanted(cs)
	open := d.affordable(cs)
	for round := 0; round < len(d.form) && len(open) > 0; round++ {
		if round == 0 && len(open) > 2 {
			d.learn(ctx, open[:2])
		}
		if round > 0 && len(cs[0].Path) > 1 && !d.works[d.form[round].String()] {
			continue
		}
		if round > 0 {
			// Who did not answer in the form that others did has probably no help.
			open = open[:min(len(open), (d.opt.Probes-d.spent)/4)]
		}
		d.round(ctx, open, d.form[round])
		var still []*Command
		for _, c := range open {
			if !c.Probed && !d.same[strings.Join(c.Path, " ")] {
				still = append(still, c)
			}
		}
		open = still
		if round > 0 && len(open) > 6 && !slices.ContainsFunc(cs, func(c *Command) bool { return c.Probed }) {
			break // nobody answers in two forms: the rest of the probes is for others
		}
	}
	d.dropSame(cs, all)
}

// affordable gives the commands of a level that are asked, when the probes do
// not suffice for all. Of a bin's own commands a quarter of the probes is kept
// from, for the levels below, and the shortest names are asked: those that are
// used most. Below them the page's order holds, or that of the groups asked.
func (d *discovery) affordable(cs []*Command) []*Command {
	left := d.opt.Probes - d.spent
	if d.top {
		left = left * 3 / 4
	}
	if len(cs) <= left {
		return cs
	}
	d.short = true
	out := slices.Clone(cs)
	slices.SortStableFunc(out, func(a, b *Command) int {
		if d.narrow || d.top {
			return cmp.Compare(len(a.Path[0]), len(b.Path[0]))
		}
		return 0
	})
	d.narrow = d.narrow || d.top
	return out[:max(left, 0)]
}

// wanted gives the commands that Only names, with what leads to them and what
// lies below them; all when it names none.
func (d *discovery) wanted(cs []*Command) []*Command {
	if len(d.opt.Only) == 0 {
		return cs
	}
	var out []*Command
	for _, c := range cs {
		key := keyOf(c.Path)
		if slices.ContainsFunc(d.opt.Only, func(f string) bool {
			return f == key || strings.HasPrefix(f, key+".") || strings.HasPrefix(key, f+".")
		}) {
			out = append(out, c)
		}
	}
	return out
}

// keyOf is what a command's words and its verb_key have in common.
func keyOf(words []string) string { return strings.ToLower(strings.Join(keyParts(words), ".")) }

// learn asks the first commands of a level in every form, and puts the form
// that worked first.
func (d *discovery) learn(ctx context.Context, cs []*Command) {
	for i, form := range d.form {
		if i > 0 && len(cs[0].Path) > 1 && !d.works[form.String()] {
			continue
		}
		d.round(ctx, cs, form)
		for _, c := range cs {
			if c.Probed {
				d.form = append([]helpForm{form}, without(d.form, i)...)
				return
			}
		}
	}
}

// round asks those of cs that have no page yet in one form, some at a time.
func (d *discovery) round(ctx context.Context, cs []*Command, form helpForm) {
	gate := make(chan struct{}, d.opt.AtOnce)
	var wait sync.WaitGroup
	var lock sync.Mutex
	texts := make([]string, len(cs))
	for i, c := range cs {
		if contains(c.Path, "help") {
			continue // it would be a second help token
		}
		if c.Probed || ctx.Err() != nil || text(d.opt.Texts, c.Path) != "" {
			texts[i] = staticText(text(d.opt.Texts, c.Path))
			continue
		}
		if d.spent >= d.opt.Probes {
			break
		}
		d.spent++
		gate <- struct{}{}
		wait.Go(func() {
			defer func() { <-gate }()
			t, _ := answerText(d.probe(ctx, form.argv(c.Path)))
			lock.Lock()
			defer lock.Unlock()
			texts[i] = t
			d.done++
			d.opt.Progress(d.done, len(d.tool.Commands))
		})
	}
	wait.Wait()
	for i, c := range cs {
		if !c.Probed && texts[i] != "" {
			d.take(c, texts[i], form.argv(c.Path))
			d.works[form.String()] = d.works[form.String()] || c.Probed
		}
	}
}

func text(texts map[string]string, path []string) string { return texts[strings.Join(path, " ")] }

// take reads a sub-command's help, unless it is none or a page that is known.
func (d *discovery) take(c *Command, text string, argv []string) {
	if !LooksLikeHelp(text) {
		return
	}
	if text == d.tool.Commands[0].Page.Text {
		d.same[strings.Join(c.Path, " ")] = true
		return
	}
	page := Parse(text, c.Path)
	page.HelpArgv = argv
	c.Page, c.Probed = page, true
	d.leaf(c)
}

// leaf drops the sub-commands of a page that lists the commands of the page
// above it again: a bin that repeats itself would be walked without end.
func (d *discovery) leaf(c *Command) {
	for _, a := range d.tool.Commands {
		if len(a.Path) != len(c.Path)-1 || !equal(a.Path, c.Path[:len(a.Path)]) {
			continue
		}
		same := len(a.Page.Commands) == len(c.Page.Commands)
		for i := 0; same && i < len(c.Page.Commands); i++ {
			same = c.Page.Commands[i].Name == a.Page.Commands[i].Name
		}
		if same && len(c.Page.Commands) > 0 {
			c.Page.Commands = nil
		}
	}
}

// dropSame takes away a level whose commands answer with the root's help, two
// of those asked or all: they are no sub-commands.
func (d *discovery) dropSame(cs, level []*Command) {
	same := 0
	for _, c := range cs {
		if d.same[strings.Join(c.Path, " ")] {
			same++
		}
	}
	if same < 2 && (same == 0 || same < len(cs)) {
		return
	}
	var kept []*Command
	for _, c := range d.tool.Commands {
		if !d.same[strings.Join(c.Path, " ")] && (c.Probed || !member(level, c)) {
			kept = append(kept, c)
		}
	}
	d.note(nil, "asked for the help of a sub-command it prints its own: no sub-commands taken from it")
	d.tool.Commands = kept
}

func member(cs []*Command, c *Command) bool {
	for _, have := range cs {
		if have == c {
			return true
		}
	}
	return false
}

// staticText makes a text plain that was handed in; "" stays "".
func staticText(t string) string {
	if t == "" {
		return ""
	}
	return Normalise([]byte(t))
}

// static reads the texts that are there, and starts nothing.
func (d *discovery) static() *Tool {
	root := &Command{Path: []string{}}
	if t := text(d.opt.Texts, nil); t != "" {
		root.Page, root.Probed = Parse(staticText(t), nil), true
	}
	d.tool.Commands = append(d.tool.Commands, root)
	if !root.Probed {
		d.note(nil, "no manual page and no completion to read")
		return d.tool
	}
	level := d.children(root)
	for depth := 1; len(level) > 0 && depth <= maxDepth; depth++ {
		var next []*Command
		for _, c := range level {
			if t := text(d.opt.Texts, c.Path); t != "" {
				c.Page, c.Probed = Parse(staticText(t), c.Path), true
			}
			next = append(next, d.children(c)...)
		}
		level = next
	}
	return d.tool
}

// finish tells what the walk did not reach.
func (d *discovery) finish(ctx context.Context) {
	unread := 0
	for _, c := range d.wanted(d.tool.Commands) {
		if !c.Probed {
			unread++
		}
	}
	switch {
	case unread == 0:
	case ctx.Err() != nil:
		d.note(nil, count(unread, "command was", "commands were")+" not read: out of time")
	case d.short || d.spent >= d.opt.Probes:
		d.note(nil, count(unread, "command was", "commands were")+" not read: out of probes")
	default:
		d.note(nil, count(unread, "command has no help of its own", "commands have no help of their own")+" that could be read")
	}
}
