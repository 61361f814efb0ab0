package themes_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/mullion-tui/mullion/themes"
)

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoad(t *testing.T) {
	dir := write(t, map[string]string{
		"night.yaml": `
title: Night shift
extends: dark
roles:
  good: "#77EE99"
  contexts: ["#99ccff", "#ffcc99"]
`,
		"README.md": "not a theme",
	})
	all, err := themes.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	night, ok := all.ByName("night")
	if !ok || night.Title != "Night shift" {
		t.Fatalf("got %q", all.Names())
	}
	dark, _ := all.ByName("dark")
	want := dark.Roles
	want.Good = themes.Colour{Hex: "#77ee99", ANSI: dark.Roles.Good.ANSI}
	want.Contexts = []themes.Colour{
		{Hex: "#99ccff", ANSI: dark.Roles.Contexts[0].ANSI}, {Hex: "#ffcc99", ANSI: dark.Roles.Contexts[1].ANSI},
	}
	if got := night.Roles; !slices.Equal(got.Contexts, want.Contexts) || got.Good != want.Good || got.Dim != want.Dim {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if again, _ := themes.Builtin().ByName("dark"); again.Roles.Good != dark.Roles.Good {
		t.Error("loading changed the builtin theme")
	}
}

func TestLoadWithoutDirectory(t *testing.T) {
	all, err := themes.Load(filepath.Join(t.TempDir(), "none"))
	if err != nil || len(all) != len(themes.Builtin()) {
		t.Errorf("got %q and %v", all.Names(), err)
	}
}

func TestLoadMistakes(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"unknown key", "extends: dark\ncolours: {}\n", `x.yaml:2: unknown key "colours"; known are title, extends, roles`},
		{"unknown role", "extends: dark\nroles:\n  god: \"#ffffff\"\n", `x.yaml:3: unknown role "god"; docs/themes.md lists them`},
		{"comment for a colour", "extends: dark\nroles:\n  good: #77ee99\n", `x.yaml:3: good must be a colour as in "#8fdc8f", with the quotes (without them # starts a comment), not nothing`},
		{"name for a colour", "extends: dark\nroles:\n  good: green\n", `x.yaml:3: good must be a colour as in "#8fdc8f", with the quotes (without them # starts a comment), not "green"`},
		{"short colour", "extends: dark\nroles:\n  good: \"#7e9\"\n", `not "#7e9"`},
		{"list for a colour", "extends: dark\nroles:\n  good: []\n", "x.yaml:3: good must be a colour"},
		{"one colour for contexts", "extends: dark\nroles:\n  contexts: \"#77ee99\"\n", `x.yaml:3: contexts must be a list of one colour or more, not "#77ee99"`},
		{"no contexts", "extends: dark\nroles:\n  contexts: []\n", "x.yaml:3: contexts must be a list of one colour or more, not an empty list"},
		{"bad context", "extends: dark\nroles:\n  contexts:\n  - \"#77ee99\"\n  - red\n", "x.yaml:5: contexts must be a colour"},
		{"twice", "extends: dark\nroles:\n  good: \"#77ee99\"\n  good: \"#77ee99\"\n", `x.yaml:4: "good" is set a second time; the first is in line 3`},
		{"no base", "title: x\n", "x.yaml:1: extends is missing: name the builtin theme"},
		{"unknown base", "title: x\nextends: darkest\n", `x.yaml:2: extends names "darkest", which is no builtin theme; there are dark, light, `},
		{"base without colours", "extends: plain\n", `x.yaml:1: extends names "plain", which has no colours that could be extended`},
		{"number for a title", "title: 7\nextends: dark\n", `x.yaml:1: title must be text, not "7"`},
		{"list", "- dark\n", "x.yaml:1: the file must be a mapping of keys to values, not a list"},
		{"roles list", "extends: dark\nroles: []\n", "x.yaml:2: roles must be a mapping of keys to values, not an empty list"},
		{"not YAML", "extends: dark\n\troles:\n", "x.yaml:2: is not YAML: "},
		{"alias", "extends: dark\nroles:\n  good: &a \"#77ee99\"\n  bad: *a\n", "x.yaml:4: bad must be a colour"},
		{"empty", "# nothing\n", "x.yaml: is empty"},
		{"two documents", "extends: dark\n---\nextends: light\n", "holds more than one YAML document"},
		{"huge", "# " + strings.Repeat("x", 64<<10), "x.yaml: is larger than 65536 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all, err := themes.Load(write(t, map[string]string{"x.yaml": tc.text, "fine.yaml": "extends: light\n"}))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
			if _, there := all.ByName("x"); there {
				t.Error("there is a theme all the same")
			}
			if _, there := all.ByName("fine"); !there {
				t.Error("a mistake in one file costs the theme of another")
			}
		})
	}
}

func TestLoadTellsAllMistakes(t *testing.T) {
	_, err := themes.Load(write(t, map[string]string{
		"x.yaml":    "extends: dark\nroles:\n  god: \"#ffffff\"\n  bad: red\n",
		"dark.yaml": "extends: dark\n",
		"y.yml":     "extends: dark\n",
	}))
	for _, want := range []string{
		`dark.yaml: "dark" is the name of a builtin theme: rename the file`,
		`x.yaml:3: unknown role "god"`,
		`x.yaml:4: bad must be a colour`,
		`y.yml: is not read: the name of a theme's file ends in .yaml`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
}

func TestLoadReportsLowContrast(t *testing.T) {
	all, err := themes.Load(write(t, map[string]string{
		"x.yaml": "extends: dark\nroles:\n  dim: \"#555555\"\n  cursorBackground: \"#e0e0e0\"\n",
	}))
	for _, want := range []string{
		"x.yaml:3: dim (#555555) on background (#1e1e1e) has a contrast of 2.2:1, and text needs 4.5:1; the theme is used all the same",
		"x.yaml:4: good (#8fdc8f) on cursorBackground (#e0e0e0) has a contrast of ",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
	if _, there := all.ByName("x"); !there {
		t.Error("the theme is missing")
	}
}

// Whatever two colours a style can put together, a file's contrast is checked
// for: a theme in which everything is grey must be told so of every pair.
func TestLoadChecksEveryPairOfTheStyles(t *testing.T) {
	text := "extends: dark\nroles:\n"
	for _, role := range roleDocs(t) {
		value := `"#777777"`
		if role.key == "contexts" {
			value = `["#777777"]`
		}
		text += "  " + role.key + ": " + value + "\n"
	}
	all, err := themes.Load(write(t, map[string]string{"grey.yaml": text}))
	grey, ok := all.ByName("grey")
	if !ok || err == nil {
		t.Fatalf("got %q and %v", all.Names(), err)
	}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.TrueColor)
	pairs := 0
	for path := range everyStyle(t, grey.Styles(r)) {
		// These two are the accent on the background once more.
		if path != "Styles.BorderFocus" && path != "Styles.Match" {
			pairs++
		}
	}
	if got := strings.Count(err.Error(), "has a contrast of 1.0:1"); got != pairs {
		t.Errorf("%d pairs reported, the styles have %d:\n%v", got, pairs, err)
	}
}
