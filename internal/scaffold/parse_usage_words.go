package scaffold

import "strings"

// isOptionsWord says whether a usage token stands for the options in general.
func isOptionsWord(s string) bool {
	w := strings.ToLower(strings.Trim(strings.ReplaceAll(s, "(s)", "s"), "<>[]().… "))
	switch w {
	case "option", "options", "flag", "flags", "opts", "opt", "switches", "global options", "command options", "global flags", "options...",
		"option(s)", "flag(s)", "global-options", "global_options", "general options", "arguments", "command flags", "option ...", "+toolchain", "global", "parameters":
		return true
	}
	return strings.HasSuffix(w, " options") || strings.HasSuffix(w, " flags") || strings.HasSuffix(w, "-options") || strings.HasSuffix(w, "_options") || strings.HasSuffix(w, "-flags")
}

// isCommandWord says whether a usage token stands for a sub-command.
func isCommandWord(s string) bool {
	switch strings.ToLower(strings.Trim(s, "<>[]{}().… ")) {
	case "object", "command", "subcommand", "sub-command", "cmd", "commands", "command_name", "command-name", "subcmd", "group", "verb", "action", "subcommands":
		return true
	}
	return false
}

// positional records one argument.
func (r *usageReader) positional(t string, required, many bool) {
	name := strings.Trim(t, "<>'\"`")
	if isOptionsWord(t) || isOptionsWord(name) {
		return
	}
	if isCommandWord(t) && len(r.pos) == 0 && !(t[0] == '<' && (name == "object" || name == "group")) {
		if !r.u.command {
			r.u.commandAs = append(r.u.commandAs, Positional{Name: name, Required: required, Variadic: many})
		}
		r.u.command, r.command = true, true
		return
	}
	if r.u.command && argsOfCommand(name) && len(r.pos) == 0 {
		if len(r.u.commandAs) == 1 {
			r.u.commandAs = append(r.u.commandAs, Positional{Name: strings.Trim(name, ".…[]"), Variadic: true})
		}
		return
	}
	if strings.HasSuffix(name, "(s)") {
		t, many = strings.ReplaceAll(t, "(s)", ""), true
	}
	if name = innerName(t); name == "" {
		return
	}
	if strings.HasSuffix(name, "...") {
		name, many = strings.TrimSuffix(name, "..."), true
	}
	p := Positional{Name: name, Required: required, Variadic: many || plural(name) && !required}
	if strings.ContainsAny(name, "|") && !strings.ContainsAny(name, " ") {
		if list := values(name, "|"); lower(list) && !strings.Contains(t, "<") {
			p.Enum = list
		}
	}
	if len(r.pos) < 64 && !r.gap {
		r.pos = append(r.pos, p)
	}
}

// plural says whether an optional argument's name is of several: "[packages]".
func plural(name string) bool {
	n := len(name)
	return n > 3 && strings.ToLower(name) == name && name[n-1] == 's' && strings.IndexByte("suioa", name[n-2]) < 0 && !strings.ContainsAny(name, "|=")
}

// argsOfCommand says whether a token stands for the arguments of a sub-command.
func argsOfCommand(s string) bool {
	switch strings.ToLower(strings.Trim(s, "<>[].… ")) {
	case "args", "arg", "arguments", "command args", "command-args", "argument", "params", "subcommand", "command":
		return true
	}
	return false
}

// innerName finds the name in a token that is glued of several: "[<dest>/]<name>".
func innerName(t string) string {
	if end := strings.IndexByte(t, '>'); strings.HasPrefix(t, "<") && end > 0 && end+1 < len(t) && t[end+1] == '[' {
		return t[1:end] // "<pkg>[@<version>]"
	}
	if end := strings.LastIndexByte(t, '>'); end > 0 {
		if start := strings.LastIndexByte(t[:end], '<'); start >= 0 {
			if strings.HasPrefix(t, "<") && closing(t) == len(t)-1 {
				return t[1 : len(t)-1]
			}
			return t[start+1 : end]
		}
	}
	for strings.HasPrefix(t, "[") {
		end := closing(t)
		if end < 0 || end == len(t)-1 {
			break
		}
		t = t[end+1:]
	}
	if i := strings.IndexAny(t, "[("); i > 0 {
		t = t[:i]
	}
	t = strings.Trim(t, "<>[](){}'\"`,;.…")
	if t == "" || !isAlnum(t[0]) && t[0] != '@' && t[0] != '_' && t[0] != '/' && t[0] != '%' && (t[0] != '+' || len(t) < 5) {
		return ""
	}
	return t
}

