package controllers

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The queue against a map: every item that was added or fell due comes out once, none early, none is lost.
func TestQueueHoldsEachItemOnceAndLosesNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue()
		now := time.Unix(0, 0)
		waiting, later := map[key]bool{}, map[key]time.Time{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			k := key{kind: kindPod, name: fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "item"))}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				q.add(k)
				waiting[k] = true
			case 1:
				at := now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "in")) * time.Second)
				q.addAt(k, at)
				if old, ok := later[k]; !ok || at.Before(old) {
					later[k] = at
				}
			case 2:
				now = now.Add(time.Duration(rapid.IntRange(0, 10).Draw(t, "pass")) * time.Second)
			case 3:
				for k, at := range later {
					if !at.After(now) {
						waiting[k] = true
						delete(later, k)
					}
				}
				got, ok := q.take(now)
				if ok != (len(waiting) > 0) || ok && !waiting[got] {
					t.Fatalf("took %v, %v; waiting are %v", got, ok, waiting)
				}
				delete(waiting, got)
			}
			checkNext(t, q, later)
		}
	})
}

func checkNext(t *rapid.T, q *queue, later map[key]time.Time) {
	first := time.Time{}
	for _, at := range later {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	if at, ok := q.next(); ok != (len(later) > 0) || ok && !at.Equal(first) {
		t.Fatalf("next is %s, %v; planned are %v", at, ok, later)
	}
}
