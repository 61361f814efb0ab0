package ui_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/teatest"

	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

// TestWiring runs the program as Bubble Tea does, once: it starts, shows nodes,
// takes a key and quits.
func TestWiring(t *testing.T) {
	s := newStage(t)
	o := s.options("lab")
	o.Tick = nil
	program := teatest.NewTestModel(t, ui.New(o), teatest.WithInitialTermSize(80, 24))
	shows := func(text string) {
		t.Helper()
		teatest.WaitFor(t, program.Output(), func(out []byte) bool { return bytes.Contains(out, []byte(text)) }, teatest.WithDuration(10*time.Second))
	}
	shows("k8s-lab-win-1")
	program.Send(uitest.Key("?"))
	shows("On this screen: nodes")
	program.Send(uitest.Key("esc"))
	program.Send(uitest.Key("q"))
	program.WaitFinished(t, teatest.WithFinalTimeout(10*time.Second))
	if !s.lab.Opened[0].Closed() {
		t.Error("the session was not closed")
	}
}
