package memory

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
	none, noPods := "", ""
	row, ok := s.Selected()
	if !ok {
		none = "there are no rows"
	} else if row.Leaf {
		noPods = "this row holds nothing"
	}
	enter := act.Action{ID: "enter", Keys: []string{"enter"}, Label: "unfold", Help: "unfold the node or the pod; on what is unfolded or holds nothing: open the node", Why: none}
	if ok && (row.Open || row.Leaf) {
		enter.Label = "details"
	}
	fold := act.Action{ID: "fold", Keys: []string{"left", "h"}, Help: "fold the row, or what holds it", Why: none}
	if ok && (row.Open || row.Depth() > 0) {
		fold.Label = "fold"
	}
	return act.Table{
		enter,
		{ID: "filter", Keys: []string{"/"}, Label: "filter", Help: "filter by words of nodes, pods and namespaces, and as on the nodes screen by label=value, os=, build=, zone=, pool=, status="},
		{ID: "sort", Keys: []string{"s"}, Label: "sort", Help: "sort by pressure (used of the limit), used, headroom, name; what is not known stands last"},
		{ID: "reverse", Keys: []string{"S"}, Help: "reverse the order"},
		{ID: "copy", Keys: []string{"y"}, Label: "copy", Minor: true, Help: "copy the name of the node, or namespace and name of the pod", Why: none},
		{ID: "up", Keys: []string{"up", "k"}, Help: "one line up", Why: none},
		{ID: "down", Keys: []string{"down", "j"}, Help: "one line down", Why: none},
		fold,
		{ID: "unfold", Keys: []string{"right", "l"}, Help: "unfold the node into its pods, a pod of several containers into these", Why: first(none, noPods)},
		{ID: "foldAll", Keys: []string{"-"}, Help: "fold everything", Why: none},
		{ID: "unfoldAll", Keys: []string{"+", "="}, Help: "unfold all nodes", Why: none},
		{ID: "pageUp", Keys: []string{"pgup", "ctrl+b", "ctrl+u"}, Help: "a page up", Why: none},
		{ID: "pageDown", Keys: []string{"pgdown", "ctrl+f", "ctrl+d"}, Help: "a page down", Why: none},
		{ID: "top", Keys: []string{"home"}, Help: "to the first line", Why: none},
		{ID: "bottom", Keys: []string{"end", "G"}, Help: "to the last line", Why: none},
		{ID: "back", Keys: []string{"esc"}, Help: "clear the filter; without one, back to the nodes"},
	}
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
func (s *Screen) Do(id act.ID, _ time.Time) (screen.Ask, tea.Cmd) {
	switch id {
	case "enter":
		return s.enter()
	case "copy":
		return s.copied(), nil
	case "filter":
		p := part.NewPrompt("/", s.query.Filter)
		s.prompt, s.undo = &p, s.query.Filter
	case "back":
		if s.query.Filter == "" {
			return screen.Back{}, nil
		}
		return nil, s.filter("")
	case "sort":
		return nil, s.ask(func(q *model.MemoryQuery) { q.Sort = (q.Sort + 1) % (model.MemoryByName + 1) })
	case "reverse":
		return nil, s.ask(func(q *model.MemoryQuery) { q.Reverse = !q.Reverse })
	case "fold":
		return nil, s.fold()
	case "unfold":
		if row := s.shown.tree.Rows[s.scroll.Cursor]; !row.Open {
			return nil, s.setFold(row.Ref(), true)
		}
		s.moveTo(s.scroll.Cursor + 1)
	case "foldAll":
		return nil, s.foldAll()
	case "unfoldAll":
		return nil, s.unfoldAll()
	default:
		s.walk(id)
	}
	return nil, nil
}

func (s *Screen) enter() (screen.Ask, tea.Cmd) {
	row := s.shown.tree.Rows[s.scroll.Cursor]
	if row.Open || row.Leaf {
		return screen.OpenNode{Name: row.Node.Name}, nil
	}
	return nil, s.setFold(row.Ref(), true)
}

// fold folds the row, or what holds it, and puts the cursor there.
func (s *Screen) fold() tea.Cmd {
	row := s.shown.tree.Rows[s.scroll.Cursor]
	ref := row.Ref()
	if !row.Open {
		parent, ok := ref.Parent()
		if !ok {
			return nil
		}
		ref = parent
	}
	if line, ok := s.shown.place[ref]; ok {
		s.moveTo(line)
	}
	return s.setFold(ref, false)
}

func (s *Screen) copied() screen.Ask {
	row := s.shown.tree.Rows[s.scroll.Cursor]
	if row.Pod != nil {
		return screen.Copy{What: "pod name", Text: row.Pod.Namespace + "/" + row.Pod.Name}
	}
	return screen.Copy{What: "node name", Text: row.Node.Name}
}

// walk does what only moves the cursor.
func (s *Screen) walk(id act.ID) {
	if line, ok := s.scroll.Goal(string(id), s.lineCount(), s.height); ok {
		s.moveTo(line)
	}
}

// Type takes a key while the filter is typed: the rows follow each letter.
func (s *Screen) Type(k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		s.prompt = nil
		return nil
	case "esc":
		s.prompt = nil
		return s.filter(s.undo)
	case "up", "down":
		if s.lineCount() > 0 {
			s.walk(act.ID(k.String()))
		}
		return nil
	}
	s.prompt.Type(k)
	return s.filter(s.prompt.Value())
}
