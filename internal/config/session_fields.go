package config

import (
	"errors"
	"strconv"

	"hcp/internal/hcp"
)

// decoder keeps the first fault of a session file.
type decoder struct{ err error }

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = errors.New(what)
	}
}

// fields takes the members of one object, each exactly once.
type fields struct {
	d     *decoder
	v     hcp.Value
	taken int
}

func (d *decoder) object(v hcp.Value) fields {
	if v.Kind != hcp.Object {
		d.fail("not an object")
	}
	return fields{d: d, v: v}
}

func (o *fields) get(name string) hcp.Value {
	v := o.v.Get(name)
	if v.Kind == hcp.Missing {
		o.d.fail(name + " missing")
		return v
	}
	o.taken++
	return v
}

func (o *fields) done() {
	if o.taken < len(o.v.Members) {
		o.d.fail("unknown field")
	}
}

func (o *fields) text(name string) string {
	v := o.get(name)
	if v.Kind != hcp.String {
		o.d.fail(name + " is not a string")
	}
	return v.Text
}

func (o *fields) list(name string) []string {
	list, ok := o.get(name).Strings()
	if !ok {
		o.d.fail(name + " is not a list of strings")
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

func (o *fields) integer(name string) int64 {
	v := o.get(name)
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if v.Kind != hcp.Number || err != nil {
		o.d.fail(name + " is not a whole number")
	}
	return n
}

func (o *fields) unsigned(name string) uint64 {
	v := o.get(name)
	n, err := strconv.ParseUint(v.Text, 10, 64)
	if v.Kind != hcp.Number || err != nil {
		o.d.fail(name + " is not a whole number from 0")
	}
	return n
}
