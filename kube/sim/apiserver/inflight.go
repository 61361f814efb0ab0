package apiserver

import "sync"

// inflight counts connections and requests that are being served, so that Stop can wait for them. A sync.WaitGroup will not
// do: requests may begin while somebody waits.
type inflight struct {
	mu   sync.Mutex
	n    int
	idle sync.Cond
}

func newInflight() *inflight {
	f := &inflight{}
	f.idle.L = &f.mu
	return f
}

func (f *inflight) add() {
	f.mu.Lock()
	f.n++
	f.mu.Unlock()
}

func (f *inflight) done() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n--; f.n == 0 {
		f.idle.Broadcast()
	}
}

func (f *inflight) wait() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.n > 0 {
		f.idle.Wait()
	}
}
