package findings

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
	"github.com/mullion-tui/mullion/ui/uitest"
)

func snapshots(deltas ...model.Delta) []*model.Snapshot {
	c := model.NewCluster()
	var out []*model.Snapshot
	for _, d := range deltas {
		c.Apply(d)
		out = append(out, c.Snapshot())
	}
	return out
}

func open(name string) model.Delta {
	n := uitest.Windows(name, "10.0.26100", 33438)
	n.Taints = nil
	return model.Delta{At: uitest.Now, Objects: []model.Object{n}, Feeds: uitest.Synced(nil)}
}

// answer runs the command that is due.
func answer(t *testing.T, cmd tea.Cmd) Found {
	t.Helper()
	if cmd == nil {
		t.Fatal("nothing is looked for")
	}
	return cmd().(Found)
}

func about(s *Screen, name string) bool {
	if s.shown == nil {
		return false
	}
	for _, r := range s.shown.rows {
		if r.Object.Name == name {
			return true
		}
	}
	return false
}

func TestOneLookAtATime(t *testing.T) {
	snaps := snapshots(open("a"), open("b"), open("c"))
	s, now := New(), uitest.Now
	first := answer(t, s.Show(snaps[0], screen.Source{Lineage: 1}, now))
	for _, later := range snaps[1:] {
		now = now.Add(time.Minute)
		if s.Show(later, screen.Source{Lineage: 1}, now) != nil {
			t.Fatal("a second command owns the book while one is under way")
		}
	}
	next := s.Update(first, now)
	if !about(s, "a") || next == nil {
		t.Fatal("the answer is not shown, or the newest snapshot was not asked for")
	}
	if next = s.Update(next().(Found), now); !about(s, "c") || next != nil {
		t.Fatal("the newest snapshot is not shown, or there is no rest")
	}
}

func TestPace(t *testing.T) {
	snaps := snapshots(open("a"), open("b"))
	for _, c := range []struct {
		name  string
		snap  *model.Snapshot
		src   screen.Source
		after time.Duration
		want  bool
	}{
		{"a newer snapshot at once", snaps[1], screen.Source{Lineage: 1}, apart - 1, false},
		{"a newer snapshot in time", snaps[1], screen.Source{Lineage: 1}, apart, true},
		{"the same one", snaps[0], screen.Source{Lineage: 1}, patience - 1, false},
		{"the same one, grown old", snaps[0], screen.Source{Lineage: 1}, patience, true},
		{"the same one, of a server that is gone", snaps[0], screen.Source{Lineage: 1, Old: true, OldSince: uitest.Now}, time.Hour, false},
		{"another cluster", snaps[1], screen.Source{Lineage: 2}, 0, true},
		{"the clock was set back", snaps[0], screen.Source{Lineage: 1}, -time.Hour, true},
	} {
		s := New()
		s.Update(answer(t, s.Show(snaps[0], screen.Source{Lineage: 1}, uitest.Now)), uitest.Now)
		if got := s.Show(c.snap, c.src, uitest.Now.Add(c.after)) != nil; got != c.want {
			t.Errorf("%s: looked is %v, want %v", c.name, got, c.want)
		}
	}
}

func TestAnswersThatNobodyWaitsForAreDropped(t *testing.T) {
	snaps := snapshots(open("a"), open("b"))
	for name, change := range map[string]func(*Screen){
		"another filter":  func(s *Screen) { s.filter("b", uitest.Now) },
		"another cluster": func(s *Screen) { s.source.Lineage = 2 },
		"reset":           func(s *Screen) { s.Reset() },
	} {
		s := New()
		late := answer(t, s.Show(snaps[1], screen.Source{Lineage: 1}, uitest.Now))
		change(s)
		next := s.Update(late, uitest.Now)
		if s.shown != nil {
			t.Errorf("%s: the late answer is on the screen", name)
		}
		if (next == nil) != (s.want == nil) {
			t.Errorf("%s: the screen waits for nothing, or for what nobody wants", name)
		}
	}
}

func TestEachSessionHasItsBook(t *testing.T) {
	snaps := snapshots(open("a"))
	s, now := New(), uitest.Now
	look := func(lineage uint64) {
		now = now.Add(time.Hour)
		s.Update(answer(t, s.Show(snaps[0], screen.Source{Lineage: lineage}, now)), now)
	}
	look(1)
	first := s.book
	if look(1); s.book != first {
		t.Error("a session lost its book")
	}
	if look(2); s.book == first {
		t.Error("two sessions share a book: versions of views mean nothing in another")
	}
}

func TestCursorStaysOnItsFinding(t *testing.T) {
	snaps := snapshots(open("m"), open("a"))
	s, now := New(), uitest.Now
	s.Update(answer(t, s.Show(snaps[0], screen.Source{Lineage: 1}, now)), now)
	now = now.Add(apart)
	s.Update(answer(t, s.Show(snaps[1], screen.Source{Lineage: 1}, now)), now)
	if r, ok := s.selected(); !ok || r.ID != "F01" || r.Object.Name != "m" {
		t.Errorf("a finding that came before it took the cursor along: %+v", r)
	}
}

// The screen is exactly as high as it was told, whatever it shows.
func TestViewFits(t *testing.T) {
	for name, d := range map[string]model.Delta{"trouble": uitest.Trouble(), "hostile": uitest.Hostile(), "empty": {Feeds: uitest.Synced(nil)}} {
		snap := snapshots(d)[0]
		rapid.Check(t, func(r *rapid.T) {
			s, ink := New(), &part.Inks{}
			s.Update(answer(t, s.Show(snap, screen.Source{Lineage: 1}, uitest.Now)), uitest.Now)
			w, h := rapid.IntRange(20, 250).Draw(r, "w"), rapid.IntRange(4, 70).Draw(r, "h")
			for range rapid.IntRange(0, 5).Draw(r, "steps") {
				_, _ = s.Do("group", uitest.Now)
				s.busy = false
				if cmd := s.look(uitest.Now); cmd != nil {
					s.Update(cmd(), uitest.Now)
				}
				s.move(rapid.IntRange(-9, 9).Draw(r, "move"))
				lines := s.View(w, h, screen.Look{Ink: ink, Now: uitest.Now})
				if len(lines) != h {
					r.Fatalf("%s: %d lines, want %d", name, len(lines), h)
				}
				marked := 0
				for _, l := range lines {
					if part.Width(l) > w {
						r.Fatalf("%s: %q is wider than %d", name, l, w)
					}
					if strings.HasPrefix(l, "> ") {
						marked++
					}
				}
				if want := min(s.lineCount(), 1); marked != want {
					r.Fatalf("%s: %d lines are under the cursor, want %d", name, marked, want)
				}
			}
		})
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		need  []int
		lines int
		want  []int
	}{
		{[]int{9, 2, 3, 1}, 6, []int{2, 2, 1, 1}},
		{[]int{1, 0, 1, 0}, 6, []int{1, 0, 1, 0}},
		{[]int{3, 3, 3, 3}, 2, []int{1, 1, 0, 0}},
	} {
		got := share(c.need, c.lines)
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("share(%v, %d) is %v, want %v", c.need, c.lines, got, c.want)
				break
			}
		}
	}
}
