package contexts

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

const (
	above = 2 // title and column heads
	below = 4 // what is said about the context under the cursor
)

const (
	colName = iota
	colAnswer
	colServer
	colUser
	colNamespace
	colCluster
	columns
)

// texts are the columns of the entries, ready to be drawn.
func texts(entries []model.ContextEntry) [][columns]string {
	out := make([][columns]string, len(entries))
	for i, e := range entries {
		out[i] = [columns]string{
			colName: part.Named(e.Name), colServer: model.Clean(e.Server), colUser: model.Clean(e.User),
			colNamespace: model.Clean(e.Namespace), colCluster: model.Clean(e.Cluster),
		}
		for c := range out[i] {
			out[i][c] = part.Cut(out[i][c], widest)
		}
	}
	return out
}

const gutter = 3

// widest bounds a column: a name of 10,000 letters says no more than its beginning.
const widest = 60

// Size tells how many rows there will be, and asks the servers that came into
// sight with it.
func (s *Screen) Size(h int) tea.Cmd {
	s.height = max(h-above-below-1, 1)
	return s.moved()
}

// View draws exactly h lines of at most w cells.
func (s *Screen) View(w, h int, look screen.Look) []string {
	out := []string{s.title(w, look)}
	rows := max(h-above-below-1, 1)
	if len(s.rows) == 0 {
		out = append(out, part.Block(s.empty(w, look), w, rows+1)...)
	} else {
		out = append(out, s.table(w, rows, look)...)
	}
	out = part.Block(out, w, above+rows)
	out = append(out, s.about(w, look)...)
	out = part.Block(out, w, h-1)
	if s.prompt != nil {
		return append(out, s.prompt.View(w, look.Ink, "enter keep · esc undo · name, cluster, server, user"))
	}
	return append(out, "")
}

func (s *Screen) title(w int, look screen.Look) string {
	line := part.NewLine(&look.Ink.Ground)
	line.Add(part.Accent, "Contexts")
	if s.filter != "" {
		line.Add(part.Dim, " · filter ").Add(part.Match, model.Clean(s.filter))
		line.Add(part.Text, fmt.Sprintf(" · %d of %d", len(s.rows), len(s.entries)))
	} else if s.listed {
		line.Add(part.Dim, " · ").Add(part.Text, fmt.Sprint(len(s.entries)))
	}
	if s.opening != "" {
		line.Add(part.Dim, " · ").Add(part.Warn, "opening "+model.Clean(s.opening)+" …")
	}
	return part.Cut(line.String(), w)
}

func (s *Screen) table(w, rows int, look screen.Look) []string {
	s.height = rows
	s.scroll.Keep(len(s.rows), rows)
	shown := s.rows[s.scroll.Top:min(s.scroll.Top+rows, len(s.rows))]
	cols := s.fit(w, shown)
	out := []string{part.Blank(gutter) + part.Head(cols, look.Ink)}
	for i, row := range shown {
		out = append(out, s.row(row, cols, w, s.scroll.Top+i == s.scroll.Cursor, look))
	}
	return out
}

func (s *Screen) fit(w int, shown []int) []part.Column {
	want := map[int]int{}
	for _, row := range shown {
		for c := range columns {
			text, _ := s.cell(row, c)
			want[c] = max(want[c], part.Width(text))
		}
	}
	col := func(id int, title string, least, rank int, need bool) part.Column {
		return part.Column{ID: id, Title: title, Min: least, Want: max(want[id], part.Width(title)), Need: need, Rank: rank}
	}
	return part.Arrange([]part.Column{
		col(colName, "NAME", 16, 0, true),
		col(colAnswer, "ANSWERS", 14, 1, true),
		col(colServer, "SERVER", 20, 2, true),
		col(colUser, "USER", 10, 3, false),
		col(colNamespace, "NAMESPACE", 9, 5, false),
		col(colCluster, "CLUSTER", 10, 4, false),
	}, w-gutter)
}

