//go:build !windows

package vterm

import (
	"fmt"
	"os"
	"reflect"
	"slices"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/term"
)

// initially holds the private modes that a terminal starts with; all others are
// off.
var initially = map[int]bool{
	ansi.ModeAutoWrap.Mode():         true,
	ansi.ModeTextCursorEnable.Mode(): true,
}

func (v *Term) watchModes() {
	note := func(on bool) func(ansi.Mode) {
		return func(m ansi.Mode) {
			if dec, ok := m.(ansi.DECMode); ok {
				v.modes[dec.Mode()] = on
			}
		}
	}
	v.screen.SetCallbacks(vt.Callbacks{EnableMode: note(true), DisableMode: note(false)})
}

// CheckRestored waits for the end of the binary and checks that it left the
// terminal as it found it: the main screen, a visible cursor, no mouse, focus or
// paste reports, no other private mode, and the line settings (echo, line
// editing, signals).
func (v *Term) CheckRestored() {
	v.t.Helper()
	v.ExitCode()
	for _, problem := range v.left() {
		v.t.Errorf("%s left the terminal changed: %s", v.cmd.Path, problem)
	}
}

func (v *Term) left() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var problems []string
	if v.screen.IsAltScreen() {
		problems = append(problems, "the alternate screen is shown")
	}
	if v.screen.CursorHidden() {
		problems = append(problems, "the cursor is hidden")
	}
	for mode, on := range v.modes {
		if on != initially[mode] {
			problems = append(problems, fmt.Sprintf("private mode %d is %t", mode, on))
		}
	}
	after, err := lineSettings(v.pty)
	switch {
	case err != nil:
		problems = append(problems, fmt.Sprintf("its line settings cannot be read: %v", err))
	case !reflect.DeepEqual(v.before, after):
		problems = append(problems, fmt.Sprintf("its line settings were %+v and are %+v", v.before, after))
	}
	slices.Sort(problems)
	return problems
}

// lineSettings does not go through Fd, which would make reads that a Close
// cannot end.
func lineSettings(f *os.File) (state *term.State, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	if failed := conn.Control(func(fd uintptr) { state, err = term.GetState(int(fd)) }); failed != nil {
		return nil, failed
	}
	return state, err
}
