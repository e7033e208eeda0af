package config

import "strings"

// span is where the value of a pair stands, in a line of its own or in braces.
type span struct {
	pair     statement // whose value it is, or is a part of
	from, to int
}

// spanOf finds the value that is written for a path. There is none for a table
// that headers or dotted keys make.
func spanOf(text string, path []string) (at span, ok bool) {
	want := joined(path)
	for _, st := range statements(text) {
		if st.header || st.path != want && !strings.HasPrefix(want, st.path+pathSep) {
			continue
		}
		sc := &scanner{s: text, i: st.start, line: 1, count: map[string]int{}}
		sc.visit = func(p []byte, _ int) {
			if !ok && string(p) == want && sc.peekAfterBlank() == '=' {
				at, ok = span{st, valueStart(text, sc.i), 0}, true
			}
		}
		if sc.pair([]byte(st.base)); ok {
			end := &scanner{s: text, i: at.from, line: 1, count: map[string]int{}, visit: func([]byte, int) {}}
			end.value(nil)
			at.to = at.from + len(strings.TrimRight(text[at.from:min(end.i, len(text))], " \t\r\n"))
			return at, true
		}
	}
	return span{}, false
}

// valueStart is behind the equals sign that follows a key, and behind blanks.
func valueStart(text string, at int) int {
	at += strings.IndexByte(text[at:], '=') + 1
	return at + len(text[at:]) - len(strings.TrimLeft(text[at:], " \t"))
}

// inBraces adds to the innermost table on the path that is written in braces.
func (s *splicer) inBraces(e Edit) (splicer, string, bool) {
	for n := len(e.Path) - 1; n > 0; n-- {
		at, ok := spanOf(s.text, e.Path[:n])
		if !ok || s.text[at.to-1] != '}' {
			continue
		}
		end := len(strings.TrimRight(s.text[:at.to-1], " \t"))
		next, pair := s.copy(), dotted(e.Path[n:])+" = "+e.Value
		if s.text[end-1] == '{' {
			next.put(end, at.to-1, " "+pair+" ")
		} else {
			next.put(end, end, ", "+pair)
		}
		return next, "", true
	}
	return splicer{}, "", false
}

// cutInBraces removes a pair from a table in braces, where its key stands as
// inBraces wrote it.
func (s *splicer) cutInBraces(path []string, at span) {
	for n := range path {
		before, ok := strings.CutSuffix(s.text[:at.from], dotted(path[n:])+" = ")
		from := strings.TrimRight(before, " \t")
		switch {
		case !ok:
		case strings.HasSuffix(from, ","):
			s.put(len(from)-1, at.to, "")
			return
		case strings.HasSuffix(from, "{"):
			if rest, more := strings.CutPrefix(strings.TrimLeft(s.text[at.to:], " \t"), ","); more {
				at.to = len(s.text) - len(rest)
			}
			s.put(len(from), at.to, "")
			return
		}
	}
}
