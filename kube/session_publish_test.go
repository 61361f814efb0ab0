package kube

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/mullion-tui/mullion/kube/stats"
	"github.com/mullion-tui/mullion/model"
)

var start = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

// quietly runs a test in a bubble with a session that publishes and has no feeds.
// settle waits until nothing more happens without a step of the clock.
func quietly(t *testing.T, test func(t *testing.T, s *Session, clk *testclock.FakeClock, settle func() *model.Snapshot)) {
	synctest.Test(t, func(t *testing.T) {
		clk := testclock.NewFakeClock(start)
		ctx, stop := context.WithCancel(t.Context())
		s := &Session{life: ctx, stop: stop, clock: clk, pending: newPending(clk), next: make(chan struct{})}
		s.poller = stats.NewPoller(nil, clk, Explain, s.pending.putUsage) // does not run
		s.work.Go(func() { s.publish(ctx) })
		test(t, s, clk, func() *model.Snapshot {
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.latest
		})
		stop()
		s.work.Wait()
	})
}

func putNode(s *Session, name string) {
	n := &model.Node{Name: name}
	s.pending.put([]change{{n.Key(), n}}, model.Feed{Kind: model.KindNode}, false)
}

func putLease(s *Session, name string, renewed time.Time) {
	l := &model.Lease{Node: name, Renewed: renewed}
	s.pending.put([]change{{l.Key(), l}}, model.Feed{Kind: model.KindLease}, true)
}

func TestFirstChangeIsShownAtOnceAndOthersAFewTimesASecond(t *testing.T) {
	quietly(t, func(t *testing.T, s *Session, clk *testclock.FakeClock, settle func() *model.Snapshot) {
		putNode(s, "a")
		first := settle()
		if first == nil || len(first.Nodes()) != 1 {
			t.Fatalf("the first change is not shown: %+v", first)
		}
		for i := range 1000 {
			putNode(s, fmt.Sprint("b", i%10))
		}
		if got := settle(); got != first {
			t.Fatalf("serial %d follows %d at once", got.Serial, first.Serial)
		}
		clk.Step(publishEvery - 1)
		if got := settle(); got != first {
			t.Fatal("a second snapshot came early")
		}
		clk.Step(1)
		if got := settle(); got.Serial != first.Serial+1 || len(got.Nodes()) != 11 {
			t.Fatalf("serial %d with %d nodes, want %d with 11", got.Serial, len(got.Nodes()), first.Serial+1)
		}
		if len(first.Nodes()) != 1 {
			t.Error("the first snapshot was written to")
		}
	})
}

func TestTheLatestOfEachKeyCounts(t *testing.T) {
	quietly(t, func(t *testing.T, s *Session, clk *testclock.FakeClock, settle func() *model.Snapshot) {
		putNode(s, "a")
		settle()
		putNode(s, "b")
		s.pending.put([]change{{key: (&model.Node{Name: "b"}).Key()}, {key: (&model.Node{Name: "a"}).Key()}}, model.Feed{Kind: model.KindNode}, false)
		putNode(s, "a")
		clk.Step(publishEvery)
		got := settle()
		if len(got.Nodes()) != 1 || got.Nodes()[0].Name != "a" {
			t.Errorf("nodes %+v, want a", got.Nodes())
		}
	})
}

func TestHeartbeatsAloneWait(t *testing.T) {
	quietly(t, func(t *testing.T, s *Session, clk *testclock.FakeClock, settle func() *model.Snapshot) {
		putNode(s, "a")
		first := settle()
		clk.Step(time.Minute)
		settle()

		putLease(s, "a", start)
		settle()
		clk.Step(quietFor / 2)
		putLease(s, "a", start.Add(time.Second))
		settle()
		clk.Step(quietFor/2 - 1)
		if got := settle(); got != first {
			t.Fatal("a heartbeat alone made a snapshot")
		}
		clk.Step(1)
		got := settle()
		if got.Serial != first.Serial+1 || !got.Nodes()[0].LeaseTime.Equal(start.Add(time.Second)) {
			t.Fatalf("serial %d, lease %s", got.Serial, got.Nodes()[0].LeaseTime)
		}
	})
}

func TestHeartbeatsRideAlong(t *testing.T) {
	quietly(t, func(t *testing.T, s *Session, clk *testclock.FakeClock, settle func() *model.Snapshot) {
		putNode(s, "a")
		first := settle()
		clk.Step(time.Minute)
		settle()

		putLease(s, "a", start)
		settle()
		putNode(s, "b")
		got := settle()
		if got.Serial != first.Serial+1 || !got.Nodes()[0].LeaseTime.Equal(start) {
			t.Fatalf("serial %d, lease %s", got.Serial, got.Nodes()[0].LeaseTime)
		}
		clk.Step(2 * quietFor)
		if settle() != got {
			t.Error("a snapshot that nothing was in")
		}
	})
}

func TestNext(t *testing.T) {
	quietly(t, func(t *testing.T, s *Session, clk *testclock.FakeClock, settle func() *model.Snapshot) {
		putNode(s, "a")
		first := settle()
		if got, err := s.Next(t.Context(), first.Serial-1); got != first || err != nil {
			t.Fatalf("snapshot %v, error %v", got, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Next(ctx, first.Serial); err != context.Canceled {
			t.Fatalf("error %v", err)
		}
		came := make(chan uint64, 1)
		go func() {
			got, err := s.Next(t.Context(), first.Serial)
			if err != nil {
				t.Error(err)
			}
			came <- got.Serial
		}()
		putNode(s, "b")
		settle()
		clk.Step(publishEvery)
		if got := <-came; got != first.Serial+1 {
			t.Errorf("serial %d", got)
		}
		s.stop()
		if _, err := s.Next(t.Context(), first.Serial+1); err != ErrClosed {
			t.Errorf("error %v", err)
		}
	})
}
