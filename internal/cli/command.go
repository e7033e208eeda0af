package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"hcp/internal/hcp"
)

// commands is the model of hcp's own command line; one file has one command.
type commands struct {
	Exec         execCmd         `cmd:"" help:"Send one envelope, or with - or --batch those on stdin."`
	Explain      explainCmd      `cmd:"" help:"Show the nine steps for a call, and what would fix it; runs nothing."`
	List         listCmd         `cmd:"" help:"List the installed packs."`
	Show         showCmd         `cmd:"" help:"Show a pack, or one of its commands."`
	Availability availabilityCmd `cmd:"" help:"Show every command of the active packs and whether it may run."`
	Activate     activateCmd     `cmd:"" help:"Activate packs on a session."`
	Deactivate   deactivateCmd   `cmd:"" help:"Deactivate packs on a session."`
	Install      installCmd      `cmd:"" help:"Copy a pack folder into the library."`
	Uninstall    uninstallCmd    `cmd:"" help:"Remove an installed pack."`
	Shim         shimCmd         `cmd:"" help:"Links that let packs be typed by name."`
	Workspace    workspaceCmd    `cmd:"" help:"Files into and out of your workspace of a pack."`
	Grant        grantCmd        `cmd:"" help:"Allow a principal to do something."`
	Approve      approveCmd      `cmd:"" help:"Agree, in a terminal, to a call that waits for it."`
	Approvals    approvalsCmd    `cmd:"" help:"List the calls that wait for a person."`
	Audit        auditCmd        `cmd:"" help:"Look at and verify the log of calls."`
	Wrap         wrapCmd         `cmd:"" help:"Draft a pack from an existing CLI's help."`
	Check        checkCmd        `cmd:"" help:"Look for what is wrong with packs: 0 clean, 1 errors, 2 warnings."`
	Binding      bindingCmd      `cmd:"" help:"Credentials that packs run with."`
	Title        titleCmd        `cmd:"" help:"The words a host shows for a call."`
	Preview      previewCmd      `cmd:"" help:"The card a person sees before a gated write."`
	Skill        skillCmd        `cmd:"" help:"The Skill of a pack."`
	MCP          mcpCmd          `cmd:"" name:"mcp" help:"Serve the packs to an agent's host (MCP on stdin and stdout)."`
	Init         initCmd         `cmd:"" help:"Set up hcp for this user."`
	ShellInit    shellInitCmd    `cmd:"" help:"Print what a shell evaluates to have the shims first on PATH."`
	Completion   completionCmd   `cmd:"" help:"Print a shell's completion of hcp and the shims."`
	Doctor       doctorCmd       `cmd:"" help:"Check this installation."`
	Version      versionCmd      `cmd:"" help:"Show version and build."`
}

// sessionFlag is shared by the commands that look at a session.
type sessionFlag struct {
	Session string `help:"Session to use (default: HCP_SESSION, else default)." placeholder:"ID"`
}

// exitCode carries a command's exit code out of kong.
type exitCode int

// runCommand is hcp itself: kong parses, the command runs.
func runCommand(env *Env, name string, words []string) int {
	if len(words) > 0 && words[0] == completeWord {
		return runComplete(env, words[1:])
	}
	if i := slices.IndexFunc(words, func(w string) bool { return !validText(w) }); i >= 0 {
		return env.notText(words, i)
	}
	var c commands
	words, exited := familiar(words), -1
	parser, err := newParser(env, &c, func(code int) { exited = code; panic(exitCode(code)) })
	if err != nil {
		return env.fail(name, "broken command model")
	}
	if len(words) == 0 {
		return env.shortHelp(parser)
	}
	return env.parseAndRun(parser, words, &exited)
}

// familiar takes the two lines that other programs have taught everybody.
func familiar(words []string) []string {
	switch {
	case len(words) == 1 && words[0] == "--version":
		return []string{"version"}
	case len(words) > 0 && words[0] == "help":
		return append(slices.Clone(words[1:]), "--help")
	}
	return words
}

// newParser makes the model of hcp's own line; exit is how --help ends.
func newParser(env *Env, c *commands, exit func(int)) (*kong.Kong, error) {
	return kong.New(c, kong.Name("hcp"),
		kong.Description("Named, policed commands for people and AI agents."),
		kong.Writers(env.Stdout, env.Stderr),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Bind(env))
}

