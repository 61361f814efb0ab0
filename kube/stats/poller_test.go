package stats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/mullion-tui/mullion/model"
)

// fake is a source that answers as it is told and notes who was asked.
type fake struct {
	source model.StatsSource
	answer func(node string) (*model.Usage, error)
	delay  map[string]time.Duration

	mu      sync.Mutex
	asked   []string
	boots   []string
	running int
	most    int
}

func (f *fake) Source() model.StatsSource { return f.source }

func (f *fake) Node(ctx context.Context, n *model.NodeView, boot bool) (*model.Usage, error) {
	f.mu.Lock()
	f.asked = append(f.asked, n.Name)
	if boot {
		f.boots = append(f.boots, n.Name)
	}
	f.running++
	f.most = max(f.most, f.running)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.running--
		f.mu.Unlock()
	}()
	if d := f.delay[n.Name]; d > 0 {
		select {
		case <-time.After(d): // of the bubble's clock
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return f.answer(n.Name)
}

func (f *fake) count(node string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(f.asked), func(s string) bool { return s != node }))
}

func everything(source model.StatsSource) func(string) (*model.Usage, error) {
	return func(node string) (*model.Usage, error) {
		at := time.Now().UTC()
		f := func(v int64) model.Figure { return model.Figure{Value: v, At: at, Source: source} }
		return &model.Usage{Node: node, Read: at, Commit: f(3), CommitLimit: f(10), WorkingSet: f(2), CPU: f(1), Boot: at}, nil
	}
}

// polling runs a poller in a bubble whose clock stands still while anything works.
func polling(t *testing.T, sources []Source, nodes []*model.Node, test func(p *Poller, got func() map[string]*model.Usage)) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		latest := map[string]*model.Usage{}
		p := NewPoller(sources, clock.RealClock{}, func(err error) string { return err.Error() }, func(u *model.Usage) {
			mu.Lock()
			defer mu.Unlock()
			latest[u.Node] = u
		})
		p.See(snapshotOf(nodes))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { p.Run(ctx); close(done) }()
		test(p, func() map[string]*model.Usage {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			out := map[string]*model.Usage{}
			for k, v := range latest {
				out[k] = v
			}
			return out
		})
		stop()
		<-done
	})
}

// snapshotOf is one whose pods have been listed.
func snapshotOf(nodes []*model.Node, pods ...*model.Pod) *model.Snapshot {
	d := model.Delta{Feeds: []model.Feed{{Kind: model.KindPod, State: model.FeedSynced, Listed: true}}}
	for _, n := range nodes {
		d.Objects = append(d.Objects, n)
	}
	for _, p := range pods {
		d.Objects = append(d.Objects, p)
	}
	c := model.NewCluster()
	c.Apply(d)
	return c.Snapshot()
}

func win(names ...string) []*model.Node {
	var out []*model.Node
	for _, n := range names {
		out = append(out, &model.Node{Name: n, OS: model.OSWindows, BootID: "1"})
	}
	return out
}

func TestPollerPace(t *testing.T) {
	f := &fake{source: model.FromSummary, answer: everything(model.FromSummary)}
	nodes := append(win("w", "seen"), &model.Node{Name: "l", OS: model.OSLinux}, &model.Node{Name: "l-seen", OS: model.OSLinux})
	polling(t, []Source{f}, nodes, func(p *Poller, got func() map[string]*model.Usage) {
		p.Look([]string{"seen", "l-seen"})
		time.Sleep(10 * time.Minute)
		got()
		for _, c := range []struct {
			node        string
			least, most int
		}{{"w", 16, 21}, {"seen", 50, 61}, {"l-seen", 50, 61}, {"l", 1, 2}} {
			if n := f.count(c.node); n < c.least || n > c.most {
				t.Errorf("%s was asked %d times in 10 minutes, want %d to %d", c.node, n, c.least, c.most)
			}
		}
		if !slices.Equal(slices.Sorted(slices.Values(f.boots)), []string{"l", "l-seen", "seen", "w"}) {
			t.Errorf("the boot time was asked of %v; once of each node is enough while its boot ID stays", f.boots)
		}
		if got()["w"].Boot.IsZero() {
			t.Error("the boot time got lost in later rounds")
		}
	})
}

func TestPollerIsBounded(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("w-%02d", i))
	}
	f := &fake{source: model.FromSummary, answer: everything(model.FromSummary), delay: map[string]time.Duration{}}
	for _, n := range names {
		f.delay[n] = time.Second
	}
	polling(t, []Source{f}, win(names...), func(p *Poller, got func() map[string]*model.Usage) {
		time.Sleep(20 * time.Second)
		if n := len(got()); n != len(names) {
			t.Errorf("%d of %d nodes answered", n, len(names))
		}
		if f.most != inFlight {
			t.Errorf("%d in flight at most, want %d", f.most, inFlight)
		}
	})
}

