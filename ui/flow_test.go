package ui_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui"
	"github.com/mullion-tui/mullion/ui/uitest"
)

func (s *stage) command(text string) {
	s.t.Helper()
	s.Press(":")
	s.Type(text)
	s.Press("enter")
}

func TestFilterFollowsTypingAndEscUndoes(t *testing.T) {
	s := on(t, "fleet", 120, 40)
	s.Press("/")
	s.Type("win25-0")
	s.Sees("6 of 30 nodes", "win25-01")
	s.Misses("win22-01")
	s.Type("3")
	s.Sees("1 of 30 nodes", "win25-03")
	s.Press("backspace", "enter")
	s.Sees("filter win25-0 · 6 of 30 nodes")
	s.Press("/")
	s.Type(" zzz")
	s.Sees("No node matches")
	s.Press("esc")
	s.Sees("6 of 30 nodes")
	s.Press("esc")
	s.Misses("filter win25-0")
	s.Sees("lin-12")
}

func TestFilterKeepsTheCursorOnItsNode(t *testing.T) {
	s := on(t, "fleet", 120, 40)
	s.Press("/")
	s.Type("win22-05")
	s.Press("enter", "down")
	if l := s.Line("win22-05"); !strings.HasPrefix(l, ">") && !strings.Contains(l, "filter") {
		// The title names the filter first; the row is checked below.
		t.Fatalf("unexpected line %q", l)
	}
	s.Press("esc")
	if l := s.Line("win22-05"); !strings.HasPrefix(l, ">") {
		t.Fatalf("the cursor left its node: %q", l)
	}
}

func TestFoldGroupSortMark(t *testing.T) {
	s := on(t, "fleet", 120, 40)
	s.Press("left")
	s.Misses("win25-01")
	s.Sees(">▸ Windows Server 2025")
	s.Press("right", "down", "space", "space")
	s.Sees("* 2 marked", " * win25-01", " * win25-02", ">  win25-03")
	s.Press("g")
	s.Sees("Nodes by RuntimeClass", " * win25-01", ">  win25-03", "no RuntimeClass selects these")
	s.Press("g", "g", "g")
	s.Sees("Nodes by none", "all nodes")
	s.Press("s")
	s.Sees("sort status")
	if rows := s.Screen(); strings.Index(rows, "win22-03") > strings.Index(rows, "lin-01") {
		t.Errorf("sorted by status, trouble must stand first:\n%s", rows)
	}
	s.Sees(">  win22-03")
	s.Press("S", "U")
	s.Sees("sort status reversed")
	s.Misses("marked")
}

func TestDisabledKeySaysWhy(t *testing.T) {
	s := on(t, "lab", 80, 24)
	s.Press("U")
	s.Sees("U: not now, nothing is marked")
	s.Press("down")
	s.Misses("not now")
}

func TestNodeThatVanishesIsSaid(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.Press("enter")
	s.Sees("Node k8s-lab-win-1", "10.0.26100 revision 33438")
	s.lab.Apply(model.Delta{At: uitest.Now, Gone: []model.Key{{Kind: model.KindNode, Name: "k8s-lab-win-1"}}})
	s.Settle()
	s.Advance(2 * time.Second)
	s.Sees("gone from the cluster 2s ago", "10.0.26100 revision 33438")
	s.Press("esc")
	s.Misses("k8s-lab-win-1  ")
	s.Sees("3 nodes")
}

func TestCursorSaysThatItsNodeIsGone(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.lab.Apply(model.Delta{At: uitest.Now, Gone: []model.Key{{Kind: model.KindNode, Name: "k8s-lab-win-1"}}})
	s.Settle()
	s.Sees("node k8s-lab-win-1 is gone from the cluster")
}

func TestCordonIsFollowed(t *testing.T) {
	s := on(t, "lab", 160, 40)
	n := uitest.Windows("k8s-lab-win-1", "10.0.26100", 33438)
	n.Unschedulable = true
	s.lab.Apply(model.Delta{At: uitest.Now, Objects: []model.Object{n}})
	s.Settle()
	s.Sees("⊘ cordoned", "1 cordoned")
}

