package memory

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// Arranged answers the command that arranges a snapshot.
type Arranged struct{ arranged }

// arranged is a tree with what drawing needs and only a walk over all rows can tell.
type arranged struct {
	tree    *model.MemoryTree
	snap    *model.Snapshot
	lineage uint64
	query   uint64 // which change of the query it answers
	place   map[model.MemoryRef]int
	name    int // cells that the longest name takes with what stands before it
}

// maxName bounds the names: one of 10,000 letters must not push everything else off
// the screen.
const maxName = 60

// arrange starts a command where none runs. Its answer starts the next one if
// something newer is wanted by then: a slow machine gets fewer arrangements, not a
// queue of them.
func (s *Screen) arrange() tea.Cmd {
	if s.busy || s.want == nil {
		return nil
	}
	s.busy = true
	snap, query, changed, lineage := s.want, s.query, s.changed, s.source.Lineage
	return func() tea.Msg {
		a := arranged{tree: model.ArrangeMemory(snap, query), snap: snap, lineage: lineage, query: changed}
		a.measure()
		return Arranged{a}
	}
}

func (a *arranged) measure() {
	a.place = make(map[model.MemoryRef]int, len(a.tree.Rows))
	for i, r := range a.tree.Rows {
		a.place[r.Ref()] = i
		name, more := nameText(r), foldWidth*(r.Depth()+1)
		if r.Depth() == 0 && r.Node.HighContainers > 0 {
			more += len(fullSign)
		}
		if len(name)+more > a.name { // bytes are never fewer than cells
			a.name = max(a.name, part.Width(name)+more)
		}
	}
	a.name = min(a.name, maxName)
}

// take puts an answer on the screen, unless it is one that nobody waits for any
// more: of another context, of another query, or older than what is drawn.
func (s *Screen) take(m Arranged) (screen.Ask, tea.Cmd) {
	s.busy = false
	if s.want == nil {
		return nil, nil
	}
	var ask screen.Ask
	fits := m.lineage == s.source.Lineage && m.query == s.changed
	if fits && (s.shown == nil || s.shown.lineage != m.lineage || m.tree.Serial >= s.shown.tree.Serial) {
		ask = s.put(&m.arranged)
	}
	if !fits || m.snap != s.want {
		return ask, s.arrange()
	}
	return ask, nil
}

func (s *Screen) put(a *arranged) screen.Ask {
	if s.shown != nil && s.shown.lineage != a.lineage {
		s.rows.clear()
	}
	if was := s.shown; was != nil && (was.tree.Query.Sort != a.tree.Query.Sort || was.tree.Query.Reverse != a.tree.Query.Reverse) {
		s.spot, s.scroll = model.MemoryRef{}, part.Scroll{} // who sorts wants to see what comes first
	}
	s.shown = a
	return s.follow()
}

// follow brings the cursor back to what it was on: the node where its pod went or was
// folded. If that is gone too, the cursor stays on the line, and a node that left the
// cluster is named.
func (s *Screen) follow() screen.Ask {
	if s.lineCount() == 0 {
		s.scroll.Cursor = 0 // the spot stays: a wider filter brings it back
		return nil
	}
	was := s.spot
	for ref, ok := was, true; ok; ref, ok = ref.Parent() {
		if line, found := s.shown.place[ref]; found {
			s.scroll.Top += line - s.scroll.Cursor // what is looked at stays where it is on the screen
			s.moveTo(line)
			return nil
		}
	}
	s.moveTo(s.scroll.Cursor)
	if was.Node == "" {
		return nil
	}
	if _, ok := s.shown.snap.Node(was.Node); ok {
		return nil
	}
	return screen.Note{Text: fmt.Sprintf("node %s is gone from the cluster", model.Clean(was.Node))}
}
