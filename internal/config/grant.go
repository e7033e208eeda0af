package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hcp/internal/hcp"
)

// GrantSpec is the block that `hcp grant` appends. Principal, Capability and
// Packs must be set.
type GrantSpec struct {
	Principal  string // exact, or "*"
	Capability string // hcp.CapRead, hcp.CapWrite or hcp.CapConnect
	Packs      []string
	Verbs      []string  // nil: every verb; the key is left out
	Approval   string    // hcp.ApprovalEnvelope or hcp.ApprovalHuman; "": left out, which is envelope
	Expires    time.Time // written to the second, in UTC; zero: never
}

// SpecError says that what was asked for is no good; the file is not to blame
// and was not touched.
type SpecError struct{ What string }

func (e *SpecError) Error() string { return e.What }

// AppendGrant appends one [[grants]] block to hcp.toml and leaves every other
// byte as it was. The result is read as Load would before it replaces the file
// in one step, so a failure leaves the old file whole. A missing file is
// created. A *SpecError is about g; every other error is about the files.
func AppendGrant(p Places, osUser string, g GrantSpec) error {
	if err := g.check(); err != nil {
		return err
	}
	return appendBlock(p, osUser, g.block())
}

func appendBlock(p Places, osUser, block string) error {
	m, err := loadManaged(p)
	if err != nil {
		return err
	}
	if err := m.checkStore(p); err != nil {
		return err
	}
	dir := filepath.Dir(p.ConfigFile)
	if err := makeDir(dir); err != nil {
		return err
	}
	return locked(dir, func() error {
		old, mode, err := oldFile(p.ConfigFile)
		if err != nil {
			return err
		}
		// The old text is held to the rules by itself first: a block must not be
		// what makes a broken file readable.
		if _, err := build(p, osUser, m, old); err != nil {
			return err
		}
		text := joinBlock(old, block)
		if len(text) > maxConfig {
			return &Error{Path: p.ConfigFile, What: "would be larger than 1 MiB"}
		}
		if _, err := build(p, osUser, m, text); err != nil {
			return err
		}
		return replace(p.ConfigFile, []byte(text), mode)
	})
}

// oldFile gives the text and mode of a file that may not be there yet.
func oldFile(path string) (string, fs.FileMode, error) {
	const private = 0o600
	text, err := readConfig(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", private, nil
	}
	if err != nil {
		return "", 0, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return "", 0, fileError(path, err)
	}
	return text, info.Mode().Perm(), nil
}

// joinBlock puts a block behind a file's text in that file's own line ends, with
// one empty line between.
func joinBlock(old, block string) string {
	if i := strings.IndexByte(old, '\n'); i > 0 && old[i-1] == '\r' {
		block = strings.ReplaceAll(block, "\n", "\r\n")
	}
	if strings.TrimPrefix(old, bom) == "" {
		return old + block
	}
	end := "\n"
	if strings.HasSuffix(block, "\r\n") {
		end = "\r\n"
	}
	if !strings.HasSuffix(old, "\n") {
		old += end
	}
	return old + end + block
}

// check runs the rules for a [[grants]] table over the spec itself, so that the
// answer speaks of what was asked and not of a line that is not there yet.
func (g GrantSpec) check() error {
	m := map[string]any{}
	put := func(name, value string) {
		if value != "" {
			m[name] = value
		}
	}
	put("principal", g.Principal)
	put("capability", g.Capability)
	put("approval", g.Approval)
	if g.Packs != nil {
		m["packs"] = anys(g.Packs)
	}
	if g.Verbs != nil {
		m["verbs"] = anys(g.Verbs)
	}
	var r reader
	readGrant(newTable(&r, m, ""))
	if len(r.problems) == 0 {
		return nil
	}
	first := slices.MinFunc(r.problems, func(a, b problem) int { return strings.Compare(a.at, b.at) })
	return &SpecError{first.text()}
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// block writes the spec as TOML. check has seen every value: none holds a
// character that a TOML string would have to escape.
func (g GrantSpec) block() string {
	var b strings.Builder
	line := func(name, value string) { b.WriteString(name + " = " + value + "\n") }
	b.WriteString("[[grants]]\n")
	line("principal", strconv.Quote(g.Principal))
	line("capability", strconv.Quote(g.Capability))
	line("packs", tomlList(g.Packs))
	if g.Verbs != nil {
		line("verbs", tomlList(g.Verbs))
	}
	if g.Approval != "" {
		line("approval", strconv.Quote(g.Approval))
	}
	if !g.Expires.IsZero() {
		line("expires", g.Expires.UTC().Format(time.RFC3339))
	}
	return b.String()
}

func tomlList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Expiry reads the value of --expires: a time to come in RFC 3339, or a span
// from now, as a Go duration or in days ("30d"). The error is a *SpecError.
func Expiry(s string, now time.Time) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		if !t.After(now) {
			return time.Time{}, &SpecError{"expires: " + hcp.Quote(s) + " is not in the future"}
		}
		return t, nil
	}
	d, ok := parseDuration(s)
	if !ok {
		return time.Time{}, &SpecError{"expires: must be a time such as 2027-01-31T00:00:00Z or a span such as 30d, not " + hcp.Quote(s)}
	}
	return now.Add(d), nil
}
