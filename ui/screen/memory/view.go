package memory

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
	prompt := 0
	if s.prompt != nil {
		prompt = 1
	}
	below := s.below(w, h-prompt, look)
	s.height = max(h-above-prompt-len(below), 1)
	out := make([]string, 0, h)
	out = append(out, s.title(w, look))
	if s.lineCount() == 0 {
		out = append(out, s.empty(look).View(w, h-1-prompt-len(below), look.Ink)...)
	} else {
		out = append(out, s.table(w, look)...)
	}
	out = append(part.Block(out, w, h-prompt-len(below)), below...)
	if s.prompt != nil {
		out = append(out, s.prompt.View(w, look.Ink, "enter keep · esc undo · words of nodes and pods, label=value"))
	}
	return out
}

func (s *Screen) title(w int, look screen.Look) string {
	line := part.NewLine(&look.Ink.Ground)
	if s.source.Old {
		line.Add(part.Warn, "OLD "+s.source.OldText(look.Now)).Add(part.Dim, " · ")
	}
	line.Add(part.Accent, "Memory").Add(part.Dim, " · sort ").Add(part.Text, s.query.Sort.String())
	if s.query.Reverse {
		line.Add(part.Text, " reversed")
	}
	if s.query.Filter != "" {
		line.Add(part.Dim, " · filter ").Add(part.Match, model.Clean(s.query.Filter))
	}
	if s.shown == nil {
		return part.Cut(line.String(), w)
	}
	t := s.shown.tree
	add := func(n int, r part.Role, text string) {
		if n > 0 {
			line.Add(part.Dim, " · ").Add(role(r, s.source.Old), text)
		}
	}
	if t.Nodes < t.All {
		add(t.All, part.Text, fmt.Sprintf("%d of %s", t.Nodes, say.Count(t.All, "node")))
	} else {
		add(t.All, part.Text, say.Count(t.All, "node"))
	}
	add(t.High+t.HighContainers, part.Warn, "! "+fullText(t)+" at 90%")
	add(t.Unknown, part.Warn, fmt.Sprintf("? %d unknown", t.Unknown))
	add(t.Unasked, part.Dim, fmt.Sprintf("%d not asked yet", t.Unasked))
	return part.Cut(line.String(), w)
}

// fullText counts what has reached the warning.
func fullText(t *model.MemoryTree) string {
	nodes, containers := say.Count(t.High, "node"), say.Count(t.HighContainers, "container")
	switch {
	case t.HighContainers == 0:
		return nodes
	case t.High == 0:
		return containers
	default:
		return nodes + ", " + containers
	}
}

// table draws the column heads and the lines in sight.
func (s *Screen) table(w int, look screen.Look) []string {
	f := frame{w: w, name: s.shown.name, high: s.shown.tree.HighContainers > 0, ink: look.Ink, old: s.source.Old}
	cols := columns(w, s.shown.name, f.high)
	s.keep(s.height)
	out := make([]string, 0, s.height+1)
	out = append(out, part.Blank(gutter)+part.Head(cols, look.Ink))
	for line := s.scroll.Top; line < min(s.scroll.Top+s.height, s.lineCount()); line++ {
		row, cursor := s.shown.tree.Rows[line], line == s.scroll.Cursor
		if line == s.scroll.Top && !cursor && s.height > 1 {
			row = s.shown.tree.Rows[s.nodeLine(line)]
		}
		out = append(out, s.rows.row(row, cols, f, look, cursor))
	}
	return out
}

func (s *Screen) empty(look screen.Look) screen.Empty {
	if e, ok := s.source.WhyEmpty(s.want, look.Now); ok {
		return e
	}
	if s.shown == nil || s.busy {
		return screen.Empty{Head: "Arranging the nodes …", Role: part.Dim}
	}
	return screen.Empty{Head: "No node and no pod matches the filter " + model.Clean(s.query.Filter), Role: part.Warn, Body: []string{
		"esc clears it. Words are looked for in what the nodes screen shows of a node, and in the names of pods and namespaces; label=value compares a label of the node."}}
}
