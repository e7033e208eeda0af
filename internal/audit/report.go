package audit

import (
	"fmt"
	"strconv"
	"strings"

	"hcp/internal/hcp"
)

// Statuses of a Report.
const (
	Intact   = "intact"
	Broken   = "broken"
	Warnings = "warnings"
)

// Head is the last record's number and hash: what to note elsewhere. A log
// without records has Seq 0 and a Hash of 64 zeros.
type Head struct {
	Seq  uint64
	Hash string // 64 lower-case hex digits
}

// String gives SEQ:HASH, the form ParseAnchor reads.
func (h Head) String() string { return strconv.FormatUint(h.Seq, 10) + ":" + h.Hash }

// Anchor is a Head that was noted earlier, where the log's owner cannot change
// it.
type Anchor = Head

// ParseAnchor reads SEQ:HASH.
func ParseAnchor(s string) (Anchor, error) {
	num, hash, _ := strings.Cut(s, ":")
	seq, err := strconv.ParseUint(num, 10, 63)
	hash = strings.ToLower(hash)
	if err != nil || seq == 0 || num[0] == '0' || num[0] == '+' || !isHex([]byte(hash)) {
		return Anchor{}, fmt.Errorf("bad anchor %s: want SEQ:HASH as printed by audit head", hcp.Quote(s))
	}
	return Anchor{Seq: seq, Hash: hash}, nil
}

// Problem is one finding of Verify.
type Problem struct {
	Segment string // file name; "" when it is about the whole log
	Line    int    // from 1; 0 when it is about no line
	Seq     uint64 // the record's number, or the one that was expected; 0: unknown
	Why     string // one line
	Warning bool   // true: explained and harmless; false: the log is broken
}

// Report is what Verify found.
type Report struct {
	Status   string // Intact, Broken or Warnings
	Records  uint64 // whole records, wherever they stand
	Head     Head   // the last of them
	Problems []Problem
	Anchored bool   // an anchor was given, and fits
	Proves   string // one line for people: what the status means
}

// ExitCode is 0 intact, 1 broken, 2 warnings. The zero Report is broken.
func (r Report) ExitCode() int {
	switch r.Status {
	case Intact:
		return hcp.ExitOK
	case Warnings:
		return hcp.ExitWarning
	}
	return hcp.ExitFailure
}

// Value is the report in the shape that `audit verify --json` prints (cli.md).
func (r Report) Value() hcp.Value {
	problems := hcp.Value{Kind: hcp.Array}
	for _, p := range r.Problems {
		problems.Items = append(problems.Items, object(
			hcp.Member{Name: "segment", Value: hcp.StringValue(p.Segment)},
			hcp.Member{Name: "line", Value: hcp.IntValue(int64(p.Line))},
			hcp.Member{Name: "seq", Value: uintValue(p.Seq)},
			hcp.Member{Name: "why", Value: hcp.StringValue(p.Why)},
		))
	}
	return object(
		hcp.Member{Name: "status", Value: hcp.StringValue(r.Status)},
		hcp.Member{Name: "records", Value: uintValue(r.Records)},
		hcp.Member{Name: "head", Value: r.Head.Value()},
		hcp.Member{Name: "problems", Value: problems},
	)
}

// MarshalJSON writes the documented shape.
func (r Report) MarshalJSON() ([]byte, error) { return r.Value().AppendJSON(nil), nil }

// Value is {"seq":N,"hash":"…"}.
func (h Head) Value() hcp.Value {
	return object(
		hcp.Member{Name: "seq", Value: uintValue(h.Seq)},
		hcp.Member{Name: "hash", Value: hcp.StringValue(h.Hash)},
	)
}

// MarshalJSON writes {"seq":N,"hash":"…"}.
func (h Head) MarshalJSON() ([]byte, error) { return h.Value().AppendJSON(nil), nil }

func object(m ...hcp.Member) hcp.Value { return hcp.Value{Kind: hcp.Object, Members: m} }

func uintValue(n uint64) hcp.Value {
	return hcp.Value{Kind: hcp.Number, Text: strconv.FormatUint(n, 10)}
}

// conclude sets Status and Proves from what was found.
func (r *Report) conclude(fatal bool, anchor *Anchor) {
	r.Status = Intact
	if len(r.Problems) > 0 {
		r.Status = Warnings
	}
	if fatal {
		r.Status = Broken
	}
	switch {
	case r.Status == Broken:
		r.Proves = "broken: the log is not what was written; see the problems"
	case r.Records == 0:
		r.Proves = "no records: nothing is proved"
	case anchor != nil:
		r.Anchored = true
		r.Proves = fmt.Sprintf("anchor given: records 1 to %d are those that were noted; later ones form one unbroken chain from there", anchor.Seq)
	default:
		r.Proves = "no anchor given: the records form one unbroken chain that head.json agrees with; whoever owns the uid could have written it anew"
	}
}