// choice is "{a,b,c}": a sub-command's words when the page lists them, else an
// argument of a few values.
func (r *usageReader) choice(list []string, required, many bool) {
	r.pos = append(r.pos, Positional{Name: "{" + strings.Join(list, ",") + "}", Required: required, Variadic: many, Enum: list})
}

// chosenWords gives the plain words of which a choice has one to begin each of
// its parts, as in "clear | forget <path> | status"; nil when some part begins
// with something else.
func chosenWords(parts []string) []string {
	var out []string
	for _, p := range parts {
		w, rest, _ := strings.Cut(strings.TrimSpace(p), " ")
		if w == "" || w[0] < 'a' || w[0] > 'z' || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || rest != "" && strings.IndexByte("<[-", rest[0]) < 0 {
			return nil
		}
		out = append(out, w)
	}
	return out
}

// literal takes bare words where the page marks what stands for something:
// sub-commands where none came before, else keywords, behind which no template
// could place a value.
func (r *usageReader) literal(list []string, required bool) {
	if len(r.pos) == 0 && !r.command && !r.gap {
		for _, w := range list {
			if w != "help" && len(r.u.words) < 400 {
				r.u.words = append(r.u.words, w)
			}
		}
		r.u.chooses = true
	}
	r.gap = r.gap || required || len(r.pos) == 0
}

// groupValue reads "(-o | --output) <path>": a value behind a choice of flags
// is theirs, where they are known to take one or nothing else is in the
// bracket. It says whether it was.
func (r *usageReader) groupValue(toks []string) bool {
	if len(toks) < 2 || strings.IndexByte("[-|(", toks[1][0]) >= 0 || closing(toks[0]) != len(toks[0])-1 {
		return false
	}
	flags := splitTop(toks[0][1:len(toks[0])-1], '|')
	known, takes := false, false
	for i, p := range flags {
		name := strings.TrimSpace(p)
		if flags[i] = name; !startsFlag(name) || strings.ContainsAny(name, " =[<") {
			return false
		}
		if f, ok := r.known[name]; ok {
			known, takes = true, takes || f.Value != ValueNone
		}
	}
	if !takes && (known || r.inner == 0 || len(toks) != 2) {
		return false
	}
	for _, name := range flags {
		if sp := readSpec(name+" "+toks[1], true); sp.ok {
			r.addFlag(sp)
		}
	}
	return true
}

// hasValue says whether the page's flag takes a value.
func (r *usageReader) hasValue(name string) bool { return r.known[name].Value == ValueRequired }

// flag reads the flag at toks[i] and gives the place of its last token.
func (r *usageReader) flag(toks []string, i int) int {
	t := toks[i]
	if parts := splitTop(t, '|'); len(parts) > 2 || len(parts) == 2 && len(strings.TrimLeft(parts[0], "-")) > 1 && strings.HasPrefix(parts[0], "--") {
		return r.choiceOfFlags(parts, i)
	}
	if short, long, ok := abbreviated(t); ok && r.u.short {
		r.addFlag(spec{names: []string{short, long}, value: ValueNone})
		return i
	}
	sp := readSpec(t, true)
	if !sp.ok {
		return i
	}
	if i+1 < len(toks) && sp.value == ValueNone && toks[i+1] != "|" && toks[i+1] != "--" && !startsFlag(toks[i+1]) {
		if r.takesNext(sp.names, toks[i+1], len(toks)-i) {
			joined := readSpec(t+" "+toks[i+1], true)
			if joined.ok && joined.value != ValueNone {
				sp = joined
				i++
				for i+1 < len(toks) && strings.HasPrefix(toks[i+1], "["+toks[i]) {
					i++ // "--warp W [W ...]"
					sp.repeat = true
				}
			}
		}
	}
	r.addFlag(sp)
	return i
}

