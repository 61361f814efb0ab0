package node

import (
	"fmt"
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
	"github.com/mullion-tui/mullion/ui/screen"
)

const (
	tabLine = 1
	above   = 3 // title, tabs, blank
)

// View draws exactly h lines of at most w cells.
func (s *Screen) View(w, h int, look screen.Look) []string {
	out := []string{s.title(w, look), s.tabBar(w, look), ""}
	lines := s.body(w-2, look)
	s.height, s.lines = max(h-above, 1), len(lines)
	s.Wheel(0)
	end := min(s.top+s.height, len(lines))
	for _, l := range lines[s.top:end] {
		out = append(out, " "+l)
	}
	if end < len(lines) && h > above {
		out = out[:h-1]
		out = append(out, look.Ink.Paint(part.Dim, fmt.Sprintf(" ↓ %d more lines", len(lines)-end+1)))
	}
	return part.Block(out, w, h)
}

func (s *Screen) title(w int, look screen.Look) string {
	line := part.NewLine(&look.Ink.Ground)
	line.Add(part.Accent, "Node ").Add(part.Text, part.Named(s.name))
	switch {
	case s.view == nil:
		line.Add(part.Dim, " · ").Add(part.Warn, "not in the cluster")
	case !s.gone.IsZero():
		line.Add(part.Dim, " · ").Add(part.Bad, part.GlyphBad+" gone from the cluster "+say.Since(look.Now, s.gone)+" ago; this is the last that was seen")
	default:
		status := part.NodeStatus(s.view.Node, look.Now)
		line.Add(part.Dim, " · ").Add(status.Role, status.Text)
	}
	if s.old != "" {
		line.Add(part.Dim, " · ").Add(part.Warn, "old: "+model.Clean(s.old))
	}
	return part.Cut(line.String(), w)
}

func (s *Screen) tabBar(w int, look screen.Look) string {
	line := part.NewLine(&look.Ink.Ground)
	line.Add(part.Text, " ")
	for t := Tab(0); t < tabs; t++ {
		if t == s.tab {
			line.AddPainted(look.Ink.Cursor.Paint(part.Accent, "["+s.tabText(t)+"]"))
		} else {
			line.Add(part.Dim, " "+s.tabText(t)+" ")
		}
		line.Add(part.Text, " ")
	}
	return part.Cut(line.String(), w)
}

// known says which kinds have arrived; of the others nothing is said.
type known struct{ pods, classes bool }

func (s *Screen) known() known {
	if s.snap == nil {
		return known{}
	}
	return known{pods: s.snap.Feed(model.KindPod).Listed, classes: s.snap.Feed(model.KindRuntimeClass).Listed}
}

func (s *Screen) tabText(t Tab) string {
	switch {
	case t == Pods && s.view != nil && s.known().pods:
		return fmt.Sprintf("%s %d", tabNames[t], len(s.view.Pods))
	case t == Events && !s.asking && s.problem == "":
		return fmt.Sprintf("%s %d", tabNames[t], len(s.events))
	default:
		return tabNames[t]
	}
}

// bodyKey is all that the lines of a tab depend on. Ages are printed to the second,
// so a page that is scrolled within one is not built again.
type bodyKey struct {
	tab    Tab
	w      int
	theme  *part.Inks
	second int64
	view   *model.NodeView
	snap   *model.Snapshot // owners come from it
	known
	gone     time.Time
	old      string
	asking   bool
	problem  string
	sequence uint64
}

func (s *Screen) body(w int, look screen.Look) []string {
	key := bodyKey{s.tab, w, look.Ink, look.Now.Unix(), s.view, nil, s.known(), s.gone, s.old, s.asking, s.problem, s.sequence}
	if s.tab == Pods {
		key.snap = s.snap
	}
	if s.built == nil || key != s.builtFor {
		s.built, s.builtFor = s.build(w, look), key
	}
	return s.built
}

func (s *Screen) build(w int, look screen.Look) []string {
	p := page{w: w, ink: look.Ink, now: look.Now, old: s.old != "" || !s.gone.IsZero()}
	switch {
	case s.tab == Events:
		s.eventLines(&p)
	case s.view == nil:
		p.text(part.Text, "The cluster holds no node of this name. It may have been deleted, or not have joined yet.")
	case s.tab == Pods:
		s.podLines(&p)
	case s.tab == Labels:
		labelLines(&p, s.view)
	default:
		return overview(p, s.view, s.known())
	}
	return p.lines
}
