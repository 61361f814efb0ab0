package ui_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

// measured is a stage with a cluster of every kind of memory figure, at the memory
// screen.
func measured(t testing.TB, w, h int) (*stage, *uitest.Cluster) {
	t.Helper()
	s := newStage(t)
	c := s.contexts.Add("memory", uitest.Memory())
	s.Start(ui.New(s.options("memory")), w, h)
	s.Press("2")
	return s, c
}

// TestMemoryScreens keeps the memory screen as text, at three sizes.
func TestMemoryScreens(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*stage, *uitest.Cluster)
	}{
		{"folded", func(*stage, *uitest.Cluster) {}},
		{"unfolded", func(s *stage, _ *uitest.Cluster) { s.Press("+", "home", "down", "down", "enter", "down") }},
		{"containers", func(s *stage, _ *uitest.Cluster) {
			s.Press("/")
			s.Type("csi-smb")
			s.Press("enter", "down", "right", "right")
		}},
		{"unknown", func(s *stage, _ *uitest.Cluster) { s.Press("end", "up", "up", "up", "right", "down") }},
		{"filter", func(s *stage, _ *uitest.Cluster) { s.Press("/"); s.Type("hello") }},
		{"no-match", func(s *stage, _ *uitest.Cluster) { s.Press("/"); s.Type("os=beos"); s.Press("enter") }},
		{"headroom-reversed", func(s *stage, _ *uitest.Cluster) { s.Press("s", "s", "S") }},
		{"help", func(s *stage, _ *uitest.Cluster) { s.Press("?") }},
		{"stale", func(s *stage, c *uitest.Cluster) {
			feeds := feedsIn(model.FeedFailing, "connect: connection refused")
			for i := range feeds {
				feeds[i].Listed = true
			}
			c.Apply(model.Delta{At: uitest.Now, Feeds: feeds})
			s.Advance(4 * time.Minute)
		}},
	} {
		for _, z := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z[0], z[1]), func(t *testing.T) {
				s, k := measured(t, z[0], z[1])
				c.do(s, k)
				golden.RequireEqual(t, s.Screen())
			})
		}
	}
}
