package kube

import (
	"context"
	"time"

	"github.com/mullion-tui/mullion/model"
)

const (
	// publishEvery is the least time between two snapshots: nobody reads more than
	// four or five changes a second, and a busy cluster then costs no more.
	publishEvery = 220 * time.Millisecond
	// quietFor is how long heartbeats wait for another change to ride along with.
	quietFor = 10 * time.Second
)

// publish owns the cluster: it takes in what the feeds have seen and makes
// snapshots of it, the first one at once.
func (s *Session) publish(ctx context.Context) {
	cluster := model.NewCluster()
	for s.awaitNews(ctx) {
		d := s.pending.take()
		if d.Empty() {
			continue
		}
		cluster.Apply(d)
		snapshot := cluster.Snapshot()
		s.poller.See(snapshot)
		s.show(snapshot)
		if !sleep(ctx, s.clock, publishEvery) {
			return
		}
	}
}

// awaitNews returns once there is something to show, or false when ctx ends.
func (s *Session) awaitNews(ctx context.Context) bool {
	var overdue <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case <-s.pending.loud:
			return true
		case <-s.pending.quiet:
			if overdue == nil {
				timer := s.clock.NewTimer(quietFor)
				defer timer.Stop()
				overdue = timer.C()
			}
		case <-overdue:
			return true
		}
	}
}

func (s *Session) show(snapshot *model.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest = snapshot
	close(s.next)
	s.next = make(chan struct{})
}
