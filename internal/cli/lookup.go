package cli

import (
	"errors"
	"syscall"

	"github.com/tidwall/gjson"
)

// lookUp finds one value in a JSON text by gjson path: a string bare, any other
// value as JSON.
func lookUp(data []byte, path string) (string, bool) {
	if path == "" || len(data) == 0 {
		return "", false
	}
	v := gjson.GetBytes(data, path)
	switch {
	case !v.Exists():
		return "", false
	case v.Type == gjson.String:
		return v.Str, true
	}
	return v.Raw, true
}

// brokenPipe tells whether a write failed because its reader went away.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
