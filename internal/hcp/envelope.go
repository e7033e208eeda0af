package hcp

import (
	"fmt"
	"slices"
)

// Limits of an exec envelope (formats.md); over one of them it is refused as
// "invalid envelope: …".
const (
	MaxEnvelope = 1 << 20  // bytes of JSON
	MaxArgs     = 64       // members of args
	MaxValue    = 64 << 10 // bytes of one argument
	MaxDepth    = 8        // nesting of the whole envelope
)

// Reserved argument names (§6.1).
const (
	ArgConfirm = "confirm"
	ArgApply   = "apply"
	ArgMode    = "mode"
)

// Reserved tells whether an argument name belongs to the protocol, not to the
// command.
func Reserved(name string) bool {
	return name == ArgConfirm || name == ArgApply || name == ArgMode
}

// Args are the arguments of a call in the order they were given, names unique.
// nil is the same as {}.
type Args []Member

// Get returns the argument called name, or a Missing value.
func (a Args) Get(name string) Value { return Value{Members: a}.Get(name) }

// Set replaces the argument called name, or appends it.
func (a Args) Set(name string, v Value) Args {
	for i := range a {
		if a[i].Name == name {
			a[i].Value = v
			return a
		}
	}
	return append(a, Member{name, v})
}

// Without returns the arguments except the named ones.
func (a Args) Without(names ...string) Args {
	var out Args
	for _, m := range a {
		if !slices.Contains(names, m.Name) {
			out = append(out, m)
		}
	}
	return out
}

// Confirmed tells whether confirm or apply is the JSON boolean true; no other
// value satisfies the gate (E-3).
func (a Args) Confirmed() bool {
	yes := func(v Value) bool { return v.Kind == Bool && v.Bool }
	return yes(a.Get(ArgConfirm)) || yes(a.Get(ArgApply))
}

// Mock tells whether the envelope asks for the mock Binding (E-4). Nothing but
// the envelope can.
func (a Args) Mock() bool {
	v := a.Get(ArgMode)
	return v.Kind == String && v.Text == "mock"
}

// AppendJSON appends the arguments as one JSON object.
func (a Args) AppendJSON(dst []byte) []byte {
	return Value{Kind: Object, Members: a}.AppendJSON(dst)
}

// Fault is an argument error that a face found while it built the envelope: a
// typed line that does not match. It travels with the envelope and is answered
// where argument errors belong, after step 6 (cli.md).
type Fault struct {
	Message string // without the "invalid args: " in front
	Hint    string // "" for none
}

// Envelope is one call (§6.1). The zero Envelope is refused at step 1.
type Envelope struct {
	PackID  string
	VerbKey string
	Args    Args
	Fault   *Fault // nil: the arguments are what the caller meant
	Unknown bool   // a face knows that VerbKey, as typed, names no command
}

// DecodeEnvelope reads an exec envelope, strictly (E-1, E-2). On a denial the
// envelope still carries the ids that could be read, since every result names
// them (E-8).
func DecodeEnvelope(data []byte) (Envelope, *Denial) {
	if len(data) > MaxEnvelope {
		return Envelope{}, InvalidEnvelope("larger than 1 MiB")
	}
	v, err := ParseJSON(data, MaxDepth)
	if IsTooDeep(err) {
		return Envelope{}, InvalidEnvelope("nested deeper than %d", MaxDepth)
	}
	if err != nil {
		return Envelope{}, InvalidEnvelope("%v", err)
	}
	if v.Kind != Object {
		return Envelope{}, InvalidEnvelope("not a JSON object")
	}
	return envelopeFrom(v)
}

func envelopeFrom(v Value) (Envelope, *Denial) {
	var e Envelope
	pack, d1 := idMember(v, "pack_id")
	surface, d2 := idMember(v, "surface_id")
	both := v.Get("pack_id").Kind != Missing && v.Get("surface_id").Kind != Missing
	verb, d3 := idMember(v, "verb_key")
	e.PackID, e.VerbKey = pack, verb
	if e.PackID == "" {
		e.PackID = surface
	}
	args, d4 := argsMember(v.Get("args"))
	e.Args = args
	switch {
	case d1 != nil:
		return e, d1
	case d2 != nil:
		return e, d2
	case both && pack != surface:
		return e, InvalidEnvelope("pack_id and surface_id differ")
	case e.PackID == "":
		return e, InvalidEnvelope("pack_id missing")
	case d3 != nil:
		return e, d3
	case e.VerbKey == "":
		return e, InvalidEnvelope("verb_key missing")
	case d4 != nil:
		return e, d4
	}
	for _, m := range v.Members {
		if !slices.Contains([]string{"pack_id", "surface_id", "verb_key", "args"}, m.Name) {
			// A misspelt "args" would run the command without what it says.
			return e, InvalidEnvelope("unknown field %s", Quote(m.Name))
		}
	}
	return e, e.Check()
}

func idMember(v Value, name string) (string, *Denial) {
	switch m := v.Get(name); m.Kind {
	case Missing:
		return "", nil
	case String:
		return m.Text, nil
	}
	return "", InvalidEnvelope("%s is not a string", name)
}

func argsMember(v Value) (Args, *Denial) {
	switch v.Kind {
	case Missing:
		return nil, nil
	case Object:
		return v.Members, nil
	}
	return nil, InvalidEnvelope("args is not an object")
}

// Check holds an envelope, from whatever face, to the limits.
func (e Envelope) Check() *Denial {
	if len(e.Args) > MaxArgs {
		return InvalidEnvelope("more than %d args", MaxArgs)
	}
	total := 0
	for _, m := range e.Args {
		n := size(m.Value)
		if n > MaxValue {
			return InvalidEnvelope("argument %s exceeds 64 KiB", Quote(m.Name))
		}
		if depth(m.Value)+2 > MaxDepth {
			return InvalidEnvelope("nested deeper than %d", MaxDepth)
		}
		total += n + len(m.Name)
	}
	if total+len(e.PackID)+len(e.VerbKey) > MaxEnvelope {
		return InvalidEnvelope("larger than 1 MiB")
	}
	return nil
}

// CheckWords holds a typed line to the limit of one argument, before anything
// is read from it.
func CheckWords(words []string) *Denial {
	total := 0
	for i, w := range words {
		if len(w) > MaxValue {
			return InvalidEnvelope("%s exceeds 64 KiB", fmt.Sprintf("argument %d", i+1))
		}
		total += len(w)
	}
	if total > MaxEnvelope {
		return InvalidEnvelope("larger than 1 MiB")
	}
	return nil
}

func size(v Value) int {
	n := len(v.Text)
	for _, it := range v.Items {
		n += 1 + size(it)
	}
	for _, m := range v.Members {
		n += 1 + len(m.Name) + size(m.Value)
	}
	return n
}

func depth(v Value) int {
	d := 0
	for _, it := range v.Items {
		d = max(d, depth(it))
	}
	for _, m := range v.Members {
		d = max(d, depth(m.Value))
	}
	if v.Kind == Array || v.Kind == Object {
		d++
	}
	return d
}
