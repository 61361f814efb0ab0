package nodes

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
	"github.com/mullion-tui/mullion/ui/screen"
)

// above is the number of lines over the rows: title and column heads.
const above = 2

// View draws exactly h lines of at most w cells.
func (s *Screen) View(w, h int, look screen.Look) []string {
	out := make([]string, 0, h)
	out = append(out, s.title(w, look))
	bottom := 0
	if s.prompt != nil {
		bottom = 1
	}
	s.height = max(h-above-bottom, 1)
	if s.shown == nil || s.lineCount() == 0 {
		out = append(out, s.empty(look).View(w, h-1-bottom, look.Ink)...)
	} else {
		out = append(out, s.table(w, look)...)
	}
	out = part.Height(out, h-bottom)
	if s.prompt != nil {
		out = append(out, s.prompt.View(w, look.Ink, "enter keep · esc undo · words, label=value, label!=value"))
	}
	return out
}

func (s *Screen) title(w int, look screen.Look) string {
	line := part.NewLine(&look.Ink.Ground)
	if s.source.Old {
		line.Add(part.Warn, "OLD "+s.source.OldText(look.Now)).Add(part.Dim, " · ")
	}
	line.Add(part.Accent, "Nodes").Add(part.Dim, " by ").Add(part.Text, s.query.Grouping.String())
	line.Add(part.Dim, " · sort ").Add(part.Text, s.query.Sort.String())
	if s.query.Reverse {
		line.Add(part.Text, " reversed")
	}
	if n := len(s.marks); n > 0 {
		line.Add(part.Dim, " · ").Add(part.Marked, fmt.Sprintf("* %d marked", n))
	}
	if s.query.Filter != "" {
		line.Add(part.Dim, " · filter ").Add(part.Match, model.Clean(s.query.Filter))
		if s.shown != nil && s.shown.inv.Query == s.query {
			line.Add(part.Text, fmt.Sprintf(" · %d of %s", s.shown.inv.Total.Nodes, say.Count(s.shown.inv.All, "node")))
		}
	}
	if s.shown != nil && s.shown.inv.Total.Nodes > 0 {
		divider := " · "
		for _, c := range counts(s.shown.inv.Total) {
			line.Add(part.Dim, divider).Add(role(c.role, s.source.Old), c.long)
			divider = ", "
		}
	}
	return part.Cut(line.String(), w)
}

// table draws the column heads and the lines in sight.
func (s *Screen) table(w int, look screen.Look) []string {
	f := frame{w: w, wide: s.shown.widths, theme: look.Ink.Name, ink: look.Ink, old: s.source.Old, pool: s.query.PoolLabel, known: knownIn(s.shown.snap)}
	cols := columns(w, s.shown.widths)
	s.keep(s.height)
	out := make([]string, 0, s.height+1)
	out = append(out, part.Blank(gutter)+part.Head(s.arrow(cols), look.Ink))
	for line := s.scroll.Top; line < min(s.scroll.Top+s.height, s.lineCount()); line++ {
		g, i := s.at(line)
		group := &s.shown.inv.Groups[g]
		cursor := line == s.scroll.Cursor
		if i < 0 || (line == s.scroll.Top && !cursor && s.height > 1) {
			out = append(out, drawGroup(group, cols, f, look, cursor, s.collapsed[s.foldKey(group.ID)]))
			continue
		}
		n := group.Nodes[i]
		out = append(out, s.rows.row(n, cols, f, look, cursor, s.marks[n.Name]))
	}
	return out
}

// sorted are the columns that rows can be sorted by.
var sorted = map[model.SortKey]int{
	model.SortByName: colName, model.SortByStatus: colStatus, model.SortByRevision: colRevision, model.SortByPods: colPods,
	model.SortByCPU: colCPU, model.SortByMemory: colMemory, model.SortByAge: colAge,
}

// arrow marks the column that the rows are sorted by, where its head has room.
func (s *Screen) arrow(cols []part.Column) []part.Column {
	for i, c := range cols {
		title := c.Title + "↓"
		if s.shown.inv.Query.Reverse {
			title = c.Title + "↑"
		}
		if c.ID == sorted[s.shown.inv.Query.Sort] && part.Width(title) <= c.Width {
			cols[i].Title = title
		}
	}
	return cols
}

// Click puts the cursor on the row at y, counted from the screen's first line. A
// header folds or unfolds; a second click on a node opens it.
func (s *Screen) Click(y int) screen.Ask {
	y -= above
	if s.lineCount() == 0 || y < 0 || y >= s.height || s.scroll.Top+y >= s.lineCount() {
		return nil
	}
	line := s.scroll.Top + y
	again := line == s.scroll.Cursor
	if g, i := s.at(line); y == 0 && i >= 0 && !again {
		line = s.starts[g] // the header that stands in for the window's first line
	}
	s.moveTo(line)
	if s.spot.node == "" {
		s.toggle()
		return nil
	}
	if again {
		return screen.OpenNode{Name: s.spot.node}
	}
	return nil
}
