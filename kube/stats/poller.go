package stats

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

	inFlight     = 8                // nodes asked at the same time
	slowInFlight = 2                // of these, nodes that were slow before: one kubelet of 40 s delays nobody
	slow         = 5 * time.Second  // from here on a node is slow
	answerWithin = 45 * time.Second // the Summary API can take 40 s on a busy Windows node
	backOff      = 5 * time.Minute  // of a source that refuses, and the longest of a node that fails
	clockOff     = 2 * time.Minute  // a source whose clock differs by more is not believed about time
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
	refused map[model.StatsSource]refusal
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
	took    time.Duration // the last answer
	failed  int           // times in a row that no source knew anything
	bootID  string        // for which boot is known
	boot    time.Time
	nothing map[model.StatsSource]time.Time // until when a source that had nothing is left out
}

type refusal struct {
	until time.Time
	why   string
}

// NewPoller returns a poller that hands what it learns to out, one call at a time
// per node. words turns an error into a sentence.
func NewPoller(sources []Source, c clock.WithTicker, words func(error) string, out func(*model.Usage)) *Poller {
	return &Poller{
		sources: sources, clock: c, words: words, out: out,
		nodes: map[string]*subject{}, visible: map[string]bool{}, refused: map[model.StatsSource]refusal{},
		wake: make(chan struct{}, 1),
	}
}

// See takes the nodes of a snapshot in: new ones are asked soon, gone ones no more.
func (p *Poller) See(s *model.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	for _, v := range s.Nodes() {
		if n := p.nodes[v.Name]; n != nil {
			n.view = v
			continue
		}
		n := &subject{view: v, nothing: map[model.StatsSource]time.Time{}}
		n.due = now
		if v.OS != model.OSWindows && !p.visible[v.Name] {
			n.due = now.Add(everyOther)
		}
		p.nodes[v.Name] = n
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
		if n := p.nodes[name]; n != nil && !n.busy && n.failed == 0 {
			if soon := now.Add(everyVisible); n.due.After(soon) {
				n.due = soon
				if n.view.Usage == nil {
					n.due = now
				}
			}
		}
	}
	p.poke()
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

// start asks every node that is due, as far as the bounds allow, and returns how
// long to wait for the next. A node that ends wakes the loop by itself.
func (p *Poller) start(ctx context.Context) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	next := everyOther
	for name := range p.visible { // what somebody looks at goes first
		if n := p.nodes[name]; n != nil {
			p.begin(ctx, n, now)
		}
	}
	for _, n := range p.nodes {
		if wait := n.due.Sub(now); !n.busy && wait > 0 {
			next = min(next, wait)
			continue
		}
		p.begin(ctx, n, now)
	}
	return next
}

// begin asks one node if it is due and there is room.
func (p *Poller) begin(ctx context.Context, n *subject, now time.Time) {
	lagging := n.took >= slow
	if n.busy || n.due.After(now) || p.running >= inFlight || lagging && p.slow >= slowInFlight {
		return
	}
	n.busy = true
	p.running++
	if lagging {
		p.slow++
	}
	job := p.job(n)
	p.work.Go(func() { p.ask(ctx, n, job, lagging) })
}

// job is what one round over the sources needs, taken under the lock.
type job struct {
	view    *model.NodeView
	boot    bool
	visible bool
	sources []Source
	notes   []string // why a source is not asked
	began   time.Time
}

func (p *Poller) job(n *subject) job {
	now := p.clock.Now()
	j := job{view: n.view, visible: p.visible[n.view.Name], boot: n.boot.IsZero() || n.bootID != n.view.BootID, began: now}
	for _, s := range p.sources {
		if r := p.refused[s.Source()]; now.Before(r.until) {
			j.notes = append(j.notes, r.why)
			continue
		}
		if now.Before(n.nothing[s.Source()]) {
			continue
		}
		j.sources = append(j.sources, s)
	}
	return j
}

