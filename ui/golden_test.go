package ui_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

var sizes = [][2]int{{80, 24}, {120, 40}, {200, 50}}

// TestScreens keeps every screen as text, at three sizes.
func TestScreens(t *testing.T) {
	for _, c := range []struct {
		name, start string
		do          func(*stage)
	}{
		{"nodes-lab", "lab", func(*stage) {}},
		{"nodes-fleet", "fleet", func(*stage) {}},
		{"nodes-zone", "fleet", func(s *stage) { s.Press("g", "g", "s", "S") }},
		{"nodes-filter", "fleet", func(s *stage) { s.Press("/"); s.Type("win22 status!=ready") }},
		{"nodes-collapsed", "fleet", func(s *stage) { s.Press("-", "space", "down", "space", "space") }},
		{"detail-overview", "lab", func(s *stage) { s.Press("enter") }},
		{"detail-pods", "lab", func(s *stage) { s.Press("enter", "tab") }},
		{"detail-labels", "lab", func(s *stage) { s.Press("enter", "tab", "tab") }},
		{"detail-events", "lab", func(s *stage) { s.Press("enter", "shift+tab") }},
		{"contexts", "lab", func(s *stage) { s.Press("c", "down", "down") }},
		{"help", "lab", func(s *stage) { s.Press("?") }},
		{"feeds", "lab", func(s *stage) { s.Press("f") }},
		{"command", "lab", func(s *stage) { s.Press(":"); s.Type("theme ") }},
		{"error", "lab", func(s *stage) {
			s.Press("c", "end", "up", "enter", "enter")
			s.Advance(4 * time.Second)
		}},
	} {
		for _, z := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z[0], z[1]), func(t *testing.T) {
				s := troubled(t)
				s.Start(ui.New(s.options(c.start)), z[0], z[1])
				c.do(s)
				golden.RequireEqual(t, s.Screen())
			})
		}
	}
}

// troubled is a stage with contexts that cannot be reached or used, and events.
func troubled(t testing.TB) *stage {
	s := newStage(t)
	s.lab.Events = []model.Event{
		{Type: "Warning", Reason: "Rebooted", Message: "Node k8s-lab-win-1 has been rebooted, boot id: 12", Source: "kubelet", Count: 1, Last: uitest.Now.Add(-7 * time.Minute)},
		{Type: "Normal", Reason: "NodeReady", Message: "Node k8s-lab-win-1 status is now: NodeReady", Source: "kubelet", Count: 3, Last: uitest.Now.Add(-time.Hour)},
	}
	dead := s.contexts.Add("customer-eu-west", model.Delta{})
	dead.OpenErr = errors.New("exec plug-in aws-iam-authenticator: exit status 1:\nUnable to locate credentials. You can configure credentials by running \"aws configure\".")
	dead.Probe = model.Probe{Error: "dial tcp 10.20.30.40:6443: connect: connection refused"}
	s.contexts.AddEntry(model.ContextEntry{Name: "old", Cluster: "gone", User: "me", File: "~/.kube/other", Problem: `the kubeconfig has no cluster "gone"`})
	return s
}

// waiting is a cluster of which nothing has arrived.
var waiting = model.Delta{At: uitest.Now, Feeds: []model.Feed{{Kind: model.KindNode, State: model.FeedWaiting, Since: uitest.Now}}}