func TestPollerSlowKubeletsDelayNobody(t *testing.T) {
	names := []string{"quick", "slow-1", "slow-2", "slow-3", "slow-4", "slow-5", "slow-6", "slow-7", "slow-8", "slow-9"}
	f := &fake{source: model.FromSummary, answer: everything(model.FromSummary), delay: map[string]time.Duration{}}
	for _, n := range names[1:] {
		f.delay[n] = 40 * time.Second
	}
	polling(t, []Source{f}, win(names...), func(p *Poller, got func() map[string]*model.Usage) {
		p.Look([]string{"quick"})
		time.Sleep(3 * time.Minute)
		got()
		before := f.count("quick")
		time.Sleep(5 * time.Minute)
		got()
		if n := f.count("quick") - before; n < 25 {
			t.Errorf("the quick node was asked %d times in 5 minutes beside nine kubelets of 40 s", n)
		}
	})
}

func TestPollerRefused(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "nodes/proxy"}, "w", errors.New("no"))
	summary := &fake{source: model.FromSummary, answer: func(string) (*model.Usage, error) { return nil, forbidden }}
	exporter := &fake{source: model.FromExporter, answer: everything(model.FromExporter)}
	polling(t, []Source{summary, exporter}, win("a", "b"), func(p *Poller, got func() map[string]*model.Usage) {
		time.Sleep(4 * time.Minute)
		for name, u := range got() {
			if u.Commit.Source != model.FromExporter {
				t.Errorf("%s: commit from %s", name, u.Commit.Source)
			}
		}
		if n := len(summary.asked); n > 2 {
			t.Errorf("a source that refuses was asked %d times in 4 minutes", n)
		}
		time.Sleep(3 * time.Minute)
		got()
		if n := len(summary.asked); n < 3 {
			t.Error("rights change, but the source was never asked again")
		}
	})
}

func TestPollerSaysWhatIsMissing(t *testing.T) {
	summary := &fake{source: model.FromSummary, answer: func(string) (*model.Usage, error) { return nil, errors.New("tls: internal error") }}
	exporter := &fake{source: model.FromExporter, answer: func(string) (*model.Usage, error) { return nil, ErrNoExporter }}
	polling(t, []Source{summary, exporter}, win("a"), func(p *Poller, got func() map[string]*model.Usage) {
		time.Sleep(30 * time.Minute)
		u := got()["a"]
		if u == nil || u.Commit.Known() {
			t.Fatalf("usage %+v", u)
		}
		if words := strings.Join(u.Problems, "; "); !strings.Contains(words, "tls: internal error") {
			t.Errorf("problems %q", words)
		}
		if n := summary.count("a"); n > 12 || n < 4 {
			t.Errorf("a node that fails was asked %d times in half an hour", n)
		}
	})
}

func TestPollerMergesSources(t *testing.T) {
	half := func(node string) (*model.Usage, error) {
		u, _ := everything(model.FromSummary)(node)
		u.CommitLimit = model.Figure{}
		return u, nil
	}
	summary := &fake{source: model.FromSummary, answer: half}
	exporter := &fake{source: model.FromExporter, answer: everything(model.FromExporter)}
	metrics := &fake{source: model.FromMetrics, answer: everything(model.FromMetrics)}
	polling(t, []Source{summary, exporter, metrics}, win("a"), func(p *Poller, got func() map[string]*model.Usage) {
		u := got()["a"]
		if u.Commit.Source != model.FromSummary || u.CommitLimit.Source != model.FromExporter {
			t.Errorf("commit from %s, limit from %s", u.Commit.Source, u.CommitLimit.Source)
		}
		if len(metrics.asked) != 0 {
			t.Error("a source was asked although nothing was missing any more")
		}
	})
}

func TestPollerDistrustsClocks(t *testing.T) {
	for _, off := range []time.Duration{time.Hour, -time.Hour} {
		skewed := &fake{source: model.FromSummary, answer: func(node string) (*model.Usage, error) {
			u, _ := everything(model.FromSummary)(node)
			u.Commit.At = u.Commit.At.Add(off)
			return u, nil
		}}
		polling(t, []Source{skewed}, win("a"), func(p *Poller, got func() map[string]*model.Usage) {
			u := got()["a"]
			if !u.Commit.At.Equal(u.Read) {
				t.Errorf("clock off by %s: the figure is of %v, read at %v", off, u.Commit.At, u.Read)
			}
			if words := strings.Join(u.Problems, "; "); !strings.Contains(words, "clock of the node is 1h0m0s") {
				t.Errorf("clock off by %s: problems %q", off, words)
			}
		})
	}
}

