package findings

import (
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// leastHeight is the height of the screen from which a finding is explained.
const leastHeight = 9

// label is the room for the word in front of each paragraph.
const label = 9

// below explains the finding under the cursor, on a number of lines that depends on
// the size alone: the table must not jump as the cursor moves.
func (s *Screen) below(w, h int, look screen.Look) []string {
	r, ok := s.selected()
	if !ok || h < leastHeight {
		return nil
	}
	lines := 13
	switch {
	case w >= 150:
		lines = 8
	case w >= 100:
		lines = 10
	}
	lines = min(lines, h/2)
	out := []string{look.Ink.Paint(part.Border, strings.Repeat("─", w))}
	sev := severityOf(r.Finding)
	head := part.NewLine(&look.Ink.Ground).Add(part.Text, " ").Add(s.role(part.Group), r.ID+" "+r.Title)
	head.Add(part.Dim, " · ").Add(s.role(sev.role), sev.text())
	if r.object != "-" {
		head.Add(part.Dim, " · ").Add(s.role(part.Text), r.object)
	}
	out = append(out, part.Cut(head.String(), w))
	out = append(out, s.paragraphs(r, w, lines-len(out), look)...)
	return part.Block(out, w, lines)
}

// paragraphs says what was seen, why it matters, what to do, and what else it is
// about, on at most h lines.
func (s *Screen) paragraphs(r *row, w, h int, look screen.Look) []string {
	texts := []struct{ word, text string }{
		{"seen", r.seen}, {"why", model.Clean(r.Why)}, {"do", model.Clean(r.Remedy)}, {"related", r.also},
	}
	if r.Unknown {
		texts[0].word = "unknown"
	}
	need := make([]int, len(texts))
	for i, t := range texts {
		if t.text != "" {
			need[i] = len(part.Wrap(t.text, w-label-1, h))
		}
	}
	given := share(need, h)
	var out []string
	for i, t := range texts {
		for k, l := range part.Wrap(t.text, w-label-1, given[i]) {
			word := ""
			if k == 0 {
				word = t.word
			}
			line := part.NewLine(&look.Ink.Ground).Add(part.Dim, " "+part.Fit(word, label))
			out = append(out, line.Add(s.role(part.Text), l).String())
		}
	}
	return out
}

// share gives everybody who needs lines one after the other, in turns, so that a long
// text does not take the room of those behind it.
func share(need []int, lines int) []int {
	given := make([]int, len(need))
	for again := true; again; {
		again = false
		for i := range need {
			if lines > 0 && given[i] < need[i] {
				given[i]++
				lines--
				again = true
			}
		}
	}
	return given
}
