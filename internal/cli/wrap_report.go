package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/pack"
	"hcp/internal/scaffold"
)

// How much a summary lists before it only counts.
const maxListed = 6

// summary tells a person, on stderr, what was found, what was left out and why,
// what to look at, and what to type next.
func (w *wrapping) summary(tool *scaffold.Tool, choice scaffold.Choice, d time.Duration) {
	var b strings.Builder
	read := 0
	for _, c := range tool.Commands {
		if c.Probed && len(c.Path) > 0 {
			read++
		}
	}
	fmt.Fprintf(&b, "%s: %s; %s\n", hcp.Printable(w.id.Name, ""), hcp.Printable(w.kind(), ""), w.effort(d))
	if n := len(tool.Commands) - 1; n > 0 {
		fmt.Fprintf(&b, "found: %s, %d with help of their own\n", count(n, "command"), read)
	}
	verb := "drafted"
	if w.DryRun {
		verb = "would draft"
	}
	fmt.Fprintf(&b, "%s: %s\n", verb, count(len(choice.Commands), "command"))
	for _, effect := range [...]scaffold.Effect{scaffold.Read, scaffold.Write, scaffold.Destructive, scaffold.Exec} {
		if names := ofEffect(choice.Commands, effect); len(names) > 0 {
			fmt.Fprintf(&b, "  %-12s %s\n", effect, strings.Join(names, ", "))
		}
	}
	w.leftOut(&b, choice)
	notes := append(append([]scaffold.Note{}, tool.Notes...), choice.Notes...)
	if w.prober != nil && w.prober.ranBy == "process" {
		notes = append(notes, scaffold.Note{Where: w.id.Name, What: "ran without walls (driver process), as hcp.toml allows"})
	}
	if len(w.bin.beside) > 0 && w.prober != nil {
		notes = append(notes, scaffold.Note{Where: w.id.Name, What: "is a script that may need the files beside it; if calls miss them, hcp.toml: [packs." +
			w.pack + "] read = " + jsonList(w.bin.beside)})
	}
	if len(notes) > 0 {
		b.WriteString("look at:\n")
		for i, n := range notes {
			if i == 3*maxListed {
				fmt.Fprintf(&b, "  … and %d more\n", len(notes)-i)
				break
			}
			fmt.Fprintf(&b, "  %s: %s\n", hcp.Printable(n.Where, ""), hcp.Printable(n.What, ""))
		}
	}
	if !w.DryRun {
		dir := adapter.ShellQuote(w.shown)
		fmt.Fprintf(&b, "read %s, then:\n  hcp check %s\n  hcp install %s && hcp activate %s && hcp shim install %s\n",
			adapter.ShellQuote(filepath.Join(w.shown, "policy.json")), dir, dir, w.pack, w.pack)
	}
	io.WriteString(w.store.env.Stderr, hcp.Printable(b.String(), "\n"))
}

// jsonList writes strings as a list, which TOML reads too.
func jsonList(list []string) string {
	data, err := json.Marshal(list)
	if err != nil {
		return "[]"
	}
	return string(data)
}

// count is "1 command", "2 commands".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (w *wrapping) kind() string {
	parts := []string{}
	if w.id.Framework != "" {
		parts = append(parts, w.id.Framework)
	}
	if w.id.Script != "" {
		parts = append(parts, w.id.Script+" script")
	}
	return strings.Join(append(parts, w.id.Path), ", ")
}

func (w *wrapping) effort(d time.Duration) string {
	if w.prober == nil {
		return "man pages and completions read, nothing run"
	}
	asked := len(w.prober.asked)
	text := fmt.Sprintf("%s, %d from the cache", count(asked, "question"), asked-w.prober.fresh)
	if w.prober.ranBy != "" {
		text += ", sandbox " + w.prober.ranBy
	}
	return text + ", " + took(d)
}

