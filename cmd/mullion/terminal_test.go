//go:build !windows

package main

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/mullion-tui/mullion/ui/uitest/vterm"
)

// demo starts mullion --demo on a terminal. What it leaves in its temporary
// directory fails the test.
func demo(t *testing.T, o vterm.Options) *vterm.Term {
	t.Helper()
	tmp := t.TempDir()
	o.Path, o.Args = os.Args[0], append(o.Args, "--demo")
	o.Env = append(o.Env, asProgram+"=1", "TMPDIR="+tmp)
	v := vterm.Start(t, o)
	t.Cleanup(func() {
		left, err := os.ReadDir(tmp)
		if err != nil {
			t.Error(err)
		}
		for _, entry := range left {
			t.Errorf("%s is left in the temporary directory", entry.Name())
		}
	})
	v.WaitForText("lab", "4 nodes", "all synced", "k8s-lab-win-1")
	return v
}

func TestEndsLeaveTheTerminalAsItWas(t *testing.T) {
	for name, end := range map[string]func(*vterm.Term){
		"q":       func(v *vterm.Term) { v.Press("q") },
		"ctrl+c":  func(v *vterm.Term) { v.Press("ctrl+c") },
		"SIGTERM": func(v *vterm.Term) { v.Signal(syscall.SIGTERM) },
		"SIGINT":  func(v *vterm.Term) { v.Signal(syscall.SIGINT) },
		"SIGHUP":  func(v *vterm.Term) { v.Signal(syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			v := demo(t, vterm.Options{})
			end(v)
			if code := v.ExitCode(); code != exitOK {
				t.Errorf("exit code %d", code)
			}
			v.CheckRestored()
		})
	}
}

func TestCrashLeavesTheTerminalAsItWas(t *testing.T) {
	for key, bug := range map[string]string{"u": "a bug in Update", "c": "a bug in a command"} {
		// After a panic Bubble Tea closes the terminal under its own reader, which the race
		// detector may see; here the exit code of the program counts.
		v := vterm.Start(t, vterm.Options{Path: os.Args[0], Env: []string{asProgram + "=" + crashing, "GORACE=exitcode=0"}})
		v.WaitForText("waiting for a key")
		v.Press(key)
		if code := v.ExitCode(); code != exitInternal {
			t.Errorf("%s: exit code %d", bug, code)
		}
		v.CheckRestored()
		if text := v.Screen(); !strings.Contains(text, "a bug in mullion ended it") {
			t.Errorf("%s goes unsaid:\n%s", bug, text)
		}
	}
}

func TestLookingAround(t *testing.T) {
	v := demo(t, vterm.Options{Cols: 120, Rows: 40})
	if !strings.Contains(string(v.Raw()), ansi.ResetModeAutoWrap) {
		t.Error("a line that the terminal draws too wide would wrap")
	}

	v.Press("/", "node-1", "enter")
	v.WaitFor("the filtered node alone", func(s string) bool {
		return strings.Contains(s, "k8s-lab-node-1") && !strings.Contains(s, "k8s-lab-win-1")
	})
	v.Press("esc")
	v.WaitForText("k8s-lab-win-1", "k8s-lab-node-2")

	v.Press("home", "left")
	v.WaitFor("the folded group", func(s string) bool {
		return strings.Contains(s, "Windows Server 2025") && !strings.Contains(s, "k8s-lab-win-1")
	})
	v.Press("right")
	v.WaitForText("k8s-lab-win-1")

	v.Press(":context fleet", "enter")
	v.WaitForText("fleet", "Windows Server 2022", "w22-01")
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		v.Resize(size[0], size[1])
		v.WaitFor("the footer in the last row", func(s string) bool {
			lines := strings.Split(s, "\n")
			return len(lines) == size[1] && strings.Contains(lines[len(lines)-1], "q quit")
		})
	}
	v.Press("q")
	v.CheckRestored()
}

func TestNoColor(t *testing.T) {
	v := demo(t, vterm.Options{Env: []string{"NO_COLOR=1"}})
	v.Press(":theme dark", "enter")
	v.WaitForText("theme dark")
	v.Press("q")
	v.CheckRestored()
	for _, sgr := range regexp.MustCompile(`\x1b\[([0-9;:]*)m`).FindAllStringSubmatch(string(v.Raw()), -1) {
		for code := range strings.SplitSeq(sgr[1], ";") {
			switch code {
			case "", "0", "1", "4", "7":
			default:
				t.Fatalf("with NO_COLOR it writes SGR %q", sgr[1])
			}
		}
	}
}
