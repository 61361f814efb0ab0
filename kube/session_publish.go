package kube

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"github.com/mullion-tui/mullion/model"
)

const (
	// publishEvery is the least time between two snapshots: nobody reads more than
	// four or five changes a second, and a busy cluster then costs no more.
	publishEvery = 220 * time.Millisecond
	// restFactor is how many times longer than the making of a snapshot the pause
	// after it is, up to longestPause.
	restFactor   = 4
	longestPause = time.Second / 2
	// quietFor is how long heartbeats wait for another change to ride along with.
	quietFor = 10 * time.Second
	// soonFor is how long measured figures wait: those of thousands of nodes trickle
	// in all the time.
	soonFor = 2 * time.Second
)

// publish owns the cluster: it takes in what the feeds have seen and makes
// snapshots of it, the first one at once.
func (s *Session) publish(ctx context.Context) {
	cluster := model.NewCluster()
	trimmed := false
	for s.awaitNews(ctx) {
		d := s.pending.take()
		if d.Empty() {
			continue
		}
		began := s.clock.Now()
		cluster.Apply(d)
		snapshot := cluster.Snapshot()
		s.poller.See(snapshot)
		s.show(snapshot)
		if !trimmed && complete(snapshot) {
			trimmed = true
			trim(snapshot)
		}
		// While a big cluster comes in, each snapshot is work; it must not slow the
		// lists down.
		rest := min(restFactor*s.clock.Since(began), longestPause)
		if !sleep(ctx, s.clock, max(rest, publishEvery)) {
			return
		}
	}
}

// awaitNews returns once there is something to show, or false when ctx ends.
func (s *Session) awaitNews(ctx context.Context) bool {
	var overdue <-chan time.Time
	var due time.Time
	within := func(d time.Duration) {
		if by := s.clock.Now().Add(d); overdue == nil || by.Before(due) {
			overdue, due = s.clock.After(d), by
		}
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-s.pending.loud:
			return true
		case <-s.pending.soon:
			within(soonFor)
		case <-s.pending.quiet:
			within(quietFor)
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

// complete reports whether every feed has got as far as it will for now.
func complete(s *model.Snapshot) bool {
	return !slices.ContainsFunc(s.Feeds, func(f model.Feed) bool { return f.State == model.FeedWaiting })
}

// manyPods is the size of a cluster whose first lists leave much garbage behind.
const manyPods = 5000

// trim gives the memory back that the first lists of a big cluster took: measured,
// a third of what is resident then. The runtime itself takes minutes for that.
func trim(s *model.Snapshot) {
	if s.PodCount() >= manyPods {
		debug.FreeOSMemory()
	}
}
