package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

// measured is a stage with a cluster of every kind of memory figure, at the memory
// screen.
func measured(t testing.TB, w, h int) (*stage, *uitest.Cluster) {
	t.Helper()
	s := newStage(t)
	c := s.contexts.Add("memory", uitest.Memory())
	s.Start(ui.New(s.options("memory")), w, h)
	s.Press("2")
	return s, c
}

// TestMemoryScreens keeps the memory screen as text, at three sizes.
func TestMemoryScreens(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*stage, *uitest.Cluster)
	}{
		{"folded", func(*stage, *uitest.Cluster) {}},
		{"unfolded", func(s *stage, _ *uitest.Cluster) { s.Press("+", "down", "down", "down", "down") }},
		{"containers", func(s *stage, _ *uitest.Cluster) {
			s.Press("/")
			s.Type("csi-smb")
			s.Press("enter", "down", "right", "right")
		}},
		{"unknown", func(s *stage, _ *uitest.Cluster) { s.Press("end", "up", "up", "up", "right", "down") }},
		{"filter", func(s *stage, _ *uitest.Cluster) { s.Press("/"); s.Type("hello") }},
		{"no-match", func(s *stage, _ *uitest.Cluster) { s.Press("/"); s.Type("os=beos"); s.Press("enter") }},
		{"headroom-reversed", func(s *stage, _ *uitest.Cluster) { s.Press("s", "s", "S") }},
		{"help", func(s *stage, _ *uitest.Cluster) { s.Press("?") }},
		{"nodes", func(s *stage, _ *uitest.Cluster) { s.Press("1") }},
		{"detail", func(s *stage, _ *uitest.Cluster) { s.Press("down", "enter", "enter", "end") }},
		{"detail-unknown", func(s *stage, _ *uitest.Cluster) { s.Press("end", "up", "up", "enter", "enter", "end") }},
		{"detail-pods", func(s *stage, _ *uitest.Cluster) { s.Press("down", "enter", "enter", "tab") }},
		{"stale", func(s *stage, c *uitest.Cluster) {
			feeds := feedsIn(model.FeedFailing, "connect: connection refused")
			for i := range feeds {
				feeds[i].Listed = true
			}
			c.Apply(model.Delta{At: uitest.Now, Feeds: feeds})
			s.Advance(4 * time.Minute)
		}},
	} {
		for _, z := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z[0], z[1]), func(t *testing.T) {
				s, k := measured(t, z[0], z[1])
				c.do(s, k)
				golden.RequireEqual(t, s.Screen())
			})
		}
	}
}

func TestWayThroughMemory(t *testing.T) {
	s, _ := measured(t, 120, 40)
	s.Sees("Memory · sort pressure", "31%", "2.9 GiB of 9.2 commit · 1.3 working set")
	s.Press("down", "enter")
	s.Sees("▾ k8s-lab-win-1", "98 MiB of 256 commit · 42 working set", "112 MiB commit, no limit · 58 working set")
	s.Press("down", "down")
	if l := s.Line("> "); !strings.Contains(l, "csi-smb-node-win") {
		t.Errorf("the cursor is on %q", l)
	}
	s.Press("right", "right")
	s.Sees("▾ kube-system/csi-smb", "registrar")
	s.Press("left")
	s.Misses("registrar")
	s.Press("left")
	s.Misses("csi-smb")
	if l := s.Line("> "); !strings.Contains(l, "k8s-lab-win-1") {
		t.Errorf("folding left the cursor on %q", l)
	}
	s.Press("enter", "enter")
	s.Sees("Node k8s-lab-win-1", "[Overview]")
	s.Press("esc")
	s.Sees("Memory · sort pressure", "▾ k8s-lab-win-1")
	s.Press("esc")
	s.Sees("Nodes by OS and build")
	s.command("memory")
	s.Sees("Memory · sort pressure")
	s.Press("1")
	s.Sees("Nodes by OS and build")
}

func TestNodeGoesBackToWhereItWasOpened(t *testing.T) {
	s, _ := measured(t, 80, 24)
	s.Press("1", "enter", "esc")
	s.Sees("Nodes by OS and build")
}

func TestCommitIsNeverAWorkingSet(t *testing.T) {
	s, _ := measured(t, 200, 50)
	s.Press("+")
	if l := s.Line("shop/web-"); !strings.Contains(l, "├───◇───────") || !strings.Contains(l, "? of 512 MiB commit · 61 working set") {
		t.Errorf("only the working set is known, but the row says %q", l)
	}
	for l := range strings.SplitSeq(s.Screen(), "\n") {
		if strings.Contains(l, "commit") && strings.Contains(l, "no limit") && strings.Contains(l, "%") {
			t.Errorf("without a limit it is neither 0 %% nor 100 %%: %q", l)
		}
	}
}

func TestFullContainerIsSeenOnItsFoldedNode(t *testing.T) {
	s, c := measured(t, 80, 24)
	if strings.Contains(s.Line("k8s-lab-win-1"), "!") {
		t.Fatal("nothing is full there yet")
	}
	hello := uitest.Pod("win-demo", "hello-win-759c899954-tkfg6", "k8s-lab-win-1", model.Owner{})
	c.Apply(model.Delta{At: uitest.Now, Objects: []model.Object{uitest.WindowsUsage("k8s-lab-win-1", 2936, 9471, 1292, uitest.Uses(hello, "hello", 250, 42))}})
	s.Settle()
	s.Sees("! 1 node, 2 containers at 90%")
	if l := s.Line("k8s-lab-win-1"); !strings.Contains(l, "k8s-lab-win-1 !") {
		t.Errorf("%q", l)
	}
}

