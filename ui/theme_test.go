package ui_test

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/mullion-tui/mullion/ui"
)

// On a light terminal the high-contrast theme is the light one, also when it is
// chosen while the program runs.
func TestThemeFollowsTheBackground(t *testing.T) {
	for _, c := range []struct {
		dark     bool
		command  string
		expected string
	}{
		{true, "high-contrast", "theme high-contrast"},
		{false, "high-contrast", "theme high-contrast-light"},
		{false, "auto", "theme light"},
	} {
		s := newStage(t)
		o := s.options("lab")
		o.Renderer = renderer(termenv.TrueColor)
		o.Renderer.SetHasDarkBackground(c.dark)
		s.Start(ui.New(o), 120, 40)
		s.Type(":theme " + c.command)
		s.Press("enter")
		if got := strings.TrimSpace(s.Line("theme ")); got != c.expected {
			t.Errorf("dark %t: :theme %s gives %q", c.dark, c.command, got)
		}
	}
}
