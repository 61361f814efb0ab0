package memory

import (
	"fmt"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
	"github.com/mullion-tui/mullion/ui/screen"
)

// whyCommit is the legend's sentence.
const whyCommit = "Why commit: Windows refuses a container what it commits beyond its limit, however little of that is in RAM (the working set). Linux kills by working set."

// legendHeight is the height of the screen from which it has room for a legend.
const legendHeight = 18

// below are the lines under the rows: what is known of the row under the cursor, and
// what the bars mean.
func (s *Screen) below(w, h int, look screen.Look) []string {
	row, ok := s.Selected()
	if !ok || h < above+6 {
		return nil
	}
	out := []string{look.Ink.Paint(part.Border, strings.Repeat("─", w))}
	out = append(out, s.details(row, w, look)...)
	if h < legendHeight {
		return out
	}
	return append(out, legend(w, look.Ink)...)
}

// detailLines is the height of the details.
const detailLines = 3

// details say in full what a row may have to cut short: whose figures these are and
// where they come from, the figures, and their course; or why they are missing.
func (s *Screen) details(r model.MemoryRow, w int, look screen.Look) []string {
	d := details{old: s.source.Old}
	use, why := r.Use(), r.Why()
	d.begin(look.Ink).add(part.Group, ownName(r))
	switch {
	case r.Note != "":
	case why != "":
		d.figures(use)
		d.origin(r, use, look)
		for _, l := range part.Wrap("? "+model.Clean(why), w-1, detailLines-1) {
			d.begin(look.Ink).add(part.Warn, l)
		}
	default:
		d.origin(r, use, look)
		d.begin(look.Ink).figures(use)
		d.begin(look.Ink).course(r, use)
	}
	out := make([]string, 0, detailLines)
	for _, l := range d.lines {
		out = append(out, part.Cut(l.String(), w))
	}
	return part.Block(out, w, detailLines)
}

// details gathers lines of facts.
type details struct {
	old   bool
	lines []*part.Line
	first bool // the next fact begins a line
}

func (d *details) begin(ink *part.Inks) *details {
	d.lines, d.first = append(d.lines, part.NewLine(&ink.Ground).Add(part.Text, " ")), true
	return d
}

func (d *details) add(r part.Role, text string) *details {
	if text == "" {
		return d
	}
	line := d.lines[len(d.lines)-1]
	if !d.first {
		line.Add(part.Dim, " · ")
	}
	line.Add(role(r, d.old), text)
	d.first = false
	return d
}

func (d *details) origin(r model.MemoryRow, use model.MemoryUse, look screen.Look) {
	if text := highText(r); text != "" {
		d.add(part.Warn, text+" at 90%")
	}
	if f := use.Used.Or(use.Second); f.Known() {
		text := "from " + f.Source.String()
		if !f.At.IsZero() {
			text += ", " + say.Since(look.Now, f.At) + " ago"
		}
		d.add(part.Dim, text)
	}
	if n := r.Node.Unlimited; r.Depth() == 0 && n > 0 {
		d.add(part.Dim, say.Count(n, "container")+" without a limit")
	}
}

func (d *details) figures(use model.MemoryUse) {
	counts, beside := part.MemoryWords(use)
	d.add(part.MemoryRole(use), counts).add(part.Text, beside)
	if left, ok := use.Headroom(); ok && left >= 0 {
		d.add(part.Text, say.Amounts(left)[0]+" left")
	} else if ok {
		d.add(part.Bad, "! "+say.Amounts(-left)[0]+" beyond the limit")
	}
	if use.Eviction > 0 {
		d.add(part.Dim, "evicts below "+say.Amounts(use.Limit - use.Eviction)[0]+" left")
	}
}

// course is how the last half hour went.
func (d *details) course(r model.MemoryRow, use model.MemoryUse) {
	if r.Depth() > 0 || len(r.Node.History) < 2 {
		return
	}
	low, high := span(r.Node.History)
	text := "steady at " + say.Amounts(high)[0]
	if say.Bytes(low) != say.Bytes(high) {
		ends := say.Amounts(low, high)
		text = fmt.Sprintf("%s to %s", ends[0], ends[1])
	}
	d.add(part.Dim, "last 30 minutes").add(part.Accent, part.Spark(r.Node.History, use.Limit, 20)).add(part.Text, text)
}

func span(history []model.Sample) (low, high int64) {
	low, high = history[0].Used, history[0].Used
	for _, s := range history {
		low, high = min(low, s.Used), max(high, s.Used)
	}
	return low, high
}

// ownName names a row without the rows above it; a pod's only container stands
// beside the pod.
func ownName(r model.MemoryRow) string {
	name := nameText(r)
	switch {
	case r.Container >= 0:
		return part.Named(r.Pod.Name) + "/" + name
	case r.Pod != nil && len(r.Pod.Containers) == 1:
		return part.Named(r.Pod.Name) + "/" + part.Named(r.Pod.Containers[0].Name)
	default:
		return name
	}
}

func legend(w int, ink *part.Inks) []string {
	signs := part.NewLine(&ink.Ground)
	for i, p := range part.MemoryLegend {
		if i > 0 {
			signs.Add(part.Dim, "  ")
		} else {
			signs.Add(part.Dim, " ")
		}
		signs.Add(p.Role, p.Text)
	}
	out := []string{part.Cut(signs.String(), w)}
	for _, l := range part.Wrap(whyCommit, w-1, 3) {
		out = append(out, " "+ink.Paint(part.Dim, l))
	}
	return out
}
