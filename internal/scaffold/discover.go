package scaffold

import (
	"context"
	"slices"
	"strings"
	"time"
)

// The bounds of a discovery (wrap.md, stage 2).
const (
	maxProbes   = 200
	maxDiscover = 60 * time.Second
	atOnce      = 4
	maxDepth    = 4 // words after the bin
)

// DiscoverOptions says how far a discovery goes. The zero value has the bounds
// of wrap.md.
type DiscoverOptions struct {
	Probes int           // at most so many; 0: 200
	Time   time.Duration // at most so long; 0: 60 s
	AtOnce int           // probes at the same time; 0: 4
	// Only are the commands that matter, as Choose is told them: nothing is asked
	// but these, what leads to them and what lies below them. Empty: all.
	Only     []string
	Progress func(done, known int)
	// Static reads Texts alone and starts no probe.
	Static bool
	// Texts are help texts that are there without a probe, such as a manual
	// page, by the words of the command joined by blanks; "" is the bin itself.
	Texts map[string]string
}

// Discover reads a bin's help, then its sub-commands', breadth first. Every argv
// that it hands to probe is words that a help page listed as sub-commands and
// one help token, nothing else. The result does not depend on which probe is
// answered first. What was left out is told in the notes; a bin without help
// gives a Tool without commands.
func Discover(ctx context.Context, id Identity, probe Prober, opt DiscoverOptions) *Tool {
	d := newDiscovery(id, probe, opt)
	ctx, cancel := context.WithTimeout(ctx, d.opt.Time)
	defer cancel()
	if opt.Static {
		return d.static()
	}
	if !d.root(ctx) {
		return d.tool
	}
	level := d.children(d.tool.Commands[0])
	for depth := 1; len(level) > 0 && depth <= maxDepth; depth++ {
		d.top = depth == 1
		d.level(ctx, level)
		var next []*Command
		for _, c := range level {
			next = append(next, d.children(c)...)
		}
		level = next
	}
	d.finish(ctx)
	return d.tool
}

// discovery is one walk over a bin's help.
type discovery struct {
	id    Identity
	probe Prober
	opt   DiscoverOptions
	tool  *Tool
	form  []helpForm      // the forms to ask a sub-command in, best first
	works map[string]bool // the forms that some command answered with help
	spent int
	// short is set when there were not probes enough, narrow when that was so for
	// the bin's own commands.
	short, narrow bool
	top           bool            // the level that is read is the bin's own commands
	same          map[string]bool // commands that answer with the root's help
	done          int
}

func newDiscovery(id Identity, probe Prober, opt DiscoverOptions) *discovery {
	if opt.Probes <= 0 {
		opt.Probes = maxProbes
	}
	if opt.Time <= 0 {
		opt.Time = maxDiscover
	}
	if opt.AtOnce <= 0 {
		opt.AtOnce = atOnce
	}
	opt.Only = slices.Clone(opt.Only)
	for i, name := range opt.Only {
		opt.Only[i] = keyOf(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '.' }))
	}
	if opt.Progress == nil {
		opt.Progress = func(int, int) {}
	}
	return &discovery{id: id, probe: probe, opt: opt, tool: &Tool{ID: id}, same: map[string]bool{}, works: map[string]bool{}}
}

// note tells a person something about a command.
func (d *discovery) note(path []string, what string) {
	d.tool.Notes = append(d.tool.Notes, Note{Where: strings.TrimSpace(d.id.Name + " " + strings.Join(path, " ")), What: what})
}

// root finds the form that the bin answers with help, and reads that page and
// the longer lists that the page names. A page that lists nothing is kept only
// when no other form gives one that does.
func (d *discovery) root(ctx context.Context) bool {
	root := &Command{Path: []string{}}
	told := ""
	for i, form := range helpForms() {
		text, failed := d.ask(ctx, form, nil)
		if !LooksLikeHelp(text) {
			if failed != "" {
				d.note(nil, strings.Join(form.argv(nil), " ")+": "+failed)
			}
			continue
		}
		told += text
		page := Parse(text, nil)
		page.HelpArgv = form.argv(nil)
		if root.Probed && page.size() <= root.Page.size() {
			continue
		}
		root.Page, root.Probed = page, true
		d.form = append([]helpForm{form}, without(helpForms(), i)...)
		if len(page.Commands) > 0 || len(page.Flags) > 2 {
			break
		}
	}
	if !root.Probed {
		d.note(nil, "no help: neither --help nor -h nor help prints any")
		return false
	}
	d.form = slices.DeleteFunc(d.form, func(f helpForm) bool {
		// "x help list" might be two arguments: the word is given where the page has it.
		return len(f.before) > 0 && !contains(root.Page.HelpArgv, "help") && !hasEntry(root.Page.Commands, "help") && !strings.Contains(told, d.id.Name+" help")
	})
	d.form = append(d.form, plainForm(root.Page)...)
	d.form = append(d.form, dashForm(told)...)
	if suffixTold(told, d.id.Name) {
		d.form = append([]helpForm{{after: []string{"help"}}}, d.form...)
	}
	d.lists(ctx, root)
	d.tool.Commands = append(d.tool.Commands, root)
	if root.Page.Unparsed {
		d.note(nil, "its help could not be read")
	}
	return true
}

