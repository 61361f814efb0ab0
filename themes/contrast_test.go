package themes_test

import (
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/mullion-tui/mullion/themes"
)

// least is the contrast that a theme promises, as a ratio to 1.
func least(theme string) float64 {
	if theme == "high-contrast" || theme == "high-contrast-light" {
		return 7
	}
	return 4.5
}

// Every style that exists is found by reflection, so that none can be forgotten.
func TestContrast(t *testing.T) {
	for _, theme := range themes.Builtin() {
		if theme.Plain() {
			continue
		}
		for _, profile := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256, termenv.ANSI} {
			t.Run(fmt.Sprintf("%s/%s", theme.Name, profile.Name()), func(t *testing.T) {
				r := lipgloss.NewRenderer(io.Discard)
				r.SetColorProfile(profile)
				styles := everyStyle(t, theme.Styles(r))
				if len(styles) < 40 {
					t.Fatalf("only %d styles found", len(styles))
				}
				for path, s := range styles {
					fg, bg := shown(t, path, s, profile, theme.Roles.Background)
					if c := themes.Contrast(fg, bg); c < least(theme.Name) {
						t.Errorf("%s: %s on %s has %.2f:1, less than %v:1", path, fg, bg, c, least(theme.Name))
					}
				}
			})
		}
	}
}

// everyStyle finds the lipgloss styles inside v by reflection, by their path.
func everyStyle(t *testing.T, v any) map[string]lipgloss.Style {
	t.Helper()
	found := map[string]lipgloss.Style{}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		if s, ok := v.Interface().(lipgloss.Style); ok {
			found[path] = s
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		default:
			t.Fatalf("%s is a %s: say here how to find the styles in it", path, v.Kind())
		}
	}
	walk("Styles", reflect.ValueOf(v))
	return found
}

// shown returns the colours, as "#rrggbb", that a terminal with this profile
// shows for a style, by termenv's own tables.
func shown(t *testing.T, path string, s lipgloss.Style, profile termenv.Profile, terminal themes.Colour) (fg, bg string) {
	t.Helper()
	f, b := s.GetForeground(), s.GetBackground()
	if f == (lipgloss.NoColor{}) {
		t.Fatalf("%s leaves its foreground to the terminal", path)
	}
	fg = hex(t, path, f, profile)
	if b == (lipgloss.NoColor{}) {
		if profile == termenv.ANSI {
			return fg, termenv.ConvertToRGB(termenv.ANSIColor(terminal.ANSI)).Hex()
		}
		return fg, terminal.Hex
	}
	return fg, hex(t, path, b, profile)
}

func hex(t *testing.T, path string, c lipgloss.TerminalColor, profile termenv.Profile) string {
	t.Helper()
	complete, ok := c.(lipgloss.CompleteColor)
	if !ok {
		t.Fatalf("%s has a %T: it does not say what 16 colours show", path, c)
	}
	name := map[termenv.Profile]string{
		termenv.TrueColor: complete.TrueColor, termenv.ANSI256: complete.ANSI256, termenv.ANSI: complete.ANSI,
	}[profile]
	return termenv.ConvertToRGB(profile.Color(name)).Hex()
}
