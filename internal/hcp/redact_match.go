package hcp

// automaton finds many words in one pass (Aho and Corasick, 1975): for every
// text read it knows the longest suffix that begins a word.
type automaton struct {
	nodes []acNode
	root  [256]int32 // the root's children; 0: none
}

// acNode is one beginning of a word. Node 0 is the empty one.
type acNode struct {
	child, sibling int32 // first child, next child of the same parent; 0: none
	fail           int32 // the longest proper suffix that is a node
	depth          int32 // its length in bytes
	match          int32 // length of the longest word that is its suffix; 0: none
	b              byte
}

func (a *automaton) add(word string) {
	if a.nodes == nil {
		a.nodes = make([]acNode, 1, len(word)+1)
	}
	at := int32(0)
	for i := 0; i < len(word); i++ {
		next := a.child(at, word[i])
		if next == 0 {
			next = int32(len(a.nodes))
			a.nodes = append(a.nodes, acNode{sibling: a.nodes[at].child, depth: a.nodes[at].depth + 1, b: word[i]})
			a.nodes[at].child = next
		}
		at = next
	}
	a.nodes[at].match = a.nodes[at].depth
}

func (a *automaton) child(at int32, b byte) int32 {
	for c := a.nodes[at].child; c != 0; c = a.nodes[c].sibling {
		if a.nodes[c].b == b {
			return c
		}
	}
	return 0
}

// link fills fail and match, breadth first: a node's fail is less deep.
func (a *automaton) link() {
	queue := make([]int32, 0, len(a.nodes))
	for c := a.nodes[0].child; c != 0; c = a.nodes[c].sibling {
		a.root[a.nodes[c].b] = c
		queue = append(queue, c)
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		fail := a.nodes[at].fail
		if a.nodes[at].match == 0 {
			a.nodes[at].match = a.nodes[fail].match
		}
		for c := a.nodes[at].child; c != 0; c = a.nodes[c].sibling {
			a.nodes[c].fail = a.step(fail, a.nodes[c].b)
			queue = append(queue, c)
		}
	}
}

func (a *automaton) step(at int32, b byte) int32 {
	for at != 0 {
		if c := a.child(at, b); c != 0 {
			return c
		}
		at = a.nodes[at].fail
	}
	return a.root[b]
}

// sink takes decoded bytes. Each says which stretch of the source it stood for,
// in bytes from the stream's start.
type sink interface {
	push(b byte, from, to int64)
	// hold is from where on the source must be kept back, because a secret may
	// have begun there; none when nothing has.
	hold() int64
	reset()
}

const none = int64(1<<63 - 1)

const (
	settled   = 4 // characters after which a broken line may be a broken secret
	maxBreaks = 4 // line break characters in a row that a secret may go on after
)

// matcher runs one automaton over one decoding of the stream.
type matcher struct {
	words  *automaton
	found  func(from, to int64)
	joins  bool // line breaks are looked through
	at     int32
	starts []int64 // of each byte of what has matched so far
	floor  int64   // before this, nothing is kept back any more
	breaks int
}

func (m *matcher) push(b byte, from, to int64) {
	if m.joins && (b == '\n' || b == '\r') {
		m.lineBreak(to)
		return
	}
	m.breaks = 0
	if m.at == 0 && m.words.root[b] == 0 {
		return
	}
	if m.at = m.words.step(m.at, b); m.at == 0 {
		m.starts = m.starts[:0]
		return
	}
	node := &m.words.nodes[m.at]
	m.starts = lastOf(append(m.starts, from), int(node.depth))
	if node.match > 0 {
		m.found(m.starts[len(m.starts)-int(node.match)], to)
	}
}

// lastOf keeps the last n; a few are moved, so that their memory serves again.
func lastOf(list []int64, n int) []int64 {
	const few = 32
	rest := list[len(list)-n:]
	if n > few {
		return rest
	}
	return list[:copy(list, rest)]
}

// lineBreak lets a line out whose last few characters begin a secret by chance:
// should they have been more than chance, the rest is still masked.
func (m *matcher) lineBreak(to int64) {
	m.breaks++
	switch {
	case m.breaks > maxBreaks:
		m.reset()
	case len(m.starts) < settled:
		m.floor = to
	}
}

func (m *matcher) hold() int64 {
	if m.at == 0 {
		return none
	}
	return max(m.starts[0], m.floor)
}

func (m *matcher) reset() { m.at, m.starts, m.breaks = 0, m.starts[:0], 0 }
