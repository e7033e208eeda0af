package scaffold

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

const frobPage = `.\" a comment
.TH "FROB" "1"
.de XX
left out
..
.SH "NAME"
frob \- turn \fIknobs\fP
.SH SYNOPSIS
.B frob
[\fIoptions\fR] \fB\-\-\fR [\fIfile\fR]
.SH OPTIONS
.TP
\fB\-a\fR, \fB\-\-all\fR
Turn all of them \(em even
the small ones.
.TP
.BR \-n ", " \-\-number = \fIN\fR
How many.
.PP
.IP "\-\-colour[=\fIWHEN\fR]" 4
When to use colour.
.nf
  as    it is
.fi
`

// The source of a man page becomes the text that man would show.
func TestManText(t *testing.T) {
	want := []string{
		"NAME\n       frob - turn knobs\n", "\nSYNOPSIS\n       frob [options] -- [file]\n",
		"\n       -a, --all\n              Turn all of them -- even the small ones.\n",
		"\n       -n, --number=N\n              How many.\n", "\n       --colour[=WHEN]\n              When to use colour.\n", "  as    it is\n",
	}
	got := manText(frobPage)
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("no %q in:\n%s", w, got)
		}
	}
	if strings.Contains(got, "left out") || strings.Contains(got, `\`) {
		t.Errorf("source shows:\n%s", got)
	}
}

func TestManText_Mdoc(t *testing.T) {
	got := manText(".Dd now\n.Dt FROB 1\n.Sh NAME\n.Nm frob\n.Nd turn knobs\n.Sh SYNOPSIS\n.Nm\n.Op Fl av\n.Op Fl f Ar file\n.Ar name ...\n.Sh DESCRIPTION\n" +
		".Bl -tag -width x\n.It Fl a\nAll of them.\n.It Fl f Ar file Ns , Fl -file\nRead\n.Pa /x .\n.El\n")
	for _, w := range []string{"frob - turn knobs", "frob [-av] [-f file] name...", "\n       -a\n              All of them.", "-f file, --file\n              Read /x."} {
		if !strings.Contains(got, w) {
			t.Errorf("no %q in:\n%s", w, got)
		}
	}
}

// No source makes the reader stop, loop or fail.
func FuzzManText(f *testing.F) {
	for _, s := range []string{frobPage, ".IP", ".It", ".RE", ".de", ".if \\{", "\\", "\\f", "\\f(", "\\[", "\\*", "\\s+", ".B \"", ".TP\n.TP", ".Op Fl", "\\h'", ".Bl\n.El\n.El", ".SH"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := len(manText(s)); n > 60*len(s)+1000 {
			t.Errorf("%d bytes of %d", n, len(s))
		}
	})
}

// Pages of sub-commands are told by their usage line, not by their names alone.
func TestStatic_Man(t *testing.T) {
	dir := t.TempDir()
	bin := write(t, dir, "bin/frob", "\x7fELF")
	page := func(name, lead, synopsis string) string {
		return ".TH X 1\n.SH NAME\n" + name + ` \- ` + lead + "\n.SH SYNOPSIS\n" + synopsis + "\n.SH OPTIONS\n.TP\n\\-\\-all\nAll.\n"
	}
	for name, text := range map[string]string{
		"frob": page("frob", "turn knobs", "frob COMMAND"), "frob-knob": page("frob-knob", "Work on knobs", "frob knob"),
		"frob-knob-list": page("frob-knob-list", "list them", "frob knob list [flags]"),
		"frob-dry-run":   page("frob-dry-run", "try it", "frob dry-run <x>"), "frob-gen": page("frob-gen", "another program", "frob-gen [file]"),
	} {
		write(t, dir, "share/man/man1/"+name+".1", text)
	}
	id, err := identify(t, bin)
	if err != nil {
		t.Fatal(err)
	}
	asked := func(context.Context, []string) Answer { t.Error("something was run"); return Answer{} }
	tool := Discover(context.Background(), id, asked, DiscoverOptions{Static: true, Texts: StaticTexts(id)})
	var got []string
	for _, c := range tool.Commands {
		got = append(got, strings.Join(c.Path, " "))
		if len(c.Page.Flags) != 1 {
			t.Errorf("%v: flags %v", c.Path, c.Page.Flags)
		}
	}
	if want := []string{"", "dry-run", "knob", "knob list"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A fish completion says what man pages do not.
func TestStatic_Fish(t *testing.T) {
	dir := t.TempDir()
	bin := write(t, dir, "bin/frob", "\x7fELF")
	write(t, dir, "share/fish/vendor_completions.d/frob.fish", `# made by hand
complete -c frob -f
complete -c frob -n __fish_use_subcommand -a list -d 'List the knobs'
complete -c frob -n "__fish_use_subcommand" -a turn -d "Turn a knob"
complete -c frob -n '__fish_use_subcommand' -a '(frob names)'
complete -c frob -s v -l verbose -d 'Say more'
complete -c frob -n '__fish_seen_subcommand_from list' -l format -r -d 'How to print'
complete -c frob -n 'something (else)' -l hidden
complete -c other -l not-mine
`)
	id, err := identify(t, bin)
	if err != nil {
		t.Fatal(err)
	}
	tool := Discover(context.Background(), id, nil, DiscoverOptions{Static: true, Texts: StaticTexts(id)})
	got := LockOf(tool, nil).Commands
	want := map[string][]string{"": {"-v, --verbose"}, "list": {"--format="}, "turn": nil}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
