package config

import (
	"errors"
	"path/filepath"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"hcp/internal/hcp"
)

// encodeActivation writes the file: one line, keys always in the same order,
// ASCII only. What decodeActivation would not take is not written.
func encodeActivation(a Activation) ([]byte, error) {
	v := object(
		"pack_id", hcp.StringValue(a.PackID),
		"digest", hcp.StringValue(a.Digest),
		"root", hcp.StringValue(a.Root),
		"bin", binValue(a.Bin),
		"at", hcp.StringValue(a.At.UTC().Format(time.RFC3339Nano)),
	)
	if err := check(a); err != nil {
		return nil, err
	}
	if !allUTF8(v) {
		// JSON has no bytes: the file would name another path than the one
		// that was recorded.
		return nil, errors.New("a path to record is not UTF-8")
	}
	return append(ascii(v.AppendJSON(nil)), '\n'), nil
}

// object makes an Object of names and values by turns.
func object(pairs ...any) hcp.Value {
	v := hcp.Value{Kind: hcp.Object}
	for i := 0; i < len(pairs); i += 2 {
		v.Members = append(v.Members, hcp.Member{Name: pairs[i].(string), Value: pairs[i+1].(hcp.Value)})
	}
	return v
}

func fileValue(f hcp.FileID) []any {
	unsigned := func(n uint64) hcp.Value {
		return hcp.Value{Kind: hcp.Number, Text: strconv.FormatUint(n, 10)}
	}
	return []any{
		"path", hcp.StringValue(f.Path),
		"dev", unsigned(f.Dev),
		"inode", unsigned(f.Inode),
		"size", hcp.IntValue(f.Size),
		"mtime", hcp.IntValue(f.Mtime),
		"ctime", hcp.IntValue(f.Ctime),
	}
}

func binValue(b hcp.BinRecord) hcp.Value {
	interp := hcp.Value{Kind: hcp.Array}
	for _, f := range b.Interp {
		interp.Items = append(interp.Items, object(fileValue(f)...))
	}
	return object(append(fileValue(b.FileID),
		"found", hcp.StringValue(b.Found),
		"interp", interp,
		"script", hcp.StringsValue(b.Script),
		"prefix", hcp.StringsValue(b.Prefix),
		"why", hcp.StringValue(b.Why),
	)...)
}

func allUTF8(v hcp.Value) bool {
	ok := utf8.ValidString(v.Text)
	for _, it := range v.Items {
		ok = ok && allUTF8(it)
	}
	for _, m := range v.Members {
		ok = ok && allUTF8(m.Value)
	}
	return ok
}

// ascii escapes what is not ASCII; in JSON that stands in strings only.
func ascii(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for _, r := range string(data) {
		switch {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = appendU(appendU(out, hi), lo)
		default:
			out = appendU(out, r)
		}
	}
	return out
}

func appendU(dst []byte, r rune) []byte {
	const hexDigits = "0123456789abcdef"
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// decodeActivation reads a session file: every field there, none unknown, each
// of its own type.
func decodeActivation(data []byte) (Activation, error) {
	const depth = 4 // the file, bin, interp, one of its elements
	v, err := hcp.ParseJSON(data, depth)
	if err != nil {
		return Activation{}, err
	}
	d := &decoder{}
	o := d.object(v)
	a := Activation{
		PackID: o.text("pack_id"),
		Digest: o.text("digest"),
		Root:   o.text("root"),
		Bin:    readBin(d.object(o.get("bin"))),
	}
	at := o.text("at")
	o.done()
	if d.err != nil {
		return Activation{}, d.err
	}
	if a.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
		return Activation{}, errors.New("at is not a time")
	}
	a.At = a.At.UTC()
	return a, check(a)
}

func readBin(o fields) hcp.BinRecord {
	b := hcp.BinRecord{FileID: readFileID(&o), Found: o.text("found")}
	interp := o.get("interp")
	if interp.Kind != hcp.Array {
		o.d.fail("interp is not a list")
	}
	for _, it := range interp.Items {
		f := o.d.object(it)
		b.Interp = append(b.Interp, readFileID(&f))
		f.done()
	}
	b.Script = o.list("script")
	b.Prefix = o.list("prefix")
	b.Why = o.text("why")
	o.done()
	return b
}

func readFileID(o *fields) hcp.FileID {
	return hcp.FileID{
		Path:  o.text("path"),
		Dev:   o.unsigned("dev"),
		Inode: o.unsigned("inode"),
		Size:  o.integer("size"),
		Mtime: o.integer("mtime"),
		Ctime: o.integer("ctime"),
	}
}

// check holds a record to what its readers rely on.
func check(a Activation) error {
	switch {
	case !hcp.ValidID(a.PackID):
		return errBadPack
	case a.Digest == "":
		return errors.New("digest is empty")
	case !filepath.IsAbs(a.Root):
		return errors.New("root is not an absolute path")
	case a.Bin.Path != "" && !filepath.IsAbs(a.Bin.Path):
		return errors.New("the bin's path is not absolute")
	case a.Bin.Path != "" && a.Bin.Why != "":
		return errors.New("the bin is both recorded and refused")
	}
	for _, f := range a.Bin.Interp {
		if !filepath.IsAbs(f.Path) {
			return errors.New("an interpreter's path is not absolute")
		}
	}
	for _, p := range a.Bin.Prefix {
		if !filepath.IsAbs(p) {
			return errors.New("a prefix is not an absolute path")
		}
	}
	return nil
}
