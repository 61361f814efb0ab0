package part

import (
	"math"
	"strings"

	"github.com/mullion-tui/mullion/model"
)

// The glyphs of a memory bar. The legend names them; see MemoryLegend.
const (
	barUsed  = "━"
	barHalf  = "╾"
	barFree  = "─"
	barOpen  = "┄" // nothing bounds it
	barStart = "├"
	barLimit = "┤"
	barWarn  = "┼"
	barOver  = "┿" // the same under the fill
	barEvict = "×"
	barWork  = "◇"
)

// Piece is a text with its meaning.
type Piece struct {
	Role Role
	Text string
}

// MemoryLegend explains the glyphs of a bar, in the order of their weight.
var MemoryLegend = []Piece{
	{Text, barUsed + " used"}, {Text, barWork + " working set"}, {Text, barWarn + " 90%"},
	{Text, barEvict + " kubelet evicts"}, {Text, barLimit + " limit"}, {Dim, barOpen + " no limit"}, {Warn, unknown + " unknown"},
}

// MemoryBar draws used memory against its limit on w cells: the end is the limit,
// with the warning and the kubelet's eviction on the way there, and on Windows the
// working set as a mark of its own. Without a limit the bar has no end.
func MemoryBar(m model.MemoryUse, w int) []Piece {
	inner := w - 2
	switch {
	case m.NoLimit || inner < 1:
		return []Piece{{Dim, strings.Repeat(barOpen, max(w, 0))}}
	case m.Limit <= 0:
		return []Piece{{Warn, Fit(unknown, w)}}
	}
	b := newBar(m, inner)
	out := []Piece{{Dim, barStart}}
	for i := range inner {
		out = append(out, b.cell(i))
	}
	return append(out, Piece{Dim, barLimit})
}

// bar are the places on a bar; -1 is nowhere.
type bar struct {
	halves            int // filled, in half cells
	fill              Role
	warn, evict, work int
}

func newBar(m model.MemoryUse, inner int) bar {
	share := func(n int64) float64 { return float64(n) / float64(m.Limit) * float64(inner) }
	// before is the cell that ends where a line is.
	before := func(x float64) int { return max(min(int(math.Ceil(x-1e-9))-1, inner-1), 0) }
	b := bar{fill: Accent, warn: before(model.WarnRatio * float64(inner)), evict: -1, work: -1}
	if m.High() {
		b.fill = MemoryRole(m)
	}
	if m.Used.Known() && m.Used.Value > 0 {
		b.halves = max(min(int(2*share(m.Used.Value)), 2*inner), 1)
	}
	if m.Eviction > 0 {
		b.evict = before(share(m.Eviction))
	}
	if b.evict == b.warn {
		if b.evict++; b.evict == inner { // too coarse for both: they keep their order
			b.evict, b.warn = inner-1, inner-2
		}
	}
	if m.Second.Known() {
		b.work = max(min(int(share(m.Second.Value)), inner-1), 0)
	}
	return b
}

func (b bar) cell(i int) Piece {
	switch {
	case i == b.work:
		return Piece{Text, barWork}
	case i == b.evict && 2*i < b.halves:
		return Piece{b.fill, barEvict}
	case i == b.evict:
		return Piece{Text, barEvict}
	case i == b.warn && 2*i < b.halves:
		return Piece{b.fill, barOver}
	case i == b.warn:
		return Piece{Text, barWarn}
	case 2*i+1 < b.halves:
		return Piece{b.fill, barUsed}
	case 2*i < b.halves:
		return Piece{b.fill, barHalf}
	default:
		return Piece{Dim, barFree}
	}
}
