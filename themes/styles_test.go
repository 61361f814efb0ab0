package themes_test

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/lucasb-eyer/go-colorful"
	"github.com/muesli/termenv"

	"github.com/mullion-tui/mullion/themes"
)

func rendererOf(profile termenv.Profile) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	return r
}

var sgr = regexp.MustCompile(`\x1b\[([0-9;:]*)m`)

// Plain may make text bold, underlined and reversed, and nothing else.
func TestPlainHasNoColour(t *testing.T) {
	plain, _ := themes.Builtin().ByName("plain")
	for _, profile := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256, termenv.ANSI, termenv.Ascii} {
		styles := plain.Styles(rendererOf(profile))
		for path, s := range everyStyle(t, styles) {
			for _, codes := range sgr.FindAllStringSubmatch(s.Render("text"), -1) {
				for _, code := range strings.Split(codes[1], ";") {
					switch code {
					case "0", "1", "4", "7":
					default:
						t.Errorf("%s: %s renders with SGR %q", profile.Name(), path, code)
					}
				}
			}
		}
		if out := styles.Cursor.Text.Render("text"); !strings.Contains(out, "\x1b[7m") {
			t.Errorf("%s: the cursor is not seen: %q", profile.Name(), out)
		}
		if out := styles.Body.Text.Render("text"); out != "text" {
			t.Errorf("%s: ordinary text renders as %q", profile.Name(), out)
		}
	}
}

// What stands apart must do so without colour too: on the body, these inks.
func TestWeightTellsWhatStandsOut(t *testing.T) {
	for _, theme := range themes.Builtin() {
		s := theme.Styles(rendererOf(termenv.TrueColor))
		for name, style := range map[string]lipgloss.Style{
			"bad": s.Body.Bad, "group": s.Body.Group, "key": s.Body.Key, "marked": s.Body.Marked, "accent": s.Body.Accent,
			"error": s.Error, "read-only": s.ReadOnly, "operator": s.Operator, "context": s.Context("x"),
		} {
			if !style.GetBold() {
				t.Errorf("%s: %s is not bold", theme.Name, name)
			}
		}
		if !s.Match.GetUnderline() {
			t.Errorf("%s: a match is not underlined", theme.Name)
		}
	}
}

// Rows that are under the cursor keep their roles, where the terminal has the
// colours for it.
func TestCursorRowHasOneGround(t *testing.T) {
	for _, theme := range themes.Builtin() {
		for _, profile := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256, termenv.ANSI} {
			s := theme.Styles(rendererOf(profile))
			grounds := map[string]bool{}
			for _, style := range everyStyle(t, s.Cursor) {
				grounds[fmt.Sprint(style.GetBackground(), style.GetReverse())] = true
			}
			if len(grounds) != 1 {
				t.Errorf("%s in %s: the cursor row has the grounds %v", theme.Name, profile.Name(), grounds)
			}
		}
	}
}

func TestContextIsStable(t *testing.T) {
	dark, _ := themes.Builtin().ByName("dark")
	s := dark.Styles(rendererOf(termenv.TrueColor))
	used := map[string]int{}
	for i := range 400 {
		name := fmt.Sprintf("cluster-%d", i)
		a, b := s.Context(name).GetBackground(), s.Context(name).GetBackground()
		if a != b {
			t.Fatalf("%s has two colours", name)
		}
		used[fmt.Sprint(a)]++
	}
	if len(used) != len(dark.Roles.Contexts) {
		t.Errorf("400 names use %d of %d colours", len(used), len(dark.Roles.Contexts))
	}
	// The same in every release: an operator learns the colour of production.
	if got, want := s.Context("lab").GetBackground(), s.Contexts[4].GetBackground(); got != want {
		t.Errorf("lab has %v, it always had %v", got, want)
	}
}

