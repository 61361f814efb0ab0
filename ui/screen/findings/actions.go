package findings

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/ui/act"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// Actions are what can be done here, with the reasons against it.
func (s *Screen) Actions() act.Table {
	none, noNode := "", ""
	if r, ok := s.selected(); !ok {
		none, noNode = "there are no findings", "there are no findings"
	} else if r.node == "" {
		noNode = "this finding is not about a node"
	}
	return act.Table{
		{ID: "enter", Keys: []string{"enter"}, Label: "node", Help: "open the node that the finding is about, or the node of its pod", Why: noNode},
		{ID: "filter", Keys: []string{"/"}, Label: "filter", Help: "filter by words of finding, severity, objects and of what was seen"},
		{ID: "group", Keys: []string{"g"}, Label: "group", Help: "group by severity, ID, object kind"},
		{ID: "copy", Keys: []string{"y"}, Label: "copy", Minor: true, Help: "copy the finding: object, what was seen, what to do", Why: none},
		{ID: "up", Keys: []string{"up", "k"}, Help: "one finding up", Why: none},
		{ID: "down", Keys: []string{"down", "j"}, Help: "one finding down", Why: none},
		{ID: "pageUp", Keys: []string{"pgup", "ctrl+b", "ctrl+u"}, Help: "a page up", Why: none},
		{ID: "pageDown", Keys: []string{"pgdown", "ctrl+f", "ctrl+d"}, Help: "a page down", Why: none},
		{ID: "top", Keys: []string{"home"}, Help: "to the first finding", Why: none},
		{ID: "bottom", Keys: []string{"end", "G"}, Help: "to the last finding", Why: none},
		{ID: "back", Keys: []string{"esc"}, Help: "clear the filter; without one, back to the nodes"},
	}
}

// Do carries an action out. The caller has checked that nothing speaks against it.
func (s *Screen) Do(id act.ID, now time.Time) (screen.Ask, tea.Cmd) {
	switch id {
	case "enter":
		r, _ := s.selected()
		return screen.OpenNode{Name: r.node}, nil
	case "copy":
		r, _ := s.selected()
		return screen.Copy{What: "finding", Text: r.ID + " " + r.object + ": " + r.seen + " — " + r.Remedy}, nil
	case "filter":
		p := part.NewPrompt("/", s.query.filter)
		s.prompt, s.undo, s.before = &p, s.query.filter, s.spot
	case "group":
		return nil, s.ask(now, func(q *query) { q.by = (q.by + 1) % groupings })
	case "back":
		if s.query.filter == "" {
			return screen.Back{}, nil
		}
		return nil, s.filter("", now)
	default:
		s.walk(id)
	}
	return nil, nil
}

// walk does what only moves the cursor.
func (s *Screen) walk(id act.ID) {
	page := max(s.height-2, 1)
	switch id {
	case "up":
		s.move(-1)
	case "down":
		s.move(1)
	case "pageUp":
		s.move(-page)
	case "pageDown":
		s.move(page)
	case "top":
		s.moveTo(0)
		s.scroll = part.Scroll{Cursor: s.scroll.Cursor} // with the head above it
	case "bottom":
		s.moveTo(s.lineCount() - 1)
	}
}

// Type takes a key while the filter is typed: the rows follow each letter.
func (s *Screen) Type(k tea.KeyMsg, now time.Time) tea.Cmd {
	switch k.String() {
	case "enter":
		s.prompt = nil
		return nil
	case "esc":
		s.prompt, s.spot = nil, s.before
		return s.filter(s.undo, now)
	case "up", "down":
		s.walk(act.ID(k.String()))
		return nil
	}
	s.prompt.Type(k)
	return s.filter(s.prompt.Value(), now)
}