func TestPollerForgetsGoneNodes(t *testing.T) {
	f := &fake{source: model.FromSummary, answer: everything(model.FromSummary)}
	polling(t, []Source{f}, win("a"), func(p *Poller, got func() map[string]*model.Usage) {
		got()
		p.See(snapshotOf(nil))
		before := f.count("a")
		time.Sleep(10 * time.Minute)
		got()
		if n := f.count("a"); n != before {
			t.Errorf("a node that is gone was asked %d more times", n-before)
		}
	})
}

// A kubelet that fails rests, and longer each time, while the exporter goes on; other
// nodes are asked as before.
func TestPollerLetsAFailingSourceRest(t *testing.T) {
	broken := &AnswerError{Who: "the kubelet", Code: 403, Text: "Forbidden"}
	summary := &fake{source: model.FromSummary, answer: func(node string) (*model.Usage, error) {
		if node == "bad" {
			return nil, broken
		}
		return everything(model.FromSummary)(node)
	}}
	exporter := &fake{source: model.FromExporter, answer: everything(model.FromExporter)}
	polling(t, []Source{summary, exporter}, win("bad", "good"), func(p *Poller, got func() map[string]*model.Usage) {
		time.Sleep(30 * time.Minute)
		u := got()["bad"]
		if u.Commit.Source != model.FromExporter {
			t.Errorf("commit from %s", u.Commit.Source)
		}
		if bad, good := summary.count("bad"), summary.count("good"); bad < 6 || bad > 12 || good < 45 {
			t.Errorf("in half an hour the broken kubelet was asked %d times, the other %d", bad, good)
		}
		if n := exporter.count("bad"); n < 45 {
			t.Errorf("the exporter was asked %d times beside the kubelet that failed", n)
		}
	})
}

// The reason stays on screen while its source rests.
func TestPollerKeepsTheReason(t *testing.T) {
	summary := &fake{source: model.FromSummary, answer: func(string) (*model.Usage, error) { return nil, &AnswerError{Who: "the kubelet", Code: 500} }}
	half := &fake{source: model.FromExporter, answer: func(node string) (*model.Usage, error) {
		u, _ := everything(model.FromExporter)(node)
		u.CPU = model.Figure{}
		return u, nil
	}}
	polling(t, []Source{summary, half}, win("a"), func(p *Poller, got func() map[string]*model.Usage) {
		p.Look([]string{"a"})
		for range 20 {
			time.Sleep(11 * time.Second)
			if words := got()["a"].Problems; !slices.Contains(words, "kubelet summary: the kubelet answers 500 Internal Server Error") {
				t.Fatalf("after %d rounds, %d of them with a question to the kubelet: %q", half.count("a"), summary.count("a"), words)
			}
		}
		if half.count("a") <= summary.count("a") {
			t.Error("the kubelet was asked in every round: nothing was proven")
		}
	})
}

// A kubelet that never answers leaves time for the exporter.
func TestPollerGivesEachSourceItsTime(t *testing.T) {
	summary := &fake{source: model.FromSummary, answer: everything(model.FromSummary), delay: map[string]time.Duration{"a": time.Hour}}
	exporter := &fake{source: model.FromExporter, answer: func(node string) (*model.Usage, error) {
		u, _ := everything(model.FromExporter)(node)
		u.CPU = model.Figure{}
		return u, nil
	}}
	polling(t, []Source{summary, exporter}, win("a"), func(p *Poller, got func() map[string]*model.Usage) {
		time.Sleep(time.Minute)
		u := got()["a"]
		if u == nil || u.Commit.Source != model.FromExporter {
			t.Fatalf("usage %+v", u)
		}
		if !slices.Contains(u.Problems, "kubelet summary: no answer within 45s") {
			t.Errorf("problems %q", u.Problems)
		}
	})
}

// metrics.k8s.io cannot tell commit: it is not asked for that.
func TestPollerDoesNotAskMetricsForCommit(t *testing.T) {
	summary := &fake{source: model.FromSummary, answer: func(node string) (*model.Usage, error) {
		u, _ := everything(model.FromSummary)(node)
		u.CommitLimit = model.Figure{}
		return u, nil
	}}
	metrics := &fake{source: model.FromMetrics, answer: everything(model.FromMetrics)}
	nodes := win("a")
	nodes[0].Kubelet = "v1.30.4"
	polling(t, []Source{summary, metrics}, nodes, func(p *Poller, got func() map[string]*model.Usage) {
		u := got()["a"]
		if len(metrics.asked) != 0 {
			t.Error("metrics.k8s.io was asked")
		}
		if want := "kubelet summary: kubelet v1.30.4 does not tell the commit limit; kubelets do from 1.31 on"; !slices.Contains(u.Problems, want) {
			t.Errorf("problems %q", u.Problems)
		}
	})
}

