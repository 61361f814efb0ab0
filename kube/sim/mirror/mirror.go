// Package mirror keeps live copies of an API server's collections for the parts of the simulation that live through a
// client: the fleet and the controllers. A copy can wait until it has caught up with the server, which is what lets a
// test step through time without sleeping.
package mirror

import (
	"context"
	"fmt"
	"sort"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// Object is a pointer to an API object.
type Object interface {
	comparable
	runtime.Object
	metav1.Object
}

// Source is how a collection is read. L is its list type.
type Source[L runtime.Object] interface {
	List(ctx context.Context, o metav1.ListOptions) (L, error)
	Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error)
}

// Mirror is a live copy of one collection, all namespaces. Its objects are shared: callers must not write into them.
type Mirror[T Object] struct {
	kind      string
	list      func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error)
	reflector *cache.Reflector
	note      func(old, now T)

	mu      sync.Mutex
	items   map[string]T
	moved   chan struct{} // closed and replaced at each change
	synced  chan struct{} // closed at the first full list
	hasSync bool
}

// New makes the copy of one collection; client is only asked which watch semantics it knows. note is told of every
// change, in order and before anyone can read it; old or now is nil for an object that came or went. It must be quick and
// must not call back. report is told of each failed list or watch, which is tried again. Both may be nil.
func New[T Object, L runtime.Object](client any, kind string, src Source[L], note func(old, now T), report func(error)) *Mirror[T] {
	m := &Mirror[T]{kind: kind, note: note, items: map[string]T{}, moved: make(chan struct{}), synced: make(chan struct{})}
	m.list = func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		l, err := src.List(ctx, o)
		if err != nil {
			err = fmt.Errorf("list %s: %w", kind, err)
			tell(ctx, report, err)
			return nil, err
		}
		return l, nil
	}
	lw := &cache.ListWatch{
		ListWithContextFunc: m.list,
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			w, err := src.Watch(ctx, o)
			if err != nil {
				tell(ctx, report, fmt.Errorf("watch %s: %w", kind, err))
			}
			return w, err
		},
	}
	var expected T
	m.reflector = cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(lw, client), expected,
		store[T]{m}, cache.ReflectorOptions{Name: "simulation/" + kind, TypeDescription: kind})
	return m
}

func tell(ctx context.Context, report func(error), err error) {
	if report != nil && ctx.Err() == nil {
		report(err)
	}
}

// Run follows the server until ctx ends.
func (m *Mirror[T]) Run(ctx context.Context) { m.reflector.RunWithContext(ctx) }

// WaitForSync returns when the first full list is there, or with ctx's error.
func (m *Mirror[T]) WaitForSync(ctx context.Context) error {
	select {
	case <-m.synced:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the first list of %s: %w", m.kind, ctx.Err())
	}
}

// Get returns the object with this namespace (empty for cluster-wide kinds) and name.
func (m *Mirror[T]) Get(namespace, name string) (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.items[Key(namespace, name)]
	return o, ok
}

// List returns all objects, sorted by namespace and name.
func (m *Mirror[T]) List() []T {
	m.mu.Lock()
	keys := make([]string, 0, len(m.items))
	for k := range m.items {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	out := make([]T, len(keys))
	for i, k := range keys {
		out[i] = m.items[k]
	}
	m.mu.Unlock()
	return out
}

// CatchUp returns when the copy equals what the server lists, or with the list's error or ctx's.
func (m *Mirror[T]) CatchUp(ctx context.Context) error {
	for {
		m.mu.Lock()
		moved := m.moved
		m.mu.Unlock()
		want, err := m.list(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		same, err := m.equals(want)
		if err != nil {
			return fmt.Errorf("compare the copy of %s with the server's: %w", m.kind, err)
		}
		if same {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("wait until the copy of %s has caught up with the server: %w", m.kind, ctx.Err())
		}
	}
}

func (m *Mirror[T]) equals(list runtime.Object) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	same := true
	err := eachItem(list, func(o T) {
		n++
		o.SetManagedFields(nil) // as in set
		mine, ok := m.items[keyOf(o)]
		same = same && ok && sameObject(mine, o)
	})
	return same && n == len(m.items), err
}

// sameObject trusts the resource version; client-go's fake clientset has none.
func sameObject[T Object](a, b T) bool {
	if a.GetUID() != b.GetUID() || a.GetResourceVersion() != b.GetResourceVersion() {
		return false
	}
	return a.GetResourceVersion() != "" || equality.Semantic.DeepEqual(a, b)
}

// Key is how objects are named inside the simulation: "namespace/name", or "name" for cluster-wide kinds.
func Key(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

func keyOf(o metav1.Object) string { return Key(o.GetNamespace(), o.GetName()) }
