package audit

import (
	"hcp/internal/hcp"
)

// maxPlain is the longest value, in bytes, that is recorded as it is.
const maxPlain = 64

// Args returns the arguments as they may be recorded: what a secret-looking
// name carries, what looks like a secret and what is longer than 64 bytes (a
// list or object: its JSON) becomes {"hmac":"<64 hex>","bytes":N}, keyed with
// the salt in the log's folder. true, false and null are never hidden. An error
// means that the salt could not be read or made; nothing may be recorded then.
func (l *Log) Args(a hcp.Args) (hcp.Value, error) {
	if len(a) > hcp.MaxArgs {
		return l.hide(object(a...))
	}
	return l.members(a)
}

func (l *Log) members(list []hcp.Member) (hcp.Value, error) {
	out := hcp.Value{Kind: hcp.Object, Members: make([]hcp.Member, 0, len(list))}
	for _, m := range list {
		v, err := l.value(m.Value, secretName(m.Name))
		if err != nil {
			return hcp.Value{}, err
		}
		name, err := l.name(m.Name)
		if err != nil {
			return hcp.Value{}, err
		}
		out.Members = append(out.Members, hcp.Member{Name: name, Value: v})
	}
	return out, nil
}

// name hides a name that is itself a secret, typed where a name belongs.
func (l *Log) name(name string) (string, error) {
	if len(name) <= maxPlain && !secretText(name) {
		return name, nil
	}
	print, err := l.fingerprint([]byte(name))
	return "hmac:" + print, err
}

func (l *Log) value(v hcp.Value, secret bool) (hcp.Value, error) {
	switch v.Kind {
	case hcp.Missing, hcp.Null, hcp.Bool:
		return v, nil
	}
	if secret || len(plainText(v)) > maxPlain || v.Kind == hcp.String && secretText(v.Text) {
		return l.hide(v)
	}
	switch v.Kind {
	case hcp.Object:
		return l.members(v.Members)
	case hcp.Array:
		out := hcp.Value{Kind: hcp.Array, Items: make([]hcp.Value, 0, len(v.Items))}
		flag := false // the item before was a flag such as --token
		for _, it := range v.Items {
			safe, err := l.value(it, flag)
			if err != nil {
				return hcp.Value{}, err
			}
			out.Items = append(out.Items, safe)
			flag = it.Kind == hcp.String && len(it.Text) > 1 && it.Text[0] == '-' && secretName(it.Text)
		}
		return out, nil
	}
	return v, nil
}

func (l *Log) hide(v hcp.Value) (hcp.Value, error) {
	text := plainText(v)
	print, err := l.fingerprint(text)
	if err != nil {
		return hcp.Value{}, err
	}
	return object(
		hcp.Member{Name: "hmac", Value: hcp.StringValue(print)},
		hcp.Member{Name: "bytes", Value: hcp.IntValue(int64(len(text)))},
	), nil
}

// plainText is a string's or number's own text, and the JSON of the rest.
func plainText(v hcp.Value) []byte {
	if v.Kind == hcp.String || v.Kind == hcp.Number {
		return []byte(v.Text)
	}
	return v.AppendJSON(nil)
}
