package part

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/themes"
)

// texts are what a cleaned string can hold: wide letters, marks, right-to-left.
func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return model.CleanLines(rapid.StringOfN(rapid.SampledFrom([]rune("ab 节点é\u0301של👩🚀…-\n")), 0, 60, -1).Draw(t, "text"))
	})
}

func oneLine(t *rapid.T, label string) string { return model.Clean(texts().Draw(t, label)) }

func TestFitIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, w := oneLine(t, "s"), rapid.IntRange(0, 40).Draw(t, "w")
		for _, got := range []string{Fit(s, w), FitRight(s, w)} {
			if ansi.StringWidth(got) != w {
				t.Fatalf("%q in %d cells gives %q, %d wide", s, w, got, ansi.StringWidth(got))
			}
		}
		if got := cutLeft(s, w); ansi.StringWidth(got) > w {
			t.Fatalf("cutLeft(%q, %d) = %q", s, w, got)
		}
	})
}

func TestCutSaysThatSomethingIsMissing(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"节点节点", 5, "节点…"}, {"节点节点", 4, "节…"}, {"abc", 0, ""}, {"abc", 1, "…"},
	} {
		if got := Cut(c.in, c.w); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func TestWrapKeepsWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		w, limit := rapid.IntRange(0, 30).Draw(t, "w"), rapid.IntRange(0, 5).Draw(t, "limit")
		lines := Wrap(s, w, limit)
		if len(lines) > limit {
			t.Fatalf("%d lines, %d asked for", len(lines), limit)
		}
		for _, l := range lines {
			if ansi.StringWidth(l) > w || strings.Contains(l, "\n") {
				t.Fatalf("line %q does not fit into %d cells", l, w)
			}
		}
	})
}

func TestWrapSaysThatSomethingIsMissing(t *testing.T) {
	if got := Wrap("one two three four", 5, 2); len(got) != 2 || !strings.HasSuffix(got[1], "…") {
		t.Errorf("got %q", got)
	}
}

func TestArrangeFitsAnyWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cols []Column
		least := 0
		for id := range rapid.IntRange(1, 8).Draw(t, "columns") {
			least := rapid.IntRange(1, 20).Draw(t, "min")
			cols = append(cols, Column{
				ID: id, Min: least, Want: least + rapid.IntRange(0, 30).Draw(t, "more"),
				Need: rapid.Bool().Draw(t, "need"), Rank: rapid.IntRange(0, 5).Draw(t, "rank"),
			})
		}
		w := rapid.IntRange(0, 200).Draw(t, "w")
		got := Arrange(cols, w)
		used, shown := -Gap, map[int]bool{}
		for _, c := range got {
			used += c.Width + Gap
			shown[c.ID] = true
			if c.Width > c.Want {
				t.Fatalf("column %d is wider than it wants: %d > %d", c.ID, c.Width, c.Want)
			}
		}
		for _, c := range cols {
			if c.Need {
				least += 1 + Gap
				if !shown[c.ID] {
					t.Fatalf("needed column %d is not shown", c.ID)
				}
			}
		}
		if used > max(w, least) {
			t.Fatalf("%d cells used, %d there", used, w)
		}
	})
}

func TestArrangeWidensTheNeededBeforeOthersJoin(t *testing.T) {
	cols := []Column{{ID: 1, Min: 5, Want: 20, Need: true, Rank: 0}, {ID: 2, Min: 5, Want: 5, Rank: 1}}
	if got := Arrange(cols, 22); len(got) != 1 || got[0].Width != 20 {
		t.Errorf("got %+v", got)
	}
	if got := Arrange(cols, 27); len(got) != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestScrollKeepsTheCursorInSight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Scroll{Top: rapid.IntRange(-5, 50).Draw(t, "top"), Cursor: rapid.IntRange(-5, 50).Draw(t, "cursor")}
		n, h := rapid.IntRange(0, 40).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "h")
		s.Move(rapid.IntRange(-50, 50).Draw(t, "d"), n)
		s.Keep(n, h)
		if s.Cursor < 0 || (n > 0 && s.Cursor >= n) || s.Top < 0 || s.Cursor < s.Top || s.Cursor >= s.Top+h {
			t.Fatalf("cursor %d, window %d–%d of %d", s.Cursor, s.Top, s.Top+h, n)
		}
		if n >= h && s.Top+h > n {
			t.Fatalf("lines below the last one are shown: top %d of %d, %d high", s.Top, n, h)
		}
	})
}

func inks(p termenv.Profile) *Inks {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(p)
	dark, _ := themes.Builtin().ByName("dark")
	return NewInks(dark, r)
}

func TestInkPaintsAsLipglossDoes(t *testing.T) {
	ink := inks(termenv.TrueColor)
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.TrueColor)
	dark, _ := themes.Builtin().ByName("dark")
	styles := dark.Styles(r)
	for name, c := range map[string][2]string{
		"bad":     {ink.Paint(Bad, "NotReady 5m"), styles.Body.Bad.Render("NotReady 5m")},
		"cursor":  {ink.Cursor.Paint(Good, "● Ready"), styles.Cursor.Good.Render("● Ready")},
		"header":  {ink.Head.Paint(Text, "x y"), styles.Header.Text.Render("x y")},
		"error":   {ink.Paint(Error, " ERROR "), styles.Error.Render(" ERROR ")},
		"context": {ink.Context("lab").Paint(" lab "), styles.Context("lab").Render(" lab ")},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %q, lipgloss gives %q", name, c[0], c[1])
		}
	}
	if ink.Paint(Good, "") != "" {
		t.Error("an empty text is painted")
	}
}

