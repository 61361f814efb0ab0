package nodes

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/act"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// Actions are what can be done here, with the reasons against it.
func (s *Screen) Actions() act.Table {
	none, noNode, noFilter := "", "", ""
	if s.lineCount() == 0 {
		none = "there are no rows"
	}
	if _, ok := s.Selected(); !ok {
		noNode = "the cursor is not on a node"
	}
	if s.query.Filter == "" {
		noFilter = "no filter is set"
	}
	enter := act.Action{ID: "enter", Keys: []string{"enter"}, Label: "details", Help: "open the node; on a group's header: fold or unfold it", Why: none}
	if none == "" && noNode != "" {
		enter.Label = "fold"
	}
	return act.Table{
		enter,
		{ID: "filter", Keys: []string{"/"}, Label: "filter", Help: "filter by words and label=value, label!=value; also os, build, zone, pool, class, role, status, kubelet ="},
		{ID: "group", Keys: []string{"g"}, Label: "group", Help: "group by OS and build, RuntimeClass, zone, pool, or not at all"},
		{ID: "sort", Keys: []string{"s"}, Label: "sort", Help: "sort by name, status, revision, pods, CPU, memory, age"},
		{ID: "reverse", Keys: []string{"S"}, Help: "reverse the order"},
		{ID: "mark", Keys: []string{" "}, Label: "mark", Help: "mark the node and go on; on a group's header: fold or unfold it", Why: none},
		{ID: "unmark", Keys: []string{"U"}, Help: "take all marks away", Why: when(len(s.marks) == 0, "nothing is marked")},
		{ID: "copy", Keys: []string{"y"}, Label: "copy", Minor: true, Help: "copy the node's name", Why: first(none, noNode)},
		{ID: "up", Keys: []string{"up", "k"}, Help: "one line up", Why: none},
		{ID: "down", Keys: []string{"down", "j"}, Help: "one line down", Why: none},
		{ID: "fold", Keys: []string{"left", "h"}, Help: "fold the group", Why: none},
		{ID: "unfold", Keys: []string{"right", "l"}, Help: "unfold the group", Why: none},
		{ID: "foldAll", Keys: []string{"-"}, Help: "fold all groups", Why: none},
		{ID: "unfoldAll", Keys: []string{"+", "="}, Help: "unfold all groups", Why: none},
		{ID: "pageUp", Keys: []string{"pgup", "ctrl+b", "ctrl+u"}, Help: "a page up", Why: none},
		{ID: "pageDown", Keys: []string{"pgdown", "ctrl+f", "ctrl+d"}, Help: "a page down", Why: none},
		{ID: "top", Keys: []string{"home"}, Help: "to the first line", Why: none},
		{ID: "bottom", Keys: []string{"end", "G"}, Help: "to the last line", Why: none},
		{ID: "back", Keys: []string{"esc"}, Help: "clear the filter", Why: noFilter},
	}
}

func when(b bool, s string) string {
	if b {
		return s
	}
	return ""
}

func first(reasons ...string) string {
	for _, r := range reasons {
		if r != "" {
			return r
		}
	}
	return ""
}

// Do carries an action out. The caller has checked that nothing speaks against it.
func (s *Screen) Do(id act.ID, now time.Time) (screen.Ask, tea.Cmd) {
	switch id {
	case "enter":
		return s.enter(), nil
	case "mark":
		s.mark()
	case "unmark":
		clear(s.marks)
	case "copy":
		if n, ok := s.Selected(); ok {
			return screen.Copy{What: "node name", Text: n.Name}, nil
		}
	case "filter":
		p := part.NewPrompt("/", s.query.Filter)
		s.prompt, s.undo = &p, s.query.Filter
	case "back":
		return nil, s.ask(func(q *model.Query) { q.Filter = "" }, now)
	case "group":
		return nil, s.ask(func(q *model.Query) { q.Grouping = (q.Grouping + 1) % (model.GroupByNone + 1) }, now)
	case "sort":
		return nil, s.ask(func(q *model.Query) { q.Sort = (q.Sort + 1) % (model.SortByAge + 1) }, now)
	case "reverse":
		return nil, s.ask(func(q *model.Query) { q.Reverse = !q.Reverse }, now)
	default:
		s.walk(id)
	}
	return nil, nil
}

// ask changes the query. The rows stay as they are until the answer is there.
func (s *Screen) ask(change func(*model.Query), now time.Time) tea.Cmd {
	before := s.query
	change(&s.query)
	if s.query == before {
		return nil
	}
	return s.arrange(now)
}

// walk does what only moves the cursor or folds.
func (s *Screen) walk(id act.ID) {
	if line, ok := s.scroll.Goal(string(id), s.lineCount(), s.height); ok {
		s.moveTo(line)
		return
	}
	switch id {
	case "fold":
		s.fold(true)
	case "unfold":
		s.fold(false)
	case "foldAll", "unfoldAll":
		for i := range s.shown.inv.Groups {
			s.setFold(i, id == "foldAll")
		}
		s.refold()
	}
}

func (s *Screen) enter() screen.Ask {
	if n, ok := s.Selected(); ok {
		return screen.OpenNode{Name: n.Name}
	}
	s.toggle()
	return nil
}

func (s *Screen) mark() {
	n, ok := s.Selected()
	if !ok {
		s.toggle()
		return
	}
	if s.marks[n.Name] {
		delete(s.marks, n.Name)
	} else {
		s.marks[n.Name] = true
	}
	s.moveTo(s.scroll.Cursor + 1)
}

func (s *Screen) toggle() {
	if s.lineCount() == 0 {
		return
	}
	s.fold(!s.collapsed[s.foldKey(s.spot.group)])
}

// fold folds or unfolds the group under the cursor. A folded group has nothing to
// stand on but its header.
func (s *Screen) fold(on bool) {
	g, _ := s.at(s.scroll.Cursor)
	s.setFold(g, on)
	if on {
		s.spot.node = ""
	}
	s.refold()
}

func (s *Screen) setFold(group int, on bool) {
	key := s.foldKey(s.shown.inv.Groups[group].ID)
	if on {
		s.collapsed[key] = true
	} else {
		delete(s.collapsed, key)
	}
}

func (s *Screen) refold() {
	s.lay()
	if line, ok := s.lineOf(s.spot); ok {
		s.moveTo(line)
	} else {
		s.moveTo(s.scroll.Cursor)
	}
}

// Type takes a key while the filter is typed: the rows follow each letter.
func (s *Screen) Type(k tea.KeyMsg, now time.Time) tea.Cmd {
	switch k.String() {
	case "enter":
		s.prompt = nil
		return nil
	case "esc":
		s.prompt = nil
		return s.ask(func(q *model.Query) { q.Filter = s.undo }, now)
	case "up":
		s.walk("up")
		return nil
	case "down":
		s.walk("down")
		return nil
	}
	s.prompt.Type(k)
	return s.ask(func(q *model.Query) { q.Filter = s.prompt.Value() }, now)
}

// Wheel scrolls by lines; the cursor goes along.
func (s *Screen) Wheel(lines int) {
	if s.lineCount() > 0 {
		s.moveTo(s.scroll.Cursor + lines)
	}
}
