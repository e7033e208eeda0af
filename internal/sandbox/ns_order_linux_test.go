package sandbox

import (
	"fmt"
	"reflect"
	"testing"
)

// filled gives a value in which nothing is zero, so that a field which is not
// carried over shows.
func filled(v reflect.Value, n *int) {
	*n++
	if v.Type() == reflect.TypeFor[resolver]() {
		return // what the building of a policy needs
	}
	if v.Type() == reflect.TypeFor[[]absentName]() {
		return // hcp's own, for when the child is gone
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d ü\x00\n", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			filled(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			filled(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem(), n)
		}
	default:
		panic(v.Kind().String())
	}
}

// An init is told everything, and does not go by half of it.
func TestNS_Order(t *testing.T) {
	var want, got order
	n := 0
	filled(reflect.ValueOf(&want).Elem(), &n)
	data := want.encode()
	if err := got.decode(data); err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("%v\n%+v\n%+v", err, want, got)
	}
	for cut := range data {
		if new(order).decode(data[:cut]) == nil {
			t.Fatalf("%d of %d bytes are an order", cut, len(data))
		}
	}
	if new(order).decode(append(data, 0)) == nil {
		t.Error("something behind an order is taken for a part of it")
	}
	for at := range data { // whatever the damage, it is no panic
		broken := append([]byte(nil), data...)
		broken[at] ^= 0xff
		new(order).decode(broken)
	}
}
