package memory

import (
	"testing"

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

func node(name string) model.Delta {
	return model.Delta{At: uitest.Now, Objects: []model.Object{uitest.Linux(name)}}
}

// show gives the screen a snapshot and returns the answer that is under way.
func show(t *testing.T, s *Screen, snap *model.Snapshot, lineage uint64) Arranged {
	t.Helper()
	cmd := s.Show(snap, screen.Source{Lineage: lineage})
	if cmd == nil {
		t.Fatal("nothing was arranged")
	}
	return cmd().(Arranged)
}

func TestOneArrangementAtATime(t *testing.T) {
	snaps := snapshots(node("a"), node("b"), node("c"))
	s := New("")
	first := show(t, s, snaps[0], 1)
	for _, later := range snaps[1:] {
		if s.Show(later, screen.Source{Lineage: 1}) != nil {
			t.Fatal("a second arrangement was started while one is under way")
		}
	}
	_, next := s.Update(first)
	if s.lineCount() != 1 || next == nil {
		t.Fatalf("the answer is not shown, or the newest snapshot was not asked for: %d rows", s.lineCount())
	}
	if _, next = s.Update(next()); s.lineCount() != 3 || next != nil {
		t.Fatalf("%d rows, want the newest snapshot's 3 and rest", s.lineCount())
	}
}

func TestAnswersThatNobodyWaitsForAreDropped(t *testing.T) {
	snaps := snapshots(node("a"), node("b"))
	for name, change := range map[string]func(*Screen){
		"another filter":  func(s *Screen) { s.filter("b") },
		"another fold":    func(s *Screen) { s.setFold(model.MemoryRef{Node: "a"}, true) },
		"another cluster": func(s *Screen) { s.source.Lineage = 2 },
		"reset":           func(s *Screen) { s.Reset() },
	} {
		s := New("")
		late := show(t, s, snaps[1], 1)
		change(s)
		s.Update(late)
		if s.shown != nil {
			t.Errorf("%s: the late answer is on the screen", name)
		}
		if s.busy && s.want == nil {
			t.Errorf("%s: the screen waits for nothing", name)
		}
	}
}

func TestOlderSerialIsDropped(t *testing.T) {
	snaps := snapshots(node("a"), node("b"))
	s := New("")
	s.Update(show(t, s, snaps[1], 1))
	s.Update(show(t, s, snaps[0], 1))
	if s.lineCount() != 2 {
		t.Errorf("an older snapshot of the same session took the place of a newer one")
	}
	s.Update(show(t, s, snaps[0], 2))
	if s.lineCount() != 1 {
		t.Errorf("serials of two sessions were compared")
	}
}

// A command reads the query's set of folds while the next key changes it.
func TestFoldsAreNotWrittenTo(t *testing.T) {
	s := New("")
	s.setFold(model.MemoryRef{Node: "a"}, true)
	handed := s.query.Unfolded
	s.setFold(model.MemoryRef{Node: "b"}, true)
	s.filter("x")
	if len(handed) != 1 || len(s.query.Unfolded) != 2 {
		t.Errorf("the set that was handed over has %d folds, the new one %d", len(handed), len(s.query.Unfolded))
	}
}

func TestColumnsAtEveryWidth(t *testing.T) {
	for w := 60; w <= 300; w++ {
		for _, high := range []bool{false, true} {
			shown := map[int]bool{}
			used := gutter - part.Gap
			for _, c := range columns(w, 40, high) {
				shown[c.ID] = true
				used += c.Width + part.Gap
			}
			for _, need := range []int{colName, colBar, colShare, colWords} {
				if !shown[need] {
					t.Errorf("%d columns: column %d is missing", w, need)
				}
			}
			if w >= 120 && !shown[colSource] {
				t.Errorf("%d columns do not show source and age", w)
			}
			if w >= 200 && (!shown[colTrend] || !shown[colLeft]) {
				t.Errorf("%d columns do not show trend and headroom", w)
			}
			if used > w {
				t.Errorf("%d cells are used of %d", used, w)
			}
		}
	}
}
