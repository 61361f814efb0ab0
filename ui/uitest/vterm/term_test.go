//go:build !windows

package vterm_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/term"

	"github.com/mullion-tui/mullion/ui/uitest/vterm"
)

func TestScreen(t *testing.T) {
	v := start(t, "app", vterm.Options{Cols: 60, Rows: 10})
	screen := v.WaitForText("size 60×10", "end")
	lines := strings.Split(screen, "\n")
	if len(lines) != 10 {
		t.Errorf("%d lines on a terminal of 10 rows", len(lines))
	}
	if want := "orange 節点 e\u0301"; lines[1] != want {
		t.Errorf("second line is %q, want %q", lines[1], want)
	}
	if !strings.Contains(v.Styled(), "38;2;255;128;0") {
		t.Errorf("the styled screen lost its colour: %q", v.Styled())
	}
	if _, _, visible := v.Cursor(); visible {
		t.Error("the cursor shows while the program runs")
	}
	if raw := string(v.Raw()); !strings.Contains(raw, "\x1b[?1049h") {
		t.Errorf("the raw output does not switch to the alternate screen: %q", raw)
	}
	v.Press("q")
	if code := v.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	v.CheckRestored()
}

func TestBackgroundIsAnswered(t *testing.T) {
	for _, light := range []bool{false, true} {
		v := start(t, "app", vterm.Options{Light: light})
		v.WaitForText(fmt.Sprintf("dark %t", !light))
	}
}

func TestPress(t *testing.T) {
	v := start(t, "app", vterm.Options{Cols: 200})
	v.WaitForText("size 200×24")
	for _, key := range []string{
		"enter", "tab", "shift+tab", "backspace", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
		"delete", "f1", "f5", "f12", "ctrl+a", "ctrl+up", "alt+x", "/", "é", "esc",
	} {
		v.Press(key)
		v.WaitForText(" " + key + " end")
	}
	v.Press("space")
	v.WaitForText("esc   end")
	v.Press("win-2025")
	v.WaitForText("win-2025 end")
	v.Paste("a b")
	v.WaitForText("[a b] end")
	v.Press("ctrl+c")
	v.CheckRestored()
}

func TestMouse(t *testing.T) {
	v := start(t, "app", vterm.Options{Cols: 200})
	v.WaitForText("end")
	v.Click(7, 3)
	v.WaitForText("left press at 7,3 left release at 7,3 end")
	v.WheelDown(1, 2)
	v.WaitForText("wheel down at 1,2 end")
	v.WheelUp(1, 2)
	v.WaitForText("wheel up at 1,2 end")
}

func TestResize(t *testing.T) {
	v := start(t, "app", vterm.Options{Cols: 80, Rows: 24})
	v.WaitForText("size 80×24")
	v.Resize(120, 40)
	screen := v.WaitForText("size 120×40")
	if n := strings.Count(screen, "\n") + 1; n != 40 {
		t.Errorf("%d lines after the resize", n)
	}
}

func TestExitCodes(t *testing.T) {
	v := start(t, "exit", vterm.Options{})
	if code := v.ExitCode(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	v.WaitForText("no terminal wanted")
	v.CheckRestored()

	v = start(t, "silent", vterm.Options{})
	v.Signal(syscall.SIGKILL)
	if code := v.ExitCode(); code != -1 {
		t.Errorf("exit code of a killed program is %d", code)
	}
}

func TestPanicRestoresTheTerminal(t *testing.T) {
	v := start(t, "app", vterm.Options{})
	v.WaitForText("end")
	v.Press("!")
	v.CheckRestored()
	if !strings.Contains(string(v.Raw()), "asked for") {
		t.Error("the panic is not shown")
	}
}

func TestEnvironmentIsClean(t *testing.T) {
	t.Setenv("KUBECONFIG", "/from/the/machine")
	t.Setenv("NO_COLOR", "1")
	v := start(t, "environ", vterm.Options{Env: []string{"MORE=yes"}, Rows: 40, Cols: 300})
	screen := v.WaitForText("MORE=yes", "TERM=xterm-256color")
	if strings.Contains(screen, "KUBECONFIG") || strings.Contains(screen, "NO_COLOR") {
		t.Errorf("the machine's variables reach the program:\n%s", screen)
	}
	if strings.Contains(screen, "HOME="+os.Getenv("HOME")+"\n") {
		t.Errorf("the machine's home reaches the program:\n%s", screen)
	}
}

// leaveRaw ends without putting the line settings back.
func leaveRaw() int {
	if _, err := term.MakeRaw(int(os.Stdin.Fd())); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// TestFailures runs tests that must fail in a process of their own and reads
// what they say.
func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name string
		want []string
	}{
		{"Messy", []string{"the alternate screen is shown", "the cursor is hidden", "private mode 1002 is true", "private mode 2004 is true"}},
		{"Raw", []string{"its line settings were"}},
		{"Absent", []string{"in 20ms this was not seen: never there", "  1│"}},
		{"Gone", []string{"ended with exit code 3 while this was waited for: never there", "no terminal wanted"}},
		{"EscThenKey", []string{`"j" follows esc at once`}},
		{"NoBinary", []string{"start /nonexistent on a pseudo-terminal"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestThatFails$/^"+tc.name+"$", "-test.v")
			cmd.Env = append(os.Environ(), "VTERM_TEST_FAILING=1")
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Errorf("it passes:\n%s", out)
			}
			for _, want := range tc.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
		})
	}
}

func TestThatFails(t *testing.T) {
	if os.Getenv("VTERM_TEST_FAILING") == "" {
		t.Skip("run by TestFailures")
	}
	t.Run("Messy", func(t *testing.T) { start(t, "messy", vterm.Options{}).CheckRestored() })
	t.Run("Raw", func(t *testing.T) { start(t, "raw", vterm.Options{}).CheckRestored() })
	t.Run("Absent", func(t *testing.T) {
		start(t, "silent", vterm.Options{Patience: 20 * time.Millisecond}).WaitForText("never there")
	})
	t.Run("Gone", func(t *testing.T) { start(t, "exit", vterm.Options{}).WaitForText("never there") })
	t.Run("EscThenKey", func(t *testing.T) { start(t, "silent", vterm.Options{}).Press("esc", "j") })
	t.Run("NoBinary", func(t *testing.T) { vterm.Start(t, vterm.Options{Path: "/nonexistent"}) })
}
