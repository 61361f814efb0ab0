package apiserver

import (
	"strconv"
	"sync"

	"github.com/google/btree"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// historyLimit is how many changes of one resource can still be watched; older ones are answered with 410 Gone.
const historyLimit = 1 << 14

// store holds all objects under one sequence of revisions, as etcd does.
type store struct {
	mu      sync.RWMutex
	rev     uint64
	shelves map[string]*shelf
}

// shelf holds the objects of one resource, what happened to them, and who watches.
type shelf struct {
	res     *resource
	tree    *btree.BTreeG[*item]
	history []*change
	floor   uint64 // changes up to this revision are forgotten
	watches watchIndex
}

// change is one write. prev is nil for a creation, cur is nil for a deletion.
type change struct {
	rev       uint64
	prev, cur *item

	once sync.Once
	gone *item
}

func newStore(c *catalogue) *store {
	s := &store{rev: 1, shelves: map[string]*shelf{}}
	for _, r := range c.rows {
		if r.is(reviewOnly|elsewhere) || r.storedAs != "" {
			continue
		}
		s.shelves[r.key()] = &shelf{res: r, tree: newTree(), floor: 1, watches: watchIndex{}}
	}
	return s
}

func newTree() *btree.BTreeG[*item] {
	return btree.NewG(32, func(a, b *item) bool { return a.key < b.key })
}

func (s *store) shelf(r *resource) *shelf { return s.shelves[r.key()] }

func (s *store) revision() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rev
}

func (s *store) get(r *resource, key string) *item {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.shelf(r).get(key)
}

func (h *shelf) get(key string) *item {
	it, _ := h.tree.Get(&item{key: key})
	return it
}

// snapshot is the state of a resource now; the tree is shared until somebody writes.
func (s *store) snapshot(r *resource) (*btree.BTreeG[*item], uint64) {
	s.mu.Lock() // Clone marks the nodes of the original as shared, which is a write
	defer s.mu.Unlock()
	return s.shelf(r).tree.Clone(), s.rev
}

// snapshotAt is the state of a resource as it was at rev, by undoing what came after; false when that is forgotten.
func (s *store) snapshotAt(r *resource, rev uint64) (*btree.BTreeG[*item], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.shelf(r)
	if rev < h.floor {
		return nil, false
	}
	tree := h.tree.Clone()
	for i := len(h.history) - 1; i >= 0 && h.history[i].rev > rev; i-- {
		c := h.history[i]
		if c.prev != nil {
			tree.ReplaceOrInsert(c.prev)
		} else {
			tree.Delete(c.cur)
		}
	}
	return tree, true
}

// put stores obj in place of old (nil: there must be none yet). False means that somebody else wrote in between.
// obj belongs to the store afterwards.
func (s *store) put(r *resource, old *item, obj runtime.Object) (*item, bool, error) {
	it, err := newItem(obj, 0)
	if err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.shelf(r)
	if h.get(it.key) != old {
		return nil, false, nil
	}
	s.rev++
	it.rev = s.rev
	it.meta.SetResourceVersion(strconv.FormatUint(it.rev, 10))
	h.tree.ReplaceOrInsert(it)
	h.record(&change{rev: it.rev, prev: old, cur: it})
	return it, true, nil
}

// remove takes old away; the item that comes back is its last state under the revision of the removal.
func (s *store) remove(r *resource, old *item) (*item, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.shelf(r)
	if h.get(old.key) != old {
		return nil, false
	}
	s.rev++
	h.tree.Delete(old)
	c := &change{rev: s.rev, prev: old}
	h.record(c)
	return c.last(), true
}

// record keeps the change and tells the watches.
func (h *shelf) record(c *change) {
	h.history = append(h.history, c)
	if len(h.history) > 2*historyLimit {
		cut := len(h.history) - historyLimit
		h.floor = h.history[cut-1].rev
		h.history = append([]*change(nil), h.history[cut:]...)
	}
	h.watches.tell(c)
}

// compact forgets the history of every resource.
func (s *store) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.shelves {
		h.history, h.floor = nil, s.rev
	}
}

// last is the state before the change under the revision of the change: what a watch is told about an object that is gone,
// or that its selector no longer matches.
func (c *change) last() *item {
	c.once.Do(func() {
		obj := shallow(c.prev.obj)
		it, err := newItem(obj, c.rev)
		if err != nil { // prev was an item, so its copy is one too
			panic(err)
		}
		it.meta.SetResourceVersion(strconv.FormatUint(c.rev, 10))
		c.gone = it
	})
	return c.gone
}

// seenBy is what the change means to one who sees only what m matches; an empty type means nothing.
func (c *change) seenBy(m *matcher) (watch.EventType, *item) {
	before := c.prev != nil && m.matches(c.prev)
	after := c.cur != nil && m.matches(c.cur)
	switch {
	case !before && after:
		return watch.Added, c.cur
	case before && after:
		return watch.Modified, c.cur
	case before && !after:
		return watch.Deleted, c.last()
	default:
		return "", nil
	}
}
