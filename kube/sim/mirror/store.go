package mirror

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// store is the side of a Mirror that its reflector writes to.
type store[T Object] struct{ m *Mirror[T] }

func (s store[T]) Add(o any) error    { return s.put(o) }
func (s store[T]) Update(o any) error { return s.put(o) }
func (s store[T]) Resync() error      { return nil }

func (s store[T]) put(o any) error {
	now, err := as[T](o)
	if err != nil {
		return err
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.set(keyOf(now), now)
	s.m.announce()
	return nil
}

func (s store[T]) Delete(o any) error {
	gone, err := as[T](o)
	if err != nil {
		return err
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.remove(keyOf(gone))
	s.m.announce()
	return nil
}

// Replace notes only what differs, so that a relist is no storm of changes.
func (s store[T]) Replace(list []any, _ string) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	seen := make(map[string]bool, len(list))
	for _, o := range list {
		now, err := as[T](o)
		if err != nil {
			return err
		}
		k := keyOf(now)
		seen[k] = true
		if old, ok := s.m.items[k]; ok && sameObject(old, now) {
			continue
		}
		s.m.set(k, now)
	}
	for k := range s.m.items {
		if !seen[k] {
			s.m.remove(k)
		}
	}
	if !s.m.hasSync {
		s.m.hasSync = true
		close(s.m.synced)
	}
	s.m.announce()
	return nil
}

func (m *Mirror[T]) set(k string, now T) {
	now.SetManagedFields(nil) // nobody here reads them, and they are half of a pod's size
	old := m.items[k]
	m.items[k] = now
	if m.note != nil {
		m.note(old, now)
	}
}

func (m *Mirror[T]) remove(k string) {
	old, ok := m.items[k]
	if !ok {
		return
	}
	delete(m.items, k)
	if m.note != nil {
		var none T
		m.note(old, none)
	}
}

func (m *Mirror[T]) announce() {
	close(m.moved)
	m.moved = make(chan struct{})
}

func as[T Object](o any) (T, error) {
	t, ok := o.(T)
	if !ok {
		return t, fmt.Errorf("keep a copy of %T: want %T", o, t)
	}
	return t, nil
}

func eachItem[T Object](list runtime.Object, do func(T)) error {
	return meta.EachListItem(list, func(o runtime.Object) error {
		t, err := as[T](o)
		if err == nil {
			do(t)
		}
		return err
	})
}
