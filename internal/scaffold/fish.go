package scaffold

import (
	"path/filepath"
	"slices"
	"strings"
)

// completionPages writes help from a fish completion: the one format that
// states sub-commands, flags, whether they take a value, and what they are for.
// Conditions that are not the usual ones are not understood, and their lines
// left out.
func completionPages(id Identity) map[string]string {
	at := slices.IndexFunc(id.Completions, func(f string) bool { return filepath.Ext(f) == ".fish" })
	if at < 0 {
		return nil
	}
	type page struct{ commands, flags []string }
	pages := map[string]*page{}
	for line := range strings.Lines(headOf(id.Completions[at])) {
		l := readFish(line)
		if l.command != id.Name {
			continue
		}
		on, ok := fishPath(l.when)
		if !ok {
			continue
		}
		if pages[on] == nil {
			pages[on] = &page{}
		}
		if spec := l.flag(); spec != "" {
			pages[on].flags = append(pages[on].flags, "  "+spec+"    "+l.about)
		} else if word := fishWord(l.words); word != "" {
			pages[on].commands = append(pages[on].commands, "  "+word+"    "+l.about)
		}
	}
	out := map[string]string{}
	for on, p := range pages {
		text := "Usage: " + strings.TrimSpace(id.Name+" "+on)
		if len(p.commands) > 0 {
			text += " <command>"
		}
		if len(p.flags) > 0 {
			text += " [options]"
		}
		text += "\n"
		if len(p.commands) > 0 {
			text += staticCommands + strings.Join(p.commands, "\n") + "\n"
		}
		if len(p.flags) > 0 {
			text += "\nOptions:\n" + strings.Join(p.flags, "\n") + "\n"
		}
		out[on] = text
	}
	if out[""] == "" {
		return nil
	}
	return out
}

// fishLine is one "complete" line.
type fishLine struct {
	command, when, words, about string
	short, long, old            []string
	value                       bool
}

// flag is the flag as help spells it; "" for a line about words.
func (l fishLine) flag() string {
	var names []string
	for _, list := range [...]struct {
		dash  string
		names []string
	}{{"-", l.short}, {"-", l.old}, {"--", l.long}} {
		for _, n := range list.names {
			names = append(names, list.dash+n)
		}
	}
	if len(names) == 0 {
		return ""
	}
	spec := strings.Join(names, ", ")
	if l.value {
		spec += " <VALUE>"
	}
	return spec
}

func readFish(line string) (l fishLine) {
	words := fishWords(line)
	if len(words) == 0 || words[0] != "complete" {
		return l
	}
	next := func(i *int) string {
		if *i++; *i < len(words) {
			return words[*i]
		}
		return ""
	}
	for i := 1; i < len(words); i++ {
		switch w := words[i]; w {
		case "-c", "--command":
			l.command = next(&i)
		case "-n", "--condition":
			l.when = next(&i)
		case "-a", "--arguments":
			l.words = next(&i)
		case "-d", "--description":
			l.about = next(&i)
		case "-s", "--short-option":
			l.short = append(l.short, next(&i))
		case "-l", "--long-option":
			l.long = append(l.long, next(&i))
		case "-o", "--old-option":
			l.old = append(l.old, next(&i))
		case "-r", "--require-parameter", "-x", "--exclusive", "-rf", "-fr", "-rF":
			l.value = true
		}
	}
	return l
}

// fishWords splits a line as fish does: quotes keep blanks, a backslash the next
// character.
func fishWords(line string) (words []string) {
	var b strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
			in = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if in {
				words = append(words, b.String())
				b.Reset()
				in = false
			}
		case c == '#' && !in:
			return words
		default:
			b.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, b.String())
	}
	return words
}

// fishPath tells for which command a condition holds; ok is false for one that
// is not understood.
func fishPath(when string) (path string, ok bool) {
	if when == "" || when == "__fish_use_subcommand" || strings.HasSuffix(when, "_needs_command") && !strings.Contains(when, " ") ||
		strings.HasPrefix(when, "not __fish_seen_subcommand_from ") && !strings.Contains(when, ";") {
		return "", true
	}
	fields := strings.Fields(when)
	if len(fields) == 2 && (fields[0] == "__fish_seen_subcommand_from" || strings.HasPrefix(fields[0], "__fish_") && strings.HasSuffix(fields[0], "_using_subcommand")) {
		return fishWord(fields[1]), fishWord(fields[1]) != ""
	}
	return "", false
}

// fishWord is a word that may be a sub-command; "" for a list, a path or what
// fish would compute.
func fishWord(s string) string {
	if s == "" || s[0] == '-' || strings.ContainsAny(s, " \t\n$(){}[]*?~/\\;|&<>'\"%") {
		return ""
	}
	return s
}
