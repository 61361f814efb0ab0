package kube

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mullion-tui/mullion/model"
)

// list reads all objects page by page. Each page is turned into the model's types
// and handed on while the next one is under way, so that the first rows are on
// screen at once and no more than two pages of full objects exist.
func (f *feed) list(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	f.round++
	page := f.fetch(ctx, "")
	defer func() {
		cancel()
		if page != nil {
			<-page
		}
	}()
	for page != nil {
		list, err := await(ctx, f, page)
		page = nil
		if err != nil {
			return err
		}
		m, err := meta.ListAccessor(list)
		if err != nil {
			return fmt.Errorf("understand the list: %w", err)
		}
		f.version = m.GetResourceVersion()
		if next := m.GetContinue(); next != "" {
			f.version = ""
			page = f.fetch(ctx, next)
		}
		if err := meta.EachListItem(list, f.takeRaw); err != nil {
			f.version = ""
			return err
		}
		if page != nil {
			f.flush()
		}
	}
	f.sweep()
	f.state.Listed, f.fresh = true, true
	f.flush()
	return nil
}

// fetch asks for the page after a continue token; "" is the first one.
func (f *feed) fetch(ctx context.Context, token string) <-chan answer[runtime.Object] {
	opts := metav1.ListOptions{Limit: firstPage, Continue: token}
	if token != "" {
		opts.Limit = otherPages
	}
	return ask(func() (runtime.Object, error) { return f.source.list(ctx, opts) })
}

func (f *feed) takeRaw(raw runtime.Object) error {
	o, err := f.source.convert(f.intern, raw)
	if err != nil {
		return err
	}
	f.take(o)
	return nil
}

// sweep drops what the list of this round did not hold.
func (f *feed) sweep() {
	for k, h := range f.objects {
		if h.round != f.round {
			f.drop(k)
		}
	}
}

// answer is what came back from a request.
type answer[T any] struct {
	value T
	err   error
}

// ask lets a request run beside its feed.
func ask[T any](request func() (T, error)) <-chan answer[T] {
	c := make(chan answer[T], 1)
	go func() {
		v, err := request()
		c <- answer[T]{v, err}
	}()
	return c
}

// await waits for an answer. One that takes long makes the feed failing, for all
// to see, but is waited for: late is better than never.
func await[T any](ctx context.Context, f *feed, c <-chan answer[T]) (T, error) {
	timer := f.clock.NewTimer(answerWithin)
	defer timer.Stop()
	before := f.state
	for {
		select {
		case a := <-c:
			if f.state.State != before.State {
				f.enter(before.State, before.Error)
			}
			return a.value, a.err
		case <-timer.C():
			f.enter(model.FeedFailing, fmt.Sprintf("no answer to %s %s for %s, still waiting", f.verb, f.source.kind, answerWithin))
		case <-ctx.Done():
			// The request ends with ctx, so this takes a moment only, and Close can
			// promise that nothing is left.
			a := <-c
			return a.value, ctx.Err()
		}
	}
}