func (s *Screen) row(row int, cols []part.Column, w int, cursor bool, look screen.Look) string {
	ground, sign := &look.Ink.Ground, " "
	if cursor {
		ground, sign = &look.Ink.Cursor, ">"
	}
	line := part.NewLine(ground)
	line.Add(part.Key, sign)
	if e := s.entries[row]; e.Name == s.open && e.Usable {
		line.Add(part.Good, "● ")
	} else {
		line.Add(part.Text, "  ")
	}
	for i, c := range cols {
		text, role := s.cell(row, c.ID)
		if i > 0 {
			line.Add(role, part.Blank(part.Gap))
		}
		line.Add(role, c.Fit(text))
	}
	if cursor {
		line.Pad(w)
	}
	return line.String()
}

func (s *Screen) cell(row, column int) (string, part.Role) {
	e := s.entries[row]
	switch {
	case column == colAnswer:
		return s.answer(e)
	case (column == colName || column == colServer) && e.Usable:
		return s.texts[row][column], part.Text
	default:
		return s.texts[row][column], part.Dim
	}
}

func (s *Screen) answer(e model.ContextEntry) (string, part.Role) {
	a, asked := s.answers[e.Name]
	switch {
	case !e.Usable:
		return part.GlyphBad + " not usable", part.Bad
	case e.Name == s.opening:
		return "… opening", part.Warn
	case !asked:
		return "", part.Dim
	case !a.done:
		return "… asking", part.Dim
	case a.probe.OK:
		return fmt.Sprintf("%s %s  %s", part.GlyphGood, model.Clean(a.probe.Version), took(a.probe.Took)), part.Good
	default:
		return part.GlyphBad + " no answer", part.Bad
	}
}

func took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

// about says in full what the row had no room for.
func (s *Screen) about(w int, look screen.Look) []string {
	e, ok := s.Selected()
	if !ok {
		return nil
	}
	ink := look.Ink
	out := []string{ink.Paint(part.Border, strings.Repeat("─", w))}
	facts := part.NewLine(&ink.Ground)
	facts.Add(part.Text, model.Clean(e.Name)).Add(part.Dim, " from "+model.Clean(e.File))
	if e.Current {
		facts.Add(part.Dim, " · current context")
	}
	if e.ReadOnly {
		facts.Add(part.Dim, " · ").Add(part.Warn, "read-only").Add(part.Dim, ": "+model.Clean(e.ReadOnlyReason))
	}
	if e.Protected {
		facts.Add(part.Dim, " · ").Add(part.Warn, "protected")
	}
	out = append(out, part.Cut(facts.String(), w))
	text, role := model.Clean(e.Problem), part.Warn
	if a := s.answers[e.Name]; a.done && !a.probe.OK {
		text, role = strings.TrimSpace(text+" No answer: "+model.Clean(a.probe.Error)), part.Bad
	}
	for _, l := range part.Wrap(text, w, below-2) {
		out = append(out, ink.Paint(role, l))
	}
	return part.Block(out, w, below)
}

func (s *Screen) empty(w int, look screen.Look) []string {
	var out []string
	say := func(role part.Role, text string) {
		for _, l := range part.Wrap(text, min(w-4, 90), 6) {
			out = append(out, "  "+look.Ink.Paint(role, l))
		}
	}
	out = append(out, "")
	switch {
	case !s.listed:
		say(part.Warn, "Reading the kubeconfig …")
	case len(s.entries) > 0:
		say(part.Warn, "No context matches the filter "+model.Clean(s.filter))
		say(part.Text, "esc clears it.")
	default:
		say(part.Bad, "There is no context to open.")
		out = append(out, "")
		if s.problem != "" {
			say(part.Text, model.Clean(s.problem))
			out = append(out, "")
		}
		say(part.Text, "mullion reads the files of --kubeconfig or $KUBECONFIG, else ~/.kube/config. To look around without a cluster: mullion --demo")
	}
	return out
}
