package cli

import (
	"errors"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"

	"hcp/internal/hcp"
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
	return strings.TrimRight(v.Raw, "\n"), true
}

// salvageIDs reads the ids of an envelope that was refused as a whole, each only
// where it is said once.
func salvageIDs(data []byte) (packID, verbKey string) {
	if !gjson.ValidBytes(data) {
		return "", ""
	}
	count := map[string]int{}
	gjson.ParseBytes(data).ForEach(func(name, value gjson.Result) bool {
		count[name.Str]++
		switch {
		case value.Type != gjson.String:
		case name.Str == "pack_id":
			packID = value.Str
		case name.Str == "verb_key":
			verbKey = value.Str
		}
		return true
	})
	if count["pack_id"] != 1 {
		packID = ""
	}
	if count["verb_key"] != 1 {
		verbKey = ""
	}
	return packID, verbKey
}

// meant asks whether the nearest of the names was meant; "" when none is near.
func meant(word string, names []string) string {
	near := hcp.Nearest(word, names)
	if near == "" {
		return ""
	}
	return "did you mean " + near + "?"
}

// brokenPipe tells whether a write failed because its reader went away.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