func (p *Page) size() int { return len(p.Commands) + len(p.Flags) }

func without(forms []helpForm, i int) []helpForm {
	return append(append([]helpForm{}, forms[:i]...), forms[i+1:]...)
}

// lists asks for the longer lists of commands and options that a root page
// names, and adds what they tell.
func (d *discovery) lists(ctx context.Context, root *Command) {
	for _, argv := range namedLists(root.Page.Text, d.id.Name) {
		text, _ := d.ask(ctx, helpForm{before: argv}, nil)
		if text == "" || text == root.Page.Text {
			continue
		}
		more := Parse(text, nil)
		if len(more.Commands) == 0 && len(more.Flags) == 0 {
			continue
		}
		root.Page.extend(more)
	}
}

// extend adds a longer list's commands and flags to a page.
func (p *Page) extend(more Page) {
	if len(p.Commands) == 0 && len(more.Commands) > 0 {
		p.TakesCommand, p.Positionals = true, more.Positionals
		if len(more.Usage) > 0 {
			p.Usage = more.Usage
		}
	}
	for _, e := range more.Commands {
		if !hasEntry(p.Commands, e.Name) {
			p.Commands = append(p.Commands, e)
		}
	}
	p.Deeper = append(p.Deeper, more.Deeper...)
	p.addFlags(more.Flags)
	p.pairNegations()
}

func hasEntry(list []Entry, name string) bool {
	for _, e := range list {
		if e.Name == name {
			return true
		}
	}
	return false
}

// children makes the commands that a page lists, in its order.
func (d *discovery) children(parent *Command) []*Command {
	var out []*Command
	if len(parent.Path) >= maxDepth {
		return nil
	}
	index := map[string]bool{}
	for _, e := range d.listed(parent) {
		if index[e.Name] || d.ofParent(parent, e) {
			continue
		}
		index[e.Name] = true
		c := &Command{Path: pathOf(parent.Path, e.Name), Listed: e}
		out = append(out, c)
	}
	d.tool.Commands = append(d.tool.Commands, out...)
	return out
}

// pathOf gives the words of a command that is listed below others. "sites:list"
// below "sites" is one word, which repeats those above it.
func pathOf(parent []string, name string) []string {
	if len(parent) > 0 && strings.HasPrefix(name, strings.Join(parent, ":")+":") {
		return []string{name}
	}
	return append(append([]string{}, parent...), name)
}

// Subcommands gives the sub-commands that the bin's own help lists, in its order.
func (t *Tool) Subcommands() []string {
	out := []string{}
	for _, c := range t.Commands {
		if len(c.Path) == 1 && !c.Shared && len(t.Commands[0].Path) == 0 && hasEntry(t.Commands[0].Page.Commands, c.Path[0]) {
			out = append(out, c.Path[0])
		}
	}
	return out
}

// listed gives the entries below a command: of its own page, and of the root's
// where that lists deeper ones.
func (d *discovery) listed(c *Command) []Entry {
	out := append([]Entry{}, c.Page.Commands...)
	if len(c.Path) == 0 {
		return out
	}
	for i := 0; i < len(c.Path); i++ {
		for _, a := range d.tool.Commands {
			if !equal(a.Path, c.Path[:i]) {
				continue
			}
			for _, e := range a.Page.Deeper {
				if equal(e.Under, c.Path[i:]) {
					out = append(out, e.Entry)
				} else if len(e.Under) > len(c.Path)-i && equal(e.Under[:len(c.Path)-i], c.Path[i:]) {
					out = append(out, Entry{Name: e.Under[len(c.Path)-i]})
				}
			}
		}
	}
	return out
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// ofParent says whether an entry is no command of its own: what a page prints
// again of the page above it, and the words that only print help.
func (d *discovery) ofParent(parent *Command, e Entry) bool {
	if e.Name == d.id.Name && len(parent.Path) == 0 {
		return true
	}
	return len(parent.Path) > 0 && (e.Name == "help" || parent.Path[0] == "help" || d.same[strings.Join(parent.Path, " ")])
}
