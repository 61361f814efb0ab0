package ui_test

import (
	"flag"
	"os"
	"testing"

	_ "github.com/charmbracelet/x/exp/golden" // its flag -update serves the pictures too
	"github.com/muesli/termenv"

	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest/picture"
)

// TestPictures keeps the README's pictures equal to what the screen shows.
func TestPictures(t *testing.T) {
	for _, name := range []string{"dark", "light"} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			o := s.options("fleet")
			o.Theme, o.Renderer = theme(name), renderer(termenv.TrueColor)
			app := ui.New(o)
			s.Start(app, 120, 40)
			s.Press("down", "down", "space")

			look := picture.Look{Text: o.Theme.Roles.Text.Hex, Background: o.Theme.Roles.Background.Hex}
			got := picture.SVG("mullion: nodes by operating system and Windows build", app.View(), look)
			path := "../docs/images/nodes-" + name + ".svg"
			if flag.Lookup("update").Value.String() == "true" {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != got {
				t.Errorf("%s does not show this screen: go test ./ui -run TestPictures -update\n%s", path, s.Screen())
			}
		})
	}
}