func TestPick(t *testing.T) {
	for _, tc := range []struct {
		name          string
		dark, noColor bool
		want          string
	}{
		{"", true, false, "dark"},
		{"", false, false, "light"},
		{"auto", true, false, "dark"},
		{"auto", false, false, "light"},
		{"light", true, false, "light"},
		{"dark", false, false, "dark"},
		{"high-contrast", true, false, "high-contrast"},
		{"high-contrast", false, false, "high-contrast-light"},
		{"colorblind", false, false, "colorblind-light"},
		{"colorblind-light", true, false, "colorblind-light"},
		{"plain", true, false, "plain"},
		{"dark", true, true, "plain"},
		{"", false, true, "plain"},
	} {
		got, err := themes.Builtin().Pick(tc.name, tc.dark, tc.noColor)
		if err != nil || got.Name != tc.want {
			t.Errorf("Pick(%q, dark %t, no colour %t) = %s, %v; want %s", tc.name, tc.dark, tc.noColor, got.Name, err, tc.want)
		}
	}
	got, err := themes.Builtin().Pick("drak", false, false)
	if err == nil || !strings.Contains(err.Error(), `no theme is named "drak"; there are auto and dark, light, `) || got.Name != "light" {
		t.Errorf("got %s, %v", got.Name, err)
	}
}

func TestBuiltinThemesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, theme := range themes.Builtin() {
		if seen[theme.Name] || theme.Name == "" || theme.Title == "" {
			t.Errorf("%q is there twice or lacks a name or title", theme.Name)
		}
		seen[theme.Name] = true
		if theme.Plain() {
			if !reflect.DeepEqual(theme.Roles, themes.Roles{}) {
				t.Errorf("%s has colours", theme.Name)
			}
			continue
		}
		for i, d := range roleDocs(t) {
			colours, ok := reflect.ValueOf(theme.Roles).Field(i).Interface().([]themes.Colour)
			if !ok {
				colours = []themes.Colour{reflect.ValueOf(theme.Roles).Field(i).Interface().(themes.Colour)}
			}
			for _, c := range colours {
				if _, err := colorful.Hex(c.Hex); err != nil || c.ANSI < 0 || c.ANSI > 15 {
					t.Errorf("%s: %s is %+v", theme.Name, d.key, c)
				}
			}
			if len(colours) == 0 {
				t.Errorf("%s: %s is empty", theme.Name, d.key)
			}
		}
	}
}

// Viénot, Brettel and Mollon (1999): what protanopes and deuteranopes see, as
// matrices on linear RGB.
var dichromats = map[string][3][3]float64{
	"protanopia":   {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
	"deuteranopia": {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
}

func TestColourBlindSafe(t *testing.T) {
	const apart = 0.15 // CIEDE2000 in colorful's scale, in which 1 is black to white
	for _, name := range []string{"colorblind", "colorblind-light"} {
		theme, _ := themes.Builtin().ByName(name)
		o := theme.Roles
		for sight, m := range dichromats {
			for pair, c := range map[string][2]themes.Colour{
				"good and warn": {o.Good, o.Warn}, "good and bad": {o.Good, o.Bad}, "warn and bad": {o.Warn, o.Bad},
				"windows and linux":      {o.Windows, o.Linux},
				"read-only and operator": {o.ReadOnlyBackground, o.OperatorBackground},
			} {
				if d := seen(t, m, c[0]).DistanceCIEDE2000(seen(t, m, c[1])); d < apart {
					t.Errorf("%s: %s are %.2f apart in %s, want %.2f", name, pair, d, sight, apart)
				}
			}
		}
	}
}

func seen(t *testing.T, m [3][3]float64, c themes.Colour) colorful.Color {
	t.Helper()
	full, err := colorful.Hex(c.Hex)
	if err != nil {
		t.Fatal(err)
	}
	r, g, b := full.LinearRgb()
	row := func(i int) float64 { return m[i][0]*r + m[i][1]*g + m[i][2]*b }
	return colorful.LinearRgb(row(0), row(1), row(2)).Clamped()
}
