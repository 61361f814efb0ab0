package ui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/port"
	"github.com/mullion-tui/mullion/ui/screen"
)

const (
	openLimit = 30 * time.Second
	nextLimit = time.Minute
)

// live is the session on screen. The zero value is none.
type live struct {
	session port.Session
	info    model.SessionInfo
	snap    *model.Snapshot // nil before the first
	ended   error           // why no more will come
	ctx     context.Context // ends with the session
	cancel  context.CancelFunc

	looked []string // the nodes that the session was told to be on screen
}

// opening is the attempt to open a context. Its answer carries its token; one
// with another token belongs to an attempt that was given up.
type opening struct {
	name   string // empty: none is under way
	token  uint64
	cancel context.CancelFunc
}

type (
	openedMsg struct {
		token   uint64
		name    string
		session port.Session
		err     error
	}
	snapshotMsg struct {
		session uint64
		snap    *model.Snapshot // nil: nothing new within the limit
		err     error
	}
)

// open starts to open a context. What is on screen stays until that succeeded.
func (a *App) open(name string) tea.Cmd {
	a.giveUpOpening()
	ctx, cancel := context.WithTimeout(context.Background(), openLimit)
	a.opening.name, a.opening.cancel = name, cancel
	token, from := a.opening.token, a.opts.Contexts
	a.markContexts()
	if a.live.session == nil {
		a.setSource()
	}
	return func() tea.Msg {
		session, err := from.Open(ctx, name)
		return openedMsg{token: token, name: name, session: session, err: err}
	}
}

func (a *App) giveUpOpening() {
	if a.opening.cancel != nil {
		a.opening.cancel()
	}
	a.opening = opening{token: a.opening.token + 1}
	a.markContexts()
	a.setSource()
}

// opened puts a new session in the place of the old one, all at once: identity,
// rows and stream, or nothing of it.
func (a *App) opened(m openedMsg) tea.Cmd {
	if m.token != a.opening.token {
		return closing(m.session)
	}
	a.giveUpOpening()
	if m.err != nil {
		a.notices.add(notice{text: fmt.Sprintf("open context %q: %v", m.name, m.err), next: "c lists the contexts; enter there tries again"}, a.now)
		if a.live.session == nil && a.at != atContexts {
			return a.goTo(atContexts)
		}
		return nil
	}
	old := a.leave()
	ctx, cancel := context.WithCancel(context.Background())
	a.live = live{session: m.session, info: m.session.Info(), ctx: ctx, cancel: cancel}
	a.nodes.Reset()
	a.memory.Reset()
	a.findings.Reset()
	shown := a.goTo(atNodes)
	a.markContexts()
	return tea.Batch(closing(old), next(ctx, m.session, a.live.info.ID, 0), shown)
}

// leave takes the session off the screen and keeps its last snapshot.
func (a *App) leave() port.Session {
	old := a.live
	if old.session == nil {
		return nil
	}
	old.cancel()
	a.seen.keep(old.info, old.snap, a.now)
	a.live = live{}
	return old.session
}

func closing(s port.Session) tea.Cmd {
	if s == nil {
		return nil
	}
	return func() tea.Msg { s.Close(); return nil }
}

// next waits for a snapshot that is newer than seen.
func next(parent context.Context, s port.Session, id, seen uint64) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, nextLimit)
		defer cancel()
		snap, err := s.Next(ctx, seen)
		if err != nil && parent.Err() == nil && ctx.Err() != nil {
			snap, err = nil, nil // our own limit
		}
		return snapshotMsg{session: id, snap: snap, err: err}
	}
}

// snapshot takes the stream's next message in and asks for the one after it.
func (a *App) snapshot(m snapshotMsg) (cmd tea.Cmd, changed bool) {
	if a.live.session == nil || m.session != a.live.info.ID {
		return nil, false
	}
	if m.err != nil {
		a.live.ended = m.err
		a.notices.add(notice{text: fmt.Sprintf("the session of context %q has ended: %v", a.live.info.Context, m.err), next: "press c and enter to open it again"}, a.now)
		a.setSource()
		a.showNode()
		return nil, true
	}
	if m.snap == nil {
		return a.await(), false
	}
	a.live.snap = m.snap
	a.showNode()
	return tea.Batch(a.await(), a.showNodes(), a.showMemory(), a.showFindings()), true
}