func TestSwitchIsAtomicAndClosesTheOldSession(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.Press("c", "down", "enter")
	s.Sees(" fleet ", "win25-01", "30 nodes")
	s.Misses("k8s-lab-win-1")
	old := s.lab.Opened[0]
	if !old.Closed() {
		t.Error("the session of lab is still open")
	}
	// What the old session still had to say must not reach the screen.
	s.lab.Apply(model.Delta{At: uitest.Now, Objects: []model.Object{uitest.Linux("late")}})
	s.Settle()
	s.Misses("late")
	s.Sees("30 nodes")
}

func TestFailedSwitchKeepsTheSession(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.fleet.OpenErr = errors.New("exec plug-in: exit status 1")
	s.command("context fleet")
	s.command("context fleet")
	s.Sees("ERROR", "×2", `open context "fleet": exec plug-in: exit status 1`, "k8s-lab-win-1", " lab ")
	s.Press("esc")
	s.Misses("ERROR")
	if s.lab.Opened[0].Closed() {
		t.Error("a failed switch closed the session on screen")
	}
}

func TestHangingOpenCanBeGivenUp(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.fleet.Hang = true
	s.command("context fleet")
	s.Sees("opening fleet", "k8s-lab-win-1")
	s.Press("esc")
	s.Sees("opening fleet was given up")
	s.Press("down")
	s.Misses("fleet")
}

func TestAnswerOfAnOlderAttemptIsDropped(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.fleet.Hang = true
	s.command("context fleet")
	s.fleet.Hang = false
	s.command("context lab")
	s.Sees(" lab ", "k8s-lab-win-1")
	s.Misses("ERROR", "opening")
}

func TestEndedSessionIsSaid(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.lab.Opened[0].End(errors.New("the credential plug-in is gone"))
	s.Settle()
	s.Sees("ERROR", "the session of context \"lab\" has ended: the credential plug-in is gone", "session ended", "OLD", "k8s-lab-win-1")
}

func TestOldSnapshotOfAnotherServerIsNotShown(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.command("context fleet")
	s.lab.Server = "https://elsewhere.example:6443"
	s.lab.Apply(model.Delta{At: uitest.Now, Reset: []model.Kind{model.KindNode}, Feeds: feedsIn(model.FeedWaiting, "")})
	s.command("context lab")
	s.Misses("k8s-lab-win-1", "OLD")
}

func TestFailingListIsShownBesideTheEntries(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.contexts.FailList(errors.New("~/.kube/broken: not YAML"))
	s.Press("c")
	s.Sees("ERROR", "~/.kube/broken: not YAML", "fleet")
}

func TestContextsAreProbedOnceAndFiltered(t *testing.T) {
	s := on(t, "lab", 120, 40)
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		s.contexts.Add("customer-"+name, uitest.Lab())
	}
	s.Press("c")
	if got := s.contexts.Probes(); got != 9 {
		t.Errorf("%d probes for 9 contexts in sight", got)
	}
	s.Press("/")
	s.Type("tomer-c")
	s.Press("enter")
	s.Sees("1 of 9", "customer-c")
	s.Press("y")
	s.Sees("copied the server")
	s.Press("esc", "esc")
	s.Sees("Nodes by OS")
}

func TestOnlyServersInSightAreAsked(t *testing.T) {
	s := newStage(t)
	for i := range 60 {
		s.contexts.Add("ctx"+strings.Repeat("x", i), uitest.Lab())
	}
	s.Start(ui.New(s.options("")), 80, 24)
	if got := s.contexts.Probes(); got > 24 {
		t.Errorf("%d servers were asked, 24 lines are in sight", got)
	}
	before := s.contexts.Probes()
	s.Press("end")
	if s.contexts.Probes() == before {
		t.Error("the servers that came into sight were not asked")
	}
}

