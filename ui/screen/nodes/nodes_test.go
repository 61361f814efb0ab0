package nodes

import (
	"testing"

	"github.com/mullion-tui/mullion/model"
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
	cmd := s.Show(snap, screen.Source{Lineage: lineage}, uitest.Now)
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
		if s.Show(later, screen.Source{Lineage: 1}, uitest.Now) != nil {
			t.Fatal("a second arrangement was started while one is under way")
		}
	}
	_, next := s.Update(first, uitest.Now)
	if s.shown.inv.All != 1 || next == nil {
		t.Fatalf("the answer is not shown, or the newest snapshot was not asked for: %d nodes", s.shown.inv.All)
	}
	_, next = s.Update(next(), uitest.Now)
	if s.shown.inv.All != 3 || next != nil {
		t.Fatalf("%d nodes, want the newest snapshot's 3 and rest", s.shown.inv.All)
	}
}

func TestAnswersThatNobodyWaitsForAreDropped(t *testing.T) {
	snaps := snapshots(node("a"), node("b"))
	for name, change := range map[string]func(*Screen){
		"another query":   func(s *Screen) { s.query.Filter = "b" },
		"another cluster": func(s *Screen) { s.source.Lineage = 2 },
		"reset":           func(s *Screen) { s.Reset() },
	} {
		s := New("")
		late := show(t, s, snaps[1], 1)
		change(s)
		s.Update(late, uitest.Now)
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
	s.Update(show(t, s, snaps[1], 1), uitest.Now)
	s.Update(show(t, s, snaps[0], 1), uitest.Now)
	if s.shown.inv.All != 2 {
		t.Errorf("an older snapshot of the same session took the place of a newer one")
	}
	s.Update(show(t, s, snaps[0], 2), uitest.Now)
	if s.shown.inv.All != 1 {
		t.Errorf("serials of two sessions were compared")
	}
}

func TestMarksOfNodesThatAreGoneGo(t *testing.T) {
	snaps := snapshots(node("a"), node("b"), model.Delta{At: uitest.Now, Gone: []model.Key{{Kind: model.KindNode, Name: "a"}}})
	s := New("")
	s.Update(show(t, s, snaps[1], 1), uitest.Now)
	s.Do("mark", uitest.Now)
	s.Do("mark", uitest.Now)
	if s.Marked() != 2 {
		t.Fatalf("%d marks, want 2", s.Marked())
	}
	s.Update(show(t, s, snaps[2], 1), uitest.Now)
	if s.Marked() != 1 {
		t.Errorf("%d marks, want 1: a is gone", s.Marked())
	}
}

func TestColumnsAtEveryWidth(t *testing.T) {
	usual := widths{title: 51, name: 20, status: 22, roles: 13, revision: 11, kubelet: 7, pods: 7, cpu: 13, memory: 17, classes: 12}
	for w := 60; w <= 300; w++ {
		shown := map[int]bool{}
		used := gutter - 2
		for _, c := range columns(w, usual) {
			shown[c.ID] = true
			used += c.Width + 2
		}
		for _, need := range []int{colName, colStatus, colRevision, colPods, colAge} {
			if !shown[need] {
				t.Errorf("%d columns: column %d is missing", w, need)
			}
		}
		if used > w {
			t.Errorf("%d cells are used of %d", used, w)
		}
		if w >= 200 && len(shown) != 12 {
			t.Errorf("%d columns show %d of 12", w, len(shown))
		}
	}
}

// What is used of the limit comes before what is requested, at any width.
func TestUsedMemoryComesFirst(t *testing.T) {
	usual := widths{title: 51, name: 20, status: 22, roles: 13, revision: 11, kubelet: 7, pods: 7, cpu: 13, memory: 17, classes: 12, measured: true}
	for w := 76; w <= 300; w++ {
		shown := map[int]bool{}
		used := gutter - 2
		for _, c := range columns(w, usual) {
			shown[c.ID] = true
			used += c.Width + 2
		}
		if used > w {
			t.Errorf("%d cells are used of %d", used, w)
		}
		if (w < narrow || w >= 120) && !shown[colUsed] {
			t.Errorf("%d columns do not show the memory that is used", w)
		}
		if !shown[colUsed] && (shown[colCPU] || shown[colMemory]) {
			t.Errorf("%d columns show requests, but not what is used", w)
		}
	}
}
