package scaffold

import "strings"

// spec is the left column of an option's entry, read: "-f, --file <FILE>".
type spec struct {
	names   []string
	value   Arity
	metavar string
	literal string // the value after "=" when it stands for a default: "-color=false"
	repeat  bool
	rest    string // what follows and is no part of it
	ok      bool
}

// startsFlag says whether text begins as an option's entry does.
func startsFlag(s string) bool {
	if strings.HasPrefix(s, "[-") {
		s = s[1:]
	}
	if len(s) < 2 || s[0] != '-' {
		return false
	}
	name, _, _ := flagName(s)
	return name != ""
}

// flagName reads one flag's name at the start of s. prefix is "no-" for
// "--[no-]x", whose name is given as "--x".
func flagName(s string) (name, rest, prefix string) {
	dashes := 0
	for dashes < len(s) && s[dashes] == '-' {
		dashes++
	}
	if dashes == 0 || dashes > 2 || dashes == len(s) {
		return "", s, ""
	}
	body := s[dashes:]
	if p := optionalPrefix(body); p != "" {
		prefix, body = p, body[len(p)+2:]
	}
	n := nameLength(body, dashes)
	if n == 0 {
		return "", s, ""
	}
	return s[:dashes] + body[:n], body[n:], prefix
}

// optionalPrefix reads what a name may begin with or not: "[no-]", "(no)",
// "[section-]".
func optionalPrefix(s string) string {
	if s == "" || s[0] != '[' && s[0] != '(' {
		return ""
	}
	end := strings.IndexAny(s, "])")
	if end < 2 || end > 16 || end+1 >= len(s) || !isAlpha(s[end+1]) {
		return ""
	}
	p := s[1:end]
	if p != "no" && !strings.HasSuffix(p, "-") || !isAlpha(p[0]) {
		return ""
	}
	for i := 0; i < len(p); i++ {
		if !isAlpha(p[i]) && p[i] != '-' {
			return ""
		}
	}
	return p
}

// nameLength gives how much of s is a flag's name after its dashes.
func nameLength(s string, dashes int) int {
	if s == "" {
		return 0
	}
	if dashes == 1 && !isAlnum(s[0]) && strings.IndexByte("?#:@%!.", s[0]) >= 0 {
		if len(s) == 1 || s[1] == ' ' || s[1] == ',' || s[1] == '|' {
			return 1
		}
		return 0
	}
	if !isAlnum(s[0]) {
		return 0
	}
	n := 1
	for n < len(s) && !colonValue(s[n:]) && (isAlnum(s[n]) || strings.IndexByte("-_.:+", s[n]) >= 0) {
		n++
	}
	for n > 1 && strings.IndexByte("-_.:", s[n-1]) >= 0 {
		if s[n-1] == '-' || s[n-1] == '_' {
			return 0 // "-rw-rw-r--" is no flag
		}
		n--
	}
	if n > 64 || placeholder(s[:n], dashes) {
		return 0
	}
	return n
}

// colonValue says whether a value's name follows behind a colon: "--define:K=V",
// "--inject:F", "--drop:...".
func colonValue(s string) bool {
	if len(s) < 2 || s[0] != ':' {
		return false
	}
	if s[1] == '<' || strings.HasPrefix(s[1:], "...") {
		return true
	}
	return s[1] >= 'A' && s[1] <= 'Z' && (len(s) == 2 || strings.IndexByte(" ,=", s[2]) >= 0)
}

// placeholder says whether a name stands for others: "-NUM", "--no-OPTION".
func placeholder(s string, dashes int) bool {
	if dashes == 1 {
		switch s {
		case "NUM", "NUMBER", "num", "opts", "options", "flags":
			return true
		}
		return false
	}
	rest, ok := strings.CutPrefix(s, "no-")
	return ok && len(rest) > 2 && rest == strings.ToUpper(rest) && strings.ToLower(rest) != rest
}

// readSpec reads a whole left column. bounded says that s ends where the column
// does, so that plain words after a name are its value's name.
func readSpec(s string, bounded bool) spec {
	r := specReader{s: s, bounded: bounded}
	r.out.value = ValueNone
	for r.next() {
	}
	r.out.rest = strings.TrimSpace(r.s)
	r.out.ok = len(r.out.names) > 0
	return r.out
}

type specReader struct {
	s       string
	bounded bool
	out     spec
}

// next reads one name with its value; false: there is no more.
func (r *specReader) next() bool {
	s := strings.TrimLeft(r.s, " ")
	if sep := separator(s); sep > 0 && len(r.out.names) > 0 {
		s = strings.TrimLeft(s[sep:], " ")
	}
	if inner, after, ok := bracketedFlag(s); ok {
		return r.bracketed(inner, after)
	}
	name, rest, prefix := flagName(s)
	if name == "" {
		return r.shorthand(s)
	}
	if len(r.out.names) > 0 && !r.another(s, name) {
		return false
	}
	if strings.HasPrefix(rest, ",<") || strings.HasPrefix(rest, ",[") {
		return false // "-Wa,<options>" has no form that is safe to fill in
	}
	r.add(name, prefix)
	if letters, after, ok := optionalLetters(rest); ok {
		// "--colo[u]r" is two spellings.
		n := nameLength("x"+after, 2) - 1
		r.out.names[len(r.out.names)-1] = name + after[:n]
		r.add(name+letters+after[:n], "")
		rest = after[n:]
	}
	r.s = rest
	r.value()
	return true
}