// Exporters and Prometheus have nothing about Linux; their absence there is no news.
func TestPollerOfLinux(t *testing.T) {
	summary := &fake{source: model.FromSummary, answer: func(string) (*model.Usage, error) { return nil, errors.New("broken") }}
	exporter := &fake{source: model.FromExporter, answer: func(string) (*model.Usage, error) { return nil, ErrNoExporter }}
	polling(t, []Source{summary, exporter}, []*model.Node{{Name: "l", OS: model.OSLinux}}, func(p *Poller, got func() map[string]*model.Usage) {
		p.Look([]string{"l"})
		if u := got()["l"]; len(exporter.asked) != 0 || !slices.Equal(u.Problems, []string{"kubelet summary: broken"}) {
			t.Errorf("asked %v, problems %q", exporter.asked, u.Problems)
		}
	})
}

// Before the pods are listed nobody knows of exporters and containers: to ask then
// would be to ask too little.
func TestPollerWaitsForThePods(t *testing.T) {
	f := &fake{source: model.FromSummary, answer: everything(model.FromSummary)}
	polling(t, []Source{f}, nil, func(p *Poller, got func() map[string]*model.Usage) {
		waiting, forbidden := model.NewCluster(), model.NewCluster()
		waiting.Apply(model.Delta{Objects: []model.Object{win("a")[0]}})
		p.See(waiting.Snapshot())
		time.Sleep(time.Minute)
		if got(); f.count("a") != 0 {
			t.Error("a node was asked before the pods were listed")
		}
		forbidden.Apply(model.Delta{Objects: []model.Object{win("a")[0]}, Feeds: []model.Feed{{Kind: model.KindPod, State: model.FeedForbidden}}})
		p.See(forbidden.Snapshot())
		if got(); f.count("a") != 1 {
			t.Errorf("where pods may not be listed the node was asked %d times", f.count("a"))
		}
	})
}

// The kubelet does not measure HostProcess containers. The exporter is asked for them
// the first time and while somebody looks, at once when that begins.
func TestPollerAsksCloselyForWhoLooks(t *testing.T) {
	summary := &fake{source: model.FromSummary, answer: everything(model.FromSummary)}
	exporter := &fake{source: model.FromExporter, answer: everything(model.FromExporter)}
	host := &model.Pod{Namespace: "n", Name: "p", Node: "a", Phase: "Running", HostProcess: true, Containers: []model.Container{{Name: "c", ID: "containerd://1"}}}
	polling(t, []Source{summary, exporter}, nil, func(p *Poller, got func() map[string]*model.Usage) {
		p.See(snapshotOf(win("a"), host))
		time.Sleep(5 * time.Minute)
		if got(); exporter.count("a") != 1 || summary.count("a") < 8 {
			t.Errorf("unseen, the exporter was asked %d times, the kubelet %d", exporter.count("a"), summary.count("a"))
		}
		p.Look([]string{"a"})
		if got(); exporter.count("a") != 2 {
			t.Errorf("at the first look the exporter was asked %d times", exporter.count("a"))
		}
		time.Sleep(time.Minute)
		if got(); exporter.count("a") < 6 {
			t.Errorf("in a minute of looking the exporter was asked %d times", exporter.count("a"))
		}
	})
}

// An exporter that starts later is found in the next round.
func TestPollerFindsALateExporter(t *testing.T) {
	var there atomic.Bool
	summary := &fake{source: model.FromSummary, answer: func(string) (*model.Usage, error) { return nil, errors.New("broken") }}
	exporter := &fake{source: model.FromExporter, answer: func(node string) (*model.Usage, error) {
		if !there.Load() {
			return nil, ErrNoExporter
		}
		return everything(model.FromExporter)(node)
	}}
	polling(t, []Source{summary, exporter}, win("a"), func(p *Poller, got func() map[string]*model.Usage) {
		if u := got()["a"]; !slices.Contains(u.Problems, "windows_exporter: no pod of the node is one") {
			t.Errorf("problems %q", u.Problems)
		}
		there.Store(true)
		time.Sleep(40 * time.Second)
		if u := got()["a"]; !u.Commit.Known() {
			t.Errorf("problems %q", u.Problems)
		}
	})
}
