package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"hcp/internal/hcp"
)

// progress is one line on a terminal, redrawn. Elsewhere, and on a terminal
// that can do nothing, it says nothing.
type progress struct {
	to   io.Writer // nil: nobody looks
	name string
	mu   *sync.Mutex
	last *time.Time
	wide *int // of what stands there now
}

const redraw = 100 * time.Millisecond

func newProgress(env *Env, name string) progress {
	p := progress{name: cutText(hcp.Printable(name, ""), 24), mu: &sync.Mutex{}, last: new(time.Time), wide: new(int)}
	if env.Terminal(env.Stderr) && env.Getenv("TERM") != "dumb" {
		p.to = env.Stderr
	}
	return p
}

// show says how far the reading is. It uses no escape sequence.
func (p progress) show(done, known int) {
	if p.to == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); done != known && now.Sub(*p.last) < redraw {
		return
	} else {
		*p.last = now
	}
	p.draw(fmt.Sprintf("reading %s: %d answers, %d commands", p.name, done, known))
}

func (p progress) draw(text string) {
	n := runeWidth(text)
	fmt.Fprintf(p.to, "\r%s%s", text, strings.Repeat(" ", max(0, *p.wide-n)))
	*p.wide = n
}

// clear takes the line away.
func (p progress) clear() {
	if p.to == nil || *p.wide == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw("")
	io.WriteString(p.to, "\r")
}

// cutText cuts a text to so many characters.
func cutText(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
