package fleet

import (
	"container/heap"
	"time"
)

// task is one thing to do for one machine.
type task struct {
	at   time.Time
	turn uint64 // keeps tasks of the same moment in the order in which they were planned
	m    *machine
	do   step
}

// agenda is a heap of tasks, the earliest first.
type agenda struct {
	tasks taskHeap
	turn  uint64
}

func (a *agenda) add(at time.Time, m *machine, do step) {
	a.turn++
	heap.Push(&a.tasks, task{at: at, turn: a.turn, m: m, do: do})
}

// due takes the earliest task that is due at now.
func (a *agenda) due(now time.Time) (task, bool) {
	if len(a.tasks) == 0 || a.tasks[0].at.After(now) {
		return task{}, false
	}
	return heap.Pop(&a.tasks).(task), true
}

// next is the time of the earliest task; false when there is none.
func (a *agenda) next() (time.Time, bool) {
	if len(a.tasks) == 0 {
		return time.Time{}, false
	}
	return a.tasks[0].at, true
}

type taskHeap []task

func (h taskHeap) Len() int { return len(h) }
func (h taskHeap) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].turn < h[j].turn
	}
	return h[i].at.Before(h[j].at)
}
func (h taskHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *taskHeap) Push(x any)   { *h = append(*h, x.(task)) }
func (h *taskHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = task{}
	*h = old[:len(old)-1]
	return last
}
