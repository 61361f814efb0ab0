package findings

import (
	"fmt"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
	"github.com/mullion-tui/mullion/ui/screen"
)

// above is the number of lines over the rows: title and column heads.
const above = 2

// gutter is the room left of the columns, for the cursor.
const gutter = 2

// The columns in the order in which they stand.
const (
	colSeverity = iota
	colID
	colObject
	colSeen
)

// columns fits the table into w cells; what was seen takes what is left over.
func columns(w, object int) []part.Column {
	room := 28
	if w >= 150 {
		room = 60
	}
	return part.Arrange([]part.Column{
		{ID: colSeverity, Title: "SEVERITY", Min: 10, Want: 10, Need: true, Rank: 0},
		{ID: colID, Title: "ID", Min: 3, Want: 3, Need: true, Rank: 0},
		{ID: colObject, Title: "OBJECT", Min: 16, Want: min(max(object, 16), room), Need: true, Rank: 1},
		{ID: colSeen, Title: "WHAT WAS SEEN", Min: 20, Want: w, Need: true, Rank: 2},
	}, w-gutter)
}

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
		out = append(out, s.prompt.View(w, look.Ink, "enter keep · esc undo · words of the finding, its objects, what was seen"))
	}
	return part.Height(out, h)
}

func (s *Screen) title(w int, look screen.Look) string {
	line := part.NewLine(&look.Ink.Ground)
	if s.source.Old {
		line.Add(part.Warn, "OLD "+s.source.OldText(look.Now)).Add(part.Dim, " · ")
	}
	line.Add(part.Accent, "Findings").Add(part.Dim, " by ").Add(part.Text, s.query.by.String())
	if s.query.filter != "" {
		line.Add(part.Dim, " · filter ").Add(part.Match, model.Clean(s.query.filter))
	}
	if s.shown == nil || s.found == nil {
		return part.Cut(line.String(), w)
	}
	add := func(n int, sev severity, text string) {
		if n > 0 {
			line.Add(part.Dim, " · ").Add(s.role(sev.role), sev.glyph+" "+text)
		}
	}
	if shown, all := len(s.shown.rows), len(s.found.rows); shown < all {
		line.Add(part.Dim, " · ").Add(part.Text, fmt.Sprintf("%d of %d", shown, all))
	}
	c := s.found.counts
	add(c.critical, critical, fmt.Sprintf("%d critical", c.critical))
	add(c.warning, warning, say.Count(c.warning, "warning"))
	add(c.info, info, fmt.Sprintf("%d info", c.info))
	add(c.unknown, unknown, fmt.Sprintf("%d not looked at", c.unknown))
	return part.Cut(line.String(), w)
}

// role greys what is old, whatever it said when it was new.
func (s *Screen) role(r part.Role) part.Role {
	if s.source.Old {
		return part.Stale
	}
	return r
}

// table draws the column heads and the lines in sight.
func (s *Screen) table(w int, look screen.Look) []string {
	cols := columns(w, s.shown.object)
	s.keep(s.height)
	out := make([]string, 0, s.height+1)
	out = append(out, part.Blank(gutter)+part.Head(cols, look.Ink))
	for i := s.scroll.Top; i < min(s.scroll.Top+s.height, s.lineCount()); i++ {
		l, cursor := s.shown.lines[i], i == s.scroll.Cursor
		if i == s.scroll.Top && !cursor {
			l = s.shown.lines[l.top]
		}
		if l.head {
			out = append(out, look.Ink.Paint(s.role(l.role), part.Cut(l.title, w)))
			continue
		}
		out = append(out, s.drawRow(s.shown.rows[l.row], cols, w, look, cursor))
	}
	return out
}

func (s *Screen) drawRow(r *row, cols []part.Column, w int, look screen.Look, cursor bool) string {
	ground, mark := &look.Ink.Ground, "  "
	if cursor {
		ground, mark = &look.Ink.Cursor, "> "
	}
	line := part.NewLine(ground).Add(s.role(part.Key), mark)
	for i, c := range cols {
		if i > 0 {
			line.Add(part.Text, part.Blank(part.Gap))
		}
		text, meaning := r.cell(c)
		line.Add(s.role(meaning), c.Fit(text))
	}
	return part.Cut(line.Pad(w).String(), w)
}

func (r *row) cell(c part.Column) (string, part.Role) {
	switch c.ID {
	case colSeverity:
		s := severityOf(r.Finding)
		return s.text(), s.role
	case colID:
		return r.ID, part.Accent
	case colObject:
		return r.object, part.Text
	default:
		return r.seen, part.Text
	}
}

// empty explains why there are no rows: a list that is empty for another reason than
// that all is well must say so.
func (s *Screen) empty(look screen.Look) screen.Empty {
	if s.want == nil {
		e, _ := s.source.WhyEmpty(nil, look.Now)
		return e
	}
	if s.found == nil || s.shown == nil {
		return screen.Empty{Head: "Looking through the cluster …", Role: part.Dim}
	}
	if len(s.found.rows) > 0 {
		return screen.Empty{Head: "No finding matches the filter " + model.Clean(s.query.filter), Role: part.Warn, Body: []string{
			"esc clears it. All its words must stand in the finding's ID, title, severity and objects, or in what was seen."}}
	}
	body := []string{fmt.Sprintf("All rules have looked at %s and %s.", say.Count(len(s.found.snap.Nodes()), "node"), say.Count(s.found.snap.PodCount(), "pod")), "", s.blind()}
	if len(s.found.missing) > 0 {
		return screen.Empty{Head: "Nothing was found so far.", Role: part.Warn, Body: body}
	}
	return screen.Empty{Head: "Nothing was found.", Role: part.Good, Body: body}
}

// blind says what could not be looked at.
func (s *Screen) blind() string {
	var not []string
	if n := len(s.found.missing); n > 0 {
		kinds := make([]string, n)
		for i, k := range s.found.missing {
			kinds[i] = string(k)
		}
		not = append(not, "what has not been listed yet ("+strings.Join(kinds, ", ")+")")
	}
	if s.found.unread > 0 {
		not = append(not, "the memory of "+say.Count(s.found.unread, "node")+" that nobody has read yet")
	}
	not = append(not, "the entries of the kubeconfig (mullion findings looks at them)")
	return "Not looked at: " + strings.Join(not, "; ") + "."
}
