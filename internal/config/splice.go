package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Edit is one value put into a file of another program, at a path of keys from
// its root. Tables on the way that are not there are made.
type Edit struct {
	Path    []string `json:"path"`
	Value   string   `json:"value"`             // JSON: a string, or a list of strings; an element may be any value
	Element bool     `json:"element,omitempty"` // Value is one of the array at Path (JSON files only)
	Secret  bool     `json:"secret,omitempty"`  // Value is the digest of what was put in, once it is done
	// Own counts the leading keys that name an entry which is nobody else's: when
	// the edit made that entry, undoing it takes the whole entry away, since half
	// of one would stop the other program. 0: only the value itself.
	Own  int    `json:"own,omitempty"`
	Made int    `json:"made"`          // leading keys that were there before; set when done
	Was  string `json:"was,omitempty"` // what stood in the value's place, as it was written; set when done
}

func (e Edit) name() string { return printable(strings.Join(e.Path, ".")) }

func editNames(list []Edit) []string {
	var names []string
	for _, e := range list {
		names = append(names, e.name())
	}
	return names
}

// done is the edit as it may be kept: without its secret.
func (e Edit) done(made int, was string) Edit {
	e.Made, e.Was = made, was
	if e.Secret {
		e.Value, e.Was = Digest(e.Value), ""
	}
	return e
}

// is tells whether a value that was found is the one that the edit put there.
func (e Edit) is(found string) bool {
	if e.Secret {
		return Digest(found) == e.Value
	}
	return sameJSON(found, e.Value)
}

// Digest is the SHA-256 of a text in hexadecimal digits.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Splice is one step of a text's change: Len bytes at At stand where Was stood.
type Splice struct {
	At  int    `json:"at"`
	Len int    `json:"len"`
	Was string `json:"was,omitempty"`
}

// Revert takes steps back, the last one first. false: they are not of this text.
func Revert(text string, steps []Splice) (string, bool) {
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		if s.At < 0 || s.Len < 0 || s.At > len(text) || s.Len > len(text)-s.At {
			return text, false
		}
		text = text[:s.At] + s.Was + text[s.At+s.Len:]
	}
	return text, true
}

// splicer is a text with a record of how it came about.
type splicer struct {
	text  string
	steps []Splice
}

func (s *splicer) put(from, to int, with string) {
	s.steps = append(s.steps, Splice{At: from, Len: len(with), Was: s.text[from:to]})
	s.text = s.text[:from] + with + s.text[to:]
}

// lineEnd is the line end that a text uses.
func lineEnd(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart is the index of the first byte of the line that holds at.
func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// blankBefore is the white space between the start of at's line and its first
// word.
func blankBefore(text string, at int) string {
	line := text[lineStart(text, at):]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// EditError says why a file of another program cannot be edited; it was not
// touched.
type EditError struct{ What string }

func (e *EditError) Error() string { return e.What }

func cannotEdit(format string, a ...any) error { return &EditError{fmt.Sprintf(format, a...)} }
