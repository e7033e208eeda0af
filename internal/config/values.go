package config

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hcp/internal/hcp"
)

// quoted shows a name that is not a plain word.
func quoted(s string) string { return hcp.Quote(s) }

// kindOf names a value's TOML type as a person would.
func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case time.Time:
		if isLocalTime(v) {
			return "a time without its offset"
		}
		return "a time"
	case map[string]any:
		return "a table"
	case []map[string]any, []any:
		return "a list"
	}
	return "another type"
}

// isLocalTime tells a date, a time of day or a time without an offset from a
// full one: the library marks them by the names of its zones.
func isLocalTime(t time.Time) bool { return strings.HasSuffix(t.Location().String(), "-local") }

// parseDuration reads a Go duration, or whole days as "30d"; it must be above 0.
func parseDuration(s string) (time.Duration, bool) {
	const day = 24 * time.Hour
	if digits, ok := strings.CutSuffix(s, "d"); ok {
		n, ok := parseDigits(digits)
		if !ok || n == 0 || n > int64(math.MaxInt64/day) {
			return 0, false
		}
		return time.Duration(n) * day, true
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d > 0
}

// parseSize reads a whole number with a unit, in bytes; it must be above 0.
func parseSize(s string) (int64, bool) {
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if i < 0 {
		return 0, false
	}
	unit := slices.Index([]string{"B", "KiB", "MiB", "GiB"}, s[i:])
	n, ok := parseDigits(s[:i])
	if unit < 0 || !ok || n == 0 || n > math.MaxInt64>>(10*unit) {
		return 0, false
	}
	return n << (10 * unit), true
}

// parseDigits reads decimal digits only: no sign, no space, no underscore.
func parseDigits(s string) (int64, bool) {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// isAbsPath also refuses "..": what it leads to depends on symlinks that may
// change after the owner wrote the path.
func isAbsPath(s string) bool {
	return filepath.IsAbs(s) && isPlain(s) && !slices.Contains(strings.Split(s, "/"), "..")
}

func cleanPaths(list []string) {
	for i := range list {
		list[i] = filepath.Clean(list[i])
	}
}

// isPlain tells whether s is non-empty UTF-8 without control characters.
func isPlain(s string) bool {
	return s != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// isProject accepts "" for none; the id is opaque to us.
func isProject(s string) bool { return s == "" || isPlain(s) && len(s) <= 128 }

func isWho(s string) bool { return s == "*" || hcp.ValidPrincipal(s) }

func isPackPattern(s string) bool { return s == "*" || hcp.ValidID(s) }

func isVerbPattern(s string) bool {
	return s == "*" || hcp.ValidVerbKey(strings.TrimSuffix(s, ".*"))
}

// isEnvName also refuses our own variables: the token in HCP_PRINCIPAL never
// reaches a child (trust.md).
func isEnvName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && s[i] != '_' && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != "" && !strings.HasPrefix(s, "HCP_")
}

// isArgument accepts what can stand in an argv.
func isArgument(s string) bool { return !strings.ContainsRune(s, 0) }

// isLabel is for words that a keyring's tool gets as arguments: none may look
// like a flag.
func isLabel(s string) bool { return isPlain(s) && len(s) <= 256 && s[0] != '-' }