// states are what is shown where there is nothing, not yet, or no longer anything
// to show.
var states = []struct {
	name string
	do   func(*stage)
}{
	{"waiting", func(s *stage) { s.contexts.Add("x", waiting); s.start("x") }},
	{"opening", func(s *stage) { s.contexts.Add("x", waiting).Hang = true; s.start("x") }},
	{"empty-cluster", func(s *stage) { s.contexts.Add("x", model.Delta{Feeds: uitest.Synced(nil)}); s.start("x") }},
	{"forbidden", func(s *stage) {
		s.contexts.Add("x", model.Delta{Feeds: feedsIn(model.FeedForbidden, `nodes is forbidden: User "dev" cannot list resource "nodes" in API group "" at the cluster scope`)})
		s.start("x")
	}},
	{"pods-forbidden", podsForbidden},
	{"pods-forbidden-detail", func(s *stage) { podsForbidden(s); s.Press("enter", "pgdown") }},
	{"detail-trouble", func(s *stage) {
		s.start("fleet")
		s.Press("/")
		s.Type("win22-03")
		s.Press("enter", "enter")
	}},
	{"no-answer", func(s *stage) {
		s.contexts.Add("x", model.Delta{Feeds: feedsIn(model.FeedFailing, "dial tcp 10.0.0.1:6443: connect: connection refused")})
		s.start("x")
	}},
	{"server-gone", func(s *stage) {
		s.start("lab")
		feeds := feedsIn(model.FeedFailing, "connect: connection refused")
		for i := range feeds {
			feeds[i].Listed = true
		}
		s.lab.Apply(model.Delta{At: uitest.Now, Feeds: feeds})
		s.Settle()
	}},
	{"stale", func(s *stage) {
		s.start("fleet")
		s.Press(":")
		s.Type("context lab")
		s.Press("enter")
		s.fleet.Apply(model.Delta{At: uitest.Now, Reset: []model.Kind{model.KindNode}, Feeds: feedsIn(model.FeedWaiting, "")})
		s.Advance(2 * time.Minute)
		s.Press(":")
		s.Type("context fleet")
		s.Press("enter")
		s.Advance(3 * time.Second)
	}},
	{"read-only", func(s *stage) {
		s.lab.ReadOnly = "readOnly: true for context lab in ~/.config/mullion/config.yaml"
		s.start("lab")
		s.Press("?", "end")
	}},
	{"protected", func(s *stage) { s.lab.Protected = true; s.start("lab") }},
	{"smallest", func(s *stage) { s.start("fleet"); s.Resize(60, 16) }},
	{"smallest-detail", func(s *stage) { s.start("fleet"); s.Resize(60, 16); s.Press("enter", "tab") }},
	{"smallest-contexts", func(s *stage) { s.start("fleet"); s.Resize(60, 16); s.Press("c") }},
	{"no-match", func(s *stage) { s.start("fleet"); s.Press("/"); s.Type("zzz"); s.Press("enter") }},
	{"no-kubeconfig", func(s *stage) {
		s.contexts = uitest.NewContexts()
		s.Pump = uitest.NewPump(s.t, s.contexts)
		s.contexts.FailList(errors.New("read the kubeconfig ~/.kube/config: no such file or directory"))
		o := s.options("")
		o.Err = errors.New("no kubeconfig was found: looked for ~/.kube/config")
		s.Start(ui.New(o), 80, 24)
	}},
	{"tiny", func(s *stage) { s.start("lab"); s.Resize(40, 10) }},
	{"hostile", func(s *stage) { s.contexts.Add("x", uitest.Hostile()); s.start("x") }},
	{"hostile-contexts", func(s *stage) { nasty(s); s.start("lab"); s.Press("c", "pgdown") }},
	{"hostile-events", func(s *stage) { nasty(s); s.start("hostile"); s.Press("enter", "shift+tab") }},
	{"hostile-detail", func(s *stage) { s.contexts.Add("x", uitest.Hostile()); s.start("x"); s.Press("enter") }},
}

func podsForbidden(s *stage) {
	d := uitest.Lab()
	for i, f := range d.Feeds {
		if f.Kind == model.KindPod || f.Kind == model.KindRuntimeClass {
			d.Feeds[i] = model.Feed{Kind: f.Kind, State: model.FeedForbidden, Since: uitest.Now, Error: string(f.Kind) + ` is forbidden: User "dev" cannot list resource`}
		}
	}
	d.Objects = slices.DeleteFunc(d.Objects, func(o model.Object) bool {
		return o.Key().Kind == model.KindPod || o.Key().Kind == model.KindRuntimeClass
	})
	s.contexts.Add("x", d)
	s.Start(ui.New(s.options("x")), 120, 36)
}

// TestStates keeps them as text.
func TestStates(t *testing.T) {
	for _, c := range states {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			c.do(s)
			golden.RequireEqual(t, s.Screen())
		})
	}
}

// TestColours keeps two frames with their escape sequences.
func TestColours(t *testing.T) {
	for _, c := range []struct {
		theme   string
		profile termenv.Profile
	}{{"dark", termenv.TrueColor}, {"light", termenv.ANSI}} {
		t.Run(c.theme, func(t *testing.T) {
			s := newStage(t)
			o := s.options("fleet")
			o.Theme, o.Renderer = theme(c.theme), renderer(c.profile)
			m := ui.New(o)
			s.Start(m, 120, 24)
			s.Send(tea.KeyMsg{Type: tea.KeyDown})
			golden.RequireEqual(t, m.View()+"\n")
		})
	}
}
