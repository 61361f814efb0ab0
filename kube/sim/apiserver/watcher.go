package apiserver

import (
	"sort"
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// watcherBacklog is how many events a watch may be behind before it is ended, as the real watch cache ends slow ones.
const watcherBacklog = 1 << 13

// notice is one event for one watch. A bookmark has no item.
type notice struct {
	kind watch.EventType
	item *item
	rev  uint64
}

// watcher is the waiting line between the store and one watch connection.
type watcher struct {
	match     *matcher
	bookmarks bool
	bucket    string

	mu    sync.Mutex
	queue []notice
	ended bool
	wake  chan struct{}
}

func newWatcher(m *matcher, bookmarks bool) *watcher {
	return &watcher{match: m, bookmarks: bookmarks, bucket: bucketOf(m), wake: make(chan struct{}, 1)}
}

// push never blocks: a write must not wait for a reader.
func (w *watcher) push(n notice) {
	w.mu.Lock()
	if len(w.queue) >= watcherBacklog {
		w.ended = true // what is queued is still sent, so the client goes on from there
	}
	if !w.ended {
		w.queue = append(w.queue, n)
	}
	w.mu.Unlock()
	w.signal()
}

func (w *watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take hands over what has come up; false means that the watch was ended.
func (w *watcher) take() ([]notice, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.queue
	w.queue = nil
	return q, !w.ended
}

// watchIndex sorts watches by what they ask for, so that a change of one pod is not offered to the watches of 5,000 kubelets.
type watchIndex map[string]map[*watcher]struct{}

func bucketOf(m *matcher) string {
	if name, ok := m.fields.RequiresExactMatch("metadata.name"); ok {
		return "name=" + name
	}
	if node, ok := m.fields.RequiresExactMatch("spec.nodeName"); ok {
		return "node=" + node
	}
	if m.namespace != "" {
		return "namespace=" + m.namespace
	}
	return ""
}

func (x watchIndex) add(w *watcher) {
	if x[w.bucket] == nil {
		x[w.bucket] = map[*watcher]struct{}{}
	}
	x[w.bucket][w] = struct{}{}
}

func (x watchIndex) drop(w *watcher) {
	delete(x[w.bucket], w)
	if len(x[w.bucket]) == 0 {
		delete(x, w.bucket)
	}
}

func (x watchIndex) tell(c *change) {
	if len(x) == 0 {
		return
	}
	it := c.cur
	if it == nil {
		it = c.prev
	}
	x.offer("", c)
	x.offer("name="+it.meta.GetName(), c)
	if ns := it.meta.GetNamespace(); ns != "" {
		x.offer("namespace="+ns, c)
	}
	before, after := nodeOf(c.prev), nodeOf(c.cur)
	if after != "" {
		x.offer("node="+after, c)
	}
	if before != "" && before != after {
		x.offer("node="+before, c)
	}
}

func nodeOf(it *item) string {
	if it == nil {
		return ""
	}
	if node, ok := fieldOf(it, "spec.nodeName"); ok {
		return node
	}
	return ""
}

func (x watchIndex) offer(bucket string, c *change) {
	for w := range x[bucket] {
		if kind, it := c.seenBy(w.match); kind != "" {
			w.push(notice{kind: kind, item: it, rev: c.rev})
		}
	}
}

// watchSince attaches a watch that sees every change after rev; false when those are forgotten, with the oldest revision
// that would do.
func (s *store) watchSince(r *resource, w *watcher, rev uint64) (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.shelf(r)
	if rev < h.floor {
		return h.floor, false
	}
	for _, c := range h.since(rev) {
		if kind, it := c.seenBy(w.match); kind != "" {
			w.queue = append(w.queue, notice{kind: kind, item: it, rev: c.rev})
		}
	}
	h.watches.add(w)
	w.signal()
	return 0, true
}

// watchNow attaches a watch and returns the objects that it matches at that moment, with the revision of the moment.
func (s *store) watchNow(r *resource, w *watcher) ([]*item, uint64) {
	s.mu.Lock()
	h := s.shelf(r)
	tree, rev := h.tree.Clone(), s.rev
	h.watches.add(w)
	s.mu.Unlock()
	return selectFrom(tree, w.match), rev
}

func (s *store) unwatch(r *resource, w *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shelf(r).watches.drop(w)
}

// bookmark tells every watch that asked for it how far it has seen.
func (s *store) bookmark() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, h := range s.shelves {
		for _, bucket := range h.watches {
			for w := range bucket {
				if w.bookmarks {
					w.push(notice{kind: watch.Bookmark, rev: s.rev})
				}
			}
		}
	}
}

func (h *shelf) since(rev uint64) []*change {
	i := sort.Search(len(h.history), func(i int) bool { return h.history[i].rev > rev })
	return h.history[i:]
}
