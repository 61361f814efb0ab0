package controllers

import (
	"container/heap"
	"sync"
	"time"
)

// The kinds of items; each has a function that brings one item to where it should be.
const (
	kindPod         = "Pod" // a pod that waits for a node
	kindReplicaSet  = "ReplicaSet"
	kindDeployment  = "Deployment"
	kindDaemonSet   = "DaemonSet"
	kindStatefulSet = "StatefulSet"
	kindJob         = "Job"
	kindBudget      = "PodDisruptionBudget"
	kindHealth      = "NodeHealth" // all nodes at once
	kindTaints      = "NodeTaints"
	kindEvict       = "TaintEviction" // the pods of one node
	kindGarbage     = "Garbage"       // the dependants of one owner, named by its UID; or the pods of a vanished node
)

type key struct{ kind, namespace, name string }

// queue holds each item once, in the order in which it came, and items for later by their time.
type queue struct {
	wake chan struct{} // capacity 1

	mu      sync.Mutex
	waiting map[key]bool
	order   []key
	later   map[key]time.Time
	times   timeHeap
	turn    uint64
}

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), waiting: map[key]bool{}, later: map[key]time.Time{}}
}

func (q *queue) add(k key) {
	q.mu.Lock()
	if !q.waiting[k] {
		q.waiting[k] = true
		q.order = append(q.order, k)
	}
	q.mu.Unlock()
	q.nudge()
}

// addAt plans an item; the earlier of two plans wins.
func (q *queue) addAt(k key, at time.Time) {
	q.mu.Lock()
	if old, ok := q.later[k]; !ok || at.Before(old) {
		q.later[k] = at
		q.turn++
		heap.Push(&q.times, planned{at: at, turn: q.turn, k: k})
	}
	q.mu.Unlock()
	q.nudge()
}

func (q *queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) take(now time.Time) (key, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.times) > 0 && !q.times[0].at.After(now) {
		p := heap.Pop(&q.times).(planned)
		if at, ok := q.later[p.k]; !ok || !at.Equal(p.at) {
			continue
		}
		delete(q.later, p.k)
		if !q.waiting[p.k] {
			q.waiting[p.k] = true
			q.order = append(q.order, p.k)
		}
	}
	if len(q.order) == 0 {
		return key{}, false
	}
	k := q.order[0]
	q.order = q.order[1:]
	delete(q.waiting, k)
	return k, true
}

// next is the time of the earliest plan that still holds.
func (q *queue) next() (time.Time, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.times) > 0 {
		p := q.times[0]
		if at, ok := q.later[p.k]; ok && at.Equal(p.at) {
			return p.at, true
		}
		heap.Pop(&q.times)
	}
	return time.Time{}, false
}

type planned struct {
	at   time.Time
	turn uint64
	k    key
}

type timeHeap []planned

func (h timeHeap) Len() int { return len(h) }
func (h timeHeap) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].turn < h[j].turn
	}
	return h[i].at.Before(h[j].at)
}
func (h timeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timeHeap) Push(x any)   { *h = append(*h, x.(planned)) }
func (h *timeHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
