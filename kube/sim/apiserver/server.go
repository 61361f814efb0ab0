package apiserver

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// Options say what kind of API server is wanted. The zero value is a writable one with a single user who may do everything.
type Options struct {
	// Clock gives the times that are written into objects and the beat of bookmarks; nil is the real one. Limits on
	// connections (timeoutSeconds) are promises to the other end and always kept in real time.
	Clock clock.WithTicker
	// Version is what /version says; empty means v1.37.2.
	Version string
	// ReadOnly refuses every write with 403. Questions about rights are answered, and no write is among them.
	ReadOnly bool
	// Users maps a bearer token, which is also the user's name, to what the user may do. Empty: one user "admin" who may
	// do everything.
	Users map[string]Role
	// TLS serves HTTPS (and HTTP/2) with a certificate of its own, see CA. Clients that read a kubeconfig need it: client-go
	// sends no token over plain HTTP.
	TLS bool
}

// bookmarkEvery is how often a quiet watch is told how far it has seen, as the real server does.
const bookmarkEvery = time.Minute

// goodbye is how long clients have to end connections that they do not use before Stop cuts them.
const goodbye = 500 * time.Millisecond

// Server is a running API server. All methods may be called from several goroutines at once.
type Server struct {
	clock     clock.WithTicker
	version   string
	readOnly  bool
	users     map[string]Role
	catalogue *catalogue
	store     *store
	audit     *audit
	ids       idSource
	discovery discoveryDocs
	identity  *identity // nil without TLS

	metrics  atomic.Pointer[http.Handler]
	kubelets atomic.Pointer[func(node string) http.Handler]
	podPorts atomic.Pointer[func(namespace, pod string, port int) http.Handler]
	services atomic.Pointer[func(namespace, service string, port int) http.Handler]

	address atomic.Value // string
	serving *inflight

	life     sync.Mutex // one of Start, Stop and Close at a time; it guards the rest
	http     *http.Server
	listener net.Listener
	conns    *connections
	closed   bool
	stopBeat chan struct{}
	beat     sync.WaitGroup
}

// New makes a server that is listening on a free loopback port when it returns. It has the namespaces of a fresh cluster.
func New(o Options) (*Server, error) {
	s := &Server{
		clock: o.Clock, version: o.Version, readOnly: o.ReadOnly, users: o.Users,
		catalogue: newCatalogue(), audit: &audit{}, serving: newInflight(), stopBeat: make(chan struct{}),
	}
	if s.clock == nil {
		s.clock = clock.RealClock{}
	}
	if s.version == "" {
		s.version = "v1.37.2"
	}
	if len(s.users) == 0 {
		s.users = map[string]Role{"admin": Everything()}
	}
	if o.TLS {
		var err error
		if s.identity, err = newIdentity(); err != nil {
			return nil, err
		}
	}
	s.store = newStore(s.catalogue)
	s.discovery.build(s.catalogue)
	if err := s.Load(initialObjects(s.clock.Now())...); err != nil {
		return nil, err
	}
	if err := s.Start(); err != nil {
		return nil, err
	}
	s.beat.Add(1)
	go s.keepBeat(s.clock.NewTicker(bookmarkEvery))
	return s, nil
}

// URL is where the server listens, http://127.0.0.1:port, or https with TLS; it stays the same over Stop and Start.
func (s *Server) URL() string {
	address, _ := s.address.Load().(string)
	if s.identity != nil {
		return "https://" + address
	}
	return "http://" + address
}

// Config is a client configuration for one of the users, without a limit on the request rate.
func (s *Server) Config(user string) *rest.Config {
	return &rest.Config{Host: s.URL(), BearerToken: user, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: s.CA()}}
}

// Start listens again after Stop, on the same port and with the same objects. As after a restart of a real API server,
// what happened before can no longer be watched. On a server that is listening it does nothing.
func (s *Server) Start() error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.closed {
		return errors.New("start the simulated API server: it is closed; make a new one")
	}
	if s.http != nil {
		return nil
	}
	address, again := s.address.Load().(string)
	if again {
		s.store.compact()
	} else {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("start the simulated API server on %s: %w", address, err)
	}
	s.address.Store(l.Addr().String())
	s.conns = newConnections(s.serving)
	srv := s.newHTTPServer(s.conns)
	s.http, s.listener = srv, l
	s.serving.add()
	go func() {
		defer s.serving.done()
		// Both always end because Stop closed the listener.
		if s.identity != nil {
			_ = srv.ServeTLS(l, "", "")
			return
		}
		_ = srv.Serve(l)
	}()
	return nil
}

func (s *Server) newHTTPServer(conns *connections) *http.Server {
	srv := &http.Server{
		Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:  log.New(io.Discard, "", 0), // a client that does not trust it hears of it itself; the terminal is not ours
		ConnState: conns.note,
	}
	if s.identity != nil {
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{s.identity.certificate}, MinVersion: tls.VersionTLS12}
	}
	return srv
}

// Stop cuts every connection and stops listening; objects stay. It returns when no request is being served, so the handlers
// of kubelets and pods have to end when their request's context does.
func (s *Server) Stop() {
	s.life.Lock()
	defer s.life.Unlock()
	if s.http == nil {
		return
	}
	_ = s.listener.Close() // these two are gone whatever they say
	s.conns.dismiss(goodbye)
	_ = s.http.Close()
	s.serving.wait()
	s.http = nil
}

// Close stops the server for good and ends all its goroutines.
func (s *Server) Close() {
	s.Stop()
	s.life.Lock()
	defer s.life.Unlock()
	if !s.closed {
		s.closed = true
		close(s.stopBeat)
	}
	s.beat.Wait()
}

// Compact forgets what happened before now: a watch or a list of an older resourceVersion is answered with 410 Gone.
func (s *Server) Compact() { s.store.compact() }

func (s *Server) keepBeat(t clock.Ticker) {
	defer s.beat.Done()
	defer t.Stop()
	for {
		select {
		case <-s.stopBeat:
			return
		case <-t.C():
			s.store.bookmark()
		}
	}
}

// SetKubelets names the kubelet of each node: it gets node proxy requests under the path that follows /proxy, and pod logs
// under /containerLogs/namespace/pod/container, as a real kubelet does. A nil handler is a kubelet that does not answer.
func (s *Server) SetKubelets(f func(node string) http.Handler) { s.kubelets.Store(&f) }

// SetPodPorts names what listens on the ports of pods, for pods/proxy. A nil handler is a closed port.
func (s *Server) SetPodPorts(f func(namespace, pod string, port int) http.Handler) {
	s.podPorts.Store(&f)
}

// SetServices names what answers behind the ports of services, for services/proxy. A nil handler is a service without endpoints.
func (s *Server) SetServices(f func(namespace, service string, port int) http.Handler) {
	s.services.Store(&f)
}

// SetMetrics serves metrics.k8s.io/v1beta1 by a handler, which gets requests under their full path; nil: there is no metrics
// server, and discovery does not name the group.
func (s *Server) SetMetrics(h http.Handler) {
	if h == nil {
		s.metrics.Store(nil)
		return
	}
	s.metrics.Store(&h)
}
