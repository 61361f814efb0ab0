package nodes

import (
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
	"github.com/mullion-tui/mullion/ui/screen"
)

// rowKey is all that a row's look depends on. Ages are in it as they are printed,
// so a row is drawn again when its words change and not each second.
type rowKey struct {
	name           string
	version        uint64
	age, status    time.Duration
	used           time.Duration // age of the memory's figures where it is printed
	cursor, marked bool
}

// rowMemo keeps the rows that were drawn lately, for one layout and one theme.
type rowMemo struct {
	frame frame
	rows  map[rowKey]string
}

// frame is what all rows on a screen have in common.
type frame struct {
	w     int
	wide  widths
	theme string
	ink   *part.Inks
	old   bool
	pool  string // the label that names a pool; empty takes the usual ones
	known
}

// known says which kinds have arrived. Before that, nothing is said of them: no
// pods is not the same as no answer about pods.
type known struct{ pods, classes bool }

func knownIn(s *model.Snapshot) known {
	return known{pods: s.Feed(model.KindPod).Listed, classes: s.Feed(model.KindRuntimeClass).Listed}
}

// memoLimit bounds the memo to several screens of the highest terminal.
const memoLimit = 1024

func (m *rowMemo) clear() { m.rows = nil }

func (m *rowMemo) row(n *model.NodeView, cols []part.Column, f frame, look screen.Look, cursor, marked bool) string {
	if m.rows == nil || m.frame != f || len(m.rows) > memoLimit {
		m.frame, m.rows = f, make(map[rowKey]string, 128)
	}
	key := rowKey{name: n.Name, version: n.Version, cursor: cursor, marked: marked, age: say.Round(look.Now.Sub(n.Created))}
	if ready, since := n.Readiness(); ready != model.Ready && !since.IsZero() {
		key.status = say.Round(look.Now.Sub(since))
	}
	if use := n.Memory(); part.MemoryAged(use, look.Now) {
		key.used = say.Round(look.Now.Sub(use.Used.Or(use.Second).At))
	}
	if s, ok := m.rows[key]; ok {
		return s
	}
	s := drawRow(n, cols, f, look, cursor, marked)
	m.rows[key] = s
	return s
}

func drawRow(n *model.NodeView, cols []part.Column, f frame, look screen.Look, cursor, marked bool) string {
	ground := &look.Ink.Ground
	if cursor {
		ground = &look.Ink.Cursor
	}
	line := part.NewLine(ground)
	line.Add(role(part.Key, f.old), mark(cursor, ">")).Add(role(part.Marked, f.old), mark(marked, "*")+" ")
	for i, c := range cols {
		text, r := cell(n, c.ID, f, look.Now)
		if c.ID == colName && marked {
			r = part.Marked
		}
		if i > 0 {
			line.Add(role(r, f.old), part.Blank(part.Gap))
		}
		if c.ID == colCPUMeter || c.ID == colMemoryMeter {
			addMeter(line, c, f, n.Requests, n.Allocatable)
			continue
		}
		line.Add(role(r, f.old), c.Fit(text))
	}
	if cursor {
		line.Pad(f.w)
	}
	return line.String()
}

// addMeter draws the share of what is requested in what is allocatable.
func addMeter(line *part.Line, c part.Column, f frame, requests, allocatable model.Resources) {
	used, all := requests.CPU, allocatable.CPU
	if c.ID == colMemoryMeter {
		used, all = requests.Memory, allocatable.Memory
	}
	if !f.pods {
		all = 0
	}
	full, empty := part.Meter(used, all, c.Width)
	fill := part.Accent
	if part.Fullness(used, all, f.pods) == part.Warn {
		fill = part.Warn
	}
	line.Add(role(fill, f.old), full).Add(role(part.Dim, f.old), empty)
}

func mark(on bool, sign string) string {
	if on {
		return sign
	}
	return " "
}

// role greys what is old, whatever it said when it was new.
func role(r part.Role, old bool) part.Role {
	if old {
		return part.Stale
	}
	return r
}
