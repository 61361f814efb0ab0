package model

import (
	"cmp"
	"slices"
)

// sorted is a list of objects in the order of their keys that can be handed out:
// after share, the next write works on a copy, so what was handed out stays as it was.
type sorted[T Object] struct {
	items  []T
	shared bool
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

func (l *sorted[T]) search(k Key) (int, bool) {
	// Lists arrive from the API server in this order, so the end is the likeliest place.
	if n := len(l.items); n == 0 || compareKeys(l.items[n-1].Key(), k) < 0 {
		return n, false
	}
	return slices.BinarySearchFunc(l.items, k, func(o T, k Key) int { return compareKeys(o.Key(), k) })
}

func (l *sorted[T]) get(k Key) (T, bool) {
	i, ok := l.search(k)
	if !ok {
		var none T
		return none, false
	}
	return l.items[i], true
}

func (l *sorted[T]) own() {
	if l.shared {
		l.items, l.shared = slices.Clone(l.items), false
	}
}

func (l *sorted[T]) put(o T) {
	l.own()
	i, ok := l.search(o.Key())
	if ok {
		l.items[i] = o
		return
	}
	l.items = slices.Insert(l.items, i, o)
}

func (l *sorted[T]) del(k Key) bool {
	i, ok := l.search(k)
	if !ok {
		return false
	}
	l.own()
	l.items = slices.Delete(l.items, i, i+1)
	return true
}

func (l *sorted[T]) share() []T {
	l.shared = true
	return l.items
}
