package config

import (
	"reflect"
	"slices"
	"strings"
)

// UndoTOML is UndoJSON for a TOML text. What cannot be taken out so that all the
// rest reads as before is left, and named.
func UndoTOML(text string, done []Edit) (string, []string, error) {
	values, err := tomlValues(text)
	if err != nil {
		return text, nil, err
	}
	s := &splicer{text: text}
	var left []Edit
	for _, e := range slices.Backward(done) {
		next, want, ok := s.unsetTOML(e, values)
		if !ok {
			left = append(left, e)
			continue
		}
		got, err := tomlValues(next.text)
		if err != nil || !reflect.DeepEqual(dropEmpty(got), dropEmpty(want)) {
			left = append(left, e)
			continue
		}
		*s, values = next, got
	}
	left = slices.DeleteFunc(left, func(e Edit) bool { return valueAt(values, e.Path) == nil })
	return s.text, editNames(left), nil
}

// unsetTOML gives the text without an edit and what it must then read as.
func (s *splicer) unsetTOML(e Edit, values map[string]any) (splicer, map[string]any, bool) {
	if e.Own > 0 && e.Made < e.Own {
		if next := s.cutTable(e.Path[:e.Own]); next.text != s.text {
			return next, without(values, e.Path[:e.Own]), true
		}
	}
	value := valueAt(values, e.Path)
	if value == nil {
		return s.copy(), values, true
	}
	at, ok := spanOf(s.text, e.Path)
	if !ok || !sameTOML(s.text[at.from:at.to], value, e) {
		return splicer{}, nil, false
	}
	next := s.copy()
	if e.Was != "" {
		next.put(at.from, at.to, e.Was)
		old, err := tomlValues("v = " + e.Was)
		if err != nil {
			return splicer{}, nil, false
		}
		return next, withValue(values, e.Path, old["v"]), true
	}
	if at.pair.path != joined(e.Path) {
		next.cutInBraces(e.Path, at)
		return next, without(values, e.Path), true
	}
	next.cutLine(at.pair)
	want := without(values, e.Path)
	for i := len(e.Path) - 1; i > e.Made; i-- {
		if t, ok := valueAt(want, e.Path[:i]).(map[string]any); !ok || len(t) > 0 {
			break
		}
		next, want = next.cutTable(e.Path[:i]), without(want, e.Path[:i])
	}
	return next, want, true
}

func sameTOML(raw string, value any, e Edit) bool {
	if text, ok := value.(string); ok {
		return e.is(JSONString(text))
	}
	return e.is(raw)
}

// cutLine removes the line of a pair, with its comment.
func (s *splicer) cutLine(st statement) {
	from, to := lineStart(s.text, st.start), len(s.text)
	if i := strings.IndexByte(s.text[st.end:], '\n'); i >= 0 {
		to = st.end + i + 1
	}
	s.put(from, to, "")
}

// cutTable removes a table and those below it, header, pairs and the empty line
// before the header.
func (s *splicer) cutTable(path []string) splicer {
	next, name := s.copy(), joined(path)
	list := statements(next.text)
	for i := len(list) - 1; i >= 0; i-- {
		st := list[i]
		in := st.base == name || strings.HasPrefix(st.base, name+pathSep) || !st.header && (st.path == name || strings.HasPrefix(st.path, name+pathSep))
		if !in {
			continue
		}
		next.cutLine(st)
		if st.header {
			next.cutBlankLine(lineStart(next.text, min(st.start, len(next.text))))
		}
	}
	return next
}

func (s *splicer) cutBlankLine(at int) {
	for _, blank := range []string{"\n\r\n", "\n\n"} {
		if strings.HasSuffix(s.text[:at], blank) {
			s.put(at-len(blank)+1, at, "")
			return
		}
	}
}

// without is a copy of m without what is at path.
func without(m map[string]any, path []string) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	if below, ok := out[path[0]].(map[string]any); ok && len(path) > 1 {
		out[path[0]] = without(below, path[1:])
	} else if len(path) == 1 {
		delete(out, path[0])
	}
	return out
}

// dropEmpty leaves out empty tables: whether the last line of one took its
// header along makes no difference to a reader.
func dropEmpty(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		if t, ok := v.(map[string]any); ok {
			if t = dropEmpty(t); len(t) == 0 {
				continue
			}
			v = t
		}
		out[k] = v
	}
	return out
}
