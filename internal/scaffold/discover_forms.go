package scaffold

import "strings"

// helpForm is a way to ask for help: words before and after the command's.
type helpForm struct {
	before, after []string
}

// argv gives the whole argv for a command's words.
func (f helpForm) argv(path []string) []string {
	out := append([]string{}, f.before...)
	out = append(out, path...)
	return append(out, f.after...)
}

func (f helpForm) String() string {
	return strings.Join(f.before, " ") + " … " + strings.Join(f.after, " ")
}

// helpForms gives the forms in the order they are tried.
func helpForms() []helpForm {
	return []helpForm{{after: []string{"--help"}}, {after: []string{"-h"}}, {before: []string{"help"}}}
}

// dashForm is "-help", which is asked only where a page tells of it: elsewhere it
// might be four options.
func dashForm(text string) []helpForm {
	if strings.Contains(text, " -help") || strings.Contains(text, "[-help]") {
		return []helpForm{{after: []string{"-help"}}}
	}
	return nil
}

// plainForm is cmdliner's way to ask for help without a pager, where the page
// tells of it.
func plainForm(p Page) []helpForm {
	for _, f := range p.Flags {
		if contains(f.Names, "--help") && f.Value == ValueOptional && strings.Contains(f.Help, "plain") {
			return []helpForm{{after: []string{"--help=plain"}}}
		}
	}
	return nil
}

// suffixTold says whether a page tells to ask "x list help". Elsewhere the word
// might be an argument, and is not given.
func suffixTold(text, bin string) bool {
	for _, w := range []string{"| help }", "|help}", "<command> help", " COMMAND help", bin + " command help"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// listForms are the words that are known to print a longer list of a bin's
// commands or options and to do nothing else. One is used only when the bin's
// own help names it.
func listForms() [][]string {
	return [][]string{
		{"help", "-a"}, {"help", "--all"}, {"help", "all"}, {"help", "commands"}, {"--help", "all"}, {"-h", "full"},
		{"--help-all"}, {"--help-commands"}, {"--list"}, {"--list-commands"}, {"--commands"}, {"list"}, {"options"}, {"commands"},
	}
}

// namedLists gives the list forms that a root page names: in quotes, behind the
// bin's name on a line of its own, or as an option whose words speak of commands
// or of help.
func namedLists(text, bin string) [][]string {
	var out [][]string
	low := strings.ToLower(text)
	for _, form := range listForms() {
		if len(out) < 3 && (quoted(text, bin, form) || listOption(low, form)) {
			out = append(out, form)
		}
	}
	return out
}

// quoted finds 'bin help -a', "--help all", `bin list` and "  bin list" alone.
func quoted(text, bin string, form []string) bool {
	words := strings.Join(form, " ")
	for _, q := range []string{"'", "\"", "`"} {
		if strings.Contains(text, q+bin+" "+words+q) || len(form) > 1 && strings.Contains(text, q+words+q) {
			return true
		}
	}
	for l := range strings.Lines(text) {
		// "x help commands    list all commands"
		rest, ok := strings.CutPrefix(strings.TrimSpace(l), bin+" "+words+"  ")
		if ok && strings.Contains(strings.ToLower(rest), "commands") {
			return true
		}
	}
	// The console frameworks of PHP and Python answer for the bin with the help of
	// their list command.
	return words == "list" && (strings.Contains(text, "\n  list [options]") || strings.Contains(text, "\nUsage: list [options]"))
}

// listOption finds an option of the page whose description says that it lists
// commands or all help.
func listOption(low string, form []string) bool {
	if len(form) != 1 || !strings.HasPrefix(form[0], "--") {
		return false
	}
	for _, l := range strings.Split(low, "\n") {
		rest, ok := strings.CutPrefix(strings.TrimSpace(l), form[0])
		if !ok {
			if _, after, found := strings.Cut(strings.TrimSpace(l), ", "+form[0]); found {
				rest, ok = after, true
			}
		}
		if !ok || !strings.HasPrefix(rest, " ") {
			continue
		}
		if strings.Contains(rest, "command") && (strings.Contains(rest, "list") || strings.Contains(rest, "show") || strings.Contains(rest, "all")) ||
			strings.Contains(rest, "help") && strings.Contains(rest, "all") {
			return true
		}
	}
	return false
}
