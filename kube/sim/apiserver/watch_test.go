package apiserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"
)

// next waits for one event of a watch.
func next(t *testing.T, w watch.Interface) watch.Event {
	t.Helper()
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			t.Fatal("the watch has ended")
		}
		return e
	case <-time.After(within):
		t.Fatal("no event came")
	}
	return watch.Event{}
}

// say shows an event as "ADDED name".
func say(e watch.Event) string {
	o, ok := e.Object.(metav1.Object)
	if !ok {
		return fmt.Sprintf("%s %T", e.Type, e.Object)
	}
	return fmt.Sprintf("%s %s", e.Type, o.GetName())
}

func expectEvents(t *testing.T, w watch.Interface, want ...string) {
	t.Helper()
	for _, want := range want {
		if got := say(next(t, w)); got != want {
			t.Fatalf("saw %q, want %q", got, want)
		}
	}
}

func TestWatchOfOneNodesPods(t *testing.T) {
	for _, contentType := range contentTypes {
		t.Run(contentType, func(t *testing.T) {
			s, c := start(t, Options{}, contentType)
			if err := s.Load(shop(), pod("shop", "here", "n1"), pod("shop", "there", "n2"), pod("shop", "nowhere", "")); err != nil {
				t.Fatal(err)
			}
			w, err := c.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=n1"})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			expectEvents(t, w, "ADDED here")
			binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "nowhere"}, Target: corev1.ObjectReference{Kind: "Node", Name: "n1"}}
			if err := c.CoreV1().Pods("shop").Bind(t.Context(), binding, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"there", "here"} {
				if err := c.CoreV1().Pods("shop").Delete(t.Context(), name, *metav1.NewDeleteOptions(0)); err != nil {
					t.Fatal(err)
				}
			}
			expectEvents(t, w, "ADDED nowhere", "MODIFIED here", "DELETED here")
		})
	}
}

func TestWatchOfAForgottenRevision(t *testing.T) {
	s, c := start(t, Options{}, "")
	if err := s.Load(node("a"), node("b")); err != nil {
		t.Fatal(err)
	}
	list, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(node("c")); err != nil {
		t.Fatal(err)
	}
	s.Compact()
	w, err := c.CoreV1().Nodes().Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	e := next(t, w)
	if err := apierrors.FromObject(e.Object); e.Type != watch.Error || !apierrors.IsResourceExpired(err) {
		t.Errorf("saw %s %v, want an error that the revision expired", e.Type, err)
	}
	for name, o := range map[string]metav1.ListOptions{
		"next page":      {Limit: 1, Continue: list.Continue},
		"exact revision": {ResourceVersion: list.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
	} {
		if _, err := c.CoreV1().Nodes().List(t.Context(), o); !apierrors.IsResourceExpired(err) {
			t.Errorf("%s: %v, want expired", name, err)
		}
	}
	// "0" and nothing at all are no promises about the past.
	for _, rv := range []string{"", "0"} {
		if l, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{ResourceVersion: rv}); err != nil || len(l.Items) != 3 {
			t.Errorf("list at %q: %v", rv, err)
		}
	}
}

func TestTheFutureIsNotKnown(t *testing.T) {
	_, c := start(t, Options{}, "")
	_, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{ResourceVersion: "1000000"})
	if !apierrors.IsTimeout(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		t.Errorf("list: %v, want a timeout with its cause", err)
	}
	yes := true
	w, err := c.CoreV1().Nodes().Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1000000", SendInitialEvents: &yes,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if e := next(t, w); e.Type != watch.Error || !apierrors.IsTimeout(apierrors.FromObject(e.Object)) {
		t.Errorf("watch: saw %v", e)
	}
}

