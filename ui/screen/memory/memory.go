// Package memory is the screen of what memory counts against its limit: commit on
// Windows, working set elsewhere, for nodes and, unfolded, for pods and containers.
//
// The screen never walks over the cluster. A command arranges a snapshot and
// measures it; the screen keeps the answer and draws the lines in sight.
package memory

import (
	"maps"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// Screen is the memory screen. The zero value is not usable; see New.
type Screen struct {
	query   model.MemoryQuery
	changed uint64 // counts the changes of the query
	source  screen.Source

	shown *arranged // what is drawn; nil before the first answer
	want  *model.Snapshot
	busy  bool // a command arranges; there is never more than one

	scroll part.Scroll
	spot   model.MemoryRef // what the cursor is on, wherever that line moves to
	height int             // of the rows, as last drawn: what a page is

	prompt *part.Prompt // open while a filter is typed
	undo   string       // the filter before that

	rows rowMemo
}

// New returns an empty screen. poolLabel is the label that "pool" means in a filter;
// empty takes the usual ones.
func New(poolLabel string) *Screen {
	return &Screen{query: model.MemoryQuery{PoolLabel: poolLabel}}
}

// Reset forgets what belongs to one cluster: rows, folds, cursor and filter. How to
// sort stays.
func (s *Screen) Reset() {
	s.shown, s.want = nil, nil
	s.scroll, s.spot = part.Scroll{}, model.MemoryRef{}
	s.prompt, s.query.Filter, s.query.Unfolded = nil, "", nil
	s.changed++
	s.rows.clear()
}

// Show takes a snapshot. What is drawn changes when it has been arranged.
func (s *Screen) Show(snap *model.Snapshot, src screen.Source) tea.Cmd {
	s.want, s.source = snap, src
	return s.arrange()
}

// SetSource changes what is said of the data without changing them.
func (s *Screen) SetSource(src screen.Source) { s.source = src }

// Typing reports whether keys go into the filter.
func (s *Screen) Typing() bool { return s.prompt != nil }

// Selected returns the row under the cursor.
func (s *Screen) Selected() (model.MemoryRow, bool) {
	if s.lineCount() == 0 {
		return model.MemoryRow{}, false
	}
	return s.shown.tree.Rows[s.scroll.Cursor], true
}

// Visible appends the nodes whose rows are in sight to names.
func (s *Screen) Visible(names []string) []string {
	if s.lineCount() == 0 || s.height == 0 {
		return names
	}
	s.keep(s.height)
	before := ""
	for line := s.scroll.Top; line < min(s.scroll.Top+s.height, s.lineCount()); line++ {
		if name := s.shown.tree.Rows[line].Node.Name; name != before || line == s.scroll.Top {
			names, before = append(names, name), name
		}
	}
	return names
}

func (s *Screen) lineCount() int {
	if s.shown == nil {
		return 0
	}
	return len(s.shown.tree.Rows)
}

// ask changes the query. The rows stay as they are until the answer is there.
func (s *Screen) ask(change func(*model.MemoryQuery)) tea.Cmd {
	change(&s.query)
	s.changed++
	return s.arrange()
}

// filter changes the filter. What a filter unfolds by itself can be folded again, but
// only for as long as it stands.
func (s *Screen) filter(text string) tea.Cmd {
	if text == s.query.Filter {
		return nil
	}
	return s.ask(func(q *model.MemoryQuery) {
		q.Filter, q.Unfolded = text, maps.Clone(q.Unfolded)
		maps.DeleteFunc(q.Unfolded, func(_ model.MemoryRef, open bool) bool { return !open })
	})
}

// setFold folds or unfolds a row. A command may read the old set at this moment, so
// a new one takes its place.
func (s *Screen) setFold(ref model.MemoryRef, open bool) tea.Cmd {
	return s.ask(func(q *model.MemoryQuery) {
		q.Unfolded = maps.Clone(q.Unfolded)
		if q.Unfolded == nil {
			q.Unfolded = map[model.MemoryRef]bool{}
		}
		q.Unfolded[ref] = open
	})
}

// unfoldAll unfolds every node.
func (s *Screen) unfoldAll() tea.Cmd {
	all := make(map[model.MemoryRef]bool, s.shown.tree.Nodes)
	for _, r := range s.shown.tree.Rows {
		all[model.MemoryRef{Node: r.Node.Name}] = true
	}
	return s.ask(func(q *model.MemoryQuery) { q.Unfolded = all })
}

// foldAll folds everything, also what a filter has unfolded.
func (s *Screen) foldAll() tea.Cmd {
	all := map[model.MemoryRef]bool{}
	if s.query.Filter != "" {
		for _, r := range s.shown.tree.Rows {
			all[model.MemoryRef{Node: r.Node.Name}] = false
		}
	}
	return s.ask(func(q *model.MemoryQuery) { q.Unfolded = all })
}

// moveTo puts the cursor on a line and remembers what stands there.
func (s *Screen) moveTo(line int) {
	n := s.lineCount()
	if n == 0 {
		s.scroll.Cursor = 0
		return
	}
	s.scroll.Cursor = max(min(line, n-1), 0)
	s.spot = s.shown.tree.Rows[s.scroll.Cursor].Ref()
}

// keep brings the window to the cursor. Where the window begins below a node, its
// first line shows that node, so the cursor must be below it.
func (s *Screen) keep(h int) {
	s.scroll.Keep(s.lineCount(), h)
	if h > 1 && s.scroll.Cursor == s.scroll.Top && s.scroll.Top > 0 && s.shown.tree.Rows[s.scroll.Cursor].Depth() > 0 {
		s.scroll.Top--
	}
}

// Update takes the answers to the screen's own commands.
func (s *Screen) Update(msg tea.Msg) (screen.Ask, tea.Cmd) {
	if m, ok := msg.(Arranged); ok {
		return s.take(m)
	}
	return nil, nil
}

// Wheel scrolls by lines; the cursor goes along.
func (s *Screen) Wheel(lines int) {
	if s.lineCount() > 0 {
		s.moveTo(s.scroll.Cursor + lines)
	}
}

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
		line = s.nodeLine(line) // the node that stands in for the window's first line
	}
	s.moveTo(line)
	if again {
		return s.Do("enter", now)
	}
	return nil, nil
}

// nodeLine is the line of the node that a line belongs to.
func (s *Screen) nodeLine(line int) int {
	if at, ok := s.shown.place[model.MemoryRef{Node: s.shown.tree.Rows[line].Node.Name}]; ok {
		return at
	}
	return line
}
