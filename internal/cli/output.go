package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"hcp/internal/hcp"
)

// This file is the only place that prints a result or picks an exit code.

// fail says a usage error in one line and gives its exit code.
func (e *Env) fail(who, message string, hints ...string) int {
	e.complain(who, message, hints...)
	return hcp.ExitFailure
}

// complain writes "<who>: <message>" and the hint lines to stderr, control
// characters shown and not sent.
func (e *Env) complain(who, message string, hints ...string) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", hcp.Printable(who, ""), hcp.Printable(message, "\n\t"))
	for _, h := range hints {
		if h != "" {
			fmt.Fprintf(&b, "hint: %s\n", hcp.Printable(h, ""))
		}
	}
	io.WriteString(e.Stderr, b.String())
}

// deny prints the refusal of a command that has no envelope to answer.
func (e *Env) deny(who string, d *hcp.Denial) int {
	e.complain(who, d.Message, d.Hint)
	return exitOf(d)
}

func exitOf(d *hcp.Denial) int {
	if d.Exit != 0 {
		return d.Exit
	}
	return hcp.ExitFailure
}

// printResult is `hcp exec`'s output: the envelope on one line, or indented and
// coloured for a person, who gets the hint beside it.
func (e *Env) printResult(r hcp.Result, plain bool) int {
	line := r.AppendJSON(nil)
	if plain || !e.Terminal(e.Stdout) {
		return e.write(append(line, '\n'), r.Code)
	}
	code := e.write(e.pretty(line), r.Code)
	if r.Hint != "" {
		fmt.Fprintf(e.Stderr, "hint: %s\n", hcp.Printable(r.Hint, ""))
	}
	return code
}

// write puts bytes on stdout. What cannot be written to a reader that went away
// is nobody's loss; on a full disk it is said.
func (e *Env) write(b []byte, code int) int {
	if _, err := e.Stdout.Write(b); err != nil && !brokenPipe(err) {
		return e.fail("hcp", "stdout: "+hcp.Reason(err))
	}
	return code
}

// sayf, sayln and print write words for people to stdout. A failure is kept and
// said at the end: what was done is done, but nobody was told.
func (e *Env) sayf(format string, a ...any) { e.print(fmt.Sprintf(format, a...)) }
func (e *Env) sayln(a ...any)               { e.print(fmt.Sprintln(a...)) }

func (e *Env) print(text string) {
	if e.Terminal(e.Stdout) { // paths and other names may hold anything
		text = hcp.Printable(text, "\n\t")
	}
	if _, err := io.WriteString(e.Stdout, text); err != nil && e.lost == nil {
		e.lost = err
	}
}

// printShim is the end of a shim's call; the child's own output went out while
// it ran.
func (e *Env) printShim(name string, r hcp.Result, raw bool) int {
	ran := r.Sandbox != ""
	plain := raw || !e.Terminal(e.Stdout)
	switch {
	case ran:
	case !r.OK && plain:
		e.write(append(r.AppendJSON(nil), '\n'), r.Code)
	case r.OK && plain: // a composite: no child has printed its result
		r.Code = e.write(append(r.Result, '\n'), r.Code)
	case r.OK:
		r.Code = e.write(e.pretty(r.Result), r.Code)
	}
	switch {
	case r.Denied:
		e.printCard(name, r)
		e.complain(name, r.Error, r.Hint)
	case r.Audit != "":
		e.complain(name, "warning: the end of this call could not be recorded (audit incomplete)")
	}
	return r.Code
}

// printCard shows what a gated write would do, field by field.
func (e *Env) printCard(name string, r hcp.Result) {
	if len(r.Preview) == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s would do this:\n", hcp.Printable(name, ""), hcp.Printable(r.VerbKey, ""))
	for _, line := range r.Preview {
		fmt.Fprintf(&b, "  %s\n", hcp.Printable(line, ""))
	}
	io.WriteString(e.Stderr, b.String())
}

// printGet prints one value of a result by gjson path (cli.md).
func (e *Env) printGet(r hcp.Result, path string) int {
	if !r.OK {
		e.complain("hcp", r.Error, r.Hint)
		return r.Code
	}
	text, ok := lookUp(r.Result, path)
	if !ok {
		return hcp.ExitFailure
	}
	return e.write([]byte(text+"\n"), r.Code)
}

// printValue prints a value of ours as one line of JSON: it is printed where
// --json asked for it.
func (e *Env) printValue(v any, code int) int {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return e.fail("hcp", "cannot write that as JSON")
	}
	return e.write(buf.Bytes(), code)
}

// pretty is JSON for a person: indented, in colour where that is wanted.
func (e *Env) pretty(line []byte) []byte {
	var indented bytes.Buffer
	if json.Indent(&indented, line, "", "  ") != nil {
		return append(line, '\n')
	}
	text := hcp.Printable(indented.String(), "\n")
	if e.colour(e.Stdout) {
		text = colourJSON(text)
	}
	return []byte(text + "\n")
}

const (
	ansiReset  = "\x1b[0m"
	ansiName   = "\x1b[36m" // cyan: a member's name
	ansiText   = "\x1b[32m" // green: a string
	ansiScalar = "\x1b[33m" // yellow: a number, true, false, null
	ansiFaint  = "\x1b[2m"
)

// colourJSON colours indented JSON: names, strings and scalars.
func colourJSON(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			end := stringEnd(s, i)
			colour := ansiText
			if end < len(s) && s[end] == ':' {
				colour = ansiName
			}
			b.WriteString(colour + s[i:end] + ansiReset)
			i = end
		case strings.IndexByte("-0123456789tfn", c) >= 0:
			end := i
			for end < len(s) && strings.IndexByte(",]}\n ", s[end]) < 0 {
				end++
			}
			b.WriteString(ansiScalar + s[i:end] + ansiReset)
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// stringEnd is the index behind the JSON string that starts at i.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// titleLine says on stderr what was done, for a person (cli.md).
func (e *Env) titleLine(title string) {
	text := hcp.Printable(title, "")
	if e.colour(e.Stderr) {
		text = ansiFaint + text + ansiReset
	}
	fmt.Fprintln(e.Stderr, text)
}
