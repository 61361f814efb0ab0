package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	testclock "k8s.io/utils/clock/testing"

	"github.com/mullion-tui/mullion/model"
)

// scripted is an API server in the form of a http.RoundTripper, so that a session
// lives in a synctest bubble: each resource answers as the test says, and what the
// test does not mention is an empty list and a quiet watch.
type scripted struct {
	mu       sync.Mutex
	list     map[string]func(*http.Request) (*http.Response, error)
	watch    map[string]func(*http.Request) (*http.Response, error)
	requests []string // "list pods", "watch pods 7"
}

func (s *scripted) onList(resource string, answer func(*http.Request) (*http.Response, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list[resource] = answer
}

func (s *scripted) onWatch(resource string, answer func(*http.Request) (*http.Response, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch[resource] = answer
}

// seen returns the requests for a resource since the last call.
func (s *scripted) seen(resource string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out, rest []string
	for _, r := range s.requests {
		if r == "list "+resource || len(r) > 6 && r[:6] == "watch " && bytes.HasPrefix([]byte(r[6:]), []byte(resource+" ")) {
			out = append(out, r)
		} else {
			rest = append(rest, r)
		}
	}
	s.requests = rest
	return out
}

// RoundTrip implements http.RoundTripper.
func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	resource := path.Base(r.URL.Path)
	watching := r.URL.Query().Get("watch") != ""
	s.mu.Lock()
	answer := s.list[resource]
	if watching {
		answer = s.watch[resource]
		s.requests = append(s.requests, "watch "+resource+" "+r.URL.Query().Get("resourceVersion"))
	} else {
		s.requests = append(s.requests, "list "+resource)
	}
	s.mu.Unlock()
	switch {
	case answer != nil:
		return answer(r)
	case watching:
		return newStream(nil).open(r)
	case resource == "version":
		return answerWith(200, map[string]string{"gitVersion": "v1.37.2"})
	default:
		return answerWith(200, listOf("1"))
	}
}

// CloseIdleConnections is what client-go looks for in a transport.
func (s *scripted) CloseIdleConnections() {}

func answerWith(code int, body any) (*http.Response, error) {
	b, err := json.Marshal(body)
	return &http.Response{
		StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(b)),
	}, err
}

// answers always gives the same.
func answers(code int, body any) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return answerWith(code, body) }
}

func fails(err *apierrors.StatusError) func(*http.Request) (*http.Response, error) {
	return answers(int(err.ErrStatus.Code), statusOf(err))
}

// statusOf is the error as an API server sends it.
func statusOf(err *apierrors.StatusError) *metav1.Status {
	err.ErrStatus.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return &err.ErrStatus
}

// listOf is a list of nodes, which an empty list of any kind looks like as well.
func listOf(version string, names ...string) map[string]any {
	items := []corev1.Node{}
	for _, n := range names {
		items = append(items, *nodeNamed(n))
	}
	return map[string]any{"metadata": map[string]string{"resourceVersion": version}, "items": items}
}

func nodeNamed(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func atVersion(n *corev1.Node, version string) *corev1.Node {
	n.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}
	n.ResourceVersion = version
	return n
}

// stream is the body of one watch.
type stream struct {
	t   *testing.T
	out *io.PipeWriter
	in  *io.PipeReader
}

func newStream(t *testing.T) *stream {
	in, out := io.Pipe()
	return &stream{t: t, in: in, out: out}
}

func (s *stream) open(r *http.Request) (*http.Response, error) {
	context.AfterFunc(r.Context(), func() { _ = s.out.CloseWithError(r.Context().Err()) })
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: s.in}, nil
}

func (s *stream) send(kind string, o runtime.Object) {
	s.t.Helper()
	if err := json.NewEncoder(s.out).Encode(map[string]any{"type": kind, "object": o}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stream) end() { _ = s.out.Close() }

// stage is a session on a scripted API server, with a clock that stands still.
type stage struct {
	*Session
	api   *scripted
	clock *testclock.FakeClock
}

// act runs a test in a bubble. It opens the session only when the test asks for it.
func act(t *testing.T, test func(t *testing.T, g *stage)) {
	synctest.Test(t, func(t *testing.T) {
		none := map[string]func(*http.Request) (*http.Response, error){}
		more := map[string]func(*http.Request) (*http.Response, error){}
		g := &stage{api: &scripted{list: none, watch: more}, clock: testclock.NewFakeClock(start)}
		defer func() {
			if g.Session != nil {
				g.Close()
			}
		}()
		test(t, g)
	})
}

func (g *stage) open(t *testing.T) {
	t.Helper()
	s, err := Open(Target{Config: &rest.Config{Host: "http://cluster", Transport: g.api, QPS: -1}, Clock: g.clock})
	if err != nil {
		t.Fatal(err)
	}
	g.Session = s
}

// settle waits until nothing more happens by itself, lets everything be shown, and
// returns what is shown. It takes less than half a second of the stage's clock.
func (g *stage) settle() *model.Snapshot {
	synctest.Wait()
	g.clock.Step(publishEvery)
	synctest.Wait()
	g.Session.mu.Lock()
	defer g.Session.mu.Unlock()
	return g.latest
}
