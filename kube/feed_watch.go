package kube

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/mullion-tui/mullion/model"
)

const (
	// watchAtLeast and twice that bound how long one watch lasts. The spread keeps
	// the feeds from beginning again all at once.
	watchAtLeast = 5 * time.Minute
	// overtime is what a server may take beyond the time that it was asked to watch
	// for, before the connection counts as dead.
	overtime = 30 * time.Second
	// atOnce is the life of a watch that was no watch.
	atOnce = time.Second
	// settled is the life of a watch after which a failure is a new one.
	settled = 10 * time.Second
)

// watch follows the changes from f.version on. It returns nil when the API server
// ended the watch in the usual way, so that it is opened again from there.
func (f *feed) watch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lasting := watchAtLeast + rand.N(watchAtLeast)
	seconds := int64(lasting.Seconds())
	opts := metav1.ListOptions{ResourceVersion: f.version, AllowWatchBookmarks: true, TimeoutSeconds: &seconds}
	stream, err := await(ctx, f, ask(func() (watch.Interface, error) { return f.source.watch(ctx, opts) }))
	if stream != nil {
		defer stream.Stop()
	}
	if err != nil {
		return f.restart(err, false)
	}
	began := f.clock.Now()
	heard, err := f.read(ctx, stream.ResultChan(), lasting+overtime)
	age := f.clock.Since(began)
	if heard || age > settled {
		f.retry = newBackoff()
	}
	if err != nil {
		return f.restart(err, heard)
	}
	if !heard && age < atOnce {
		// client-go answers a connection that broke while it was made with a stream
		// that is over, and with no error.
		return errors.New("the connection ended as soon as it was there")
	}
	return nil
}

// read takes events in until the stream ends, and reports whether there were any.
// After a fresh list the feed is synced at once. After an interruption a watch has
// to prove itself first, by an event or by staying: an API server opens a watch
// from a version that is too old as well, and only then says so.
func (f *feed) read(ctx context.Context, events <-chan watch.Event, longest time.Duration) (heard bool, err error) {
	if f.fresh {
		f.fresh = false
		f.enter(model.FeedSynced, "")
	}
	proven, over := f.clock.NewTimer(atOnce), f.clock.NewTimer(longest)
	defer proven.Stop()
	defer over.Stop()
	for {
		select {
		case <-ctx.Done():
			return heard, ctx.Err()
		case <-over.C():
			return heard, nil
		case <-proven.C():
			f.enter(model.FeedSynced, "")
		case e, ok := <-events:
			if !ok {
				return heard, nil
			}
			if err := f.event(e); err != nil {
				return heard, err
			}
			heard = true
			f.enter(model.FeedSynced, "")
		}
	}
}

// event takes one event in.
func (f *feed) event(e watch.Event) error {
	if e.Type == watch.Error {
		return apierrors.FromObject(e.Object)
	}
	m, err := meta.Accessor(e.Object)
	if err != nil {
		f.version = ""
		return fmt.Errorf("understand an event of type %q: %w", e.Type, err)
	}
	if e.Type != watch.Bookmark {
		o, err := f.source.convert(f.intern, e.Object)
		if err != nil {
			f.version = ""
			return err
		}
		if e.Type == watch.Deleted {
			f.drop(o.Key())
		} else {
			f.take(o)
		}
	}
	f.version = m.GetResourceVersion()
	if len(f.batch) > 0 {
		f.flush()
	}
	return nil
}

// restart decides whether a broken watch goes on from where it was, or after a
// fresh list. Without an answer from the API server nothing is wrong with the
// version. A server that is busy or ill says nothing about it either, unless it
// fails before the first event, which can be the fault of that very event.
func (f *feed) restart(err error, heard bool) error {
	var status apierrors.APIStatus
	switch {
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err),
		apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge):
		f.version = ""
		return errExpired
	case errors.As(err, &status) && status.Status().Code < 500 && !apierrors.IsTooManyRequests(err) && !apierrors.IsUnauthorized(err),
		apierrors.IsInternalError(err) && !heard:
		f.version = ""
	}
	return err
}
