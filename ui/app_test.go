package ui_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/themes"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

// stage is a program on a pump, with the ports that it talks to.
type stage struct {
	*uitest.Pump
	contexts *uitest.Contexts
	lab      *uitest.Cluster
	fleet    *uitest.Cluster
	clip     *bytes.Buffer
	t        testing.TB
}

// newStage makes two clusters, lab and fleet, and a program that is not started.
func newStage(t testing.TB) *stage {
	t.Helper()
	c := uitest.NewContexts()
	s := &stage{contexts: c, clip: &bytes.Buffer{}, t: t}
	s.lab = c.Add("lab", uitest.Lab())
	s.fleet = c.Add("fleet", uitest.Fleet())
	s.Pump = uitest.NewPump(t, c)
	return s
}

func (s *stage) options(start string) ui.Options {
	return ui.Options{
		Contexts: s.contexts, Start: start, Theme: theme("plain"), Themes: themes.Builtin(),
		Renderer: renderer(termenv.Ascii), Mouse: true, Version: "v0.1.0-test",
		Clipboard: s.clip, Now: s.Clock, Tick: s.Tick,
	}
}

// start runs the program on a context at 80×24.
func (s *stage) start(context string) { s.Start(ui.New(s.options(context)), 80, 24) }

// on starts the program on a context at a size.
func on(t testing.TB, start string, w, h int) *stage {
	t.Helper()
	s := newStage(t)
	s.Start(ui.New(s.options(start)), w, h)
	return s
}

func renderer(p termenv.Profile) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(p)
	r.SetHasDarkBackground(true)
	return r
}

func theme(name string) themes.Theme {
	t, ok := themes.Builtin().ByName(name)
	if !ok {
		panic("no theme " + name)
	}
	return t
}

func feedsIn(state model.FeedState, text string) []model.Feed {
	var out []model.Feed
	for _, k := range model.Kinds {
		out = append(out, model.Feed{Kind: k, State: state, Since: uitest.Now.Add(-3 * 60e9), Error: text})
	}
	return out
}
