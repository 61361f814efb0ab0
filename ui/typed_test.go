package ui_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestLettersThatArriveTogether(t *testing.T) {
	together := func(text string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)} }

	s := on(t, "fleet", 80, 24)
	s.Send(together("jjj"))
	one := on(t, "fleet", 80, 24)
	one.Press("j", "j", "j")
	if s.Screen() != one.Screen() {
		t.Errorf("three keys at once give another screen than one after the other:\n%s", s.Screen())
	}

	s.Send(together("/win19"))
	s.Sees("filter win19")

	pasted := together("jjj")
	pasted.Paste = true
	one.Send(pasted)
	if one.Screen() != onAfter(t, "j", "j", "j").Screen() {
		t.Errorf("pasted text moves the cursor:\n%s", one.Screen())
	}
}

func onAfter(t *testing.T, keys ...string) *stage {
	s := on(t, "fleet", 80, 24)
	s.Press(keys...)
	return s
}
