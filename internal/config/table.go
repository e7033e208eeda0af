package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hcp/internal/hcp"
)

// table reads one TOML table. Each method asks for one key by its exact name,
// sets dst when the key is there and good, and notes a problem when it is there
// and not good; done notes every key that nobody asked for. So the calls of one
// section are the list of the keys it may hold.
type table struct {
	r     *reader
	m     map[string]any
	at    string // path; "" for the whole file
	asked []string
	found int
}

func newTable(r *reader, m map[string]any, at string) *table {
	return &table{r: r, m: m, at: at, asked: make([]string, 0, 12)}
}

// key is the path of a key of this table.
func (t *table) key(name string) string {
	if t.at == "" {
		return name
	}
	return t.at + pathSep + name
}

// fail notes a problem with a key; with the name "", with the table.
func (t *table) fail(name, format string, a ...any) {
	at := t.at
	if name != "" {
		at = t.key(name)
	}
	t.r.fail(at, fmt.Sprintf(format, a...))
}

func (t *table) get(name string) (any, bool) {
	t.asked = append(t.asked, name)
	if t.r.watch != nil {
		t.r.watch(t, name)
	}
	v, ok := t.m[name]
	if ok {
		t.found++
	}
	return v, ok
}

// has tells whether a key is written, good or not.
func (t *table) has(name string) bool {
	_, ok := t.m[name]
	return ok
}

const unknownKey = "unknown key "

func (t *table) done() {
	if t.found == len(t.m) {
		return
	}
	for name := range t.m {
		if slices.Contains(t.asked, name) {
			continue
		}
		what := unknownKey + displayPath(t.key(name))
		if displayPath(t.key(name)) == "" {
			what = unknownKey + `""`
		}
		for _, known := range t.asked {
			if strings.EqualFold(known, name) {
				what += " (write it " + known + ")"
			}
		}
		t.fail(name, "%s", what)
	}
}

// require notes the keys that are missing.
func (t *table) require(names ...string) {
	for _, name := range names {
		if !t.has(name) {
			t.fail("", "%s missing", name)
		}
	}
}

func (t *table) wrong(name, want string, v any) { t.fail(name, "must be %s, not %s", want, kindOf(v)) }

func (t *table) boolean(name string, dst *bool) {
	v, ok := t.get(name)
	if !ok {
		return
	}
	b, ok := v.(bool)
	if !ok {
		t.wrong(name, "true or false", v)
		return
	}
	*dst = b
}

// text reads a string; ok judges it, and want says in words what ok wants.
func (t *table) text(name string, dst *string, want string, ok func(string) bool) bool {
	v, there := t.get(name)
	if !there {
		return false
	}
	s, isText := v.(string)
	switch {
	case !isText:
		t.wrong(name, want, v)
	case !ok(s):
		t.fail(name, "must be %s, not %s", want, hcp.Quote(s))
	default:
		*dst = s
		return true
	}
	return false
}

func (t *table) enum(name string, dst *string, words ...string) {
	v, there := t.get(name)
	if !there {
		return
	}
	s, ok := v.(string)
	if ok && slices.Contains(words, s) {
		*dst = s
		return
	}
	got := kindOf(v)
	if ok {
		got = hcp.Quote(s)
	}
	last := len(words) - 1
	t.fail(name, "must be %s or %s, not %s", strings.Join(words[:last], ", "), words[last], got)
}

// list reads strings, at least one; each is judged as by text. want is plural.
func (t *table) list(name string, dst *[]string, want string, ok func(string) bool) {
	v, there := t.get(name)
	if !there {
		return
	}
	items, isList := v.([]any)
	if maps, isTables := v.([]map[string]any); isTables && len(maps) == 0 {
		isList = true // the library's form of an array without elements
	}
	if !isList {
		t.wrong(name, "a list of "+want, v)
		return
	}
	if len(items) == 0 {
		t.fail(name, "must not be an empty list")
		return
	}
	list := make([]string, 0, len(items))
	for i, it := range items {
		s, isText := it.(string)
		switch {
		case !isText:
			t.r.fail(indexPath(t.key(name), i), "must be a list of "+want+", not of "+kindOf(it))
		case !ok(s):
			t.r.fail(indexPath(t.key(name), i), hcp.Quote(s)+" is not one of "+want)
		default:
			list = append(list, s)
		}
	}
	*dst = list
}

// paths reads absolute paths and cleans them.
func (t *table) paths(name string, dst *[]string) {
	t.list(name, dst, "absolute paths", isAbsPath)
	cleanPaths(*dst)
}

func (t *table) duration(name string, dst *time.Duration) {
	var s string
	ok := func(s string) bool { _, ok := parseDuration(s); return ok }
	if t.text(name, &s, `a duration above 0 such as "30s"`, ok) {
		*dst, _ = parseDuration(s)
	}
}

func (t *table) size(name string, dst *int64, least int64) {
	var s string
	ok := func(s string) bool { _, ok := parseSize(s); return ok }
	if !t.text(name, &s, `a size above 0 such as "8MiB" (units B, KiB, MiB, GiB)`, ok) {
		return
	}
	n, _ := parseSize(s)
	if n < least {
		t.fail(name, "must be at least %d bytes, not %s", least, hcp.Quote(s))
		return
	}
	*dst = n
}

// instant reads a time with an offset: one without would mean another moment
// on every machine.
func (t *table) instant(name string, dst *time.Time) {
	v, there := t.get(name)
	if !there {
		return
	}
	at, ok := v.(time.Time)
	if !ok || isLocalTime(at) {
		t.wrong(name, "a time with its offset such as 2027-01-31T00:00:00Z", v)
		return
	}
	*dst = at
}

// sub is a table inside this one; nil when it is not there or no table.
func (t *table) sub(name string) *table {
	v, there := t.get(name)
	if !there {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.wrong(name, "a table", v)
		return nil
	}
	return newTable(t.r, m, t.key(name))
}

// each calls f for every element of an array of tables, in order.
func (t *table) each(name string, f func(i int, t *table)) {
	v, there := t.get(name)
	if !there {
		return
	}
	var items []map[string]any
	switch v := v.(type) {
	case []map[string]any:
		items = v
	case []any: // an inline array may mix tables with anything
		for i, it := range v {
			m, ok := it.(map[string]any)
			if !ok {
				t.r.fail(indexPath(t.key(name), i), "must be a table, not "+kindOf(it))
				return
			}
			items = append(items, m)
		}
	default:
		t.wrong(name, "an array of tables ([["+name+"]])", v)
		return
	}
	if len(items) == 0 {
		t.fail(name, "must not be an empty list")
	}
	for i, m := range items {
		f(i, newTable(t.r, m, indexPath(t.key(name), i)))
	}
}
