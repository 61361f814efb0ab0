package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/mullion-tui/mullion/kube"
	"github.com/mullion-tui/mullion/kube/config"
	"github.com/mullion-tui/mullion/themes"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/port"
)

// runUI opens the terminal UI and returns when the operator quits.
func (a *app) runUI(ctx context.Context) error {
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(a.stdout.Fd()) {
		return usageError(errors.New("the UI needs a terminal; mullion nodes prints the same inventory into a file or a pipe"))
	}
	kube.SilenceLogs(io.Discard)
	c, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	all, theme, themeErr := pickTheme(c.config)
	screen := &terminal{File: a.stdout}
	return runProgram(ctx, screen, ui.New(ui.Options{
		Contexts:  ports{c.Contexts},
		Start:     c.Current(),
		Err:       errors.Join(themeErr, c.noted()),
		Theme:     theme,
		Themes:    all,
		Mouse:     c.config.Mouse,
		PoolLabel: c.config.PoolLabel,
		Version:   version,
		Clipboard: screen,
	}))
}

// runProgram runs a model on the terminal and leaves that as it was.
func runProgram(ctx context.Context, screen *terminal, m tea.Model) error {
	program := tea.NewProgram(m, tea.WithoutSignalHandler(), tea.WithOutput(screen), tea.WithAltScreen())
	// Signals end ctx, and that is a wish to quit like any other: tea.WithContext would
	// close the terminal under its own reader.
	defer context.AfterFunc(ctx, program.Quit)()
	// Terminals disagree on the width of some scripts. A line that comes out wider
	// than it was measured is clipped, instead of pushing down the rows below it.
	_, _ = io.WriteString(screen, ansi.ResetModeAutoWrap)
	defer func() { _, _ = io.WriteString(screen, ansi.SetModeAutoWrap) }()
	_, err := program.Run()
	if errors.Is(err, tea.ErrProgramPanic) {
		// The stack of a command's panic is written while the terminal is raw still, and
		// ends anywhere on a line.
		_, _ = io.WriteString(screen, "\r\n")
	}
	return endOfUI(err)
}

// endOfUI tells a wish to stop from a failure. Bubble Tea restores the terminal in
// both cases, after a panic too.
func endOfUI(err error) error {
	switch {
	case err == nil, errors.Is(err, tea.ErrInterrupted), errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, tea.ErrProgramPanic):
		return internalError(errors.New("a bug in mullion ended it: the stack is above; nothing in the cluster was changed by that"))
	default:
		return internalError(fmt.Errorf("running the UI: %w", err))
	}
}

// noted is what a dump does not show, for the panel that stays until it was read.
func (c *clusters) noted() error {
	if len(c.notes) == 0 {
		return nil
	}
	return errors.New("a dump, not a live cluster: " + strings.Join(c.notes, "; "))
}

// pickTheme chooses by NO_COLOR, the config file and the terminal's background, in
// this order. Own themes with mistakes are told and do not keep mullion from starting.
func pickTheme(cfg *config.Config) (themes.Themes, themes.Theme, error) {
	all, loadErr := themes.Load(themeDir(cfg))
	theme, err := all.Pick(cfg.Theme, lipgloss.HasDarkBackground(), os.Getenv("NO_COLOR") != "")
	return all, theme, errors.Join(loadErr, err)
}

// themeDir is the folder themes beside the config file.
func themeDir(cfg *config.Config) string {
	path := cfg.Path()
	if path == "" {
		path = config.DefaultPath()
	}
	return filepath.Join(filepath.Dir(path), "themes")
}

// ports hands kube's contexts to the UI as the interfaces that it names.
type ports struct{ *kube.Contexts }

var _ port.Session = (*kube.Session)(nil)

func (p ports) Open(ctx context.Context, name string) (port.Session, error) {
	s, err := p.Contexts.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// terminal lets frames and clipboard sequences share one file without mixing.
type terminal struct {
	*os.File
	mu sync.Mutex
}

func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.File.Write(p)
}
