// Package node is the screen of one node: what it is, how it is, what runs on it
// and what was said about it lately.
package node

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/act"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/port"
	"github.com/mullion-tui/mullion/ui/screen"
)

const eventsLimit = 15 * time.Second

// Tab is a part of the screen.
type Tab int

// The tabs in the order in which they stand.
const (
	Overview Tab = iota
	Pods
	Labels
	Events
	tabs
)

var tabNames = [tabs]string{"Overview", "Pods", "Labels", "Events"}

// Screen shows one node. The zero value is not usable; see New.
type Screen struct {
	name    string
	view    *model.NodeView // the last one there was; nil before the first
	snap    *model.Snapshot
	gone    time.Time // when it left the cluster; zero while it is there
	session port.Session
	old     string // why the data are old; empty while they are not

	tab    Tab
	top    int
	height int
	lines  int // of the tab, as last drawn

	built    []string // the tab's lines, kept while builtFor holds
	builtFor bodyKey

	events   []model.Event
	asked    time.Time // when the events were asked for; zero is never
	asking   bool
	problem  string // why the events are not there
	sequence uint64
}

// eventsAnswer answers the command that reads events. Two screens on nodes of
// equal names are told apart by their session.
type eventsAnswer struct {
	session  uint64
	node     string
	sequence uint64
	events   []model.Event
	err      error
}

// New returns the screen of a node and asks for its events. session may be nil
// where there is none.
func New(name string, session port.Session, now time.Time) (*Screen, tea.Cmd) {
	s := &Screen{name: name, session: session}
	return s, s.readEvents(now)
}

// Name is the node's name.
func (s *Screen) Name() string { return s.name }

// Show takes a snapshot in. old says why it is not what is, if so.
func (s *Screen) Show(snap *model.Snapshot, old string, now time.Time) {
	s.snap, s.old = snap, old
	v, ok := snap.Node(s.name)
	switch {
	case ok:
		s.view, s.gone = v, time.Time{}
	case s.gone.IsZero():
		s.gone = now
	}
}

func (s *Screen) readEvents(now time.Time) tea.Cmd {
	if s.session == nil {
		return nil
	}
	s.asking, s.asked = true, now
	s.sequence++
	session, name, sequence := s.session, s.name, s.sequence
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), eventsLimit)
		defer cancel()
		events, err := session.NodeEvents(ctx, name)
		return eventsAnswer{session: session.Info().ID, node: name, sequence: sequence, events: events, err: err}
	}
}

// Update takes the answers to the screen's own commands.
func (s *Screen) Update(msg tea.Msg) {
	m, ok := msg.(eventsAnswer)
	if !ok || s.session == nil || m.session != s.session.Info().ID || m.node != s.name || m.sequence != s.sequence {
		return
	}
	s.asking = false
	if m.err != nil {
		s.problem = m.err.Error()
		return
	}
	s.problem, s.events = "", m.events
}

// Actions are what can be done here.
func (s *Screen) Actions() act.Table {
	noEvents := ""
	switch {
	case s.session == nil:
		noEvents = "no session is open"
	case s.asking:
		noEvents = "they are being read"
	}
	return act.Table{
		{ID: "next", Keys: []string{"tab", "right", "l"}, Label: "next part", Help: "to the next part: overview, pods, labels, events"},
		{ID: "previous", Keys: []string{"shift+tab", "left", "h"}, Help: "to the part before"},
		{ID: "refresh", Keys: []string{"r"}, Label: "read events", Help: "read the events again; all else follows by itself", Why: noEvents},
		{ID: "copy", Keys: []string{"y"}, Label: "copy", Minor: true, Help: "copy the node's name"},
		{ID: "up", Keys: []string{"up", "k"}, Help: "one line up"},
		{ID: "down", Keys: []string{"down", "j"}, Help: "one line down"},
		{ID: "pageUp", Keys: []string{"pgup", "ctrl+b", "ctrl+u"}, Help: "a page up"},
		{ID: "pageDown", Keys: []string{"pgdown", " ", "ctrl+f", "ctrl+d"}, Help: "a page down"},
		{ID: "top", Keys: []string{"home"}, Help: "to the top"},
		{ID: "bottom", Keys: []string{"end", "G"}, Help: "to the end"},
		{ID: "back", Keys: []string{"esc"}, Label: "back", Help: "back to the nodes"},
	}
}

// Do carries an action out.
func (s *Screen) Do(id act.ID, now time.Time) (screen.Ask, tea.Cmd) {
	page := max(s.height-1, 1)
	switch id {
	case "back":
		return screen.Back{}, nil
	case "copy":
		return screen.Copy{What: "node name", Text: s.name}, nil
	case "refresh":
		return nil, s.readEvents(now)
	case "next":
		return nil, s.open((s.tab+1)%tabs, now)
	case "previous":
		return nil, s.open((s.tab+tabs-1)%tabs, now)
	case "up":
		s.Wheel(-1)
	case "down":
		s.Wheel(1)
	case "pageUp":
		s.Wheel(-page)
	case "pageDown":
		s.Wheel(page)
	case "top":
		s.top = 0
	case "bottom":
		s.Wheel(s.lines)
	}
	return nil, nil
}

// eventsAge is how old events may be when their tab is opened.
const eventsAge = 10 * time.Second

func (s *Screen) open(t Tab, now time.Time) tea.Cmd {
	s.tab, s.top = t, 0
	if t == Events && !s.asking && now.Sub(s.asked) > eventsAge {
		return s.readEvents(now)
	}
	return nil
}

// Wheel scrolls by lines.
func (s *Screen) Wheel(lines int) {
	s.top = max(min(s.top+lines, s.lines-s.height), 0)
}

// Click opens the tab whose name is at x of the tab line.
func (s *Screen) Click(x, y int, now time.Time) tea.Cmd {
	if y != tabLine {
		return nil
	}
	at := 1
	for t := Tab(0); t < tabs; t++ {
		end := at + part.Width(s.tabText(t)) + 2
		if x >= at && x < end {
			return s.open(t, now)
		}
		at = end + 1
	}
	return nil
}
