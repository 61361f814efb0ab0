package themes

import (
	"fmt"
	"strings"
)

// Theme is a palette with a name.
type Theme struct {
	Name  string // as in the configuration and in :theme
	Title string // for people
	Roles Roles
}

// Plain says that the theme has no colour at all.
func (t Theme) Plain() bool { return t.Roles.Background.None() && t.Roles.Text.None() }

// Themes is a list of themes without equal names.
type Themes []Theme

// ByName returns the theme of that name.
func (ts Themes) ByName(name string) (Theme, bool) {
	for _, t := range ts {
		if t.Name == name {
			return t, true
		}
	}
	return Theme{}, false
}

// Names lists the names in the order of the list.
func (ts Themes) Names() []string {
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = t.Name
	}
	return names
}

// Auto is the name that leaves the choice to the terminal's background.
const Auto = "auto"

// Pick returns the theme to start with. noColor (the variable NO_COLOR is set
// and not empty) wins over everything and gives plain. "" and Auto give dark or
// light. A theme that has a sister for light terminals, NAME-light, gives that one
// where the background is light. An unknown name is an error that lists the known
// ones, and comes with the theme of Auto.
func (ts Themes) Pick(name string, hasDarkBackground, noColor bool) (Theme, error) {
	if noColor {
		return plain, nil
	}
	auto := light
	if hasDarkBackground {
		auto = dark
	}
	if name == "" || name == Auto {
		return auto, nil
	}
	if !hasDarkBackground {
		if t, ok := ts.ByName(name + "-light"); ok {
			return t, nil
		}
	}
	if t, ok := ts.ByName(name); ok {
		return t, nil
	}
	return auto, fmt.Errorf("no theme is named %q; there are %s and %s", name, Auto, strings.Join(ts.Names(), ", "))
}
