package scaffold

import "strings"

// value reads what follows a flag's name: "=X", "[=X]", "<X>", " X", " [X]", "...".
func (r *specReader) value() {
	r.attached()
	if r.out.literal != "" {
		return
	}
	for r.spaced() {
	}
}

// attached reads a value that is joined to the name.
func (r *specReader) attached() {
	s := r.s
	switch {
	case colonValue(s):
		tok, rest := token(s[1:])
		r.takes(ValueRequired, tok)
		r.s = rest
	case strings.HasPrefix(s, "..."), strings.HasPrefix(s, "…"):
		r.out.repeat = true
		r.s = strings.TrimPrefix(strings.TrimPrefix(s, "..."), "…")
		r.attached()
	case strings.HasPrefix(s, "[=true]"), strings.HasPrefix(s, "[=false]"):
		tok, rest := token(s)
		r.out.literal, r.s = strings.Trim(tok, "[=]"), rest // what a switch stands at
	case strings.HasPrefix(s, "[=") || strings.HasPrefix(s, "(="):
		r.optional(s)
	case s != "" && s[0] == '[' && !strings.HasPrefix(s, "[-"):
		r.optional(s)
	case s != "" && (s[0] == '<' || s[0] == '{'):
		tok, rest := token(s)
		r.takes(ValueRequired, tok)
		r.s = rest
	case strings.HasPrefix(s, "= <"), strings.HasPrefix(s, "= ["):
		r.s = "=" + s[2:]
		r.attached()
	case s != "" && s[0] == '=':
		r.equals(s[1:])
	}
}

func (r *specReader) optional(s string) {
	tok, rest := token(s)
	r.takes(ValueOptional, strings.TrimSuffix(tok, "..."))
	r.out.repeat = r.out.repeat || strings.HasSuffix(tok, "...")
	r.s = rest
}

// equals reads the value after "=". A bare true or false is what the flag
// stands at, and says that it is a switch.
func (r *specReader) equals(s string) {
	tok, rest := token(s)
	colon := strings.HasSuffix(tok, ":")
	bare := strings.TrimSuffix(tok, ":")
	if colon && !strings.HasPrefix(bare, "<") {
		rest = ":" + rest
	}
	switch {
	case bare == "true" || bare == "false":
		r.out.literal = bare
	case strings.HasPrefix(bare, "[") && strings.HasSuffix(bare, "]") && !strings.ContainsAny(bare, "|,/") && len(bare) > 2 && !isDigit(bare[1]):
		r.takes(ValueOptional, bare)
	default:
		r.takes(ValueRequired, bare)
		if plainDefault(bare) {
			r.out.literal = bare
		}
	}
	r.s = rest
}

// plainDefault says whether the text after "=" reads as a default rather than
// as the value's name: "'background'", "[]", "500".
func plainDefault(s string) bool {
	if s == "" {
		return false
	}
	return s[0] == '\'' || s[0] == '"' || s == "[]" || len(s) > 2 && s[0] == '[' && isDigit(s[1]) || isDigit(s[0]) || s[0] == '-' && len(s) > 1 && isDigit(s[1])
}

// token reads up to a blank or a comma that stands outside brackets and quotes.
func token(s string) (tok, rest string) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '[', '<', '(', '{':
			depth++
		case ']', '>', ')', '}':
			depth--
		case '\'', '"':
			if end := strings.IndexByte(s[i+1:min(len(s), i+200)], c); depth == 0 && end >= 0 {
				i += end + 1
			}
		case ' ':
			if depth <= 0 {
				return s[:i], s[i:]
			}
		case ',':
			if depth <= 0 && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '-') {
				return s[:i], s[i:]
			}
		case '|':
			if depth <= 0 && i+1 < len(s) && s[i+1] == '-' {
				return s[:i], s[i:]
			}
		}
	}
	return s, ""
}

// spaced reads one value that follows after a blank; false: none follows.
func (r *specReader) spaced() bool {
	s := strings.TrimLeft(r.s, " ")
	if s == "" || len(s) == len(r.s) {
		return false
	}
	if s[0] == '-' || separator(s) > 0 && s[0] != '|' || strings.HasPrefix(s, "[-") || strings.HasPrefix(s, "[ -") || strings.HasPrefix(s, "or -") {
		return false
	}
	tok, rest := token(s)
	if tok == "" {
		return false // "|-x"
	}
	first := r.out.value == ValueNone
	if name, _, ok := strings.Cut(tok, "[="); ok && first && plainMetavar(name) && r.bounded {
		// pflag: string[="client"] stands for "client" when it has no value.
		r.takes(ValueOptional, name)
		r.s = rest
		return true
	}
	switch {
	case tok == "[+]" || strings.HasPrefix(tok, "...") || strings.HasPrefix(tok, "…"):
		r.out.repeat = true
	case strings.HasPrefix(tok, "[") && closing(tok) == len(strings.TrimSuffix(tok, "..."))-1:
		r.repeats(tok)
		if first && strings.Contains(tok, "|") {
			r.takes(ValueRequired, tok) // "[date|sum]" is a choice
		} else if first {
			r.takes(ValueOptional, strings.TrimSuffix(tok, "..."))
		}
	case tok[0] == '(' && !strings.Contains(tok, "|"):
		// A remark: -1 ("one"), --single
		if !strings.HasPrefix(strings.TrimLeft(rest, " "), ",") {
			return false
		}
	case strings.IndexByte("<{[('\"", tok[0]) >= 0 && len(tok) > 1 && (first || tok[0] != '('):
		r.repeats(tok)
		r.takes(ValueRequired, strings.TrimSuffix(tok, "..."))
	case isCaps(tok) && r.caps(tok):
		r.repeats(tok)
		r.takes(ValueRequired, strings.TrimSuffix(tok, "..."))
	case r.bounded && plainMetavar(tok) && fewWords(s):
		r.takes(ValueRequired, tok)
	default:
		return false
	}
	r.s = rest
	return true
}

// caps says whether a word in capitals is the value's name rather than the
// description's first word: "-r JSON output" names none.
func (r *specReader) caps(tok string) bool {
	return r.bounded || len(r.out.names) > 0 && r.out.value == ValueNone && len(tok) > 1
}

func (r *specReader) repeats(tok string) {
	r.out.repeat = r.out.repeat || strings.Contains(tok, "...") || strings.Contains(tok, "…")
}

// fewWords says whether what follows up to the next name is few enough words to
// be values' names rather than a description.
func fewWords(s string) bool {
	n := 0
	for _, w := range strings.Fields(s) {
		if n++; w[0] == '-' || w[0] == '[' || strings.HasSuffix(w, ",") {
			break
		}
	}
	return n <= 2
}

// plainMetavar says whether a word in the left column names a value.
func plainMetavar(s string) bool {
	if strings.Trim(s, ".") == "" || s == "or" || s == "and" {
		return false
	}
	return s != "" && (isAlnum(s[0]) || strings.IndexByte("$%@*+./:~_#", s[0]) >= 0) && len(s) < 60
}
