package nodes

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// Arranged answers the command that arranges a snapshot.
type Arranged struct{ arranged }

// arranged is an inventory with what drawing needs and only a walk over all rows
// can tell.
type arranged struct {
	inv     *model.Inventory
	snap    *model.Snapshot
	lineage uint64
	place   map[spot][2]int // group and index of every node
	widths  widths
}

// widths are the cells that the longest text of a column takes; zero roles, pool,
// zone and address say that no node has any.
type widths struct {
	title, name, status, roles, revision, kubelet int
	pods, cpu, memory, classes                    int
	pool, zone, address                           int
	measured                                      bool // some node's memory was asked for
}

// maxName bounds the name column: a name of 10,000 letters must not push
// everything else off the screen.
const maxName = 48

// arrange starts a command where none runs. Its answer starts the next one if
// something newer is wanted by then: a slow machine gets fewer arrangements, not
// a queue of them.
func (s *Screen) arrange(now time.Time) tea.Cmd {
	if s.busy || s.want == nil {
		return nil
	}
	s.busy = true
	snap, query, lineage := s.want, s.query, s.source.Lineage
	return func() tea.Msg {
		a := arranged{inv: model.Arrange(snap, query, now), snap: snap, lineage: lineage}
		a.measure(now)
		return Arranged{a}
	}
}

func (a *arranged) measure(now time.Time) {
	a.place = make(map[spot][2]int, a.inv.Total.Nodes)
	grow := func(w *int, s string) {
		if len(s) > *w { // bytes are never fewer than cells
			*w = max(*w, part.Width(s))
		}
	}
	for g := range a.inv.Groups {
		group := &a.inv.Groups[g]
		if group.Build != "" {
			grow(&a.widths.title, titleText(group))
		}
		grow(&a.widths.revision, revisionText(group))
		t := group.Totals
		grow(&a.widths.pods, part.PodShare(t.Pods, t.MaxPods, true))
		grow(&a.widths.cpu, part.CPUShare(t.Requests.CPU, t.Allocatable.CPU, true))
		grow(&a.widths.memory, part.MemoryShare(t.Requests.Memory, t.Allocatable.Memory, true))
		for i, n := range group.Nodes {
			a.place[spot{group.ID, n.Name}] = [2]int{g, i}
			grow(&a.widths.name, part.Named(n.Name))
			if n.InTrouble() || n.Unschedulable || n.InMaintenance() {
				grow(&a.widths.status, part.NodeStatus(n.Node, now).Text)
			}
			if len(n.Roles) > 0 {
				grow(&a.widths.roles, roleText(n))
			}
			grow(&a.widths.revision, part.Revision(n.Node))
			a.widths.measured = a.widths.measured || n.Usage != nil
			grow(&a.widths.kubelet, model.Clean(n.Kubelet))
			grow(&a.widths.classes, classText(n, true))
			grow(&a.widths.pool, model.Clean(n.Pool(a.inv.Query.PoolLabel)))
			grow(&a.widths.zone, model.Clean(n.Zone()))
			grow(&a.widths.address, model.Clean(address(n.Node)))
		}
	}
	a.widths.name = min(a.widths.name, maxName)
}

// take puts an answer on the screen, unless it is one that nobody waits for any
// more: of another context, of another query, or older than what is drawn.
func (s *Screen) take(m Arranged, now time.Time) (screen.Ask, tea.Cmd) {
	s.busy = false
	if s.want == nil {
		return nil, nil
	}
	var ask screen.Ask
	fits := m.lineage == s.source.Lineage && m.inv.Query == s.query
	if fits && (s.shown == nil || s.shown.lineage != m.lineage || m.inv.Serial >= s.shown.inv.Serial) {
		ask = s.put(&m.arranged)
	}
	if !fits || m.snap != s.want {
		return ask, s.arrange(now)
	}
	return ask, nil
}

func (s *Screen) put(a *arranged) screen.Ask {
	if s.shown != nil && s.shown.lineage != a.lineage {
		s.rows.clear()
	}
	asked := s.shown != nil && s.shown.inv.Query != a.inv.Query
	if asked && (s.shown.inv.Query.Sort != a.inv.Query.Sort || s.shown.inv.Query.Reverse != a.inv.Query.Reverse) {
		s.spot = spot{} // who sorts wants to see what comes first
	}
	s.shown = a
	s.lay()
	if s.spot == (spot{}) {
		s.moveTo(s.firstNode())
	}
	for name := range s.marks {
		if _, ok := a.snap.Node(name); !ok {
			delete(s.marks, name)
		}
	}
	ask := s.follow()
	if asked {
		s.scroll.Top = 0
	}
	return ask
}

// follow brings the cursor back to what it was on. If that is gone, the cursor
// stays on the line, and a node that left the cluster is named.
func (s *Screen) follow() screen.Ask {
	if s.lineCount() == 0 {
		s.scroll.Cursor = 0 // the spot stays: a wider filter brings it back
		return nil
	}
	was := s.spot
	if line, ok := s.lineOf(was); ok {
		s.scroll.Top += line - s.scroll.Cursor // what is looked at stays where it is on the screen
		s.moveTo(line)
		return nil
	}
	s.moveTo(s.scroll.Cursor)
	if was.node == "" {
		return nil
	}
	if _, ok := s.shown.snap.Node(was.node); ok {
		return nil
	}
	return screen.Note{Text: fmt.Sprintf("node %s is gone from the cluster", model.Clean(was.node))}
}
