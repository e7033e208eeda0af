package hcp

import (
	"crypto/subtle"
	"fmt"
	"io"
)

// Mask is what stands where a secret stood.
const Mask = "[redacted]"

// Secret holds a credential's value so that nothing prints it by accident:
// every formatting verb, JSON, text and log gives Mask. The value sits behind a
// function, because fmt and other dumpers walk into unexported fields without
// asking a method. The zero Secret is empty.
type Secret struct{ reveal func() string }

// NewSecret hides a value.
func NewSecret(value string) Secret {
	return Secret{func() string { return value }}
}

// Reveal gives the value itself; "" for the zero Secret. It is the only way
// out, so that a search for its name finds every place a credential leaves.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// Equal compares two values in constant time for their length.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String gives Mask.
func (s Secret) String() string { return Mask }

// GoString gives Mask.
func (s Secret) GoString() string { return Mask }

// Format writes Mask for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Mask) }

// MarshalJSON gives Mask as a JSON string.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + Mask + `"`), nil }

// MarshalText gives Mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Mask), nil }

// MarshalBinary gives Mask, for encoders that prefer it (encoding/gob).
func (s Secret) MarshalBinary() ([]byte, error) { return []byte(Mask), nil }
