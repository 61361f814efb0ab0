package ui

import (
	"context"
	"fmt"
	"time"

	"github.com/charmbracelet/x/ansi"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/act"
	"github.com/mullion-tui/mullion/ui/screen"
)

// global are the actions that work on every screen.
func (a *App) global() act.Table {
	t := act.Table{
		{ID: "contexts", Keys: []string{"c"}, Label: "contexts", Help: "choose another cluster"},
		{ID: "nodes", Keys: []string{"1"}, Label: "nodes", Minor: true, Help: "to the nodes"},
		{ID: "memory", Keys: []string{"2"}, Label: "memory", Help: "to the memory: commit and working set against their limits"},
		{ID: "findings", Keys: []string{"3"}, Label: "findings", Help: "to the findings: what is wrong, why it matters, what to do"},
		{ID: "feeds", Keys: []string{"f"}, Label: "feeds", Minor: true, Help: "how fresh the data are, kind by kind"},
		{ID: "command", Keys: []string{":"}, Label: "command", Minor: true, Help: "type a command; tab completes"},
		{ID: "help", Keys: []string{"?"}, Label: "help", Help: "this help"},
		{ID: "quit", Keys: []string{"q", "ctrl+c"}, Label: "quit", Help: "leave mullion"},
	}
	if a.live.session == nil {
		t[4].Why = "no context is open"
	}
	return t
}

// actions are those of the screen that is looked at.
func (a *App) actions() act.Table {
	switch a.at {
	case atNode:
		return a.node.Actions()
	case atMemory:
		return a.memory.Actions()
	case atFindings:
		return a.findings.Actions()
	case atContexts:
		return a.contexts.Actions()
	default:
		return a.nodes.Actions()
	}
}

func (a *App) key(k tea.KeyMsg) tea.Cmd {
	a.note = ""
	key := k.String()
	switch {
	case key == "ctrl+c":
		return a.quit()
	case a.tiny():
		if key == "q" {
			return a.quit()
		}
		return nil
	case a.command != nil:
		return a.typeCommand(k)
	case a.overlay.kind != noOverlay:
		return a.overlayKey(key)
	case a.at == atNodes && a.nodes.Typing():
		return a.nodes.Type(k, a.now)
	case a.at == atMemory && a.memory.Typing():
		return a.memory.Type(k)
	case a.at == atFindings && a.findings.Typing():
		return a.findings.Type(k, a.now)
	case a.at == atContexts && a.contexts.Typing():
		return a.contexts.Type(k)
	case key == "esc" && a.escape():
		return nil
	}
	if action, ok := a.actions().Find(key); ok {
		return a.act(action, a.here)
	}
	if action, ok := a.global().Find(key); ok {
		return a.act(action, a.everywhere)
	}
	return nil
}

// act does an action, or says why it cannot be done.
func (a *App) act(action act.Action, do func(act.ID) tea.Cmd) tea.Cmd {
	if action.Why != "" {
		if action.ID != "back" {
			a.note = fmt.Sprintf("%s: not now, %s", act.Spell(action.Keys[0]), action.Why)
		}
		return nil
	}
	return do(action.ID)
}

func (a *App) here(id act.ID) tea.Cmd {
	var ask screen.Ask
	var cmd tea.Cmd
	switch a.at {
	case atNode:
		ask, cmd = a.node.Do(id, a.now)
	case atMemory:
		ask, cmd = a.memory.Do(id, a.now)
	case atFindings:
		ask, cmd = a.findings.Do(id, a.now)
	case atContexts:
		ask, cmd = a.contexts.Do(id)
	default:
		ask, cmd = a.nodes.Do(id, a.now)
	}
	return tea.Batch(cmd, a.do(ask))
}

func (a *App) everywhere(id act.ID) tea.Cmd {
	switch id {
	case "contexts":
		if a.at == atContexts {
			return nil
		}
		return a.goTo(atContexts)
	case "nodes", "memory", "findings":
		return a.goTo(places[id])
	case "feeds":
		a.overlay = overlay{kind: feedsOverlay}
	case "help":
		a.overlay = overlay{kind: helpOverlay}
	case "command":
		a.command = newCommand()
	case "quit":
		return a.quit()
	}
	return nil
}

// escape takes away what lies over the screen, the newest first.
func (a *App) escape() bool {
	switch {
	case a.notices.dismiss():
		return true
	case a.opening.name != "":
		a.note = "opening " + model.Clean(a.opening.name) + " was given up"
		a.giveUpOpening()
		return true
	default:
		return false
	}
}

// quit leaves at once; the session is closed beside it.
func (a *App) quit() tea.Cmd {
	a.giveUpOpening()
	return tea.Batch(closing(a.leave()), tea.Quit)
}

const copyLimit = 2 * time.Second

type copiedMsg struct {
	what, text string
	err        error
}

// copy asks the terminal to put text on its clipboard (OSC 52).
func (a *App) copy(m screen.Copy) tea.Cmd {
	if a.opts.Clipboard == nil {
		a.note = "copying is switched off: there is no terminal to ask"
		return nil
	}
	out, what, text := a.opts.Clipboard, m.What, model.Clean(m.Text)
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), copyLimit)
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := out.Write([]byte(ansi.SetSystemClipboard(text)))
			done <- err
		}()
		select {
		case err := <-done:
			return copiedMsg{what: what, text: text, err: err}
		case <-ctx.Done():
			return copiedMsg{what: what, text: text, err: ctx.Err()}
		}
	}
}

func (a *App) copied(m copiedMsg) bool {
	if m.err != nil {
		a.notices.add(notice{text: fmt.Sprintf("copy the %s: %v", m.what, m.err), next: "select it with the mouse (:mouse switches mullion's own use of it off)"}, a.now)
		return true
	}
	a.note = fmt.Sprintf("copied the %s to the terminal's clipboard: %s", m.what, m.text)
	return true
}
