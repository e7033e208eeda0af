package cli

import (
	"io"
	"strconv"
	"strings"

	"golang.org/x/term"

	"hcp/internal/hcp"
)

const (
	columnGap  = 2
	leastWrap  = 24 // a last column narrower than this goes below
	tableStep  = 4  // what goes below is moved in
	leastWidth = 20 // of a terminal; below that nothing helps
	hintMark   = "hint: "
)

// table writes rows in columns for a person to read. Values are shown, not
// sent. On a terminal that is too narrow for them the last column is wrapped, or
// goes below the others; anywhere else a row is a line.
func (e *Env) table(rows [][]string) error {
	widths := []int{}
	for i, row := range rows {
		rows[i] = make([]string, len(row))
		for j, cell := range row {
			rows[i][j] = hcp.Printable(cell, "")
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], runeWidth(rows[i][j]))
		}
	}
	l := layout{widths: widths, width: e.width()}
	l.decide()
	var b strings.Builder
	for _, row := range rows {
		l.write(&b, row)
	}
	_, err := io.WriteString(e.Stdout, b.String())
	return err
}

// width is the columns of the terminal that stdout is, or 0: no bound.
func (e *Env) width() int {
	if !e.Terminal(e.Stdout) {
		return 0
	}
	if n, err := strconv.Atoi(e.Getenv("COLUMNS")); err == nil && n >= leastWidth {
		return n
	}
	n, _, err := term.GetSize(int(e.Stdout.Fd()))
	if err != nil || n < leastWidth {
		return 0
	}
	return n
}

// layout is how a table's rows are broken.
type layout struct {
	widths []int
	width  int // of the terminal; 0: no bound
	side   int // columns that stand side by side; the others go below
	wrap   int // room of the last of them; 0: as it is
}

func (l *layout) decide() {
	l.side = len(l.widths)
	at := 0 // where the last column begins
	for _, w := range l.widths[:max(0, l.side-1)] {
		at += w + columnGap
	}
	if l.width == 0 || l.side < 2 || at+l.widths[l.side-1] <= l.width {
		return
	}
	if l.wrap = l.width - at; l.wrap >= leastWrap {
		return
	}
	l.wrap = 0
	for l.side--; l.side > 1; l.side-- {
		if at -= columnGap; at <= l.width {
			return
		}
		at -= l.widths[l.side-1]
	}
}

func (l *layout) write(b *strings.Builder, row []string) {
	var line strings.Builder
	for i, cell := range row[:min(l.side, len(row))] {
		if i == len(l.widths)-1 && l.wrap > 0 {
			cell = hang(cell, l.wrap, runeWidth(line.String()))
		}
		line.WriteString(cell + strings.Repeat(" ", max(0, l.widths[i]-runeWidth(cell))+columnGap))
	}
	if text := strings.TrimRight(line.String(), " "); text != "" || l.side >= len(row) {
		b.WriteString(text + "\n")
	}
	for _, cell := range row[min(l.side, len(row)):] {
		if cell != "" {
			b.WriteString(strings.Repeat(" ", tableStep) + hang(cell, l.width-tableStep, tableStep) + "\n")
		}
	}
}

// hang breaks a text at its spaces into lines of at most width, the later ones
// moved in. A word that is longer, such as a path, stays whole, and so does a
// hint: it is a line to copy.
func hang(text string, width, in int) string {
	if strings.HasPrefix(text, hintMark) {
		return text
	}
	return hcp.Fold(text, width, "\n"+strings.Repeat(" ", in))
}

func runeWidth(s string) int { return len([]rune(s)) }