func (a *App) await() tea.Cmd {
	seen := uint64(0)
	if a.live.snap != nil {
		seen = a.live.snap.Serial
	}
	return next(a.live.ctx, a.live.session, a.live.info.ID, seen)
}

// usable reports whether a snapshot says something about nodes, if only that
// they must not be read.
func usable(s *model.Snapshot) bool {
	if s == nil {
		return false
	}
	f := s.Feed(model.KindNode)
	return f.Listed || f.State == model.FeedForbidden || f.State == model.FeedAbsent
}

// best is the snapshot to look at: the session's, or what was last seen of the
// context; nil where there is none at all.
func (a *App) best() *model.Snapshot {
	if !usable(a.live.snap) {
		if old, ok := a.seen.of(a.live.info); ok {
			return old.snap
		}
	}
	return a.live.snap
}

// setSource says to all screens what the data are worth.
func (a *App) setSource() {
	src := a.source()
	a.nodes.SetSource(src)
	a.memory.SetSource(src)
	a.findings.SetSource(src)
}

// showNodes gives the nodes screen the best data there are, but not while another
// screen of the cluster is looked at: nothing is arranged twice.
func (a *App) showNodes() tea.Cmd {
	snap := a.best()
	if a.at == atMemory || a.at == atFindings || snap == nil {
		a.nodes.SetSource(a.source())
		return nil
	}
	return a.nodes.Show(snap, a.source(), a.now)
}

// showMemory does so with the memory screen, while that is looked at.
func (a *App) showMemory() tea.Cmd {
	snap := a.best()
	if a.at != atMemory || snap == nil {
		a.memory.SetSource(a.source())
		return nil
	}
	return a.memory.Show(snap, a.source())
}

// showFindings does so with the findings screen, with every snapshot and every second:
// the screen itself looks less often.
func (a *App) showFindings() tea.Cmd {
	snap := a.best()
	if a.at != atFindings || snap == nil {
		a.findings.SetSource(a.source())
		return nil
	}
	return a.findings.Show(snap, a.source(), a.now)
}

// source says what the data on the nodes screen are worth.
func (a *App) source() screen.Source {
	l := a.live
	src := screen.Source{Lineage: l.info.ID, Context: l.info.Context, Waiting: l.session != nil}
	if l.session == nil {
		src.Context, src.Opening = a.opening.name, a.opening.name != ""
		return src
	}
	old, remembered := a.seen.of(l.info)
	switch {
	case !usable(l.snap) && remembered:
		src.Lineage, src.Old, src.OldSince, src.Why = old.lineage, true, old.at, "waiting for the first data"
		if l.snap != nil && l.snap.Feed(model.KindNode).State == model.FeedFailing {
			src.Why = "no answer from the server"
		}
	case l.ended != nil && l.snap != nil:
		src.Old, src.OldSince, src.Why = true, l.snap.At, "the session has ended"
	case usable(l.snap):
		src.Old, src.OldSince, src.Why = oldBy(l.snap.Feed(model.KindNode))
	}
	return src
}

// oldBy says whether what the feed delivered once is no longer followed.
func oldBy(f model.Feed) (old bool, since time.Time, why string) {
	switch {
	case !f.Listed:
		return false, time.Time{}, ""
	case f.State == model.FeedFailing:
		return true, f.Since, "no answer from the server"
	case f.State == model.FeedForbidden:
		return true, f.Since, "the right to read nodes is gone"
	case f.State == model.FeedAbsent:
		return true, f.Since, "the server has no nodes any more"
	default:
		return false, time.Time{}, ""
	}
}

// showNode gives the detail screen, if one is open, the same data.
func (a *App) showNode() {
	if snap := a.best(); a.node != nil && snap != nil {
		a.node.Show(snap, a.source().Why, a.now)
	}
}

func (a *App) markContexts() { a.contexts.Mark(a.live.info.Context, a.opening.name) }
