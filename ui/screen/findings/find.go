package findings

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/findings"
	"github.com/mullion-tui/mullion/ui/part"
)

// Found answers the command that looks through a snapshot.
type Found struct {
	found *found
	shown *arranged
}

// found is what was found in one snapshot, ready to be drawn.
type found struct {
	snap    *model.Snapshot
	lineage uint64 // the session that the snapshot is of
	rows    []*row // the worst first

	counts  counts
	unread  int // nodes whose memory nobody has read
	missing []model.Kind
}

const (
	// apart is the least time between two looks at a cluster that changes.
	apart = 2 * time.Second
	// patience is how long a look is good where nothing changes: leases, certificates
	// and stuck pods grow old by themselves.
	patience = 10 * time.Second
)

// due reports whether it is time to look through the snapshot.
func (s *Screen) due(now time.Time) bool {
	if s.found == nil || s.found.lineage != s.source.Lineage {
		return true
	}
	since := now.Sub(s.began)
	switch {
	case since < 0: // the clock was set back
		return true
	case s.want != s.found.snap:
		return since >= apart
	default:
		return since >= patience && !s.source.Old
	}
}

// look starts a command where none runs and there is something to do: to look through
// the snapshot, or only to arrange what was found for another query.
func (s *Screen) look(now time.Time) tea.Cmd {
	if s.busy || s.want == nil {
		return nil
	}
	query, changed := s.query, s.changed
	if !s.due(now) {
		if s.shown != nil && s.shown.changed == changed {
			return nil
		}
		s.busy = true
		have := s.found
		return func() tea.Msg { return Found{have, arrange(have, query, changed)} }
	}
	if s.book == nil || s.owner != s.source.Lineage {
		s.book, s.owner = &findings.Book{}, s.source.Lineage
	}
	s.busy, s.began = true, now
	world, book, lineage := findings.World{Snapshot: s.want, Now: now}, s.book, s.source.Lineage
	if s.source.Old {
		world.Now = s.source.OldSince // nothing in it has grown older since
	}
	return func() tea.Msg {
		f := prepare(book.Find(world), world.Snapshot, lineage)
		return Found{f, arrange(f, query, changed)}
	}
}

// take puts an answer on the screen, unless it is of another session. One that is
// arranged for an older query is arranged anew.
func (s *Screen) take(m Found, now time.Time) tea.Cmd {
	s.busy = false
	if s.want == nil {
		return nil
	}
	if m.found.lineage == s.source.Lineage {
		s.found = m.found
		if m.shown.changed == s.changed {
			s.put(m.shown)
		}
	}
	return s.look(now)
}

func (s *Screen) put(a *arranged) {
	regrouped := s.shown != nil && s.shown.by != a.by
	s.shown = a
	if s.lineCount() == 0 {
		s.scroll = part.Scroll{} // the spot stays: a wider filter brings it back
		return
	}
	line, ok := a.place[s.spot]
	if !ok {
		s.moveTo(s.scroll.Cursor)
		return
	}
	if !regrouped {
		s.scroll.Top += line - s.scroll.Cursor // what is looked at stays where it is on the screen
	}
	s.moveTo(line)
}