func ofEffect(list []*scaffold.Command, e scaffold.Effect) (names []string) {
	for _, c := range list {
		if c.Drafted() == e || c.Effect == "" && e == scaffold.Write {
			names = append(names, first(strings.Join(c.Path, " "), "(the bin itself)"))
		}
	}
	return names
}

// leftOut groups what a draft leaves out by the reason. That a group of commands
// is no command goes without saying.
func (w *wrapping) leftOut(b *strings.Builder, choice scaffold.Choice) {
	var reasons []string
	by, left := map[string][]string{}, 0
	for _, l := range choice.Left {
		why, _, _ := strings.Cut(l.Why, " (--only ")
		if why == "a group of commands" || why == "the bin itself, which has commands" {
			continue
		}
		left++
		if by[why] == nil {
			reasons = append(reasons, why)
		}
		by[why] = append(by[why], first(strings.Join(l.Path, " "), w.id.Name))
	}
	if len(reasons) == 0 {
		return
	}
	fmt.Fprintf(b, "left out: %d (--only NAME takes one)\n", left)
	for _, why := range reasons {
		names := by[why]
		more := ""
		if len(names) > maxListed {
			more = fmt.Sprintf(", … %d in all", len(names))
			names = names[:maxListed]
		}
		fmt.Fprintf(b, "  %s: %s%s\n", why, strings.Join(names, ", "), more)
	}
}

// showFindings is --dry-run for a person: what was read, a command a line.
func (w *wrapping) showFindings(tool *scaffold.Tool) {
	rows := [][]string{{"command", "effect", "json", "why"}}
	for _, c := range tool.Commands {
		name := strings.TrimSpace(tool.ID.Name + " " + strings.Join(c.Path, " "))
		js := "-"
		if c.JSON != nil {
			js = first(strings.Join(c.JSON, " "), "always")
		}
		rows = append(rows, []string{name, first(string(c.Effect), "unknown"), js, c.Why})
	}
	if err := w.store.env.table(rows); err != nil {
		w.store.env.lost = err
	}
}

// showDiff prints what is different from the draft that is there.
func (w *wrapping) showDiff(tool *scaffold.Tool) error {
	surface, err := readBounded(filepath.Join(w.target, pack.SurfaceFile), pack.MaxFile)
	var p *pack.Pack
	if err == nil {
		p, err = pack.Parse(w.target, surface, nil)
	}
	if err != nil {
		w.store.env.complain("hcp", "warning: the pack in "+w.shown+" can't be compared: "+hcp.Reason(err))
	}
	d := scaffold.Compare(w.lock, p, tool)
	if w.JSON {
		w.print(d)
		return nil
	}
	var b strings.Builder
	if !d.Changed {
		fmt.Fprintf(&b, "no change: %s and its help are what the draft was made of\n", w.id.Name)
	}
	if d.Bin.Changed {
		fmt.Fprintf(&b, "bin %s: changed, sha256 %.12s → %.12s\n", d.Bin.Path, d.Bin.Was, d.Bin.Now)
	}
	lines := func(sign string, names []string, where string) {
		for _, n := range names {
			fmt.Fprintf(&b, "%s %s\n", sign, strings.TrimSpace(where+" "+n))
		}
	}
	lines("+", d.Added, w.id.Name)
	lines("-", d.Removed, w.id.Name)
	for _, f := range d.Flags {
		where := strings.TrimSpace(w.id.Name + " " + f.Command)
		lines("+", f.Added, where)
		lines("-", f.Removed, where)
		lines("~", f.Changed, where)
	}
	for _, br := range d.Pack {
		fmt.Fprintf(&b, "! %s.%s: %s\n", w.pack, br.VerbKey, br.What)
	}
	w.store.env.print(hcp.Printable(b.String(), "\n"))
	return nil
}

// print is the answer as one line of JSON on stdout.
func (w *wrapping) print(v any) { *w.status = w.store.env.printValue(v, *w.status) }

// spaced is a command as people type it behind the bin; "" is the bin itself.
func spaced(path []string) string { return strings.Join(path, " ") }
