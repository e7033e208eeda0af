package pack

import (
	"errors"
	"strings"
	"time"

	"hcp/internal/hcp"
)

// maxManifestDepth bounds nesting: a schema inside a manifest needs about ten.
const maxManifestDepth = 32

// node is one value of a manifest and where it stands, for exact errors.
type node struct {
	v  hcp.Value
	at string
}

func (n node) get(name string) node {
	at := name
	if !plainName(name) {
		at = hcp.Quote(name)
	}
	if n.at != "" {
		at = n.at + "." + at
	}
	return node{n.v.Get(name), at}
}

func (n node) there() bool { return n.v.Kind != hcp.Missing }

// plainName tells whether a name can stand in an error without quotes.
func plainName(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$", r) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// decoder picks members by hand and keeps the first error only.
type decoder struct{ err error }

func (d *decoder) fail(n node, what string) {
	if d.err == nil {
		if n.at != "" {
			what = n.at + ": " + what
		}
		d.err = errors.New(what)
	}
}

// text reads an optional string; absent gives "".
func (d *decoder) text(n node) string {
	if n.there() && n.v.Kind != hcp.String {
		d.fail(n, "not a string")
	}
	if strings.IndexByte(n.v.Text, 0) >= 0 {
		d.fail(n, "contains a NUL character")
	}
	return n.v.Text
}

// texts reads an optional list of strings; absent gives nil, [] gives an empty
// list that is not nil.
func (d *decoder) texts(n node) []string {
	if !n.there() {
		return nil
	}
	list, ok := n.v.Strings()
	if !ok {
		d.fail(n, "not a list of strings")
	}
	for _, s := range list {
		if strings.IndexByte(s, 0) >= 0 {
			d.fail(n, "contains a NUL character")
		}
	}
	return list
}

// textOrTexts reads a string as a list of one.
func (d *decoder) textOrTexts(n node) []string {
	if n.v.Kind == hcp.String {
		return []string{d.text(n)}
	}
	return d.texts(n)
}

func (d *decoder) flag(n node) bool {
	if n.there() && n.v.Kind != hcp.Bool {
		d.fail(n, "not true or false")
	}
	return n.v.Bool
}

// members reads an optional object; absent gives none.
func (d *decoder) members(n node) []node {
	if n.there() && n.v.Kind != hcp.Object {
		d.fail(n, "not an object")
	}
	list := make([]node, 0, len(n.v.Members))
	for _, m := range n.v.Members {
		list = append(list, n.get(m.Name))
	}
	return list
}

func (d *decoder) duration(n node) time.Duration {
	text := d.text(n)
	if text == "" && !n.there() {
		return 0
	}
	t, err := time.ParseDuration(text)
	if err != nil || t <= 0 {
		d.fail(n, "not a duration above zero such as \"30s\"")
	}
	return t
}

// envName reads the name of an environment variable.
func (d *decoder) envName(n node, name string) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		d.fail(n, hcp.Quote(name)+" is not a variable name")
	}
}
