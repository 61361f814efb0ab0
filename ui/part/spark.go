package part

import (
	"strings"
	"time"

	"github.com/mullion-tui/mullion/model"
)

var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkSpan is what a sparkline shows.
const sparkSpan = 30 * time.Minute

// Spark draws the last half hour of a history on w cells, the newest sample at the
// right edge; each cell shows its highest sample, a blank one has none. Between its
// lowest and its highest step lies at least a tenth of limit (bytes; 0 is not
// known), so that a calm node looks calm.
func Spark(history []model.Sample, limit int64, w int) string {
	if len(history) == 0 || w <= 0 {
		return Blank(w)
	}
	end := history[len(history)-1].At
	cells := make([]int64, w)
	low, high := history[len(history)-1].Used, history[len(history)-1].Used
	for _, s := range history {
		i := w - 1 - int(int64(w)*int64(end.Sub(s.At))/int64(sparkSpan))
		if i < 0 || i >= w {
			continue
		}
		cells[i] = max(cells[i], s.Used)
		low, high = min(low, s.Used), max(high, s.Used)
	}
	if calm := limit / 10; high-low < calm {
		low -= (calm - (high - low)) / 2
		high = low + calm
	}
	var b strings.Builder
	for _, n := range cells {
		switch {
		case n == 0:
			b.WriteByte(' ')
		case high == low:
			b.WriteRune(sparks[0])
		default:
			step := int(float64(n-low) / float64(high-low) * float64(len(sparks)))
			b.WriteRune(sparks[max(min(step, len(sparks)-1), 0)])
		}
	}
	return b.String()
}
