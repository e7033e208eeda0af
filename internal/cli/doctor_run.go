package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"hcp/internal/audit"
	"hcp/internal/config"
	"hcp/internal/hcp"
	"hcp/internal/sandbox"
)

// checkAudit looks at the log without writing to it. A log that takes no record
// stops every call, unless reads may pass.
func (s *store) checkAudit() check {
	dir := s.places.Audit()
	c := check{Name: "audit", Status: healthOK, Detail: dir}
	if err := unwritable(dir); err != nil {
		c.Status, c.Detail, c.Hint = healthBroken, err.Error(), mended(err)
		if s.config.Audit.OnFailure == config.OnFailureDenyWrites {
			c.Status = healthDegraded
		}
		return c
	}
	head, err := audit.ReadHead(dir)
	switch {
	case notExist(err):
		c.Detail += " (not begun)"
	case err != nil:
		c.Status, c.Detail, c.Hint = healthDegraded, hcp.Reason(err), "hcp audit verify"
	default:
		c.Detail = fmt.Sprintf("%d records in %s", head.Seq, dir)
	}
	return c
}

// unwritable says why the log could not be appended to, nil where it can. A folder that is
// not there yet is made by the first call, where its parent can be written.
func unwritable(dir string) error {
	err := hcp.CheckTrustedDir(dir)
	if notExist(err) {
		parent := filepath.Dir(dir)
		for _, statErr := os.Stat(parent); notExist(statErr) && parent != "/"; _, statErr = os.Stat(parent) {
			parent = filepath.Dir(parent)
		}
		dir, err = parent, nil
	}
	if err == nil {
		const write = 2 // W_OK
		if err = syscall.Access(dir, write); err != nil {
			return &hcp.TrustError{Path: dir, Why: hcp.Reason(err)}
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	for _, name := range append(files, filepath.Join(dir, "head.json"), filepath.Join(dir, "lock")) {
		f, openErr := hcp.OpenTrusted(name, os.O_RDWR)
		if openErr == nil {
			f.Close()
		} else if !notExist(openErr) {
			return openErr
		}
	}
	return err
}

// checkSandbox proves the drivers that may run, and says which one does and
// what it does not hold here.
func (s *store) checkSandbox(swept int, sweepErr error) check {
	r := sandbox.Inspect(s.choice())
	c := check{Name: "sandbox", Status: healthOK, Hint: r.Hint}
	parts := []string{"driver " + first(r.Driver, "none: every call is refused"), fmt.Sprintf("Landlock ABI %d", r.ABI), r.Proof}
	switch {
	case r.Driver == "":
		c.Status = healthBroken
	case r.Problem != "" || s.config.NativeLocal:
		c.Status = healthDegraded
	}
	if r.Problem != "" {
		parts = append(parts, r.Problem)
	}
	if s.config.NativeLocal {
		parts = append(parts, "native-local is on: calls run without any of it")
	}
	if swept > 0 {
		parts = append(parts, fmt.Sprintf("%d stale jails removed", swept))
	}
	if sweepErr != nil && !errors.Is(sweepErr, os.ErrNotExist) {
		c.Status = healthDegraded
		parts = append(parts, hcp.Reason(sweepErr))
	}
	c.Detail = strings.Join(parts, "; ")
	if len(r.NotCovered) > 0 {
		c.Detail += "; not covered here: " + strings.Join(r.NotCovered, "; ")
	}
	return c
}