// optionalLetters reads "[u]" inside a name.
func optionalLetters(s string) (letters, after string, ok bool) {
	end := strings.IndexByte(s, ']')
	if end < 2 || end > 3 || s[0] != '[' || end+1 >= len(s) || !isAlpha(s[end+1]) || !isAlpha(s[1]) || !isAlpha(s[end-1]) {
		return "", s, false
	}
	return s[1:end], s[end+1:], true
}

// another says whether a further name belongs to the same flag. Without a
// separator it does only as the long name of a short one: "-h --help".
func (r *specReader) another(s, name string) bool {
	before := strings.TrimLeft(r.s, " ")
	first := r.out.names[0]
	if separator(before) > 0 {
		// "-4 | -6" are two flags, "-v | --verbose" is one.
		return before[0] != '|' || len(before) < 2 || before[1] != ' ' && len(before) == len(r.s) ||
			len(r.out.names) == 1 && (len(first) == 2) != (len(name) == 2) && !r.out.repeat
	}
	return r.out.value == ValueNone && len(r.out.names) == 1 && len(first) == 2 && strings.HasPrefix(name, "--") && s != ""
}

func (r *specReader) add(name, prefix string) {
	r.out.names = appendNew(r.out.names, name)
	if prefix != "" {
		dashes := len(name) - len(strings.TrimLeft(name, "-"))
		r.out.names = appendNew(r.out.names, name[:dashes]+prefix+name[dashes:])
	}
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// separator gives the length of what stands between two names.
func separator(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == ',' || s[0] == '|' || s[0] == '/' || s[0] == ';':
		return 1
	case strings.HasPrefix(s, "or -"):
		return 3
	}
	return 0
}

// bracketedFlag reads "[--revision]" and "[--foo=FOO]".
func bracketedFlag(s string) (inner, after string, ok bool) {
	if !strings.HasPrefix(s, "[-") && !strings.HasPrefix(s, "[ -") && !strings.HasPrefix(s, "(-") {
		return "", s, false
	}
	end := closing(s)
	if end < 0 {
		return "", s, false
	}
	return strings.TrimSpace(s[1:end]), s[end+1:], true
}

// bracketed adds the names of a bracket: a second spelling, or, when it repeats
// a name that is there, the sign that the flag may be given again.
func (r *specReader) bracketed(inner, after string) bool {
	sub := readSpec(inner, true)
	if !sub.ok {
		return false
	}
	r.s = after
	for _, n := range sub.names {
		if contains(r.out.names, n) {
			r.out.repeat = true
		}
		r.out.names = appendNew(r.out.names, n)
	}
	if sub.value != ValueNone {
		r.takes(sub.value, sub.metavar)
	}
	r.value()
	return true
}

// shorthand reads what some write after a separator in place of a whole name:
// "-v|vv|vvv" says that -v repeats, "-sS/sT" that -sT is one more.
func (r *specReader) shorthand(s string) bool {
	before := strings.TrimLeft(r.s, " ")
	if len(r.out.names) == 0 || before == "" || before[0] != '|' && before[0] != '/' {
		return false
	}
	first := r.out.names[0]
	n := 0
	for n < len(s) && isAlnum(s[n]) {
		n++
	}
	if n > 0 && before[0] == '/' && len(before) == len(r.s) && strings.HasPrefix(first, "--") {
		if n = nameLength(s, 2); n > 3 && strings.Contains(s[:n], "-") {
			r.out.names = appendNew(r.out.names, "--"+s[:n])
			r.s = s[n:]
			r.value()
			return true
		}
	}
	if n == 0 || len(first) < 2 || first[1] == '-' || s[0] != first[1] || n > 3 {
		return false
	}
	word := s[:n]
	if len(first) == 2 && strings.Trim(word, first[1:]) == "" {
		r.out.repeat = true
	} else if before[0] == '/' {
		r.out.names = appendNew(r.out.names, "-"+word)
	} else {
		return false
	}
	r.s = s[n:]
	r.value()
	return true
}

// takes records a value. An optional value on one name makes the flag's optional.
func (r *specReader) takes(a Arity, metavar string) {
	if a == ValueOptional || r.out.value == ValueNone {
		r.out.value = a
	}
	if r.out.metavar == "" {
		if strings.HasPrefix(metavar, "{") && !strings.Contains(metavar, "|") {
			metavar = strings.ReplaceAll(metavar, ",", "|")
		}
		r.out.metavar = strings.Trim(strings.TrimRight(metavar, ".:…,"), "<>[]{}()='\"` ")
	}
}

// closing gives the place of the bracket that closes s[0], -1 when none does.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s) && i < 2000; i++ {
		switch s[i] {
		case '[', '<', '(', '{':
			depth++
		case ']', '>', ')', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}
