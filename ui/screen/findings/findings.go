// Package findings is the screen of what is wrong with the cluster, or will be, with
// what was seen, why it matters and what to do.
//
// The screen never looks over the cluster. A command finds and arranges; the screen
// keeps the answer and draws the lines in sight.
package findings

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/findings"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// Screen is the findings screen. The zero value is not usable; see New.
type Screen struct {
	query   query
	changed uint64 // counts the changes of the query
	source  screen.Source

	book  *findings.Book // of one session; a command owns it while busy
	owner uint64         // the lineage that the book is of
	busy  bool           // a command finds; there is never more than one
	began time.Time      // when the last one that found began

	found *found // nil before the first answer
	shown *arranged
	want  *model.Snapshot

	scroll part.Scroll
	spot   ref // what the cursor is on, wherever that line moves to
	height int // of the rows, as last drawn: what a page is

	prompt *part.Prompt // open while a filter is typed
	undo   string       // the filter before that
	before ref          // what the cursor was on then
}

// New returns an empty screen.
func New() *Screen { return &Screen{} }

// Reset forgets what belongs to one cluster: findings, cursor and filter. The grouping
// stays.
func (s *Screen) Reset() {
	s.found, s.shown, s.want, s.book, s.began = nil, nil, nil, nil, time.Time{}
	s.scroll, s.spot = part.Scroll{}, ref{}
	s.prompt, s.query.filter = nil, ""
	s.changed++
}

// Show takes a snapshot. What is drawn changes when it has been looked through, which
// is not done for every one. It belongs to be called every second too, while the screen
// is looked at: what is due by then is done then.
func (s *Screen) Show(snap *model.Snapshot, src screen.Source, now time.Time) tea.Cmd {
	s.want, s.source = snap, src
	return s.look(now)
}

// SetSource changes what is said of the data without changing them.
func (s *Screen) SetSource(src screen.Source) { s.source = src }

// Typing reports whether keys go into the filter.
func (s *Screen) Typing() bool { return s.prompt != nil }

// selected returns the finding under the cursor.
func (s *Screen) selected() (*row, bool) {
	if s.lineCount() == 0 {
		return nil, false
	}
	return s.shown.rows[s.shown.lines[s.scroll.Cursor].row], true
}

func (s *Screen) lineCount() int {
	if s.shown == nil {
		return 0
	}
	return len(s.shown.lines)
}

// ask changes the query. The rows stay as they are until the answer is there.
func (s *Screen) ask(now time.Time, change func(*query)) tea.Cmd {
	change(&s.query)
	s.changed++
	return s.look(now)
}

func (s *Screen) filter(text string, now time.Time) tea.Cmd {
	if text == s.query.filter {
		return nil
	}
	return s.ask(now, func(q *query) { q.filter = text })
}

// move puts the cursor on the row that is n further, heads of groups not
// counted, and remembers what stands there.
func (s *Screen) move(n int) {
	if s.lineCount() == 0 {
		return
	}
	s.moveTo(s.shown.lineOf[min(max(s.shown.lines[s.scroll.Cursor].row+n, 0), len(s.shown.rows)-1)])
}

// moveTo puts the cursor on a line; the head of a group gives it to its first row.
func (s *Screen) moveTo(line int) {
	n := s.lineCount()
	if n == 0 {
		s.scroll.Cursor = 0
		return
	}
	line = max(min(line, n-1), 0)
	if s.shown.lines[line].head {
		line++ // every group has a row
	}
	s.scroll.Cursor, s.spot = line, s.shown.rows[s.shown.lines[line].row].ref
}

// keep brings the window to the cursor. The first line in sight names the group, so
// the cursor must be below it.
func (s *Screen) keep(h int) {
	s.scroll.Keep(s.lineCount(), h)
	if h > 1 && s.scroll.Cursor == s.scroll.Top && s.scroll.Top > 0 {
		s.scroll.Top--
	}
}

// Update takes the answers to the screen's own commands.
func (s *Screen) Update(msg tea.Msg, now time.Time) tea.Cmd {
	if m, ok := msg.(Found); ok {
		return s.take(m, now)
	}
	return nil
}

// Wheel scrolls by lines; the cursor goes along.
func (s *Screen) Wheel(lines int) { s.move(lines) }

// Click puts the cursor on the row at y, counted from the screen's first line. A
// second click does what enter does.
func (s *Screen) Click(y int, now time.Time) (screen.Ask, tea.Cmd) {
	y -= above
	if s.lineCount() == 0 || y < 0 || y >= s.height || s.scroll.Top+y >= s.lineCount() {
		return nil, nil
	}
	line := s.scroll.Top + y
	again := line == s.scroll.Cursor
	if y == 0 && !again {
		line = s.shown.lines[line].top // the head that stands in for the window's first line
	}
	s.moveTo(line)
	if action, ok := s.Actions().Find("enter"); again && ok && action.Why == "" {
		return s.Do("enter", now)
	}
	return nil, nil
}
