package hcp

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// span is a stretch of the source: from is in it, to is not.
type span struct{ from, to int64 }

// fan hands on to several.
type fan []sink

func (f fan) push(b byte, from, to int64) {
	for _, s := range f {
		s.push(b, from, to)
	}
}

// jsonDecoder undoes the escapes of JSON strings, wherever they stand: what is
// no valid escape is handed on as it is.
type jsonDecoder struct {
	next    fan
	decoded func(span) // told of every whole escape; nil: nobody
	bytes   [12]byte   // of an escape that is not complete; two \uXXXX at most
	spans   [12]span
	n       int
}

func (d *jsonDecoder) push(b byte, from, to int64) {
	if d.n == 0 && b != '\\' {
		d.next.push(b, from, to)
		return
	}
	d.bytes[d.n], d.spans[d.n] = b, span{from, to}
	d.n++
	switch r, state := jsonEscape(d.bytes[:d.n]); state {
	case escapeWhole:
		d.whole(r)
	case escapeNone:
		d.giveUp()
	}
}

func (d *jsonDecoder) whole(r rune) {
	s := span{d.spans[0].from, d.spans[d.n-1].to}
	d.n = 0
	if d.decoded != nil {
		d.decoded(s)
	}
	var text [utf8.UTFMax]byte
	for _, b := range text[:utf8.EncodeRune(text[:], r)] {
		d.next.push(b, s.from, s.to)
	}
}

// giveUp hands on the backslash as it is and looks at the rest anew: it may end
// with another backslash.
func (d *jsonDecoder) giveUp() {
	bytes, spans, n := d.bytes, d.spans, d.n
	d.n = 0
	d.next.push(bytes[0], spans[0].from, spans[0].to)
	for i := 1; i < n; i++ {
		d.push(bytes[i], spans[i].from, spans[i].to)
	}
}

func (d *jsonDecoder) hold() int64 {
	if d.n == 0 {
		return none
	}
	return d.spans[0].from
}

func (d *jsonDecoder) reset() { d.n = 0 }

const (
	escapePart = iota
	escapeWhole
	escapeNone
)

// jsonEscape judges bytes that begin with a backslash, given one more each time.
func jsonEscape(b []byte) (rune, int) {
	n := len(b)
	last := b[n-1]
	switch {
	case n == 1, n == 2 && last == 'u', n == 7 && last == '\\', n == 8 && last == 'u':
		return 0, escapePart
	case n == 2:
		return shortEscape(last)
	case n == 7, n == 8, !isHex(last):
		return 0, escapeNone
	case n == 6:
		r := hexRune(b[2:6])
		if !utf16.IsSurrogate(r) {
			return r, escapeWhole
		}
		if r >= 0xdc00 {
			return 0, escapeNone
		}
	case n == 12:
		r := utf16.DecodeRune(hexRune(b[2:6]), hexRune(b[8:12]))
		if r == utf8.RuneError {
			return 0, escapeNone
		}
		return r, escapeWhole
	}
	return 0, escapePart
}

func shortEscape(b byte) (rune, int) {
	switch b {
	case '"', '\\', '/':
		return rune(b), escapeWhole
	case 'b':
		return '\b', escapeWhole
	case 'f':
		return '\f', escapeWhole
	case 'n':
		return '\n', escapeWhole
	case 'r':
		return '\r', escapeWhole
	case 't':
		return '\t', escapeWhole
	}
	return 0, escapeNone
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f'
}

func hexRune(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits), 16, 32) // isHex saw each of them
	return rune(n)
}

// percentDecoder undoes percent-encoding, wherever it stands.
type percentDecoder struct {
	next  fan
	plus  bool // a plus sign is a space (queries)
	bytes [2]byte
	spans [2]span
	n     int
}

func (d *percentDecoder) push(b byte, from, to int64) {
	switch {
	case d.n == 0 && b == '%', d.n == 1 && isHex(b):
		d.bytes[d.n], d.spans[d.n] = b, span{from, to}
		d.n++
	case d.n == 2 && isHex(b):
		d.n = 0
		d.next.push(byte(hexRune([]byte{d.bytes[1], b})), d.spans[0].from, to)
	case d.n > 0: // no escape; what came after the percent sign is a digit at most
		for i := range d.n {
			d.next.push(d.bytes[i], d.spans[i].from, d.spans[i].to)
		}
		d.n = 0
		d.push(b, from, to)
	case d.plus && b == '+':
		d.next.push(' ', from, to)
	default:
		d.next.push(b, from, to)
	}
}

// hold lets a lone percent sign out: a progress bar ends with one, and it holds
// nothing of a secret.
func (d *percentDecoder) hold() int64 {
	if d.n < 2 {
		return none
	}
	return d.spans[0].from
}

func (d *percentDecoder) reset() { d.n = 0 }