func TestCursorStaysOnItsNodeWhilePressureMoves(t *testing.T) {
	s, c := measured(t, 80, 24)
	s.Press("down")
	c.Apply(model.Delta{At: uitest.Now, Objects: []model.Object{uitest.WindowsUsage("k8s-lab-win-1", 9400, 9471, 1292)}})
	s.Settle()
	if l := s.Line("> "); !strings.Contains(l, "k8s-lab-win-1") || !strings.Contains(l, "!99%") {
		t.Errorf("the cursor is on %q", l)
	}
	c.Apply(model.Delta{At: uitest.Now, Gone: []model.Key{{Kind: model.KindNode, Name: "k8s-lab-win-1"}}})
	s.Settle()
	s.Sees("node k8s-lab-win-1 is gone from the cluster")
}

func TestSessionIsToldWhatIsOnScreen(t *testing.T) {
	s, c := measured(t, 80, 24)
	session := c.Opened[0]
	looked := func() []string { nodes, _ := session.Looked(); return nodes }
	if got := looked(); len(got) != 7 || got[0] != "win-full" {
		t.Errorf("the memory screen shows all seven nodes; the session was told of %v", got)
	}
	_, before := session.Looked()
	s.Press("down", "up")
	s.Advance(time.Minute)
	if _, times := session.Looked(); times != before {
		t.Errorf("told %d times of what did not change", times-before)
	}
	s.Press("enter", "enter")
	if got := looked(); !slices.Equal(got, []string{"win-full"}) {
		t.Errorf("on a node's screen it was told of %v", got)
	}
	s.Press("c")
	if got := looked(); len(got) != 0 {
		t.Errorf("on the contexts' screen it was told of %v", got)
	}
	s.Press("1")
	if got := looked(); len(got) != 7 {
		t.Errorf("on the nodes' screen it was told of %v", got)
	}
}

func TestFilterUnfoldsWhatItFinds(t *testing.T) {
	s, _ := measured(t, 80, 24)
	s.Press("/")
	s.Type("hello")
	s.Press("enter")
	s.Sees("win-demo/hello-win", "demo/hello-55fb", "2 of 7 nodes")
	s.Press("left")
	s.Misses("win-demo/hello-win")
	s.Press("/")
	s.Type("-w")
	s.Press("enter")
	s.Sees("win-demo/hello-win", "filter hello-w · 1 of 7 nodes")
	s.Press("esc")
	s.Misses("filter hello", "win-demo/hello-win")
}

func TestFoldAndUnfoldAll(t *testing.T) {
	s, _ := measured(t, 200, 50)
	s.Press("+")
	s.Sees("shop/leaky", "win-demo/hello-win", "demo/hello-55fb", "no pod runs here")
	s.Press("-")
	s.Misses("/leaky", "no pod runs here")
}

func TestMemoryWithTheMouse(t *testing.T) {
	s, _ := measured(t, 80, 24)
	click := func() {
		s.Send(tea.MouseMsg{X: 5, Y: 4, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	}
	click()
	if l := s.Line("> "); !strings.Contains(l, "k8s-lab-win-1") {
		t.Fatalf("the click went to %q", l)
	}
	click()
	s.Sees("win-demo/hello-win")
	click()
	s.Sees("Node k8s-lab-win-1")
}

// TestMemoryStates keeps as text what is shown where there is little or nothing.
func TestMemoryStates(t *testing.T) {
	for name, do := range map[string]func(*stage){
		"waiting":   func(s *stage) { s.contexts.Add("x", waiting); s.start("x"); s.Press("2") },
		"unasked":   func(s *stage) { s.start("lab"); s.Press("2") },
		"forbidden": func(s *stage) { podsForbidden(s); s.Press("2", "enter", "down") },
		"hostile":   func(s *stage) { s.contexts.Add("x", uitest.Hostile()); s.start("x"); s.Press("2", "+") },
		"low": func(s *stage) {
			s.contexts.Add("x", uitest.Memory())
			s.Start(ui.New(s.options("x")), 60, 16)
			s.Press("2", "+")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			do(s)
			golden.RequireEqual(t, s.Screen())
		})
	}
}

// TestNodesCatchUpAfterMemory: what changed while the memory screen was looked at is
// there as soon as the nodes are.
func TestNodesCatchUpAfterMemory(t *testing.T) {
	s, c := measured(t, 120, 40)
	c.Apply(model.Delta{At: uitest.Now, Objects: []model.Object{uitest.Linux("brand-new")}})
	s.Settle()
	s.Sees("brand-new")
	s.Press("1")
	s.Sees("Nodes by OS and build", "brand-new")
}

// TestMemoryColours keeps two frames with their escape sequences.
func TestMemoryColours(t *testing.T) {
	for name, profile := range map[string]termenv.Profile{"dark": termenv.TrueColor, "light": termenv.ANSI} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.contexts.Add("memory", uitest.Memory())
			o := s.options("memory")
			o.Theme, o.Renderer = theme(name), renderer(profile)
			m := ui.New(o)
			s.Start(m, 120, 24)
			s.Press("2", "down", "right")
			golden.RequireEqual(t, m.View()+"\n")
		})
	}
}
