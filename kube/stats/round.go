package stats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mullion-tui/mullion/model"
)

const (
	summaryWithin = 45 * time.Second // the Summary API can take 40 s on a busy Windows node
	answerWithin  = 10 * time.Second // of every other source

	// A clock that is off by more is not believed. Behind may be more than ahead:
	// kubelets and metrics-server measure some time before they are asked.
	clockAhead  = 2 * time.Minute
	clockBehind = 5 * time.Minute
)

// job is what one round over the sources needs, taken under the lock.
type job struct {
	view    *model.NodeView
	boot    bool
	closely bool // HostProcess containers too: somebody looks, or it is the first time
	sources []Source
	whys    map[model.StatsSource]string // why a source is not asked
	wait    time.Time                    // when the first of those that rest is asked again
	began   time.Time
}

func (p *Poller) job(n *subject, now time.Time) job {
	j := job{
		view: n.view, closely: p.visible[n.view.Name] || n.rounds == 0, boot: n.boot.IsZero() || n.bootID != n.view.BootID,
		began: now, wait: now.Add(longPause), whys: map[model.StatsSource]string{},
	}
	for _, s := range p.sources {
		if n.view.OS != model.OSWindows && (s.Source() == model.FromExporter || s.Source() == model.FromPrometheus) {
			continue // what they have is about Windows
		}
		r := p.pauses[s.Source()]
		if !now.Before(r.until) {
			r = n.pauses[s.Source()]
		}
		if now.Before(r.until) {
			j.whys[s.Source()] = r.why
			if r.until.Before(j.wait) {
				j.wait = r.until
			}
			continue
		}
		j.sources = append(j.sources, s)
	}
	return j
}

// outcome is what became of one source in a round.
type outcome struct {
	source model.StatsSource
	err    error
	why    string // err in words
}

func (p *Poller) ask(ctx context.Context, n *subject, j job, lagging bool) {
	usage, outcomes := p.round(ctx, j)
	p.mu.Lock()
	now := p.clock.Now()
	n.busy, n.took = false, now.Sub(j.began)
	p.running--
	if lagging {
		p.slow--
	}
	for _, o := range outcomes {
		switch {
		case o.err == nil:
			delete(n.pauses, o.source)
			delete(p.pauses, o.source)
		case wide(o.err):
			p.pauses.fail(o.source, now, o.err, o.why)
		default:
			n.pauses.fail(o.source, now, o.err, o.why)
		}
	}
	if usage.Boot.IsZero() {
		usage.Boot = n.boot
	} else {
		n.boot, n.bootID = usage.Boot, j.view.BootID
	}
	n.due = now.Add(p.interval(n))
	p.lookBy(n.due)
	known := p.nodes[j.view.Name] == n
	p.mu.Unlock()
	if known && ctx.Err() == nil {
		p.out(usage)
	}
	p.poke()
}

// round asks the sources, best first, until nothing is missing.
func (p *Poller) round(ctx context.Context, j job) (*model.Usage, []outcome) {
	sum := &model.Usage{Node: j.view.Name}
	var outcomes []outcome
	for _, s := range j.sources {
		g := missing(sum, j.view, j.closely)
		if !g.measured && (!g.commit || s.Source() == model.FromMetrics) {
			continue
		}
		u, err := p.askOne(ctx, s, j)
		o := outcome{source: s.Source(), err: err}
		if err != nil {
			o.why = fmt.Sprintf("%s: %s", s.Source(), p.explain(err))
			j.whys[o.source] = o.why
		} else {
			sum = sum.Merge(believable(u))
		}
		outcomes = append(outcomes, o)
	}
	if missing(sum, j.view, j.closely) != (gaps{}) {
		sum.Problems = append(sum.Problems, noLimit(sum, j.view)...)
		for _, s := range p.sources { // in this order, so that they stand still on screen
			if why := j.whys[s.Source()]; why != "" {
				sum.Problems = append(sum.Problems, why)
			}
		}
	}
	if sum.Read.IsZero() {
		sum.Read = p.clock.Now().UTC()
	}
	return sum, outcomes
}

func (p *Poller) askOne(ctx context.Context, s Source, j job) (*model.Usage, error) {
	within := answerWithin
	if s.Source() == model.FromSummary {
		within = summaryWithin
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	u, err := s.Node(limited, j.view, j.boot)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		late := fmt.Errorf("no answer within %s", within)
		if wide(err) {
			return nil, wideError{late}
		}
		return nil, late
	}
	return u, err
}

// explain leaves the words of a far end alone: others would take them for those of
// the API server.
func (p *Poller) explain(err error) string {
	var far *AnswerError
	if errors.As(err, &far) {
		return far.Error()
	}
	return p.words(err)
}

// noLimit explains the one gap that needs no failure: an old kubelet.
func noLimit(u *model.Usage, v *model.NodeView) []string {
	if v.OS != model.OSWindows || u.Commit.Source != model.FromSummary || u.CommitLimit.Known() {
		return nil
	}
	return []string{fmt.Sprintf("%s: kubelet %s does not tell the commit limit; kubelets do from 1.31 on", model.FromSummary, v.Kubelet)}
}

// gaps are what a round has not found out yet.
type gaps struct {
	commit   bool // of the node or a container, or the commit limit: Windows
	measured bool // a working set or CPU
}

// missing looks for gaps that a further source could fill. The kubelet never measures
// HostProcess containers; an exporter is asked for them only while somebody looks, or
// every Windows node would cost two requests.
func missing(u *model.Usage, v *model.NodeView, closely bool) gaps {
	windows := v.OS == model.OSWindows
	g := gaps{
		commit:   windows && (!u.Commit.Known() || !u.CommitLimit.Known()),
		measured: !u.WorkingSet.Known() || !u.CPU.Known(),
	}
	for _, p := range v.Pods {
		if p.Phase != "Running" || p.HostProcess && !closely {
			continue
		}
		for _, c := range p.Containers {
			if c.ID == "" || c.Stopped {
				continue
			}
			got, _ := u.Container(p.Namespace, p.Name, c.Name)
			g.commit = g.commit || windows && !got.Commit.Known()
			g.measured = g.measured || !p.HostProcess && !got.WorkingSet.Known()
		}
	}
	return g
}

// believable replaces times of a clock that is off by that of the answer.
func believable(u *model.Usage) *model.Usage {
	off := time.Duration(0)
	mend := func(f *model.Figure) {
		if d := f.At.Sub(u.Read); f.Known() && !f.At.IsZero() && (d > clockAhead || d < -clockBehind) {
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
		off = off.Round(10 * time.Second) // an answer takes some time, and the sentence must stand still
		u.Problems = append(u.Problems, fmt.Sprintf("the clock of the node is %s %s this machine's: ages count from the answer", off, side))
	}
	return u
}
