package ui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/ui/part"
)

type overlayKind int

const (
	noOverlay overlayKind = iota
	helpOverlay
	feedsOverlay
)

// overlay is a text over the screen that scrolls.
type overlay struct {
	kind          overlayKind
	top           int
	lines, height int // as last drawn
}

func (o *overlay) scroll(d int) { o.top = max(min(o.top+d, o.lines-o.height), 0) }

// overlayKey scrolls or closes. Keys that would act on what cannot be seen do nothing.
func (a *App) overlayKey(key string) tea.Cmd {
	o := &a.overlay
	switch key {
	case "up", "k":
		o.scroll(-1)
	case "down", "j":
		o.scroll(1)
	case "pgup", "ctrl+b", "ctrl+u":
		o.scroll(1 - o.height)
	case "pgdown", " ", "ctrl+f", "ctrl+d":
		o.scroll(o.height - 1)
	case "home":
		o.top = 0
	case "end", "G":
		o.scroll(o.lines)
	case "esc", "enter":
		a.overlay = overlay{}
	case "q":
		return a.quit()
	case "?", "f":
		kind := map[string]overlayKind{"?": helpOverlay, "f": feedsOverlay}[key]
		if o.kind == kind {
			kind = noOverlay
		}
		a.overlay = overlay{kind: kind}
	}
	return nil
}

func (a *App) overlayView(w, h int) []string {
	lines := a.helpLines(w - 2)
	if a.overlay.kind == feedsOverlay {
		lines = a.feedLines(w - 2)
	}
	o := &a.overlay
	o.lines, o.height = len(lines), h
	if o.lines > h {
		o.height = h - 1
	}
	o.scroll(0)
	end := min(o.top+o.height, o.lines)
	var out []string
	for _, l := range lines[o.top:end] {
		out = append(out, " "+l)
	}
	if o.lines > h {
		more := fmt.Sprintf(" lines %d–%d of %d", o.top+1, end, o.lines)
		out = append(out, a.ink.Paint(part.Dim, more))
	}
	return part.Block(out, w, h)
}
