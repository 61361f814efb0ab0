package uitest

import (
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// gate counts the commands that are under way, so that the pump knows when
// nothing more will come by itself. A command that waits for a scripted event is
// parked and does not count.
type gate struct {
	mu      sync.Mutex
	moved   *sync.Cond
	running int
	queue   []tea.Msg
}

func newGate() *gate {
	g := &gate{}
	g.moved = sync.NewCond(&g.mu)
	return g
}

func (g *gate) start(cmd tea.Cmd) {
	g.mu.Lock()
	g.running++
	g.mu.Unlock()
	go func() {
		msg := cmd()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.queue = append(g.queue, msg)
		g.running--
		g.moved.Broadcast()
	}()
}

// next returns the next answer; false when there is none and none is to come.
func (g *gate) next() (tea.Msg, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.queue) == 0 && g.running > 0 {
		g.moved.Wait()
	}
	if len(g.queue) == 0 {
		return nil, false
	}
	msg := g.queue[0]
	g.queue = g.queue[1:]
	return msg, true
}

// waiter is a parked command.
type waiter struct {
	gate   *gate
	parked bool
}

func (g *gate) park() *waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.moved.Broadcast()
	return &waiter{gate: g, parked: true}
}

// resume makes the command count again. Whoever wakes it calls this first, so the
// pump never sees the moment between the call and the command's next step.
func (w *waiter) resume() {
	w.gate.mu.Lock()
	defer w.gate.mu.Unlock()
	if w.parked {
		w.parked = false
		w.gate.running++
	}
}
