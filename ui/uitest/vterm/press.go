//go:build !windows

package vterm

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// keys are what xterm sends, under Bubble Tea's names.
var keys = map[string]string{
	"enter": "\r", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f", "esc": "\x1b",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "shift+right": "\x1b[1;2C", "shift+left": "\x1b[1;2D",
	"ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B", "ctrl+right": "\x1b[1;5C", "ctrl+left": "\x1b[1;5D",
	"home": "\x1b[H", "end": "\x1b[F", "ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F",
	"pgup": "\x1b[5~", "pgdown": "\x1b[6~", "insert": "\x1b[2~", "delete": "\x1b[3~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// Press presses keys, by Bubble Tea's names ("enter", "ctrl+c", "alt+x", "up");
// what is not a name is typed as text. Esc must be followed by a wait for what
// it does: a terminal cannot tell it from alt and the next key.
func (v *Term) Press(names ...string) {
	v.t.Helper()
	for _, name := range names {
		if v.escaped {
			v.t.Fatalf("%q follows esc at once, which reads as alt+%[1]s: wait for what esc does first", name)
		}
		v.send(bytesOf(name))
		v.escaped = name == "esc"
	}
}

func bytesOf(name string) string {
	if seq, ok := keys[name]; ok {
		return seq
	}
	if key, ok := strings.CutPrefix(name, "alt+"); ok {
		return "\x1b" + bytesOf(key)
	}
	if key, ok := strings.CutPrefix(name, "ctrl+"); ok && len(key) == 1 && key >= "@" && key <= "z" {
		return string(key[0] & 0x1f)
	}
	return name
}

// Paste pastes text as a terminal with bracketed paste does.
func (v *Term) Paste(text string) {
	v.t.Helper()
	v.send(ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd)
}

// Click presses and releases the left button on a cell, counted from 0. Like a
// terminal, it sends nothing to a binary that did not ask for the mouse.
func (v *Term) Click(col, row int) {
	v.t.Helper()
	v.mouse(ansi.MouseLeft, col, row, false)
	v.mouse(ansi.MouseLeft, col, row, true)
}

// WheelUp turns the wheel by one notch over a cell, see Click.
func (v *Term) WheelUp(col, row int) {
	v.t.Helper()
	v.mouse(ansi.MouseWheelUp, col, row, false)
}

// WheelDown turns the wheel by one notch over a cell, see Click.
func (v *Term) WheelDown(col, row int) {
	v.t.Helper()
	v.mouse(ansi.MouseWheelDown, col, row, false)
}

// MouseReports says whether the binary has asked for the mouse.
func (v *Term) MouseReports() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range []ansi.DECMode{ansi.ModeMouseNormal, ansi.ModeMouseButtonEvent, ansi.ModeMouseAnyEvent} {
		if v.modes[m.Mode()] {
			return true
		}
	}
	return false
}

func (v *Term) mouse(button ansi.MouseButton, col, row int, release bool) {
	v.t.Helper()
	if v.MouseReports() {
		v.send(ansi.MouseSgr(ansi.EncodeMouseButton(button, false, false, false, false), col, row, release))
	}
}

func (v *Term) send(s string) {
	v.t.Helper()
	if _, err := v.pty.WriteString(s); err != nil {
		v.fail("send %q to %s: %v", s, v.cmd.Path, err)
	}
}
