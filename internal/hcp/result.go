package hcp

import (
	"encoding/json"
	"strconv"
)

// Result is the result envelope (§6.2) and what formats.md adds to it. OK and
// Error go together: Error is set exactly when OK is false.
type Result struct {
	OK       bool
	PackID   string
	VerbKey  string
	Result   json.RawMessage // one-line JSON; nil: no result member
	Error    string
	Stdout   *string   // nil: no child could have run
	Stderr   *string   // nil: likewise
	Binary   bool      // some output byte was not UTF-8 and became U+FFFD
	Exit     *int      // the child's exit code, or 127; nil: no child
	Sandbox  string    // the driver that ran; "": none did
	Files    []File    // written back; nil: none
	Preview  []string  // the card's lines; nil: none
	Approval *Approval // pending human agreement; nil: none
	Hint     string    // what would fix a denial; "": none
	Audit    string    // "incomplete" when the end could not be recorded; "": fine
	Code     int       // process exit code of a face; not part of the JSON
	Denied   bool      // refused or ended by hcp, not by the child; not part of the JSON
}

// File is one file that came out of a jail (S-10).
type File struct {
	Ref   string // "workspace:<path in the workspace>"
	Path  string // absolute path on the host
	Bytes int64
}

// Refuse makes the result envelope of a denial (E-8).
func Refuse(e Envelope, d *Denial) Result {
	code := d.Exit
	if code == 0 {
		code = ExitFailure
	}
	r := Result{PackID: e.PackID, VerbKey: e.VerbKey, Error: d.Message, Hint: d.Hint,
		Preview: d.Preview, Approval: d.Approval, Code: code, Denied: true}
	return r
}

// AppendJSON appends the result as one line of JSON in the documented key
// order: ok, pack_id, verb_key, result or error, then the rest.
func (r Result) AppendJSON(dst []byte) []byte {
	dst = strconv.AppendBool(append(dst, `{"ok":`...), r.OK)
	dst = AppendString(append(dst, `,"pack_id":`...), r.PackID)
	dst = AppendString(append(dst, `,"verb_key":`...), r.VerbKey)
	if r.OK && r.Result != nil {
		dst = append(append(dst, `,"result":`...), r.Result...)
	}
	if !r.OK {
		dst = AppendString(append(dst, `,"error":`...), r.Error)
	}
	dst = appendStreams(dst, r)
	if r.Exit != nil {
		dst = strconv.AppendInt(append(dst, `,"exit":`...), int64(*r.Exit), 10)
	}
	dst = appendText(dst, "sandbox", r.Sandbox)
	dst = appendFiles(dst, r.Files)
	if r.Preview != nil {
		dst = StringsValue(r.Preview).AppendJSON(append(dst, `,"preview":`...))
	}
	if r.Approval != nil {
		dst = AppendString(append(dst, `,"approval":{"id":`...), r.Approval.ID)
		dst = append(AppendString(append(dst, `,"expires":`...), r.Approval.Expires), '}')
	}
	dst = appendText(dst, "hint", r.Hint)
	dst = appendText(dst, "audit", r.Audit)
	return append(dst, '}')
}

func appendStreams(dst []byte, r Result) []byte {
	if r.Stdout != nil {
		dst = AppendString(append(dst, `,"stdout":`...), *r.Stdout)
	}
	if r.Stderr != nil {
		dst = AppendString(append(dst, `,"stderr":`...), *r.Stderr)
	}
	if r.Binary {
		dst = append(dst, `,"binary":true`...)
	}
	return dst
}

func appendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return AppendString(append(append(append(dst, `,"`...), name...), `":`...), text)
}

func appendFiles(dst []byte, files []File) []byte {
	if len(files) == 0 {
		return dst
	}
	dst = append(dst, `,"files":[`...)
	for i, f := range files {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(append(dst, `{"ref":`...), f.Ref)
		dst = AppendString(append(dst, `,"path":`...), f.Path)
		dst = append(strconv.AppendInt(append(dst, `,"bytes":`...), f.Bytes, 10), '}')
	}
	return append(dst, ']')
}

// MarshalJSON lets encoding/json and the MCP face write the same bytes.
func (r Result) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }
