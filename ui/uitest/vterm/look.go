//go:build !windows

package vterm

import (
	"bytes"
	"strings"
	"time"
)

// Screen returns the lines of the screen as plain text, each without the blanks
// at its end. There are always as many as the terminal has rows.
func (v *Term) Screen() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text()
}

func (v *Term) text() string {
	lines := make([]string, v.screen.Height())
	for y := range lines {
		var line strings.Builder
		for x := range v.screen.Width() {
			switch cell := v.screen.CellAt(x, y); {
			case cell == nil || cell.Width == 1 && cell.Content == "":
				line.WriteByte(' ')
			case cell.Width > 0: // 0: the right half of a wide character
				line.WriteString(cell.Content)
			}
		}
		lines[y] = strings.TrimRight(line.String(), " ")
	}
	return strings.Join(lines, "\n")
}

// Styled returns the screen as text with SGR sequences.
func (v *Term) Styled() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.screen.Render()
}

// Cursor returns where the cursor is, counted from 0, and whether it shows.
func (v *Term) Cursor() (col, row int, visible bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.screen.CursorPosition()
	return p.X, p.Y, !v.screen.CursorHidden()
}

// Raw returns all that the binary has written so far.
func (v *Term) Raw() []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	return bytes.Clone(v.raw.Bytes())
}

// WaitFor returns the screen as soon as ok says so. It looks again after every
// piece of output, which may be less than a frame: ok must ask for all that the
// test goes on to use. What names, for the failure, what was waited for.
func (v *Term) WaitFor(what string, ok func(screen string) bool) string {
	v.t.Helper()
	v.escaped = false
	deadline := time.NewTimer(v.patience)
	defer deadline.Stop()
	for gone := false; ; {
		v.mu.Lock()
		screen, changed := v.text(), v.changed
		v.mu.Unlock()
		if ok(screen) {
			return screen
		}
		if gone {
			v.fail("%s ended with exit code %d while this was waited for: %s", v.cmd.Path, v.code, what)
		}
		select {
		case <-changed:
		case <-v.exited: // all output is read by now: look once more
			gone = true
		case <-deadline.C:
			v.fail("in %v this was not seen: %s", v.patience, what)
		}
	}
}

// WaitForText returns the screen as soon as all these texts are on it.
func (v *Term) WaitForText(texts ...string) string {
	v.t.Helper()
	return v.WaitFor(strings.Join(texts, " and "), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// ExitCode waits for the end of the binary and returns its exit code, -1 when a
// signal ended it.
func (v *Term) ExitCode() int {
	v.t.Helper()
	deadline := time.NewTimer(v.patience)
	defer deadline.Stop()
	select {
	case <-v.exited:
	case <-deadline.C:
		v.fail("%s did not end in %v", v.cmd.Path, v.patience)
	}
	return v.code
}