func (e *Env) parseAndRun(parser *kong.Kong, words []string, exited *int) (code int) {
	defer func() {
		// --help ends inside kong, by the Exit above.
		if p := recover(); p != nil {
			if c, ok := p.(exitCode); ok && *exited >= 0 {
				code = int(c)
				return
			}
			panic(p)
		}
	}()
	ctx, err := parser.Parse(words)
	if err != nil {
		return e.usageError(parser.Model, words, err)
	}
	var status int
	err = ctx.Run(e, &status)
	var d *refusal
	if errors.As(err, &d) {
		return e.deny("hcp", d.denial)
	}
	if err == nil {
		err = e.lost
	}
	switch {
	case err == nil || brokenPipe(err):
		return status
	case e.lost != nil && err == e.lost:
		return e.fail("hcp", "stdout: "+hcp.Reason(err))
	}
	return e.fail("hcp", err.Error())
}

// refusal lets a command return a denial through kong's error.
type refusal struct{ denial *hcp.Denial }

func (r *refusal) Error() string { return r.denial.Message }

func refused(d *hcp.Denial) error {
	if d == nil {
		return nil
	}
	return &refusal{d}
}

// notText refuses a line that JSON could not carry; exec answers it as an
// envelope.
func (e *Env) notText(words []string, i int) int {
	what := fmt.Sprintf("argument %d is not UTF-8", i+1)
	if words[0] == "exec" {
		var envelope hcp.Envelope
		if len(words) > 2 && i > 2 { // what names the call is readable
			envelope.PackID, envelope.VerbKey = words[1], words[2]
		}
		return e.printResult(hcp.Refuse(envelope, hcp.InvalidEnvelope("%s", what)), false)
	}
	return e.fail("hcp", what)
}

// shortHelp is `hcp` alone: what there is, and exit 1.
func (e *Env) shortHelp(parser *kong.Kong) int {
	var b strings.Builder
	b.WriteString("hcp runs command-line tools as named, policed commands.\n\nusage: hcp <command> [--help]\n\n")
	for _, n := range parser.Model.Node.Children {
		if n.Hidden {
			continue
		}
		b.WriteString("  " + n.Name + strings.Repeat(" ", max(1, 14-len(n.Name))) + n.Help + "\n")
	}
	e.Stderr.WriteString(b.String())
	return hcp.ExitFailure
}

// usageError says what is wrong with a line. A pack's name and a pack's verb
// get a hint of their own: a shim whose path was resolved ends up here.
func (e *Env) usageError(model *kong.Application, words []string, err error) int {
	text := err.Error()
	if flag, _, ok := strings.Cut(text, ": expected "); ok && strings.Contains(text, `"EOL"`) {
		text = "missing value for " + flag // kong names its own token
	}
	if args, ok := strings.CutPrefix(text, `expected "`); ok {
		text = "missing " + strings.TrimSuffix(args, `"`)
	}
	text = strings.Replace(text, "a valid 64 bit int", "a whole number", 1)
	text, near, _ := strings.Cut(text, ", did you mean ")
	if near != "" {
		near = "did you mean " + strings.ReplaceAll(near, `"`, "")
	}
	line := readOwn(model.Node, words)
	if word, ok := strings.CutPrefix(text, "unexpected argument "); ok && line.astray {
		text = "unknown command " + word
	}
	hint := ""
	if line.astray && line.node == model.Node {
		hint = e.shimHint(words)
	}
	return e.fail("hcp", text, first(hint, near), strings.TrimSpace("hcp "+line.node.Path())+" --help")
}

func (e *Env) shimHint(words []string) string {
	if strings.HasPrefix(words[0], "-") {
		return ""
	}
	s, d := openStore(e, "", "")
	if d != nil {
		return ""
	}
	ids, _ := s.installed()
	for _, id := range ids {
		p, err := s.pack(id)
		if err != nil || id == "hcp-cli" {
			continue
		}
		if id == words[0] {
			return "did you mean the shim, or: hcp exec " + id + " …"
		}
		if line := p.Match(words); line.Fault == nil && p.Command(line.VerbKey) != nil {
			return "did you mean: " + id + " " + words[0] + " …? (a shim's link was resolved to its file)"
		}
	}
	return ""
}
