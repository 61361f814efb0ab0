package stats

import (
	"context"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/mullion-tui/mullion/model"
)

// Source is one place where figures can be read.
type Source interface {
	Source() model.StatsSource
	// Node reads what the source knows of a node and its containers; boot asks for
	// the boot time as well, where that costs more.
	Node(ctx context.Context, n *model.NodeView, boot bool) (*model.Usage, error)
}

// How often a node is asked: what is on screen, Windows nodes, and the rest.
const (
	everyVisible = 10 * time.Second
	everyWindows = 30 * time.Second
	everyOther   = 5 * time.Minute

	inFlight     = 8               // nodes asked at the same time
	slowInFlight = 2               // of these, nodes that were slow before: one kubelet of 40 s delays nobody
	slow         = 5 * time.Second // from here on a node is slow

	lookEvery = 250 * time.Millisecond // the least time between two looks over all nodes
)

// Poller asks the sources of every node, in turn and in bounds. Its methods are safe
// for use by several goroutines.
type Poller struct {
	sources []Source // best first
	clock   clock.WithTicker
	words   func(error) string
	out     func(*model.Usage)

	mu      sync.Mutex
	nodes   map[string]*subject
	visible map[string]bool
	pauses  pauses     // of sources that fail for every node
	look    time.Time  // when to look over all nodes again
	ready   []*subject // were due at the last look and found no room yet
	running int
	slow    int // of those running
	wake    chan struct{}
	work    sync.WaitGroup
}

// subject is a node that is asked.
type subject struct {
	view    *model.NodeView
	due     time.Time
	busy    bool
	rounds  int           // times that it was asked
	closely bool          // the last time for somebody who looks: HostProcess containers too
	took    time.Duration // the last answer
	pauses  pauses        // of sources that fail for this node
	bootID  string        // for which boot is known
	boot    time.Time
}

// NewPoller returns a poller that hands what it learns to out, one call at a time
// per node. words turns an error into a sentence.
func NewPoller(sources []Source, c clock.WithTicker, words func(error) string, out func(*model.Usage)) *Poller {
	return &Poller{
		sources: sources, clock: c, words: words, out: out,
		nodes: map[string]*subject{}, visible: map[string]bool{}, pauses: pauses{},
		wake: make(chan struct{}, 1),
	}
}

// See takes the nodes of a snapshot in: new ones are asked soon, gone ones no more. It
// waits for the first list of pods, or for the reason why there is none: without pods
// a node has no exporter, and nothing could be missing.
func (p *Poller) See(s *model.Snapshot) {
	if f := s.Feed(model.KindPod); !f.Listed && f.State == model.FeedWaiting {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	for _, v := range s.Nodes() {
		if n := p.nodes[v.Name]; n != nil {
			n.view = v
			continue
		}
		n := &subject{view: v, pauses: pauses{}, due: now}
		if v.OS != model.OSWindows && !p.visible[v.Name] {
			n.due = now.Add(everyOther)
		}
		p.nodes[v.Name] = n
		p.lookBy(n.due)
		p.poke()
	}
	if len(p.nodes) == len(s.Nodes()) {
		return
	}
	for name := range p.nodes {
		if _, ok := s.Node(name); !ok {
			delete(p.nodes, name)
		}
	}
}

// Look says which nodes are on screen: they are asked more often.
func (p *Poller) Look(names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.visible = make(map[string]bool, len(names))
	now := p.clock.Now()
	for _, name := range names {
		p.visible[name] = true
		n := p.nodes[name]
		if n == nil || n.busy {
			continue
		}
		soon := now.Add(everyVisible)
		if !n.closely {
			soon = now
		}
		if n.due.After(soon) {
			n.due = soon
			p.lookBy(soon)
		}
	}
	p.poke()
}

// lookBy brings the next look over all nodes forward.
func (p *Poller) lookBy(t time.Time) {
	if t.Before(p.look) {
		p.look = t
	}
}

func (p *Poller) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Run asks until ctx ends, and returns when nothing is under way any more.
func (p *Poller) Run(ctx context.Context) {
	defer p.work.Wait()
	for {
		next := p.start(ctx)
		timer := p.clock.NewTimer(next)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-p.wake:
		case <-timer.C():
		}
		timer.Stop()
	}
}

// start asks the nodes that are due, as far as the bounds allow, and returns how long
// to wait for the next look. A node that ends wakes the loop by itself.
func (p *Poller) start(ctx context.Context) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if !now.Before(p.look) {
		p.gather(now)
	}
	p.ready = slices.DeleteFunc(p.ready, func(n *subject) bool { return p.begin(ctx, n, now) })
	return max(0, p.look.Sub(now))
}

// gather looks over all nodes for those that are due, what somebody looks at first.
// It comes a few times a second at most: in a big cluster an answer arrives more often.
func (p *Poller) gather(now time.Time) {
	p.ready = p.ready[:0]
	for name := range p.visible {
		if n := p.nodes[name]; n != nil && !n.busy && !n.due.After(now) {
			p.ready = append(p.ready, n)
		}
	}
	p.look = now.Add(everyOther)
	for name, n := range p.nodes {
		switch {
		case n.busy:
		case n.due.After(now):
			p.lookBy(n.due)
		case !p.visible[name]:
			p.ready = append(p.ready, n)
		}
	}
	if soonest := now.Add(lookEvery); p.look.Before(soonest) {
		p.look = soonest
	}
}

// begin asks one node if there is room, and reports whether it waits no longer.
func (p *Poller) begin(ctx context.Context, n *subject, now time.Time) bool {
	if n.busy || n.due.After(now) || p.nodes[n.view.Name] != n {
		return true
	}
	lagging := n.took >= slow
	if p.running >= inFlight || lagging && p.slow >= slowInFlight {
		return false
	}
	j := p.job(n, now)
	if len(j.sources) == 0 {
		n.due = j.wait // all rest: what the last round said still holds
		p.lookBy(n.due)
		return true
	}
	n.busy, n.closely = true, j.closely
	n.rounds++
	p.running++
	if lagging {
		p.slow++
	}
	p.work.Go(func() { p.ask(ctx, n, j, lagging) })
	return true
}

// interval is how long a node rests: longer when it is slow, and a little different
// for each, so that they do not come in step. All nodes are first asked at once; then
// each waits for a share of its time, which spreads them over it.
func (p *Poller) interval(n *subject) time.Duration {
	d := everyOther
	switch {
	case p.visible[n.view.Name]:
		d = everyVisible
	case n.view.OS == model.OSWindows:
		d = everyWindows
	}
	d = max(d, 4*n.took)
	h := fnv.New32a()
	_, _ = h.Write([]byte(n.view.Name))
	share := time.Duration(h.Sum32() % 100)
	if n.rounds == 1 {
		return d/10 + d*9/10*share/100
	}
	return d + d/5*share/100
}