// choiceOfFlags reads "-S|--save|--no-save|--save-dev": a short name goes with
// the long one after it, the others are flags of their own.
func (r *usageReader) choiceOfFlags(parts []string, i int) int {
	for n := 0; n < len(parts); n++ {
		p := parts[n]
		if n+1 < len(parts) && len(p) == 2 && strings.HasPrefix(parts[n+1], "--") {
			n++
			p += "|" + parts[n]
		}
		if sp := readSpec(p, true); sp.ok {
			r.addFlag(sp)
		}
	}
	return i
}

// abbreviated reads "-s[tatistics]", which is -s or -statistics.
func abbreviated(t string) (short, long string, ok bool) {
	at := strings.IndexByte(t, '[')
	if at < 2 || at > 3 || t[0] != '-' || !strings.HasSuffix(t, "]") || len(t)-at < 4 {
		return "", "", false
	}
	for i := 1; i < len(t)-1; i++ {
		if i != at && !(t[i] >= 'a' && t[i] <= 'z' || t[i] == '-' && i > at || i == 1 && isAlpha(t[i])) {
			return "", "", false
		}
	}
	return t[:at], t[:at] + t[at+1:len(t)-1], true
}

// takesNext says whether the token after a flag is its value.
func (r *usageReader) takesNext(names []string, next string, left int) bool {
	if r.inner > 0 && left == 2 && (strings.HasPrefix(next, "<") || isCaps(next)) {
		return true // "[--size <value>]"
	}
	for _, n := range names {
		if f, ok := r.known[n]; ok {
			return f.Value == ValueRequired || f.Value == ValueOptional && strings.HasPrefix(next, "[") ||
				strings.HasPrefix(next, "<") && contains(names, "--"+strings.Trim(next, "<>"))
		}
	}
	return !strings.HasPrefix(next, "[") || left == 2 && !strings.HasPrefix(next, "[-")
}

func (r *usageReader) addFlag(sp spec) {
	for _, name := range sp.names {
		if letters := r.cluster(name); letters != nil && sp.value == ValueNone {
			for _, l := range letters {
				r.u.flags = append(r.u.flags, Flag{Names: []string{l}, Value: ValueNone, Type: "boolean"})
			}
			return
		}
	}
	if n := sp.names[0]; len(sp.names) == 1 && len(n) > 4 && n[1] >= 'A' && n[1] <= 'Z' && strings.ToLower(n[2:]) == n[2:] && sp.value == ValueNone {
		if _, ok := r.known[n]; !ok {
			return // "-Olevel" glues a value to its flag: what it may be is not told
		}
	}
	f := Flag{Names: sp.names, Value: sp.value, Metavar: sp.metavar, Repeat: sp.repeat}
	if sp.literal != "" {
		f.Default, f.Metavar = strings.Trim(sp.literal, "'\""), ""
	}
	describe(&f)
	if len(r.u.flags) < 1000 {
		r.u.flags = append(r.u.flags, f)
	}
}

// cluster takes "-abc" apart when its letters are flags of their own: when the
// page lists one of them, or when no word is spelled so: letters in order, or
// of both cases.
func (r *usageReader) cluster(name string) []string {
	if len(name) < 3 || name[1] == '-' {
		return nil
	}
	if _, ok := r.known[name]; ok {
		return nil
	}
	var out []string
	listed, ordered, upper, odd := 0, true, 0, false
	for i := 1; i < len(name); i++ {
		c := name[i]
		if !isAlnum(c) {
			return nil
		}
		if _, ok := r.known["-"+string(c)]; ok {
			listed++
		}
		ordered = ordered && (i == 1 || c|0x20 >= name[i-1]|0x20)
		if c >= 'A' && c <= 'Z' {
			upper++
		}
		odd = odd || isDigit(c)
		out = appendNew(out, "-"+string(c))
	}
	if upper == 1 && len(name) > 4 && isAlpha(name[1]) && name[1] < 'a' {
		return nil // "-Olevel"
	}
	mixed := upper > 0 && upper < len(name)-1 && len(out) > 2
	if listed == len(out) || listed > 0 && listed*2 >= len(out) || ordered || mixed || odd && upper > 0 {
		return out
	}
	return nil
}
