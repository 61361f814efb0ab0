package apiserver

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// connections knows which connections wait for a request. Stop says goodbye to those, so that a client that keeps them for
// later does not send its next request into one that is gone; nobody could tell whether such a request was carried out.
type connections struct {
	serving *inflight

	mu      sync.Mutex
	idle    map[net.Conn]struct{}
	drained chan struct{} // closed when idle is empty; nil while nobody waits for that
}

func newConnections(serving *inflight) *connections {
	return &connections{serving: serving, idle: map[net.Conn]struct{}{}}
}

// note is called by net/http at every change of a connection's state.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		c.serving.add()
	case http.StateClosed, http.StateHijacked:
		c.serving.done()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateNew || state == http.StateIdle {
		c.idle[conn] = struct{}{}
		if c.drained != nil {
			endWriting(conn)
		}
		return
	}
	delete(c.idle, conn)
	if len(c.idle) == 0 && c.drained != nil {
		close(c.drained)
		c.drained = nil
	}
}

// dismiss ends our side of the idle connections and waits until the clients have ended theirs, at most for the limit.
func (c *connections) dismiss(limit time.Duration) {
	c.mu.Lock()
	if len(c.idle) == 0 {
		c.mu.Unlock()
		return
	}
	drained := make(chan struct{})
	c.drained = drained
	for conn := range c.idle {
		endWriting(conn)
	}
	c.mu.Unlock()
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-drained:
	case <-t.C:
	}
}

func endWriting(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // one that is broken already is as good as ended
	}
}
