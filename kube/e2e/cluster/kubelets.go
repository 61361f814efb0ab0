//go:build linux

package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Kubelets finds the handler that stands for whatever listens on an address of a
// node or a pod ("192.168.10.25:10250"); nil means that nothing answers there.
type Kubelets func(address string) http.Handler

// ServeKubelets says who answers when the API server connects to a node or a pod,
// from now on. The handlers are reached at the addresses that the objects carry,
// over TLS or without, as the API server wishes; nothing of it leaves this process.
func (c *Cluster) ServeKubelets(find Kubelets) { c.kubelets.find.Store(&find) }

// kubeletGate is the far end of the API server's egress: it takes CONNECT on a
// Unix socket and serves the node that was asked for on the same connection.
type kubeletGate struct {
	find   atomic.Pointer[Kubelets]
	proxy  *http.Server // speaks CONNECT
	https  *http.Server // for kubelets
	http   *http.Server // for pods
	secure *tunnelListener
	plain  *tunnelListener
	ended  sync.WaitGroup
}

func openKubeletGate(socket string, ca *authority) (*kubeletGate, error) {
	server, err := ca.server()
	if err != nil {
		return nil, err
	}
	id, err := tls.X509KeyPair(server.cert, server.key)
	if err != nil {
		return nil, fmt.Errorf("load the kubelets' certificate: %w", err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("open the way to the kubelets: %w", err)
	}
	g := &kubeletGate{secure: newTunnelListener(), plain: newTunnelListener()}
	g.proxy = &http.Server{Handler: http.HandlerFunc(g.connect)}
	g.https = &http.Server{
		Handler:     http.HandlerFunc(g.serve),
		TLSConfig:   &tls.Config{Certificates: []tls.Certificate{id}},
		ConnContext: noteAddress,
	}
	g.http = &http.Server{Handler: http.HandlerFunc(g.serve), ConnContext: noteAddress}
	g.ended.Go(func() { g.proxy.Serve(l) })
	g.ended.Go(func() { g.https.ServeTLS(g.secure, "", "") })
	g.ended.Go(func() { g.http.Serve(g.plain) })
	return g, nil
}

// noteAddress keeps with a connection the address that it was opened to.
func noteAddress(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return context.WithValue(ctx, addressKey{}, conn.(*tunnel).address)
}

func (g *kubeletGate) close() error {
	err := errors.Join(g.proxy.Close(), g.https.Close(), g.http.Close())
	g.ended.Wait()
	return err
}

// connect answers CONNECT and hands the connection to the nodes' server.
func (g *kubeletGate) connect(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "only CONNECT is served here", http.StatusMethodNotAllowed)
		return
	}
	if g.handler(r.Host) == nil {
		http.Error(w, "connect: no route to host "+r.Host, http.StatusBadGateway)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if _, err := conn.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		conn.Close()
		return
	}
	// A TLS client speaks first, and begins with this byte; no HTTP request does.
	const handshake = 0x16
	first, err := buffered.Peek(1)
	if err != nil {
		conn.Close()
		return
	}
	listener := g.plain
	if first[0] == handshake {
		listener = g.secure
	}
	listener.offer(&tunnel{Conn: conn, reader: buffered, address: r.Host})
}

func (g *kubeletGate) serve(w http.ResponseWriter, r *http.Request) {
	address := r.Context().Value(addressKey{}).(string)
	h := g.handler(address)
	if h == nil {
		// The node went away under an open connection.
		panic(http.ErrAbortHandler)
	}
	h.ServeHTTP(w, r)
}

func (g *kubeletGate) handler(address string) http.Handler {
	find := g.find.Load()
	if find == nil {
		return nil
	}
	return (*find)(address)
}

type addressKey struct{}

// tunnel is a connection to a node or a pod.
type tunnel struct {
	net.Conn
	reader  io.Reader // what the connection has to say, from its begin
	address string
}

func (t *tunnel) Read(p []byte) (int, error) { return t.reader.Read(p) }

// tunnelListener is a net.Listener whose connections come from offer.
type tunnelListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newTunnelListener() *tunnelListener {
	return &tunnelListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *tunnelListener) offer(conn net.Conn) {
	select {
	case l.conns <- conn:
	case <-l.closed:
		conn.Close()
	}
}

func (l *tunnelListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *tunnelListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *tunnelListener) Addr() net.Addr { return &net.UnixAddr{Net: "unix", Name: "kubelets"} }
