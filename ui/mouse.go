package ui

import tea "github.com/charmbracelet/bubbletea"

const wheelLines = 3

// mouseMoved takes wheel and click. Everything else changes nothing.
func (a *App) mouseMoved(m tea.MouseMsg) (cmd tea.Cmd, changed bool) {
	if !a.mouse || a.tiny() || a.command != nil {
		return nil, false
	}
	switch {
	case m.Button == tea.MouseButtonWheelUp:
		return a.wheel(-wheelLines), true
	case m.Button == tea.MouseButtonWheelDown:
		return a.wheel(wheelLines), true
	case m.Button == tea.MouseButtonLeft && m.Action == tea.MouseActionPress:
		a.note = ""
		return a.click(m.X, m.Y-headerHeight), true
	}
	return nil, false
}

func (a *App) wheel(lines int) tea.Cmd {
	switch {
	case a.overlay.kind != noOverlay:
		a.overlay.scroll(lines)
	case a.at == atNode:
		a.node.Wheel(lines)
	case a.at == atMemory:
		a.memory.Wheel(lines)
	case a.at == atFindings:
		a.findings.Wheel(lines)
	case a.at == atContexts:
		return a.contexts.Wheel(lines)
	default:
		a.nodes.Wheel(lines)
	}
	return nil
}

func (a *App) click(x, y int) tea.Cmd {
	if a.overlay.kind != noOverlay || y < 0 || y >= a.bodyHeight() {
		return nil
	}
	switch a.at {
	case atNode:
		return a.node.Click(x, y, a.now)
	case atMemory:
		ask, cmd := a.memory.Click(y, a.now)
		return tea.Batch(cmd, a.do(ask))
	case atFindings:
		ask, cmd := a.findings.Click(y, a.now)
		return tea.Batch(cmd, a.do(ask))
	case atContexts:
		return a.do(a.contexts.Click(y))
	default:
		return a.do(a.nodes.Click(y))
	}
}

// toggleMouse hands the mouse back to the terminal, or takes it.
func (a *App) toggleMouse() tea.Cmd {
	a.mouse = !a.mouse
	if a.mouse {
		a.note = "the mouse is on: wheel and click; :mouse gives it back to the terminal"
		return tea.EnableMouseCellMotion
	}
	a.note = "the mouse is off: the terminal selects text with it"
	return tea.DisableMouse
}