func (p *Poller) ask(ctx context.Context, n *subject, j job, lagging bool) {
	usage, failures := p.round(ctx, j)
	p.mu.Lock()
	now := p.clock.Now()
	n.busy, n.took = false, now.Sub(j.began)
	p.running--
	if lagging {
		p.slow--
	}
	for source, err := range failures {
		if apierrors.IsForbidden(err) {
			p.refused[source] = refusal{now.Add(backOff), fmt.Sprintf("%s: %s", source, p.words(err))}
		} else if errors.Is(err, ErrNoExporter) || errors.Is(err, ErrNoPrometheus) || apierrors.IsNotFound(err) {
			n.nothing[source] = now.Add(backOff)
		}
	}
	if usage.Boot.IsZero() {
		usage.Boot = n.boot
	} else {
		n.boot, n.bootID = usage.Boot, j.view.BootID
	}
	if usage.WorkingSet.Known() || usage.Commit.Known() {
		n.failed = 0
	} else {
		n.failed++
	}
	n.due = now.Add(p.interval(n))
	known := p.nodes[j.view.Name] == n
	p.mu.Unlock()
	if known && ctx.Err() == nil {
		p.out(usage)
	}
	p.poke()
}

// round asks the sources, best first, until nothing is missing.
func (p *Poller) round(ctx context.Context, j job) (*model.Usage, map[model.StatsSource]error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	sum := &model.Usage{Node: j.view.Name}
	failures := map[model.StatsSource]error{}
	var problems []string
	for _, s := range j.sources {
		if complete(sum, j.view, j.visible) {
			break
		}
		u, err := s.Node(ctx, j.view, j.boot)
		if err != nil {
			failures[s.Source()] = err
			problems = append(problems, fmt.Sprintf("%s: %s", s.Source(), p.words(err)))
			continue
		}
		sum = sum.Merge(believable(u))
	}
	if !complete(sum, j.view, j.visible) {
		sum.Problems = append(sum.Problems, problems...)
		sum.Problems = append(sum.Problems, j.notes...)
	}
	if sum.Read.IsZero() {
		sum.Read = p.clock.Now().UTC()
	}
	return sum, failures
}

// complete reports whether no further source could add anything that matters. The
// kubelet never measures HostProcess containers; an exporter is asked for them only
// while somebody looks, or every Windows node would cost two requests.
func complete(u *model.Usage, v *model.NodeView, visible bool) bool {
	if !u.WorkingSet.Known() || !u.CPU.Known() {
		return false
	}
	windows := v.OS == model.OSWindows
	if windows && (!u.Commit.Known() || !u.CommitLimit.Known()) {
		return false
	}
	for _, p := range v.Pods {
		if p.Phase != "Running" || p.HostProcess && !visible {
			continue
		}
		for _, c := range p.Containers {
			got, _ := u.Container(p.Namespace, p.Name, c.Name)
			if c.ID != "" && (windows && !got.Commit.Known() || !windows && !got.WorkingSet.Known()) {
				return false
			}
		}
	}
	return true
}

// believable replaces times of a clock that is off by that of the answer.
func believable(u *model.Usage) *model.Usage {
	off := time.Duration(0)
	mend := func(f *model.Figure) {
		if d := f.At.Sub(u.Read); f.Known() && !f.At.IsZero() && (d > clockOff || d < -backOff) {
			off, f.At = d, u.Read
		}
	}
	for _, f := range []*model.Figure{&u.Commit, &u.CommitLimit, &u.Physical, &u.WorkingSet, &u.CPU} {
		mend(f)
	}
	for i := range u.Containers {
		c := &u.Containers[i]
		mend(&c.Commit)
		mend(&c.WorkingSet)
		mend(&c.CPU)
	}
	if off != 0 {
		side := "ahead of"
		if off < 0 {
			side, off = "behind", -off
		}
		u.Problems = append(u.Problems, fmt.Sprintf("the clock of the node is %s %s this machine's: ages count from the answer", off.Round(time.Second), side))
	}
	return u
}

// interval is how long a node rests: longer when it fails or is slow, and a little
// different for each, so that they do not come in step.
func (p *Poller) interval(n *subject) time.Duration {
	d := everyOther
	switch {
	case p.visible[n.view.Name]:
		d = everyVisible
	case n.view.OS == model.OSWindows:
		d = everyWindows
	}
	if n.failed > 0 {
		d = min(backOff, d<<min(n.failed, 6))
	}
	d = max(d, 4*n.took)
	h := fnv.New32a()
	_, _ = h.Write([]byte(n.view.Name))
	return d + d*time.Duration(h.Sum32()%20)/100
}
