package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

// looking is a stage with a cluster at the findings screen.
func looking(t testing.TB, d model.Delta, w, h int) (*stage, *uitest.Cluster) {
	t.Helper()
	s := newStage(t)
	c := s.contexts.Add("trouble", d)
	s.Start(ui.New(s.options("trouble")), w, h)
	s.Press("3")
	return s, c
}

// TestFindingsScreens keeps the findings screen as text, at three sizes.
func TestFindingsScreens(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*stage)
	}{
		{"severity", func(*stage) {}},
		{"id", func(s *stage) { s.Press("g", "end") }},
		{"kind", func(s *stage) { s.Press("g", "g", "down", "down") }},
		{"filter", func(s *stage) { s.Press("/"); s.Type("shop reports") }},
		{"no-match", func(s *stage) { s.Press("/"); s.Type("zzz"); s.Press("enter") }},
		{"help", func(s *stage) { s.Press("?") }},
		{"detail", func(s *stage) { s.Press("enter") }},
	} {
		for _, z := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z[0], z[1]), func(t *testing.T) {
				s, _ := looking(t, uitest.Trouble(), z[0], z[1])
				c.do(s)
				golden.RequireEqual(t, s.Screen())
			})
		}
	}
	for _, z := range sizes {
		t.Run(fmt.Sprintf("lab-%dx%d", z[0], z[1]), func(t *testing.T) {
			s, _ := looking(t, uitest.Lab(), z[0], z[1])
			golden.RequireEqual(t, s.Screen())
		})
	}
}

// TestFindingsStates keeps as text what is shown where there is little or nothing.
func TestFindingsStates(t *testing.T) {
	sound := model.Delta{Objects: []model.Object{uitest.Linux("a")}, Server: &model.ServerFacts{Version: "v1.37.2"}, Feeds: uitest.Synced(nil)}
	partly := sound
	partly.Feeds = slices.Clone(sound.Feeds)
	partly.Feeds[1] = model.Feed{Kind: model.KindPod, State: model.FeedWaiting, Since: uitest.Now}
	for name, do := range map[string]func(*stage){
		"nothing":   func(s *stage) { s.contexts.Add("x", sound); s.start("x"); s.Press("3") },
		"partly":    func(s *stage) { s.contexts.Add("x", partly); s.start("x"); s.Press("3") },
		"waiting":   func(s *stage) { s.contexts.Add("x", waiting); s.start("x"); s.Press("3") },
		"opening":   func(s *stage) { s.contexts.Add("x", waiting).Hang = true; s.start("x"); s.Press("3") },
		"forbidden": func(s *stage) { podsForbidden(s); s.Press("3") },
		"hostile":   func(s *stage) { s.contexts.Add("x", uitest.Hostile()); s.start("x"); s.Press("3", "end") },
		"low": func(s *stage) {
			s.contexts.Add("x", uitest.Trouble())
			s.Start(ui.New(s.options("x")), 60, 16)
			s.Press("3", "down")
		},
		"old": func(s *stage) {
			c := s.contexts.Add("x", uitest.Trouble())
			s.start("x")
			s.Press("3")
			feeds := feedsIn(model.FeedFailing, "connect: connection refused")
			for i := range feeds {
				feeds[i].Listed = true
			}
			c.Apply(model.Delta{At: uitest.Now, Feeds: feeds})
			s.Settle()
			s.Advance(10 * time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			do(s)
			golden.RequireEqual(t, s.Screen())
		})
	}
}

func TestWayThroughFindings(t *testing.T) {
	s, _ := looking(t, uitest.Trouble(), 120, 40)
	s.Sees("Findings by severity", "✗ critical", "▲ warning", "○ info", "? unknown")
	s.Press("g")
	s.Sees("Findings by ID", "F13 image base that does not fit the node's build · 1")
	s.Press("g")
	s.Sees("Findings by object kind", "runtimeclasses · ")
	s.Press("g")
	s.Sees("Findings by severity")

	s.Press("/")
	s.Type("F13")
	s.Press("enter")
	s.Sees("filter F13 · 1 of ", "seen     container app: image registry.example/reports:2-ltsc2025", "why      In process isolation", "do       Use the image")
	s.Press("enter")
	s.Sees("Node win-open", "[Overview]")
	s.Press("esc")
	s.Sees("Findings by severity", "filter F13")
	s.Press("esc")
	s.Misses("filter F13")
	if l := s.Line("> "); !strings.Contains(l, "F13") {
		t.Errorf("without the filter the cursor is on %q", l)
	}
	s.Press("esc")
	s.Sees("Nodes by OS and build")
	s.command("findings")
	s.Sees("Findings by severity")
}

func TestFindingThatIsNotAboutANode(t *testing.T) {
	s, _ := looking(t, uitest.Trouble(), 120, 40)
	s.Press("/")
	s.Type("F03 windows-2019")
	s.Press("enter", "enter")
	s.Sees("enter: not now, this finding is not about a node")
}

func TestFilterOfFindingsIsUndone(t *testing.T) {
	s, _ := looking(t, uitest.Trouble(), 80, 24)
	s.Press("/")
	s.Type("zzz")
	s.Sees("No finding matches the filter zzz")
	s.Press("esc")
	s.Misses("zzz")
	s.Sees("F13")
}

// TestFindingsAreLookedForAtTheirPace: a cluster that changes is looked through every
// two seconds, and none at all while another screen is looked at.
func TestFindingsAreLookedForAtTheirPace(t *testing.T) {
	s, c := looking(t, uitest.Lab(), 120, 40)
	open := func(name string) {
		n := uitest.Windows(name, "10.0.26100", 33438)
		n.Taints = nil
		c.Apply(model.Delta{At: uitest.Now, Objects: []model.Object{n}})
		s.Settle()
	}
	open("w-1")
	s.Misses("node w-1")
	s.Advance(time.Second)
	s.Misses("node w-1")
	s.Advance(time.Second)
	s.Sees("node w-1")
	s.Press("1")
	open("w-2")
	s.Press("3")
	s.Misses("node w-2")
	s.Advance(2 * time.Second)
	s.Sees("node w-2")
}

// TestFindingsGrowOldByThemselves: a pod that does not end is found although no
// snapshot says so.
func TestFindingsGrowOldByThemselves(t *testing.T) {
	d := uitest.Lab()
	leaving := uitest.Pod("shop", "importer-0", "k8s-lab-lin-2", model.Owner{Kind: "StatefulSet", Name: "importer"})
	leaving.Deleted = uitest.Now
	d.Objects = append(d.Objects, leaving)
	s, _ := looking(t, d, 120, 40)
	s.Misses("F22")
	s.Advance(time.Hour)
	s.Sees("F22", "pod shop/importer-0")
}

func TestFindingsOfAnotherClusterAreGone(t *testing.T) {
	s, _ := looking(t, uitest.Trouble(), 120, 40)
	s.Sees("win-open")
	s.command("context lab")
	s.Press("3")
	s.Sees("Findings by severity", "k8s-lab-win-1")
	s.Misses("win-open")
}

func TestFindingsWithTheMouse(t *testing.T) {
	s, _ := looking(t, uitest.Trouble(), 80, 24)
	click := func(y int) {
		s.Send(tea.MouseMsg{X: 5, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	}
	first := s.Line("> ")
	s.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	if s.Line("> ") == first {
		t.Errorf("the wheel left the cursor on %q", first)
	}
	s.Press("home")
	click(4)
	s.Sees("Node win-open")
}
