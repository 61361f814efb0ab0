// Package nodes is the first screen: the nodes of a cluster, gathered by
// operating system and Windows build or by another grouping.
//
// The screen never walks over the cluster. A command arranges a snapshot and
// measures it; the screen keeps the answer and draws the lines in sight.
package nodes

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// Screen is the nodes screen. The zero value is not usable; see New.
type Screen struct {
	query  model.Query
	source screen.Source

	shown *arranged // what is drawn; nil before the first answer
	want  *model.Snapshot
	busy  bool // a command arranges; there is never more than one

	scroll    part.Scroll
	spot      spot // what the cursor is on, wherever that line moves to
	height    int  // of the rows, as last drawn: what a page is
	collapsed map[string]bool
	starts    []int // line of each group's header; the last is the number of lines
	marks     map[string]bool

	prompt *part.Prompt // open while a filter is typed
	undo   string       // the filter before that

	rows rowMemo
}

// spot is a line by its meaning: a group's header where node is empty.
type spot struct{ group, node string }

// New returns an empty screen. poolLabel is the label that "pool" groups by; empty
// takes the usual ones.
func New(poolLabel string) *Screen {
	return &Screen{
		query:     model.Query{PoolLabel: poolLabel},
		collapsed: map[string]bool{},
		marks:     map[string]bool{},
	}
}

// Reset forgets what belongs to one cluster: rows, marks, cursor and filter. How
// to group and sort stays.
func (s *Screen) Reset() {
	s.shown, s.want = nil, nil
	s.scroll, s.spot = part.Scroll{}, spot{}
	s.collapsed, s.marks = map[string]bool{}, map[string]bool{}
	s.prompt, s.query.Filter = nil, ""
	s.starts = nil
	s.rows.clear()
}

// Show takes a snapshot. What is drawn changes when it has been arranged.
func (s *Screen) Show(snap *model.Snapshot, src screen.Source, now time.Time) tea.Cmd {
	s.want, s.source = snap, src
	return s.arrange(now)
}

// SetSource changes what is said of the data without changing them.
func (s *Screen) SetSource(src screen.Source) { s.source = src }

// Typing reports whether keys go into the filter.
func (s *Screen) Typing() bool { return s.prompt != nil }

// Query is what the screen shows at the moment.
func (s *Screen) Query() model.Query { return s.query }

// Marked returns how many nodes are marked.
func (s *Screen) Marked() int { return len(s.marks) }

// Selected returns the node under the cursor.
func (s *Screen) Selected() (*model.NodeView, bool) {
	if s.lineCount() == 0 {
		return nil, false
	}
	g, n := s.at(s.scroll.Cursor)
	if n < 0 {
		return nil, false
	}
	return s.shown.inv.Groups[g].Nodes[n], true
}

// Aging reports whether anything on the screen grows older by itself.
func (s *Screen) Aging() bool { return s.shown != nil && s.shown.inv.Total.Nodes > 0 }

// Update takes the answers to the screen's own commands.
func (s *Screen) Update(msg tea.Msg, now time.Time) (screen.Ask, tea.Cmd) {
	if m, ok := msg.(Arranged); ok {
		return s.take(m, now)
	}
	return nil, nil
}
