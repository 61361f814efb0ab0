package uitest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/port"
)

// Contexts are clusters by name, in the order in which they were added.
type Contexts struct {
	gate *gate

	mu       sync.Mutex
	entries  []model.ContextEntry
	clusters map[string]*Cluster
	err      error
	sessions uint64
	probes   int
}

// Cluster is one scripted cluster.
type Cluster struct {
	of        *Contexts
	model     *model.Cluster
	snap      *model.Snapshot
	changed   chan struct{} // closed and replaced with every change
	Protected bool
	ReadOnly  string // the reason; empty is not read-only
	Server    string // the URL; Add sets it
	OpenErr   error
	Hang      bool // Open does not come back before its context ends
	Events    []model.Event
	EventErr  error
	Probe     model.Probe
	Opened    []*Session
}

// NewContexts returns ports without a cluster.
func NewContexts() *Contexts {
	return &Contexts{gate: newGate(), clusters: map[string]*Cluster{}}
}

// Add puts a context in, with what its cluster holds.
func (c *Contexts) Add(name string, d model.Delta) *Cluster {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &Cluster{of: c, Server: "https://" + name + ".example:6443", model: model.NewCluster(), changed: make(chan struct{}), Probe: model.Probe{OK: true, Version: "v1.37.2", Took: 12e6}}
	k.model.Apply(d)
	k.snap = k.model.Snapshot()
	c.clusters[name] = k
	c.entries = append(c.entries, model.ContextEntry{
		Name: name, Cluster: name + "-cluster", Server: k.Server, User: "kubernetes-admin",
		Namespace: "default", File: "~/.kube/config", Usable: true, Current: len(c.entries) == 0,
	})
	return k
}

// AddEntry puts a context in that has no cluster behind it.
func (c *Contexts) AddEntry(e model.ContextEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = append(c.entries, e)
}

// FailList makes List return an error beside the entries.
func (c *Contexts) FailList(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// Probes returns how many servers have been asked.
func (c *Contexts) Probes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.probes
}

// List implements port.Contexts.
func (c *Contexts) List(context.Context) ([]model.ContextEntry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]model.ContextEntry(nil), c.entries...), c.err
}

// Probe implements port.Contexts.
func (c *Contexts) Probe(_ context.Context, name string) model.Probe {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.probes++
	return c.clusters[name].Probe
}

// Open implements port.Contexts.
func (c *Contexts) Open(ctx context.Context, name string) (port.Session, error) {
	c.mu.Lock()
	k, ok := c.clusters[name]
	if !ok {
		c.mu.Unlock()
		return nil, fmt.Errorf("context %q is not in the kubeconfig", name)
	}
	hang, err := k.Hang, k.OpenErr
	c.sessions++
	s := &Session{of: k, gone: make(chan struct{}), info: model.SessionInfo{
		ID: c.sessions, Context: name, Cluster: name + "-cluster", Server: k.Server,
		User: "kubernetes-admin", ReadOnly: k.ReadOnly != "", ReadOnlyReason: k.ReadOnly, Protected: k.Protected,
	}}
	if err == nil && !hang {
		k.Opened = append(k.Opened, s)
	}
	c.mu.Unlock()
	if hang {
		w := c.gate.park()
		<-ctx.Done()
		w.resume()
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Apply changes the cluster; sessions that wait for it get the new snapshot.
func (k *Cluster) Apply(d model.Delta) {
	k.of.mu.Lock()
	defer k.of.mu.Unlock()
	k.model.Apply(d)
	k.snap = k.model.Snapshot()
	for _, s := range k.Opened {
		s.wake()
	}
	close(k.changed)
	k.changed = make(chan struct{})
}

// Session is an open session of a scripted cluster.
type Session struct {
	of     *Cluster
	info   model.SessionInfo
	closed bool
	looked []string
	looks  int
	gone   chan struct{}
	fail   error
	waits  *waiter // the Next that is parked
}

// Closed reports whether Close was called.
func (s *Session) Closed() bool {
	s.of.of.mu.Lock()
	defer s.of.of.mu.Unlock()
	return s.closed
}

// End makes Next return err from now on.
func (s *Session) End(err error) {
	s.of.of.mu.Lock()
	defer s.of.of.mu.Unlock()
	s.fail = err
	s.wake()
	close(s.gone)
}

// wake counts the call that waits as running. The caller holds the lock.
func (s *Session) wake() {
	if s.waits != nil {
		s.waits.resume()
	}
}

// Info implements port.Session.
func (s *Session) Info() model.SessionInfo { return s.info }

// Next implements port.Session.
func (s *Session) Next(ctx context.Context, seen uint64) (*model.Snapshot, error) {
	for {
		s.of.of.mu.Lock()
		snap, changed, fail := s.of.snap, s.of.changed, s.fail
		parked := fail == nil && snap.Serial <= seen && ctx.Err() == nil
		if parked {
			s.waits = s.of.of.gate.park()
		}
		waits := s.waits
		s.of.of.mu.Unlock()
		if fail != nil {
			return nil, fail
		}
		if !parked {
			return snap, ctx.Err()
		}
		select {
		case <-changed:
		case <-s.gone:
		case <-ctx.Done():
		}
		waits.resume()
	}
}

// NodeEvents implements port.Session.
func (s *Session) NodeEvents(context.Context, string) ([]model.Event, error) {
	s.of.of.mu.Lock()
	defer s.of.of.mu.Unlock()
	return s.of.Events, s.of.EventErr
}

// Look implements port.Session.
func (s *Session) Look(nodes []string) {
	s.of.of.mu.Lock()
	defer s.of.of.mu.Unlock()
	s.looked = slices.Clone(nodes)
	s.looks++
}

// Looked returns the nodes that the screen said to show, and how often it said so.
func (s *Session) Looked() (nodes []string, times int) {
	s.of.of.mu.Lock()
	defer s.of.of.mu.Unlock()
	return s.looked, s.looks
}

// Close implements port.Session.
func (s *Session) Close() {
	s.of.of.mu.Lock()
	defer s.of.of.mu.Unlock()
	s.closed = true
}
