package kube

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/model"
)

// patience bounds a wait that is expected to end, so that a test which fails does so.
const patience = 30 * time.Second

// serve starts a simulated API server for one test, and proves that the test and
// its sessions leave nothing running.
func serve(t *testing.T, o apiserver.Options) *apiserver.Server {
	t.Helper()
	others := goleak.IgnoreCurrent()
	s, err := apiserver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		goleak.VerifyNone(t, others)
	})
	return s
}

func admin(t *testing.T, s *apiserver.Server) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(s.Config("admin"))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func openOn(t *testing.T, config *rest.Config) *Session {
	t.Helper()
	s, err := Open(Target{Info: model.SessionInfo{Context: t.Name()}, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// until returns the first snapshot for which ok says so.
func until(t *testing.T, s *Session, what string, ok func(*model.Snapshot) bool) *model.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	last := &model.Snapshot{}
	for {
		next, err := s.Next(ctx, last.Serial)
		if err != nil {
			t.Fatalf("%s: %v; the feeds: %+v", what, err, last.Feeds)
		}
		if last = next; ok(last) {
			return last
		}
	}
}

// all reports whether every feed is in a state.
func all(state model.FeedState) func(*model.Snapshot) bool {
	return func(s *model.Snapshot) bool {
		return !slices.ContainsFunc(s.Feeds, func(f model.Feed) bool { return f.State != state })
	}
}

func createNode(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.Status.NodeInfo.OperatingSystem = "windows"
	n.Status.NodeInfo.KernelVersion = "10.0.26100.33438"
	if _, err := client.CoreV1().Nodes().Create(t.Context(), n, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func patchNode(t *testing.T, client kubernetes.Interface, name, patch string) {
	t.Helper()
	_, err := client.CoreV1().Nodes().Patch(t.Context(), name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSessionFollowsACluster(t *testing.T) {
	server := serve(t, apiserver.Options{Version: "v1.36.1"})
	client := admin(t, server)
	createNode(t, client, "win-1")
	s := openOn(t, server.Config("admin"))

	got := until(t, s, "all feeds are synced", all(model.FeedSynced))
	wantNodes(t, got, "win-1")
	if n := got.Nodes()[0]; n.OS != model.OSWindows || n.Windows.Number != 26100 {
		t.Errorf("node %+v", n.Node)
	}
	got = until(t, s, "the server's facts", func(s *model.Snapshot) bool { return s.Server.User != "" && s.Server.Version != "" })
	want := model.ServerFacts{Version: "v1.36.1", User: "admin", ClockKnown: true, ClockAhead: got.Server.ClockAhead}
	if got.Server != want || want.ClockAhead.Abs() > time.Minute { // both clocks are this machine's
		t.Errorf("facts %+v, want %+v", got.Server, want)
	}

	patchNode(t, client, "win-1", `{"spec":{"unschedulable":true}}`)
	until(t, s, "the cordon", func(s *model.Snapshot) bool { return s.Nodes()[0].Unschedulable })
	createNode(t, client, "win-2")
	until(t, s, "a second node", func(s *model.Snapshot) bool { return len(s.Nodes()) == 2 })
	if err := client.CoreV1().Nodes().Delete(t.Context(), "win-1", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	got = until(t, s, "a node less", func(s *model.Snapshot) bool { return len(s.Nodes()) == 1 })
	wantNodes(t, got, "win-2")
}

func TestSessionSurvivesARestartOfTheServer(t *testing.T) {
	server := serve(t, apiserver.Options{})
	createNode(t, admin(t, server), "win-1")
	s := openOn(t, server.Config("admin"))
	before := until(t, s, "all feeds are synced", all(model.FeedSynced))

	server.Stop()
	got := until(t, s, "all feeds are failing", all(model.FeedFailing))
	wantNodes(t, got, "win-1")
	f := got.Feed(model.KindNode)
	if !f.Since.After(before.Feed(model.KindNode).Since) || !f.Listed {
		t.Errorf("feed %+v", f)
	}
	// What happens meanwhile cannot be watched later: the feeds list again.
	if err := server.Load(nodeNamed("win-2")); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	got = until(t, s, "all feeds are synced again", all(model.FeedSynced))
	wantNodes(t, got, "win-1", "win-2")
}

func TestSessionOfAViewer(t *testing.T) {
	look := []string{"list", "watch"}
	server := serve(t, apiserver.Options{Users: map[string]apiserver.Role{
		"admin": apiserver.Everything(),
		"viewer": {Rules: []apiserver.Rule{
			{Verbs: look, Groups: []string{""}, Resources: []string{"nodes"}},
			{Verbs: look, Groups: []string{"apps"}, Resources: []string{"*"}},
		}},
	}})
	createNode(t, admin(t, server), "win-1")
	s := openOn(t, server.Config("viewer"))
	got := until(t, s, "no feed is waiting", func(s *model.Snapshot) bool {
		return !slices.ContainsFunc(s.Feeds, func(f model.Feed) bool { return f.State == model.FeedWaiting })
	})
	wantNodes(t, got, "win-1")
	wantFeed(t, got, model.KindNode, model.FeedSynced, "")
	wantFeed(t, got, model.KindDaemonSet, model.FeedSynced, "")
	wantFeed(t, got, model.KindPod, model.FeedForbidden, `cannot list pods: forbidden for user "viewer"`)
	wantFeed(t, got, model.KindBudget, model.FeedForbidden, `cannot list poddisruptionbudgets.policy: forbidden for user "viewer"`)
	wantFeed(t, got, model.KindLease, model.FeedForbidden, `cannot list leases.coordination.k8s.io in namespace kube-node-lease: forbidden for user "viewer"`)
	if _, err := s.NodeEvents(t.Context(), "win-1"); Explain(err) != `cannot list events: forbidden for user "viewer"` {
		t.Errorf("events: %v", err)
	}
}

func TestSessionWithoutProtobuf(t *testing.T) {
	server := serve(t, apiserver.Options{})
	createNode(t, admin(t, server), "win-1")
	config := server.Config("admin")
	var formats atomic.Pointer[string]
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return through(func(r *http.Request) (*http.Response, error) {
			asked := r.Header.Get("Accept")
			formats.Store(&asked)
			r = r.Clone(r.Context())
			r.Header.Set("Accept", "application/json")
			return next.RoundTrip(r)
		}, next)
	})
	wantNodes(t, until(t, openOn(t, config), "all feeds are synced", all(model.FeedSynced)), "win-1")
	if got, want := *formats.Load(), "application/vnd.kubernetes.protobuf,application/json"; got != want {
		t.Errorf("the session asked for %q, want %q", got, want)
	}
}

// wrapped is a transport around another that client-go can still close.
type wrapped struct {
	trip func(*http.Request) (*http.Response, error)
	next http.RoundTripper
}

func through(trip func(*http.Request) (*http.Response, error), next http.RoundTripper) http.RoundTripper {
	return wrapped{trip, next}
}

func (w wrapped) RoundTrip(r *http.Request) (*http.Response, error) { return w.trip(r) }
func (w wrapped) WrappedRoundTripper() http.RoundTripper            { return w.next }

func TestNodeEvents(t *testing.T) {
	server := serve(t, apiserver.Options{})
	client := admin(t, server)
	createNode(t, client, "win-1")
	now := metav1.Now()
	for i, e := range []corev1.Event{
		{InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "win-1"}, Reason: "NodeReady", LastTimestamp: now, Source: corev1.EventSource{Component: "kubelet"}},
		{InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "win-1"}, Reason: "Starting", EventTime: metav1.NewMicroTime(now.Add(time.Second)), ReportingController: "kube-proxy", ReportingInstance: "x", Action: "StartKubeProxy"},
		{InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "win-1"}, Reason: "Rebooted", LastTimestamp: metav1.NewTime(now.Add(-time.Hour))},
		{InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "win-2"}, Reason: "NodeReady", LastTimestamp: now},
		{InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "win-1", Namespace: "default"}, Reason: "Killing", LastTimestamp: now},
	} {
		e.Namespace, e.Name = "default", fmt.Sprint("e", i)
		if _, err := client.CoreV1().Events("default").Create(t.Context(), &e, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s := openOn(t, server.Config("admin"))
	until(t, s, "all feeds are synced", all(model.FeedSynced))
	got, err := s.NodeEvents(t.Context(), "win-1")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Reason != "Starting" || got[0].Source != "kube-proxy" || got[1].Reason != "NodeReady" {
		t.Errorf("events %+v", got)
	}
}

func TestPodEvents(t *testing.T) {
	server := serve(t, apiserver.Options{})
	client := admin(t, server)
	now := metav1.Now()
	for i, e := range []corev1.Event{
		{InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "web", Namespace: "default", UID: "1"}, Type: "Warning", Reason: "FailedKillPod", LastTimestamp: now},
		{InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "web", Namespace: "default", UID: "0"}, Reason: "Killing", LastTimestamp: now}, // of the one before
		{InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "db", Namespace: "default", UID: "2"}, Reason: "Killing", LastTimestamp: now},
	} {
		e.Namespace, e.Name = "default", fmt.Sprint("e", i)
		if _, err := client.CoreV1().Events("default").Create(t.Context(), &e, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s := openOn(t, server.Config("admin"))
	got, err := s.PodEvents(t.Context(), &model.Pod{Namespace: "default", Name: "web", UID: "1"})
	if err != nil || len(got) != 1 || got[0].Reason != "FailedKillPod" {
		t.Errorf("events %+v, error %v", got, err)
	}
	if got, err = s.PodEvents(t.Context(), &model.Pod{Namespace: "default", Name: "web"}); err != nil || len(got) != 2 {
		t.Errorf("without a UID: events %+v, error %v", got, err)
	}
}

func TestSessionsDiffer(t *testing.T) {
	server := serve(t, apiserver.Options{})
	one, two := openOn(t, server.Config("admin")), openOn(t, server.Config("admin"))
	if one.Info().ID == two.Info().ID || one.Info().ID == 0 {
		t.Errorf("the sessions are %d and %d", one.Info().ID, two.Info().ID)
	}
	if one.Info().Context != t.Name() {
		t.Errorf("context %q", one.Info().Context)
	}
}

func TestOpenRefusesAConfigurationThatCannotWork(t *testing.T) {
	_, err := Open(Target{Info: model.SessionInfo{Context: "lab"}, Config: &rest.Config{
		Host: "https://cluster", TLSClientConfig: rest.TLSClientConfig{CAFile: "/does/not/exist"},
	}})
	if want := `open context "lab": make an HTTP client for https://cluster: open /does/not/exist: no such file or directory`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
