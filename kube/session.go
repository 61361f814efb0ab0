package kube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/mullion-tui/mullion/kube/stats"
	"github.com/mullion-tui/mullion/model"
)

// ErrClosed is what Next returns once the session was closed.
var ErrClosed = errors.New("the session is closed")

// Target is a cluster to open a session with.
type Target struct {
	// Info is handed on as it is; a zero ID is replaced by a fresh one.
	Info model.SessionInfo
	// Config carries the address, the credentials, the user agent and the
	// read-only guard. It is copied.
	Config *rest.Config
	// Prometheus is the URL of the cluster's Prometheus; empty looks for its Service.
	Prometheus string
	// Clock paces retries and snapshots; nil is the real one.
	Clock clock.WithTicker
}

// Session is one cluster: the watches on it and the snapshots made of them. Its
// methods are safe for use by several goroutines.
type Session struct {
	info       model.SessionInfo
	clock      clock.WithTicker
	client     kubernetes.Interface
	dates      *datedTripper
	httpClient *http.Client
	beside     *http.Client // for what is not behind the API server
	pending    *pending
	poller     *stats.Poller
	life       context.Context // ends with Close
	stop       context.CancelFunc
	work       sync.WaitGroup
	closeOnce  sync.Once

	mu     sync.Mutex
	latest *model.Snapshot
	next   chan struct{} // closed when latest is replaced
}

var lastID atomic.Uint64

const (
	// defaultQPS and defaultBurst are kubectl's: the first lists of a big cluster
	// (50,000 pods are 26 pages) go out at once, and the API server's own fairness
	// protects it. client-go's 5 and 10 are for controllers.
	defaultQPS   = 50
	defaultBurst = 300
)

// Open starts the feeds of a session and returns without waiting for the server:
// the feeds of its snapshots say how far they are. An error means that the
// configuration cannot make a client. Close the session to free it.
func Open(t Target) (*Session, error) {
	config, httpClient, err := clientConfig(t.Config)
	if err != nil {
		return nil, fmt.Errorf("open context %q: %w", t.Info.Context, err)
	}
	// A server's Date is of the real time, whatever clock the session runs on.
	dates := &datedTripper{next: httpClient.Transport, clock: clock.RealClock{}}
	httpClient.Transport = dates
	client, err := kubernetes.NewForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("open context %q: make a client for %s: %w", t.Info.Context, config.Host, err)
	}
	s := &Session{
		info:       t.Info,
		clock:      t.Clock,
		client:     client,
		httpClient: httpClient,
		dates:      dates,
		next:       make(chan struct{}),
	}
	if s.clock == nil {
		s.clock = clock.RealClock{}
	}
	if s.info.ID == 0 {
		s.info.ID = lastID.Add(1)
	}
	s.pending = newPending(s.clock)
	if s.poller, err = s.newPoller(config, t.Prometheus); err != nil {
		return nil, fmt.Errorf("open context %q: make a client for statistics: %w", t.Info.Context, err)
	}
	s.start()
	return s, nil
}

// clientConfig returns a copy of c that asks for protobuf, and the HTTP client
// for it, which Close can free.
func clientConfig(c *rest.Config) (*rest.Config, *http.Client, error) {
	config := rest.CopyConfig(c)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	if config.QPS == 0 && config.RateLimiter == nil {
		config.QPS, config.Burst = defaultQPS, defaultBurst
	}
	httpClient, err := httpClientFor(config)
	if err != nil {
		return nil, nil, fmt.Errorf("make an HTTP client for %s: %w", config.Host, err)
	}
	return config, httpClient, nil
}

func (s *Session) start() {
	ctx, stop := context.WithCancel(context.Background())
	s.life, s.stop = ctx, stop
	for _, source := range sources(s.client) {
		f := newFeed(source, s.clock, s.pending)
		s.work.Go(func() { f.run(ctx) })
	}
	s.work.Go(func() { s.learnServer(ctx) })
	s.work.Go(func() { s.publish(ctx) })
	s.work.Go(func() { s.poller.Run(ctx) })
}

// Info returns the identity of the session.
func (s *Session) Info() model.SessionInfo { return s.info }

// Next blocks until there is a snapshot with a higher serial than seen, and returns
// the newest. It ends with ctx's error, or with ErrClosed.
func (s *Session) Next(ctx context.Context, seen uint64) (*model.Snapshot, error) {
	for {
		s.mu.Lock()
		latest, next := s.latest, s.next
		s.mu.Unlock()
		if latest != nil && latest.Serial > seen {
			return latest, nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.life.Done():
			return nil, ErrClosed
		}
	}
}

// Close ends every watch and request and waits until nothing of the session runs.
func (s *Session) Close() {
	s.closeOnce.Do(func() {
		s.stop()
		s.work.Wait()
		utilnet.CloseIdleConnectionsFor(s.httpClient.Transport)
		s.beside.CloseIdleConnections()
	})
}
