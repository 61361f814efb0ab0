package ui

import tea "github.com/charmbracelet/bubbletea"

// typed takes what the keyboard sent. Letters that arrive together, from a held
// key or over a slow line, come as one message, which is the name of no key: each
// of them is a key of its own. Pasted text stays in one piece.
func (a *App) typed(m tea.KeyMsg) tea.Cmd {
	if m.Type != tea.KeyRunes || m.Paste || len(m.Runes) < 2 {
		return a.key(m)
	}
	var cmds []tea.Cmd
	for _, r := range m.Runes {
		cmds = append(cmds, a.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: m.Alt}))
	}
	return tea.Batch(cmds...)
}
