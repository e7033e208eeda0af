package hcp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// minSecret is the shortest value that is redacted, in bytes: a shorter one
// would be found in harmless words, and masking those gives it away.
const minSecret = 8

// Redactor masks secrets in what leaves hcp (trust.md): a value of 8 bytes and
// more, as it is, base64 (both alphabets, at each of the three alignments, broken
// into lines or not), hex, percent-encoded (path and query form) and escaped
// inside a JSON string, also inside one that stands in another. Each takes time
// linear in the text. It cannot see what a child reverses, compresses or
// encrypts. A nil Redactor masks nothing and costs nothing. A Redactor never
// changes: any number of goroutines may share one.
type Redactor struct {
	plain  automaton // the values themselves
	packed automaton // what is found across line breaks: base64, hex, values of several lines
	plus   bool      // some value holds a space, which a query writes as a plus sign
	hot    [256]bool // bytes that a secret, or an escape in it, can begin with
}

// NewRedactor builds one; nil when no secret is long enough to be masked.
func NewRedactor(secrets ...Secret) *Redactor {
	var r *Redactor
	for _, s := range secrets {
		value := s.Reveal()
		if len(value) < minSecret {
			continue
		}
		if r == nil {
			r = &Redactor{}
		}
		r.add(value)
	}
	if r == nil {
		return nil
	}
	r.plain.link()
	r.packed.link()
	for b := range r.hot {
		r.hot[b] = b == '\\' || b == '%' || r.plus && b == '+' || r.plain.root[b] != 0 || r.packed.root[b] != 0
	}
	return r
}

func (r *Redactor) add(value string) {
	r.plain.add(value)
	r.plus = r.plus || strings.Contains(value, " ")
	lower := hex.EncodeToString([]byte(value))
	r.packed.add(lower)
	r.packed.add(strings.ToUpper(lower))
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			r.packed.add(base64Core(e, value, before))
		}
	}
	if joined := strings.NewReplacer("\r", "", "\n", "").Replace(value); joined != value && len(joined) >= minSecret {
		r.packed.add(joined)
	}
}

// base64Core is what base64 text holds of a value that stands behind so many
// bytes (modulo 3): the characters that depend on nothing else. At most four
// bits at either end are left out, with the characters that hold others' bits.
func base64Core(e *base64.Encoding, value string, before int) string {
	text := e.EncodeToString(append(make([]byte, before), value...))
	return text[(8*before+5)/6 : 8*(before+len(value))/6]
}

// String gives s with every secret masked.
func (r *Redactor) String(s string) string {
	if r == nil || len(s) < minSecret {
		return s
	}
	var out bytes.Buffer
	w := r.Writer(&out)
	_, _ = w.Write([]byte(s)) // a Buffer takes everything
	_ = w.Close()
	return out.String()
}

// Bytes gives b with every secret masked: b itself where nothing can be.
func (r *Redactor) Bytes(b []byte) []byte {
	if r == nil || len(b) < minSecret {
		return b
	}
	var out bytes.Buffer
	w := r.Writer(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

// Value gives v with the secrets in its strings and names masked. A number that
// holds one becomes a string, so that the whole stays JSON.
func (r *Redactor) Value(v Value) Value {
	if r == nil {
		return v
	}
	switch v.Kind {
	case String:
		v.Text = r.String(v.Text)
	case Number:
		if text := r.String(v.Text); text != v.Text {
			v = StringValue(text)
		}
	}
	items, members := v.Items, v.Members
	v.Items, v.Members = nil, nil
	for _, it := range items {
		v.Items = append(v.Items, r.Value(it))
	}
	for _, m := range members {
		v.Members = append(v.Members, Member{Name: r.String(m.Name), Value: r.Value(m.Value)})
	}
	return v
}
