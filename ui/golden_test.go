package ui_test

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

var sizes = [][2]int{{80, 24}, {120, 40}, {200, 50}}

// TestScreens keeps every screen as text, at three sizes.
func TestScreens(t *testing.T) {
	for _, c := range []struct {
		name, start string
		do          func(*stage)
	}{
		{"nodes-lab", "lab", func(*stage) {}},
		{"nodes-fleet", "fleet", func(*stage) {}},
	} {
		for _, z := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z[0], z[1]), func(t *testing.T) {
				s := on(t, c.start, z[0], z[1])
				c.do(s)
				golden.RequireEqual(t, s.Screen())
			})
		}
	}
}
