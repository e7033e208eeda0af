package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hcp/internal/hcp"
)

const (
	proofFile  = "proof"
	proofFirst = "hcp proof 1"
	maxProof   = 8 << 10
	// refusalHolds is how long a driver that failed is not tried first: who
	// mends the machine need not know of us.
	refusalHolds = time.Hour
)

// proofs is what a small trusted file remembers of the drivers on this machine.
// It only saves time: a driver that it speaks well of still has to put up its
// walls for every call, and one that it speaks ill of is tried last, not never.
type proofs struct {
	dir   string
	key   string    // what a proof holds for; "": nothing is remembered here
	lines []verdict // of this key
	now   func() time.Time
}

// verdict is one driver's line.
type verdict struct {
	driver string
	ok     bool
	at     int64 // seconds since the epoch
	why    string
}

func openProofs(c Choice) *proofs {
	p := &proofs{dir: c.CacheDir, key: proofKey(c.Exe), now: time.Now}
	if p.key == "" {
		return p
	}
	data, err := hcp.ReadTrusted(filepath.Join(p.dir, proofFile), maxProof)
	if err != nil {
		return p
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	key, rest, _ := strings.Cut(rest, "\n")
	if first != proofFirst || key != p.key {
		return p // another kernel, user, executable or sandbox: not ours
	}
	for line := range strings.Lines(rest) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(f) != 4 || !slices.Contains(ranked(), f[0]) {
			continue
		}
		at, err := strconv.ParseInt(f[2], 10, 64)
		if err == nil {
			p.lines = append(p.lines, verdict{f[0], f[1] == "works", at, f[3]})
		}
	}
	return p
}

// order puts the walls that lately failed behind those that did not, and the
// process driver behind them all.
func (p *proofs) order(names []string) []string {
	var first, then, last []string
	for _, n := range names {
		switch {
		case n == processName:
			last = append(last, n)
		case p.refuted(n):
			then = append(then, n)
		default:
			first = append(first, n)
		}
	}
	return slices.Concat(first, then, last)
}

func (p *proofs) refuted(driver string) bool {
	for _, v := range p.lines {
		if v.driver == driver {
			age := p.now().Unix() - v.at
			return !v.ok && age >= 0 && age < int64(refusalHolds/time.Second)
		}
	}
	return false
}

// note remembers drivers that failed where another worked.
func (p *proofs) note(failed []failure) {
	if p == nil || p.key == "" {
		return
	}
	news := false
	for _, f := range failed {
		if !passing(f.denial) && !p.refuted(f.driver) {
			p.set(verdict{driver: f.driver, at: p.now().Unix(), why: unavailableWhy(f.denial)})
			news = true
		}
	}
	if news {
		p.write()
	}
}

func (p *proofs) set(v verdict) {
	p.lines = slices.DeleteFunc(p.lines, func(old verdict) bool { return old.driver == v.driver })
	p.lines = append(p.lines, v)
}

// passing tells whether a set-up failed for a shortage that says nothing about
// the next call.
func passing(d *hcp.Denial) bool {
	for _, e := range [...]syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.EBUSY,
		syscall.EINTR, syscall.ENOSPC, syscall.EIO, syscall.ETXTBSY, syscall.EPIPE} {
		if strings.HasSuffix(d.Message, ": "+e.Error()) {
			return true
		}
	}
	return false
}

// write replaces the file. That it cannot be written costs the next call some
// time and nothing else.
func (p *proofs) write() {
	var b strings.Builder
	b.WriteString(proofFirst + "\n" + p.key + "\n")
	for _, v := range p.lines {
		word := "fails"
		if v.ok {
			word = "works"
		}
		b.WriteString(v.driver + " " + word + " " + strconv.FormatInt(v.at, 10) + " " + strings.ReplaceAll(v.why, "\n", " ") + "\n")
	}
	if os.MkdirAll(p.dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(p.dir, proofFile+"-")
	if err != nil {
		return
	}
	_, err = f.WriteString(b.String())
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(p.dir, proofFile))
	}
	if err != nil {
		os.Remove(f.Name())
	}
}
