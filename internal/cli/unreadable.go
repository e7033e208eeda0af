package cli

import (
	"errors"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/config"
	"hcp/internal/hcp"
)

// unreadable refuses for a file or folder of ours that cannot be used; nil for
// nil.
func unreadable(err error) *hcp.Denial {
	if err == nil {
		return nil
	}
	return hcp.ConfigDenied(err.Error()).WithHint("%s", mended(err))
}

// mended is the command that makes a file of ours trusted again, where that is
// only to take from others the right to write it; else "".
func mended(err error) string {
	var file *hcp.TrustError
	var conf *config.Error
	switch {
	case errors.As(err, &file):
	case errors.As(err, &conf):
		file = &hcp.TrustError{Path: conf.Path, Why: conf.What}
	default:
		return ""
	}
	if !strings.HasPrefix(file.Why, hcp.OthersWrite) {
		return ""
	}
	return "chmod go-w " + adapter.ShellQuote(file.Path)
}
