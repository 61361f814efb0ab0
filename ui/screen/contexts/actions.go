package contexts

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/act"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// Actions are what can be done here, with the reasons against it.
func (s *Screen) Actions() act.Table {
	none, unusable := "", ""
	e, ok := s.Selected()
	if !ok {
		none = "there are no contexts"
		unusable = none
	} else if !e.Usable {
		unusable = model.Clean(e.Problem)
	} else if e.Name == s.opening {
		unusable = "it is being opened"
	}
	back, backLabel := "", "back"
	if s.filter == "" && s.open == "" {
		back, backLabel = "no context is open", ""
	}
	return act.Table{
		{ID: "enter", Keys: []string{"enter"}, Label: "switch", Help: "switch to the context; the present one stays until the new one is open", Why: unusable},
		{ID: "filter", Keys: []string{"/"}, Label: "filter", Help: "filter by name, cluster, server, user, namespace"},
		{ID: "reload", Keys: []string{"r"}, Label: "ask again", Help: "read the kubeconfig again and ask every server"},
		{ID: "copy", Keys: []string{"y"}, Label: "copy", Minor: true, Help: "copy the server's address", Why: none},
		{ID: "up", Keys: []string{"up", "k"}, Help: "one line up", Why: none},
		{ID: "down", Keys: []string{"down", "j"}, Help: "one line down", Why: none},
		{ID: "pageUp", Keys: []string{"pgup", "ctrl+b", "ctrl+u"}, Help: "a page up", Why: none},
		{ID: "pageDown", Keys: []string{"pgdown", "ctrl+f", "ctrl+d"}, Help: "a page down", Why: none},
		{ID: "top", Keys: []string{"home"}, Help: "to the first line", Why: none},
		{ID: "bottom", Keys: []string{"end", "G"}, Help: "to the last line", Why: none},
		{ID: "back", Keys: []string{"esc"}, Label: backLabel, Help: "clear the filter, or go back", Why: back},
	}
}

// Do carries an action out. The caller has checked that nothing speaks against it.
func (s *Screen) Do(id act.ID) (screen.Ask, tea.Cmd) {
	page := max(s.height-1, 1)
	switch id {
	case "enter":
		if e, ok := s.Selected(); ok {
			return screen.OpenContext{Name: e.Name, Server: e.Server}, nil
		}
	case "copy":
		if e, ok := s.Selected(); ok {
			return screen.Copy{What: "server", Text: e.Server}, nil
		}
	case "reload":
		return nil, s.List()
	case "filter":
		p := part.NewPrompt("/", s.filter)
		s.prompt, s.undo = &p, s.filter
	case "back":
		if s.filter == "" {
			return screen.Back{}, nil
		}
		return nil, s.setFilter("")
	case "up":
		s.scroll.Move(-1, len(s.rows))
	case "down":
		s.scroll.Move(1, len(s.rows))
	case "pageUp":
		s.scroll.Move(-page, len(s.rows))
	case "pageDown":
		s.scroll.Move(page, len(s.rows))
	case "top":
		s.scroll.Move(-len(s.rows), len(s.rows))
	case "bottom":
		s.scroll.Move(len(s.rows), len(s.rows))
	}
	return nil, s.moved()
}

// moved asks the servers that came into sight.
func (s *Screen) moved() tea.Cmd {
	s.scroll.Keep(len(s.rows), max(s.height, 1))
	return s.probe()
}

func (s *Screen) setFilter(f string) tea.Cmd {
	at, ok := s.Selected()
	s.filter = f
	s.match()
	if ok {
		for i, row := range s.rows {
			if e := s.entries[row]; e.Name == at.Name && e.File == at.File {
				s.scroll.Cursor = i
			}
		}
	}
	return s.moved()
}

// Type takes a key while the filter is typed.
func (s *Screen) Type(k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		s.prompt = nil
		return nil
	case "esc":
		s.prompt = nil
		return s.setFilter(s.undo)
	case "up", "down":
		_, cmd := s.Do(act.ID(k.String()))
		return cmd
	}
	s.prompt.Type(k)
	return s.setFilter(s.prompt.Value())
}

// Wheel scrolls by lines; the cursor goes along.
func (s *Screen) Wheel(lines int) tea.Cmd {
	s.scroll.Move(lines, len(s.rows))
	return s.moved()
}

// Click puts the cursor on the row at y; a second click switches.
func (s *Screen) Click(y int) screen.Ask {
	line := s.scroll.Top + y - above
	if y < above || y >= above+s.height || line >= len(s.rows) {
		return nil
	}
	again := line == s.scroll.Cursor
	s.scroll.Cursor = line
	if e, ok := s.Selected(); ok && again && e.Usable && e.Name != s.opening {
		return screen.OpenContext{Name: e.Name, Server: e.Server}
	}
	return nil
}
