package node

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

func labelLines(p *page, n *model.NodeView) {
	pairs(p, fmt.Sprintf("Labels (%d)", len(n.Labels)), n.Labels)
	pairs(p, fmt.Sprintf("Annotations that mullion reads (%d)", len(n.Annotations)), n.Annotations)
}

func pairs(p *page, title string, m map[string]string) {
	p.heading(title)
	if len(m) == 0 {
		p.text(part.Dim, "none")
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		line := part.NewLine(&p.ink.Ground)
		line.Add(p.role(part.Text), model.Clean(k)).Add(p.role(part.Dim), "=").Add(p.role(part.Accent), model.Clean(m[k]))
		p.lines = append(p.lines, part.Cut(line.String(), p.w))
	}
}

func (s *Screen) eventLines(p *page) {
	switch {
	case s.session == nil:
		p.text(part.Warn, "No session is open, so events cannot be read.")
	case s.asking && len(s.events) == 0:
		p.text(part.Warn, "Reading events …")
	case s.problem != "":
		p.text(part.Bad, "Events cannot be read: "+model.Clean(s.problem))
		p.text(part.Dim, "r tries again. Needed is the right to list events.")
	case len(s.events) == 0:
		p.text(part.Text, "No events about this node. The API server keeps them for an hour unless told otherwise.")
	}
	if !s.asked.IsZero() {
		p.text(part.Dim, "Read "+say.Since(p.now, s.asked)+" ago; r reads them again.")
		p.blank()
	}
	if len(s.events) == 0 {
		return
	}
	rows := make([][]cell, 0, len(s.events))
	for _, e := range s.events {
		glyph, role := "·", part.Text
		if e.Type != "Normal" {
			glyph, role = part.GlyphPressure, part.Warn
		}
		rows = append(rows, []cell{
			{say.Since(p.now, e.Last), part.Dim},
			{glyph + " " + model.Clean(e.Reason), role},
			{fmt.Sprintf("×%d", max(e.Count, 1)), part.Dim},
			{model.Clean(e.Source), part.Dim},
			{model.Clean(e.Message), part.Text},
		})
	}
	p.table([]part.Column{
		{Title: "AGO", Min: 4, Right: true, Need: true, Rank: 0}, {Title: "REASON", Min: 12, Need: true, Rank: 1},
		{Title: "COUNT", Min: 5, Right: true, Rank: 3}, {Title: "FROM", Min: 8, Rank: 4},
		{Title: "MESSAGE", Min: 20, Need: true, Rank: 2},
	}, rows)
}
