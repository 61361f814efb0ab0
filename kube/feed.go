package kube

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"

	"github.com/mullion-tui/mullion/model"
)

const (
	// askAgain is how often a feed that was refused, or that got no credentials, tries
	// again: rights and API groups come and go, and nobody says so.
	askAgain = time.Minute
	// answerWithin is how long a request may take before its feed counts as failing.
	answerWithin = 15 * time.Second
	// firstPage and otherPages are the objects of one list request: the first rows
	// are there soon, and the rest does not take a round trip for every few of them.
	firstPage  = 500
	otherPages = 2000
	// manyLeases is from how many leases on they are polled, and pollEvery how often.
	manyLeases = 250
	pollEvery  = 20 * time.Second
)

// newBackoff paces a feed or question that fails: from half a second to about ten.
func newBackoff() wait.Backoff {
	return wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.3, Steps: 1 << 20, Cap: 8 * time.Second}
}

// feed keeps one kind up to date: it lists in pages, watches from there, and
// begins again where that breaks. client-go's Reflector is not used because its
// list keeps every full object until the last one is here, its waits do not end
// with their context, and it does not tell refused from failing. One goroutine
// owns a feed.
type feed struct {
	source source
	clock  clock.WithTicker
	out    *pending
	intern interner
	retry  wait.Backoff

	state   model.Feed
	verb    string              // what it is doing: list, watch
	version string              // resourceVersion to watch from; "" is list first
	fresh   bool                // version is of a list that was just made
	objects map[model.Key]*held // what the API server has, as far as we know
	round   uint64              // counts full lists
	batch   []change            // not handed on yet
}

type held struct {
	object model.Object
	round  uint64 // the list in which it was last seen
}

func newFeed(s source, c clock.WithTicker, out *pending) *feed {
	return &feed{
		source: s, clock: c, out: out, intern: interner{}, retry: newBackoff(),
		state:   model.Feed{Kind: s.kind, State: model.FeedWaiting, Since: c.Now().UTC()},
		objects: map[model.Key]*held{},
	}
}

// run keeps the feed going until ctx ends.
func (f *feed) run(ctx context.Context) {
	f.flush()
	for ctx.Err() == nil {
		err := f.follow(ctx)
		if ctx.Err() != nil || err == nil {
			continue
		}
		if !sleep(ctx, f.clock, f.fail(err)) {
			return
		}
	}
}

// follow lists when it must, and watches. It returns nil when the API server
// ended the watch in the usual way.
func (f *feed) follow(ctx context.Context) error {
	if f.version == "" {
		f.verb = "list"
		if err := f.list(ctx); err != nil {
			return err
		}
	}
	if f.polls() {
		f.version, f.retry = "", newBackoff()
		f.enter(model.FeedSynced, "")
		sleep(ctx, f.clock, pollEvery)
		return nil
	}
	f.verb = "watch"
	return f.watch(ctx)
}

// polls reports whether the kind is read now and then instead of watched. Each node
// of a cluster renews its lease every ten seconds; from thousands of nodes that
// stream alone costs several percent of a core, and nobody reads it that fast.
func (f *feed) polls() bool { return f.source.kind == model.KindLease && len(f.objects) > manyLeases }

// errExpired says that the watch cannot go on from where it was.
var errExpired = errors.New("the version to watch from is too old")

// fail takes an error into the state and returns when to try again.
func (f *feed) fail(err error) time.Duration {
	switch {
	case errors.Is(err, errExpired):
		// The data is as good as before, and a fresh list follows.
		return f.retry.Step()
	case apierrors.IsForbidden(err):
		f.version = "" // what happens until the next attempt is not seen
		f.enter(model.FeedForbidden, Explain(err))
		return askAgain
	case apierrors.IsNotFound(err):
		f.version = ""
		f.enter(model.FeedAbsent, f.absent())
		return askAgain
	case pluginFailed(err):
		f.enter(model.FeedFailing, Explain(err))
		return askAgain
	default:
		f.enter(model.FeedFailing, fmt.Sprintf("cannot %s %s: %s", f.verb, f.source.kind, Explain(err)))
		return f.retry.Step()
	}
}

func (f *feed) absent() string {
	if f.source.api == "v1" {
		return fmt.Sprintf("the server does not know %s: it may not be a Kubernetes API server, check its URL in the kubeconfig", f.source.kind)
	}
	return fmt.Sprintf("the API server does not serve %s (%s)", f.source.kind, f.source.api)
}

// enter changes the state of the feed and tells of it.
func (f *feed) enter(state model.FeedState, problem string) {
	if f.state.State == state && f.state.Error == problem {
		return
	}
	if f.state.State != state {
		f.state.State, f.state.Since = state, f.clock.Now().UTC()
	}
	f.state.Error = problem
	f.flush()
}

// take notes an object as it is now.
func (f *feed) take(o model.Object) {
	k := o.Key()
	old := f.objects[k]
	if old == nil {
		f.objects[k] = &held{object: o, round: f.round}
		f.batch = append(f.batch, change{k, o})
		return
	}
	old.round = f.round
	if same(old.object, o) {
		return
	}
	old.object = o
	f.batch = append(f.batch, change{k, o})
}

// drop notes that an object is gone.
func (f *feed) drop(k model.Key) {
	if _, ok := f.objects[k]; ok {
		delete(f.objects, k)
		f.batch = append(f.batch, change{key: k})
	}
}

// flush hands on what changed. Changes of leases are quiet, but for the first list
// and whatever changes the state.
func (f *feed) flush() {
	quiet := f.source.kind == model.KindLease && f.state.State == model.FeedSynced && len(f.batch) > 0
	f.state.Objects = len(f.objects)
	f.out.put(f.batch, f.state, quiet)
	f.batch = nil
}

// same reports whether nothing that mullion keeps has changed.
func same(a, b model.Object) bool { return reflect.DeepEqual(a, b) }

// sleep waits on c, and returns false when ctx ended first.
func sleep(ctx context.Context, c clock.WithTicker, d time.Duration) bool {
	timer := c.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}
