package node

import (
	"time"

	"github.com/mullion-tui/mullion/ui/part"
)

// page gathers the lines of a tab.
type page struct {
	w     int
	ink   *part.Inks
	now   time.Time
	old   bool // all of it is what was, not what is
	lines []string
}

// label is the width of the names in front of facts.
const label = 18

func (p *page) role(r part.Role) part.Role {
	if p.old {
		return part.Stale
	}
	return r
}

func (p *page) blank() { p.lines = append(p.lines, "") }

func (p *page) heading(s string) {
	if len(p.lines) > 0 {
		p.blank()
	}
	p.lines = append(p.lines, p.ink.Paint(p.role(part.Group), part.Cut(s, p.w)))
}

// fact is a name and a value; a long value goes on below itself.
func (p *page) fact(name string, r part.Role, value string) {
	if value == "" {
		r, value = part.Dim, "unknown"
	}
	for i, l := range part.Wrap(value, max(p.w-label, 10), 6) {
		if i > 0 {
			name = ""
		}
		line := part.NewLine(&p.ink.Ground)
		line.Add(p.role(part.Dim), part.Fit(name, label)).Add(p.role(r), l)
		p.lines = append(p.lines, line.String())
	}
}

func (p *page) text(r part.Role, s string) {
	for _, l := range part.Wrap(s, min(p.w, 100), 12) {
		p.lines = append(p.lines, p.ink.Paint(p.role(r), l))
	}
}

// cell is a text with its meaning.
type cell struct {
	text string
	role part.Role
}

// table draws rows under heads. Columns are fitted to all rows: a node has some
// hundred pods at most.
func (p *page) table(cols []part.Column, rows [][]cell) {
	for i := range cols {
		cols[i].ID = i
		cols[i].Want = max(cols[i].Want, part.Width(cols[i].Title))
		for _, r := range rows {
			cols[i].Want = min(max(cols[i].Want, part.Width(r[i].text)), 70)
		}
		cols[i].Min = min(cols[i].Min, cols[i].Want)
	}
	cols = part.Arrange(cols, p.w)
	p.lines = append(p.lines, part.Head(cols, p.ink))
	for _, r := range rows {
		line := part.NewLine(&p.ink.Ground)
		for i, c := range cols {
			if i > 0 {
				line.Add(p.role(r[c.ID].role), part.Blank(part.Gap))
			}
			line.Add(p.role(r[c.ID].role), c.Fit(r[c.ID].text))
		}
		p.lines = append(p.lines, line.String())
	}
}