func TestLineCountsItsCells(t *testing.T) {
	ink := inks(termenv.ANSI256)
	rapid.Check(t, func(t *rapid.T) {
		l := NewLine(&ink.Ground)
		want := ""
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			s := oneLine(t, "piece")
			want += s
			l.Add(Role(rapid.IntRange(0, int(Linux)).Draw(t, "role")), s)
		}
		w := rapid.IntRange(0, 80).Draw(t, "w")
		painted := l.Pad(w).String()
		if got := strings.TrimRight(ansi.Strip(painted), " "); got != strings.TrimRight(want, " ") {
			t.Fatalf("the line reads %q, want %q", got, want)
		}
		if ansi.StringWidth(painted) < w {
			t.Fatalf("the line is %d cells wide, %d asked for", ansi.StringWidth(painted), w)
		}
	})
}

func TestPromptShowsItsCursorAtAnyWidth(t *testing.T) {
	ink := inks(termenv.Ascii)
	rapid.Check(t, func(t *rapid.T) {
		p := NewPrompt("/", oneLine(t, "text"))
		for range rapid.IntRange(0, 10).Draw(t, "keys") {
			p.Type(tea.KeyMsg{Type: rapid.SampledFrom([]tea.KeyType{tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyBackspace, tea.KeyCtrlV}).Draw(t, "key")})
		}
		w := rapid.IntRange(4, 60).Draw(t, "w")
		if got := ansi.StringWidth(p.View(w, ink, "hint")); got > w {
			t.Fatalf("%d cells wide, %d there: %q", got, w, p.View(w, ink, "hint"))
		}
	})
	p := NewPrompt(":", strings.Repeat("x", 100))
	if got := ansi.Strip(p.View(20, ink, "")); !strings.HasSuffix(got, "█") || !strings.HasPrefix(got, ":…") {
		t.Errorf("the end of a long text is out of sight: %q", got)
	}
}

func TestNodeStatus(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	ready := func(status string) model.Condition {
		return model.Condition{Type: "Ready", Status: status, Since: now.Add(-5 * time.Minute)}
	}
	held := map[string]string{model.MaintenanceAnnotation: "{}"}
	for _, c := range []struct {
		node model.Node
		want string
		role Role
	}{
		{model.Node{Conditions: []model.Condition{ready("True")}}, "● Ready", Good},
		{model.Node{Conditions: []model.Condition{ready("False")}}, "✗ NotReady 5m", Bad},
		{model.Node{Conditions: []model.Condition{ready("Unknown")}, Unschedulable: true}, "? Unknown 5m, cordoned", Bad},
		{model.Node{}, "? never ready", Bad},
		{model.Node{Conditions: []model.Condition{ready("True")}, Unschedulable: true}, "⊘ cordoned", Warn},
		{model.Node{Conditions: []model.Condition{ready("True")}, Annotations: held, Unschedulable: true}, "◆ maintenance, cordoned", Accent},
		{model.Node{Conditions: []model.Condition{ready("True"), {Type: "DiskPressure", Status: "True"}}}, "▲ disk pressure", Warn},
		{model.Node{Conditions: []model.Condition{ready("True"), {Type: "\x1b[2J", Status: "True"}}}, "▲ (no name)", Warn},
		{model.Node{Conditions: []model.Condition{{Type: "Ready", Status: "False"}}}, "✗ NotReady", Bad},
	} {
		if got := NodeStatus(&c.node, now); got.Text != c.want || got.Role != c.role {
			t.Errorf("got %q in role %d, want %q in role %d", got.Text, got.Role, c.want, c.role)
		}
	}
}

func TestRevision(t *testing.T) {
	windows := func(label, kernel string) model.Node {
		return model.Node{OS: model.OSWindows, Windows: model.ParseWindowsVersion(label, kernel)}
	}
	for _, c := range []struct {
		node model.Node
		want string
	}{
		{windows("10.0.26100", "10.0.26100.33438"), "33438"},
		{windows("10.0.20348", "10.0.26100.33438"), "33438 !"},
		{windows("10.0.26100", ""), "unknown"},
		{model.Node{OS: model.OSLinux, Kernel: "6.12.43+deb13-amd64"}, "6.12.43"},
		{model.Node{OS: model.OSLinux, Kernel: "-odd"}, "-odd"},
		{model.Node{}, ""},
	} {
		if got := Revision(&c.node); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{CPUShare(1500, 4000, true), "1.5/4  38%"},
		{CPUShare(1500, 0, true), "1.5/?"},
		{CPUShare(0, 4000, false), "?/4    ?"},
		{MemoryShare(1<<30, 4<<30, true), "1Gi/4Gi  25%"},
		{MemoryShare(0, 0, true), "0/?"},
		{MemoryShare(0, 0, false), "?/?"},
		{PodShare(12, 60, true), "12/60"},
		{PodShare(0, 60, false), "?/60"},
		{PodShare(3, 0, true), "3/?"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestMeter(t *testing.T) {
	for _, c := range []struct {
		used, all int64
		want      string
	}{
		{0, 100, "────"}, {1, 100, "━───"}, {50, 100, "━━──"}, {99, 100, "━━━─"}, {100, 100, "━━━━"}, {300, 100, "━━━━"}, {1, 0, "    "},
	} {
		full, empty := Meter(c.used, c.all, 4)
		if full+empty != c.want {
			t.Errorf("%d of %d: %q, want %q", c.used, c.all, full+empty, c.want)
		}
	}
}
