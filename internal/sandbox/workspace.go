package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// WorkspaceDir is where a Principal's files of a pack are kept (formats.md):
// base/<tenant>/<principal>/<pack>. A colon becomes a dot, because HOME would
// break in two where programs join paths with colons; ids have no dots, so no
// two principals share a folder.
func WorkspaceDir(base, tenant, principal, pack string) string {
	return filepath.Join(base, pathPart(tenant), pathPart(principal), pathPart(pack))
}

// pathPart maps any text to one path element, no two to the same one: what is
// no lower-case letter, digit, dash or colon is written as %xx.
func pathPart(s string) string {
	const hexDigits = "0123456789abcdef"
	if s == "" {
		return "%"
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-':
			b = append(b, c)
		case c == ':' && i > 0:
			b = append(b, '.')
		default:
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	if len(b) > 200 { // an element may have 255 bytes
		sum := sha256.Sum256([]byte(s))
		return "%%" + hex.EncodeToString(sum[:])
	}
	return string(b)
}
