package ui

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	_ "github.com/charmbracelet/x/exp/golden" // its flag -update serves the page too

	"github.com/mullion-tui/mullion/ui/act"
	"github.com/mullion-tui/mullion/ui/screen/node"
)

// TestKeysPage keeps docs/keys.md equal to the tables that the keys are looked
// up in.
func TestKeysPage(t *testing.T) {
	const path = "../docs/keys.md"
	a := New(Options{})
	got := keysPage(a)
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
		t.Errorf("%s is out of step: go test ./ui -run TestKeysPage -update", path)
	}
}

func keysPage(a *App) string {
	var b strings.Builder
	b.WriteString(`# Keys and commands

<!-- Written by a test from the tables that the program looks keys up in: go test ./ui -run TestKeysPage -update -->

` + "`?`" + ` shows these in the program too, with the reason where one cannot be used at the moment. The footer
shows the ones that matter on the screen. The wheel scrolls, a click moves the cursor, a click on the
line under the cursor opens it; with shift held, most terminals select text as they do elsewhere.
`)
	for _, section := range []struct {
		title string
		table act.Table
	}{
		{"Everywhere", a.global()},
		{"Nodes", a.nodes.Actions()},
		{"Memory", a.memory.Actions()},
		{"Findings", a.findings.Actions()},
		{"One node", (&node.Screen{}).Actions()},
		{"Contexts", a.contexts.Actions()},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| keys | what they do |\n|---|---|\n", section.title)
		for _, action := range section.table {
			keys := make([]string, len(action.Keys))
			for i, k := range action.Keys {
				keys[i] = "`" + act.Spell(k) + "`"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(keys, " "), action.Help)
		}
	}
	b.WriteString("\n## Commands\n\n`:` opens the command line; `tab` completes, `esc` closes it.\n\n| command | what it does |\n|---|---|\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "| `:%s` | %s |\n", c.usage, c.help)
	}
	return b.String()
}
