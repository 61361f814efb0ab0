package kube

import (
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/mullion-tui/mullion/model"
)

// pending is what the feeds have seen and the cluster has not taken in yet: the
// latest of each key, so it never holds more than the cluster has objects.
type pending struct {
	clock clock.PassiveClock
	loud  chan struct{} // holds one token while something waits that a screen must show
	quiet chan struct{} // the same for what may wait: leases
	soon  chan struct{} // and for what may wait a little: measured figures

	mu      sync.Mutex
	at      time.Time
	objects map[model.Key]model.Object // nil stands for gone
	feeds   map[model.Kind]model.Feed
	server  *model.ServerFacts
}

func newPending(c clock.PassiveClock) *pending {
	return &pending{
		clock:   c,
		loud:    make(chan struct{}, 1),
		quiet:   make(chan struct{}, 1),
		soon:    make(chan struct{}, 1),
		objects: map[model.Key]model.Object{},
		feeds:   map[model.Kind]model.Feed{},
	}
}

// change is one object as a feed saw it.
type change struct {
	key    model.Key
	object model.Object // nil is gone
}

// put takes in changes of one feed. A quiet one waits for company.
func (p *pending) put(changes []change, feed model.Feed, quiet bool) {
	p.mu.Lock()
	p.at = p.clock.Now().UTC()
	for _, c := range changes {
		p.objects[c.key] = c.object
	}
	p.feeds[feed.Kind] = feed
	p.mu.Unlock()
	if quiet {
		rouse(p.quiet)
	} else {
		rouse(p.loud)
	}
}

func (p *pending) putServer(facts model.ServerFacts) {
	p.mu.Lock()
	p.at = p.clock.Now().UTC()
	p.server = &facts
	p.mu.Unlock()
	rouse(p.loud)
}

// putUsage takes in what was measured of a node.
func (p *pending) putUsage(u *model.Usage) {
	p.mu.Lock()
	p.at = p.clock.Now().UTC()
	p.objects[u.Key()] = u
	p.mu.Unlock()
	rouse(p.soon)
}

// rouse leaves a token where there is none yet.
func rouse(token chan struct{}) {
	select {
	case token <- struct{}{}:
	default:
	}
}

// take empties p into a delta.
func (p *pending) take() model.Delta {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := model.Delta{At: p.at, Server: p.server}
	for k, o := range p.objects {
		if o == nil {
			d.Gone = append(d.Gone, k)
		} else {
			d.Objects = append(d.Objects, o)
		}
	}
	for _, f := range p.feeds {
		d.Feeds = append(d.Feeds, f)
	}
	p.objects, p.feeds, p.server = map[model.Key]model.Object{}, map[model.Kind]model.Feed{}, nil
	return d
}