func TestBookmarksFollowTheClock(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s, c := start(t, Options{Clock: clock}, "")
	if err := s.Load(node("a")); err != nil {
		t.Fatal(err)
	}
	w, err := c.CoreV1().Nodes().Watch(t.Context(), metav1.ListOptions{ResourceVersion: fmt.Sprint(s.store.revision()), AllowWatchBookmarks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	quiet, err := c.CoreV1().Nodes().Watch(t.Context(), metav1.ListOptions{ResourceVersion: fmt.Sprint(s.store.revision())})
	if err != nil {
		t.Fatal(err)
	}
	defer quiet.Stop()
	if err := s.Load(pod("default", "p", "a")); err != nil { // another kind moves the revision on
		t.Fatal(err)
	}
	clock.Step(bookmarkEvery)
	e := next(t, w)
	if rv := e.Object.(*corev1.Node).ResourceVersion; e.Type != watch.Bookmark || rv != fmt.Sprint(s.store.revision()) {
		t.Errorf("saw %s at %s, want a bookmark at %d", e.Type, rv, s.store.revision())
	}
	if err := s.Load(node("b")); err != nil {
		t.Fatal(err)
	}
	expectEvents(t, quiet, "ADDED b")
}

// TestReflectorRecovers: the mirror of client-go, with watch-list as it does by default, loses its watch and its history.
func TestReflectorRecovers(t *testing.T) {
	t.Parallel()
	for _, contentType := range contentTypes {
		t.Run(contentType, func(t *testing.T) {
			t.Parallel() // most of the time a client waits
			s, c := start(t, Options{}, contentType)
			if err := s.Load(node("a")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			store := &tellingStore{Store: cache.NewStore(cache.MetaNamespaceKeyFunc), changed: make(chan struct{}, 1)}
			done := make(chan struct{})
			go func() {
				defer close(done)
				cache.NewReflector(nodeWatch(c), &corev1.Node{}, store, 0).Run(ctx.Done())
			}()
			defer func() { cancel(); <-done }()
			store.await(t, "a")
			s.Stop()
			if err := s.Load(node("b")); err != nil {
				t.Fatal(err)
			}
			if err := s.Start(); err != nil {
				t.Fatal(err)
			}
			store.await(t, "a", "b")
			s.Stop()
			s.Compact()
			if err := s.Start(); err != nil {
				t.Fatal(err)
			}
			if err := c.CoreV1().Nodes().Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			store.await(t, "b")
		})
	}
}

func nodeWatch(c *kubernetes.Clientset) *cache.ListWatch {
	return cache.NewListWatchFromClient(c.CoreV1().RESTClient(), "nodes", "", everyField)
}

// tellingStore says when something changed.
type tellingStore struct {
	cache.Store
	changed chan struct{}
}

func (s *tellingStore) tell(err error) error {
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return err
}

func (s *tellingStore) Add(o any) error    { return s.tell(s.Store.Add(o)) }
func (s *tellingStore) Update(o any) error { return s.tell(s.Store.Update(o)) }
func (s *tellingStore) Delete(o any) error { return s.tell(s.Store.Delete(o)) }
func (s *tellingStore) Replace(l []any, rv string) error {
	return s.tell(s.Store.Replace(l, rv))
}

func (s *tellingStore) await(t *testing.T, want ...string) {
	t.Helper()
	limit := time.After(within)
	for {
		have := s.ListKeys()
		if len(have) == len(want) && containsAll(have, want) {
			return
		}
		select {
		case <-s.changed:
		case <-limit:
			t.Fatalf("the mirror has %q, want %q", have, want)
		}
	}
}

func containsAll(have, want []string) bool {
	all := " " + strings.Join(have, " ") + " "
	for _, w := range want {
		if !strings.Contains(all, " "+w+" ") {
			return false
		}
	}
	return true
}

// TestSlowWatchIsEnded: a client that does not read must not hold up the server or fill its memory; it is sent what was
// queued and then has to come again.
func TestSlowWatchIsEnded(t *testing.T) {
	s, _ := start(t, Options{}, "")
	w := newWatcher(&matcher{labels: everyLabel, fields: everyField}, false)
	res := s.catalogue.byKind[corev1.SchemeGroupVersion.WithKind("Node")]
	s.store.watchNow(res, w)
	for i := range watcherBacklog + 10 {
		if err := s.Load(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i)}}); err != nil {
			t.Fatal(err)
		}
	}
	queue, goesOn := w.take()
	if goesOn || len(queue) != watcherBacklog {
		t.Errorf("%d events are queued, goes on: %v", len(queue), goesOn)
	}
	s.store.unwatch(res, w)
	if n := len(s.store.shelf(res).watches); n != 0 {
		t.Errorf("%d buckets of watches are left", n)
	}
}

func TestWatchKeepsItsTime(t *testing.T) {
	s, _ := start(t, Options{Clock: clocktesting.NewFakeClock(time.Now())}, "")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/api/v1/nodes?watch=1&timeoutSeconds=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer admin")
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		var e map[string]any
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
	} // ends when the server ends the watch, although its clock stands still
	if got := s.Log(); len(got) == 0 || got[len(got)-1].Verb != "watch" || got[len(got)-1].Code != http.StatusOK {
		t.Errorf("the log ends with %+v", got)
	}
}
