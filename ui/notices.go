package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

// notice is an error and what can be done about it.
type notice struct {
	text, next string
	times      int
	last       time.Time
}

// notices are the errors that wait to be dismissed, the newest last.
type notices struct{ list []notice }

// notices that nobody reads are bounded: the oldest go.
const noticeLimit = 50

// add puts an error in. One that is already waiting is counted and comes to the front.
func (n *notices) add(m notice, now time.Time) {
	m.text, m.next = excerpt(m.text), model.Clean(m.next)
	m.times, m.last = 1, now
	for i, old := range n.list {
		if old.text == m.text && old.next == m.next {
			m.times = old.times + 1
			n.list = append(n.list[:i], n.list[i+1:]...)
			break
		}
	}
	n.list = append(n.list, m)
	if len(n.list) > noticeLimit {
		n.list = n.list[1:]
	}
}

// excerpt cleans a text and keeps what the panel can show: it is wrapped anew for
// every frame, and a plug-in may have written a book.
func excerpt(s string) string {
	const most = 300 * noticeLines
	runes := []rune(model.CleanLines(s))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}

// dismiss takes the error on screen away.
func (n *notices) dismiss() bool {
	if len(n.list) == 0 {
		return false
	}
	n.list = n.list[:len(n.list)-1]
	return true
}

const noticeLines = 5

// view draws the newest error; nil where there is none.
func (n *notices) view(w int, ink *part.Inks, now time.Time) []string {
	if len(n.list) == 0 {
		return nil
	}
	m := n.list[len(n.list)-1]
	title := part.NewLine(&ink.Ground)
	title.Add(part.Error, " ERROR ")
	if m.times > 1 {
		title.Add(part.Bad, fmt.Sprintf(" ×%d", m.times))
	}
	title.Add(part.Dim, " "+say.Since(now, m.last)+" ago · ").Add(part.Key, "esc").Add(part.Dim, " dismisses")
	if more := len(n.list) - 1; more > 0 {
		title.Add(part.Dim, fmt.Sprintf(" · %d more behind it", more))
	}
	title.Add(part.Border, " "+strings.Repeat("─", max(w-title.Width()-1, 0)))
	out := []string{part.Cut(title.String(), w)}
	for _, l := range part.Wrap(m.text, w-1, noticeLines) {
		out = append(out, " "+ink.Paint(part.Bad, l))
	}
	if m.next != "" {
		out = append(out, " "+ink.Paint(part.Text, part.Cut("→ "+m.next, w-1)))
	}
	return out
}
