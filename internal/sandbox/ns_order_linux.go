package sandbox

import (
	"encoding/binary"
	"errors"
)

// orderMagic starts every order; hcp itself writes and reads it, so that it
// names no version.
const orderMagic = "hcp ns order\n"

// order is all that the init of the ns driver is told: what to build, and what
// to start in it.
type order struct {
	policy     policy
	path       string // what to execute
	argv, env  []string
	dir        string
	uid, gid   int // hcp's, and the child's
	foreground bool
	program    bool   // the program's descriptor was handed over too
	fault      string // tests: the stage that is to fail
}

// encode writes an order the plain way: it is read once, by a process whose
// every microsecond counts.
func (o *order) encode() []byte {
	w := orderWriter(make([]byte, 0, 4<<10))
	w = append(w, orderMagic...)
	p := &o.policy
	w.number(len(p.Views))
	for _, v := range p.Views {
		w.text(v.At)
		w.text(v.From)
		w.flag(v.Dir)
		w.number(int(v.Access))
	}
	for _, list := range [...][]string{p.Protected, p.Pinned, p.Hidden, p.Sockets, o.argv, o.env} {
		w.number(len(list))
		for _, s := range list {
			w.text(s)
		}
	}
	for _, s := range [...]string{p.Network, p.Cwd, p.Private, o.path, o.dir, o.fault} {
		w.text(s)
	}
	w.number(o.uid)
	w.number(o.gid)
	w.flag(o.foreground)
	w.flag(o.program)
	return w
}

type orderWriter []byte

func (w *orderWriter) number(n int) { *w = binary.LittleEndian.AppendUint32(*w, uint32(n)) }

func (w *orderWriter) text(s string) {
	w.number(len(s))
	*w = append(*w, s...)
}

func (w *orderWriter) flag(b bool) {
	n := 0
	if b {
		n = 1
	}
	w.number(n)
}

// decode reads what encode wrote, and nothing else.
func (o *order) decode(data []byte) error {
	r := orderReader{left: data}
	if len(data) < len(orderMagic) || string(data[:len(orderMagic)]) != orderMagic {
		return errOrder
	}
	r.left = data[len(orderMagic):]
	p := &o.policy
	for n := r.count(); n > 0; n-- {
		p.Views = append(p.Views, view{At: r.text(), From: r.text(), Dir: r.flag(), Access: access(r.number())})
	}
	for _, list := range [...]*[]string{&p.Protected, &p.Pinned, &p.Hidden, &p.Sockets, &o.argv, &o.env} {
		if n := r.count(); n > 0 {
			*list = make([]string, 0, n)
			for ; n > 0; n-- {
				*list = append(*list, r.text())
			}
		}
	}
	for _, s := range [...]*string{&p.Network, &p.Cwd, &p.Private, &o.path, &o.dir, &o.fault} {
		*s = r.text()
	}
	o.uid, o.gid = r.number(), r.number()
	o.foreground, o.program = r.flag(), r.flag()
	if r.bad || len(r.left) > 0 {
		return errOrder
	}
	return nil
}

var errOrder = errors.New("damaged order")

type orderReader struct {
	left []byte
	bad  bool
}

func (r *orderReader) number() int {
	if len(r.left) < 4 {
		r.bad, r.left = true, nil
		return 0
	}
	n := binary.LittleEndian.Uint32(r.left)
	r.left = r.left[4:]
	return int(n)
}

// count is the number of items that follow, each of which takes four bytes at
// least.
func (r *orderReader) count() int {
	n := r.number()
	if n > len(r.left)/4 {
		r.bad, r.left = true, nil
		return 0
	}
	return n
}

func (r *orderReader) text() string {
	n := r.number()
	if n > len(r.left) {
		r.bad, r.left = true, nil
		return ""
	}
	s := string(r.left[:n])
	r.left = r.left[n:]
	return s
}

func (r *orderReader) flag() bool {
	n := r.number()
	r.bad = r.bad || n > 1
	return n == 1
}
