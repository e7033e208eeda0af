package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// filter assembles a program of classic BPF for a little-endian machine: first
// a table of the calls that are not simply allowed, then, for those that depend
// on their arguments, what decides. All refusals with EPERM are jumps to its end.
type filter struct {
	code   []unix.SockFilter
	calls  []judged
	refuse []target
}

// judged is a system call that is refused, or allowed by its arguments only.
type judged struct {
	nr   uint32
	body func() // nil: refused as a whole
}

// target is a jump whose end is not known yet.
type target struct {
	at   int
	when bool // it is taken when the comparison holds; else when it does not
}

func (f *filter) emit(op uint16, k uint32, jt, jf uint8) {
	f.code = append(f.code, unix.SockFilter{Code: op, Jt: jt, Jf: jf, K: k})
}

func (f *filter) load(offset uint32) { f.emit(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }

// arg loads the low half of an argument.
func (f *filter) arg(n uint32) { f.load(dataArgs + 8*n) }

func (f *filter) mask(bits uint32) { f.emit(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, bits, 0, 0) }

func (f *filter) answer(a uint32) { f.emit(unix.BPF_RET|unix.BPF_K, a, 0, 0) }

func (f *filter) jump(test uint16, k uint32, jt, jf uint8) {
	f.emit(unix.BPF_JMP|unix.BPF_K|test, k, jt, jf)
}

// deny refuses system calls as a whole.
func (f *filter) deny(numbers ...uint32) {
	for _, nr := range numbers {
		f.calls = append(f.calls, judged{nr: nr})
	}
}

// when judges one system call by its arguments; what body does not refuse is
// allowed.
func (f *filter) when(nr uint32, body func()) { f.calls = append(f.calls, judged{nr, body}) }

func (f *filter) refuseIf(test uint16, k uint32, when bool) {
	f.refuse = append(f.refuse, target{len(f.code), when})
	f.jump(test, k, 0, 0)
}

// denyEqual refuses when what is loaded is one of the values: as many
// instructions as values.
func (f *filter) denyEqual(values ...uint32) {
	for _, v := range values {
		f.refuseIf(unix.BPF_JEQ, v, true)
	}
}

// denyOther refuses when what is loaded is none of the values: as many
// instructions as values.
func (f *filter) denyOther(values ...uint32) {
	last := len(values) - 1
	for i, v := range values[:last] {
		f.jump(unix.BPF_JEQ, v, uint8(last-i), 0)
	}
	f.refuseIf(unix.BPF_JEQ, values[last], false)
}

// denyBits refuses when any of the bits is set in what is loaded.
func (f *filter) denyBits(bits uint32) { f.refuseIf(unix.BPF_JSET, bits, true) }

// group is how many calls are compared one by one. The kernel walks the whole
// program for every system call there is when it is installed, so that a plain
// list of a hundred costs 0.2 ms.
const group = 8

// finish writes the table, with the call's number loaded, and what it refers
// to. It gives nil when a jump would be too far or a call is in it twice.
func (f *filter) finish() []unix.SockFilter {
	slices.SortStableFunc(f.calls, func(a, b judged) int { return int(a.nr) - int(b.nr) })
	bodies := map[uint32]int{} // number → its comparison
	for chunk := range slices.Chunk(f.calls, group) {
		f.jump(unix.BPF_JGT, chunk[len(chunk)-1].nr, uint8(len(chunk)+1), 0)
		for _, c := range chunk {
			if _, twice := bodies[c.nr]; twice {
				return nil
			}
			bodies[c.nr] = len(f.code)
			if c.body == nil {
				f.denyEqual(c.nr)
			} else {
				f.jump(unix.BPF_JEQ, c.nr, 0, 0)
			}
		}
		f.answer(answerAllow)
	}
	f.answer(answerAllow)
	for _, c := range f.calls {
		if c.body == nil {
			continue
		}
		at := bodies[c.nr]
		far := len(f.code) - at - 1
		if far > 255 {
			return nil
		}
		f.code[at].Jt = uint8(far)
		c.body()
		f.answer(answerAllow)
	}
	return f.resolve()
}

// resolve ends the program and lets every refusal jump there.
func (f *filter) resolve() []unix.SockFilter {
	end := len(f.code)
	f.answer(answerEPERM)
	for _, r := range f.refuse {
		far := end - r.at - 1
		if far > 255 {
			return nil
		}
		if r.when {
			f.code[r.at].Jt = uint8(far)
		} else {
			f.code[r.at].Jf = uint8(far)
		}
	}
	return f.code
}