func TestCopyWritesOSC52(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.Press("y")
	s.Sees("copied the node name to the terminal's clipboard: k8s-lab-win-1")
	if got, want := s.clip.String(), "\x1b]52;c;azhzLWxhYi13aW4tMQ==\a"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestMouse(t *testing.T) {
	s := on(t, "fleet", 120, 24)
	click := func(y int) {
		s.Send(tea.MouseMsg{X: 10, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	}
	click(6)
	if l := s.Line("win25-03"); !strings.HasPrefix(l, ">") {
		t.Errorf("the click did not select: %q", l)
	}
	click(3)
	s.Sees(">▸ Windows Server 2025")
	click(3)
	s.Sees(">▾ Windows Server 2025")
	for range 4 {
		s.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
	}
	s.Sees(">  win22-05")
	s.command("mouse")
	s.Sees("the mouse is off")
	click(6)
	s.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
	s.Sees(">  win22-05")
}

func TestGroupHeaderStaysInSight(t *testing.T) {
	s := on(t, "fleet", 120, 24)
	s.Press("end")
	lines := strings.Split(s.Screen(), "\n")
	if !strings.Contains(lines[3], "▾ Linux") && !strings.Contains(lines[3], "▾ Windows") {
		t.Errorf("the first row does not name its group: %q", lines[3])
	}
	s.Press("home")
	s.Sees(">▾ Windows Server 2025")
}

func TestCommandLine(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.Press(":")
	s.Type("con")
	s.Sees("tab: contexts · context")
	s.Press("tab", "tab")
	s.Sees(":context ")
	s.Type("fl")
	s.Press("tab", "enter")
	s.Sees(" fleet ", "30 nodes")
	s.command("frobnicate")
	s.Sees("no command is called frobnicate")
	s.Press("esc")
	s.command("theme")
	s.Sees("needs a name")
	s.Press("esc")
	s.command("theme nope")
	s.Sees(`no theme is named "nope"`)
	s.command("theme light")
	s.Sees("theme light")
	s.command("feeds")
	s.Sees("Where the data come from")
	s.command("nodes")
	s.Misses("Where the data come from")
	s.command("context nowhere")
	s.Sees("ERROR", "nowhere")
	s.command("q")
	if !s.Quit {
		t.Error(":q did not quit")
	}
}

func TestQuitClosesTheSession(t *testing.T) {
	for _, key := range []string{"q", "ctrl+c"} {
		s := on(t, "lab", 80, 24)
		s.Press(key)
		if !s.Quit || !s.lab.Opened[0].Closed() {
			t.Errorf("%s: quit %v, session closed %v", key, s.Quit, s.lab.Opened[0].Closed())
		}
	}
}

func TestTickThatChangesNothingDrawsNothing(t *testing.T) {
	s := on(t, "lab", 120, 40)
	before := s.Frames
	for range 60 {
		s.Advance(time.Second)
	}
	if s.Frames != before {
		t.Errorf("%d new frames in a minute in which no word changes", s.Frames-before)
	}
	s.Advance(24 * time.Hour)
	s.Sees("41d")
}

func TestResizeStorm(t *testing.T) {
	s := on(t, "fleet", 120, 40)
	s.Press("down", "down", "down")
	for w := 1; w < 300; w += 7 {
		s.Resize(w, 1+w%60)
	}
	s.Resize(120, 40)
	s.Sees(">  win25-04")
}

func TestNoContextToStartWith(t *testing.T) {
	s := newStage(t)
	s.Start(ui.New(s.options("")), 80, 24)
	s.Sees("Contexts · 2", "no context")
	s.Press("esc", "f")
	s.Sees("f: not now, no context is open")
	s.Press("enter")
	s.Sees("k8s-lab-win-1")
}

func TestStartOnAnUnusableContextShowsTheContexts(t *testing.T) {
	s := newStage(t)
	s.lab.OpenErr = errors.New("the user entry is missing")
	s.Start(ui.New(s.options("lab")), 80, 24)
	s.Sees("Contexts", "ERROR", "the user entry is missing", "fleet")
}

func TestEventsFailAndAreReadAgain(t *testing.T) {
	s := on(t, "lab", 80, 24)
	s.lab.EventErr = errors.New(`events is forbidden: User "dev" cannot list resource "events"`)
	s.Press("enter", "shift+tab")
	s.Sees("Events cannot be read", "forbidden")
	s.lab.EventErr = nil
	s.Press("r")
	s.Sees("No events about this node")
}

func TestRowsThatComeAboveDoNotMoveTheCursorOnTheScreen(t *testing.T) {
	s := on(t, "fleet", 120, 24)
	s.Press("end", "up", "up", "up")
	row := func() (int, string) {
		for i, l := range strings.Split(s.Screen(), "\n") {
			if strings.HasPrefix(l, ">") {
				return i, strings.Fields(l)[1]
			}
		}
		t.Fatal("no cursor")
		return 0, ""
	}
	at, name := row()
	s.fleet.Apply(model.Delta{At: uitest.Now, Objects: []model.Object{uitest.Windows("win25-00", "10.0.26100", 1), uitest.Windows("win22-00", "10.0.20348", 1)}})
	s.Settle()
	s.Sees("32 nodes")
	if at2, name2 := row(); at2 != at || name2 != name {
		t.Errorf("the cursor went from line %d (%s) to line %d (%s)", at, name, at2, name2)
	}
}

func TestLostRightMarksTheNodesAsOld(t *testing.T) {
	s := on(t, "lab", 120, 24)
	s.lab.Apply(model.Delta{At: uitest.Now, Feeds: []model.Feed{{Kind: model.KindNode, State: model.FeedForbidden, Since: uitest.Now, Listed: true}}})
	s.Settle()
	s.Sees("OLD 0s: the right to read nodes is gone", "k8s-lab-win-1", "nodes forbidden")
}

func TestFailedOpenLeavesTheListOfContextsAlone(t *testing.T) {
	s := newStage(t)
	s.fleet.OpenErr = errors.New("no")
	s.Start(ui.New(s.options("")), 120, 24)
	s.Press("/")
	s.Type("fle")
	s.Press("enter", "enter")
	s.Sees("ERROR", "filter fle", ">  fleet")
	s.Press("esc", "c")
	s.Sees("filter fle")
}

func TestEnterOnTheOpenContextGoesBack(t *testing.T) {
	s := on(t, "lab", 120, 24)
	s.Press("c", "enter")
	s.Sees("Nodes by OS")
	if len(s.lab.Opened) != 1 {
		t.Errorf("%d sessions were opened, one is alive", len(s.lab.Opened))
	}
	s.lab.Opened[0].End(errors.New("gone"))
	s.Settle()
	s.Press("esc", "c", "enter")
	if len(s.lab.Opened) != 2 {
		t.Error("a session that has ended was not opened again")
	}
	s.Misses("OLD")
}

func TestALongErrorIsCut(t *testing.T) {
	s := on(t, "lab", 80, 24)
	s.fleet.OpenErr = errors.New(strings.Repeat("a plug-in that wrote a book ", 10000))
	s.command("context fleet")
	s.Sees("ERROR", "…", "k8s-lab-win-1")
}

func TestReleaseWithoutSupportIsSaid(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		s := on(t, "lab", w, 24)
		s.lab.Apply(model.Delta{At: uitest.Now, Objects: []model.Object{uitest.Windows("old-1", "10.0.25398", 2207)}})
		s.Settle()
		if l := s.Line("version 23H2"); !strings.Contains(l, "unsupported") && !strings.Contains(l, "support ended 2025-10-24") {
			t.Errorf("at %d columns nothing says that the release is out of support: %q", w, l)
		}
	}
}

func TestNodeOfAnOldSnapshotIsShownAsOld(t *testing.T) {
	s := on(t, "lab", 120, 40)
	s.command("context fleet")
	s.lab.Apply(model.Delta{At: uitest.Now, Reset: []model.Kind{model.KindNode}, Feeds: feedsIn(model.FeedWaiting, "")})
	s.command("context lab")
	s.Press("enter")
	s.Sees("Node k8s-lab-win-1", "old: waiting for the first data", "10.0.26100 revision 33438")
	s.lab.Apply(uitest.Lab())
	s.Settle()
	s.Misses("old:")
	s.lab.Opened[1].End(errors.New("gone"))
	s.Settle()
	s.Sees("old: the session has ended")
}
