// Package ui is the terminal interface of mullion: a Bubble Tea program over the
// ports in ui/port. It does no I/O of its own: every call to the outside is a
// command with a limit, every answer a message that names its question.
package ui

import (
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"github.com/mullion-tui/mullion/themes"
	"github.com/mullion-tui/mullion/ui/port"
)

// Options are what the program is started with. Contexts and Themes are needed.
type Options struct {
	Contexts port.Contexts
	Start    string // the context to open; empty shows the contexts
	Err      error  // what went wrong before the start, for example no kubeconfig; shown, not fatal

	Theme     themes.Theme
	Themes    themes.Themes // what :theme offers
	Renderer  *lipgloss.Renderer
	Mouse     bool
	PoolLabel string    // the label that "pool" groups by; empty takes the usual ones
	Version   string    // of mullion
	Clipboard io.Writer // takes OSC 52, so it must be the program's terminal; nil switches copying off

	Now  func() time.Time                                                  // nil is the machine's clock
	Tick func(time.Duration, func(time.Time) tea.Msg) (afterwards tea.Cmd) // nil is tea.Tick
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tick == nil {
		o.Tick = tea.Tick
	}
	if o.Renderer == nil {
		o.Renderer = lipgloss.DefaultRenderer()
	}
	return o
}
