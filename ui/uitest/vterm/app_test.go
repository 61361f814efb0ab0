//go:build !windows

package vterm_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"go.uber.org/goleak"

	"github.com/mullion-tui/mullion/ui/uitest/vterm"
)

// The test binary is also the program under test: with this variable it runs one
// of programs instead of the tests.
const programVar = "VTERM_TEST_PROGRAM"

var programs = map[string]func() int{
	"app":     func() int { return runApp() },
	"exit":    func() int { fmt.Println("no terminal wanted"); return 3 },
	"messy":   func() int { fmt.Print("\x1b[?1049h\x1b[?25l\x1b[?1002h\x1b[?2004hgone"); return 0 },
	"silent":  func() int { select {} },
	"environ": func() int { fmt.Println(strings.Join(os.Environ(), "\n")); return 0 },
	"raw":     leaveRaw,
}

func TestMain(m *testing.M) {
	if program, ok := programs[os.Getenv(programVar)]; ok {
		os.Exit(program())
	}
	goleak.VerifyTestMain(m)
}

func start(t testing.TB, program string, o vterm.Options) *vterm.Term {
	t.Helper()
	o.Path = os.Args[0]
	o.Env = append(o.Env, programVar+"="+program)
	return vterm.Start(t, o)
}

// app shows what reached it.
type app struct {
	width, height int
	dark          bool
	got           []string
}

func runApp() int {
	p := tea.NewProgram(app{dark: lipgloss.HasDarkBackground()}, tea.WithAltScreen(), tea.WithMouseCellMotion())
	if _, err := p.Run(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func (a app) Init() tea.Cmd { return nil }

func (a app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
	case tea.MouseMsg:
		a.got = append(a.got, fmt.Sprintf("%s at %d,%d", msg, msg.X, msg.Y))
	case tea.KeyMsg:
		switch msg.String() {
		case "ctrl+c", "q":
			return a, tea.Quit
		case "!":
			panic("asked for")
		}
		a.got = append(a.got, msg.String())
	}
	return a, nil
}

func (a app) View() string {
	head := fmt.Sprintf("size %d×%d dark %t", a.width, a.height, a.dark)
	colour := lipgloss.NewStyle().Foreground(lipgloss.Color("#ff8000")).Render("orange")
	return strings.Join([]string{head, colour + " 節点 e\u0301", "got " + strings.Join(a.got, " ") + " end"}, "\n")
}
