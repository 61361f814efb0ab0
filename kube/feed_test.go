package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/mullion-tui/mullion/model"
)

func names(s *model.Snapshot) []string {
	out := []string{}
	for _, n := range s.Nodes() {
		out = append(out, n.Name)
	}
	return out
}

func wantNodes(t *testing.T, s *model.Snapshot, want ...string) {
	t.Helper()
	if got := names(s); !slices.Equal(got, want) {
		t.Fatalf("nodes %v, want %v", got, want)
	}
}

func wantFeed(t *testing.T, s *model.Snapshot, kind model.Kind, state model.FeedState, words string) model.Feed {
	t.Helper()
	f := s.Feed(kind)
	if f.State != state || f.Error != words {
		t.Fatalf("feed of %s is %s %q, want %s %q", kind, f.State, f.Error, state, words)
	}
	return f
}

func wantRequests(t *testing.T, g *stage, want ...string) {
	t.Helper()
	if got := g.api.seen("nodes"); !slices.Equal(got, want) {
		t.Fatalf("requests %q, want %q", got, want)
	}
}

func TestFeedListsInPagesAndWatches(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		gate := make(chan struct{})
		g.api.onList("nodes", func(r *http.Request) (*http.Response, error) {
			first := listOf("", "a", "b")
			first["metadata"] = map[string]string{"continue": "more"}
			if r.URL.Query().Get("continue") == "" {
				return answerWith(200, first)
			}
			<-gate
			return answerWith(200, listOf("7", "c"))
		})
		watch := newStream(t)
		g.api.onWatch("nodes", watch.open)
		g.open(t)

		early := g.settle()
		wantNodes(t, early, "a", "b")
		if f := wantFeed(t, early, model.KindNode, model.FeedWaiting, ""); f.Listed || f.Objects != 2 {
			t.Errorf("feed %+v after the first page", f)
		}
		close(gate)
		whole := g.settle()
		wantNodes(t, whole, "a", "b", "c")
		if f := wantFeed(t, whole, model.KindNode, model.FeedSynced, ""); !f.Listed || f.Objects != 3 {
			t.Errorf("feed %+v after the list", f)
		}
		wantRequests(t, g, "list nodes", "list nodes", "watch nodes 7")

		cordoned := atVersion(nodeNamed("b"), "8")
		cordoned.Spec.Unschedulable = true
		watch.send("MODIFIED", cordoned)
		watch.send("DELETED", atVersion(nodeNamed("a"), "9"))
		watch.send("ADDED", atVersion(nodeNamed("d"), "10"))
		watch.send("BOOKMARK", atVersion(&corev1.Node{}, "11"))
		changed := g.settle()
		wantNodes(t, changed, "b", "c", "d")
		if n, _ := changed.Node("b"); !n.Unschedulable {
			t.Error("the cordon is not shown")
		}
		if n, _ := whole.Node("b"); n.Unschedulable {
			t.Error("the older snapshot was written to")
		}

		// The server ends a watch when its time is over: it goes on from the bookmark,
		// and nobody hears of it.
		watch.end()
		again := newStream(t)
		g.api.onWatch("nodes", again.open)
		if g.settle() != changed {
			t.Error("a watch that ended in the usual way made a snapshot")
		}
		wantRequests(t, g, "watch nodes 11")
	})
}

func TestHeartbeatOfANodeIsNoChange(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		watch := newStream(t)
		g.api.onWatch("nodes", watch.open)
		g.open(t)
		beat := func(version string, minute int) {
			n := atVersion(nodeNamed("a"), version)
			n.Status.Conditions = []corev1.NodeCondition{{
				Type: "Ready", Status: "True", LastTransitionTime: metav1.NewTime(start),
				LastHeartbeatTime: metav1.NewTime(start.Add(time.Duration(minute) * time.Minute)),
			}}
			watch.send("MODIFIED", n)
		}
		g.settle()
		beat("2", 1)
		before := g.settle()
		wantNodes(t, before, "a")
		beat("3", 2)
		if g.settle() != before {
			t.Error("a heartbeat made a snapshot")
		}
	})
}

// TestLeasesOfABigClusterArePolled: their stream alone would keep a machine busy.
func TestLeasesOfABigClusterArePolled(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		leases := func(renewed time.Time) map[string]any {
			items := []coordinationv1.Lease{}
			for i := range manyLeases + 1 {
				items = append(items, coordinationv1.Lease{
					ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i)},
					Spec:       coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: renewed}},
				})
			}
			return map[string]any{"metadata": map[string]string{"resourceVersion": "1"}, "items": items}
		}
		g.api.onList("nodes", answers(200, listOf("1", "n0")))
		g.api.onList("leases", answers(200, leases(start)))
		g.open(t)
		got := g.settle()
		wantFeed(t, got, model.KindLease, model.FeedSynced, "")
		if got := g.api.seen("leases"); !slices.Equal(got, []string{"list leases"}) {
			t.Fatalf("requests %q", got)
		}
		g.api.onList("leases", answers(200, leases(start.Add(10*time.Second))))
		g.clock.Step(pollEvery)
		if g.settle() != got {
			t.Error("heartbeats alone made a snapshot")
		}
		g.clock.Step(quietFor)
		got = g.settle()
		if n, _ := got.Node("n0"); !n.LeaseTime.Equal(start.Add(10 * time.Second)) {
			t.Errorf("lease of %s", n.LeaseTime)
		}
		if got := g.api.seen("leases"); !slices.Equal(got, []string{"list leases"}) {
			t.Errorf("requests %q", got)
		}
	})
}

func TestFeedWithoutTheRight(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		refused := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "",
			fmt.Errorf(`User "viewer" cannot list resource "pods" in API group "" at the cluster scope`))
		g.api.onList("pods", fails(refused))
		g.api.onList("nodes", answers(200, listOf("1", "a")))
		g.open(t)

		got := g.settle()
		wantNodes(t, got, "a")
		f := wantFeed(t, got, model.KindPod, model.FeedForbidden, `cannot list pods: forbidden for user "viewer"`)
		for _, kind := range model.Kinds {
			if kind != model.KindPod {
				wantFeed(t, got, kind, model.FeedSynced, "")
			}
		}

		// It is asked again each minute, for rights change.
		g.api.seen("pods")
		g.clock.Step(askAgain - time.Second)
		if got := g.settle().Feed(model.KindPod); got != f || len(g.api.seen("pods")) > 0 {
			t.Fatalf("asked early: %+v", got)
		}
		g.clock.Step(time.Second)
		if got := g.settle().Feed(model.KindPod); got != f || len(g.api.seen("pods")) != 1 {
			t.Fatalf("feed %+v, want %+v as before", got, f)
		}
		g.api.onList("pods", nil)
		g.clock.Step(askAgain)
		got = g.settle()
		if f := wantFeed(t, got, model.KindPod, model.FeedSynced, ""); !f.Since.After(start.Add(askAgain)) {
			t.Errorf("synced since %s", f.Since)
		}
	})
}

func TestFeedThatMayListButNotWatch(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		g.api.onList("nodes", answers(200, listOf("1", "a")))
		g.api.onWatch("nodes", fails(apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "",
			fmt.Errorf(`User "viewer" cannot watch resource "nodes" in API group "" at the cluster scope`))))
		g.open(t)
		got := g.settle()
		wantNodes(t, got, "a")
		wantFeed(t, got, model.KindNode, model.FeedForbidden, `cannot watch nodes: forbidden for user "viewer"`)

		g.api.onList("nodes", answers(200, listOf("2", "b")))
		g.clock.Step(askAgain)
		wantNodes(t, g.settle(), "b")
	})
}

// TestFeedWithoutCredentials: a plug-in that fails is not run every few seconds.
func TestFeedWithoutCredentials(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		g.api.onList("nodes", func(*http.Request) (*http.Response, error) {
			return nil, &PluginError{Command: "aws", Reason: "failed", Text: "please log in"}
		})
		g.open(t)
		wantFeed(t, g.settle(), model.KindNode, model.FeedFailing, `credential plug-in "aws" failed: please log in`)
		wantRequests(t, g, "list nodes")
		g.clock.Step(askAgain - time.Second)
		g.settle()
		wantRequests(t, g)
		g.clock.Step(time.Second)
		g.settle()
		wantRequests(t, g, "list nodes")
	})
}

func TestFeedOfAGroupThatIsNotServed(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		missing := apierrors.NewGenericServerResponse(404, "get", schema.GroupResource{}, "", "404 page not found", 0, true)
		g.api.onList("runtimeclasses", fails(missing))
		g.api.onList("pods", fails(missing))
		g.open(t)
		got := g.settle()
		wantFeed(t, got, model.KindRuntimeClass, model.FeedAbsent, "the API server does not serve runtimeclasses (node.k8s.io/v1)")
		wantFeed(t, got, model.KindPod, model.FeedAbsent, "the server does not know pods: it may not be a Kubernetes API server, check its URL in the kubeconfig")
	})
}

func TestFeedListsAgainWhenTheVersionIsTooOld(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		g.api.onList("nodes", answers(200, listOf("5", "a", "b")))
		watch := newStream(t)
		g.api.onWatch("nodes", watch.open)
		g.open(t)
		before := g.settle()
		since := wantFeed(t, before, model.KindNode, model.FeedSynced, "").Since
		wantRequests(t, g, "list nodes", "watch nodes 5")

		g.api.onList("nodes", answers(200, listOf("90", "b", "c")))
		again := newStream(t)
		g.api.onWatch("nodes", again.open)
		watch.send("ERROR", statusOf(apierrors.NewResourceExpired("too old resource version")))
		if g.settle() != before {
			t.Fatal("an expired version was shown as something")
		}
		g.clock.Step(time.Second)
		got := g.settle()
		wantNodes(t, got, "b", "c")
		wantRequests(t, g, "list nodes", "watch nodes 90")
		if f := wantFeed(t, got, model.KindNode, model.FeedSynced, ""); !f.Since.Equal(since) {
			t.Errorf("the feed is synced since %s, want %s", f.Since, since)
		}
	})
}

func TestFeedWhenTheServerIsGone(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		g.api.onList("nodes", answers(200, listOf("5", "a")))
		watch := newStream(t)
		g.api.onWatch("nodes", watch.open)
		g.open(t)
		g.settle()
		wantRequests(t, g, "list nodes", "watch nodes 5")

		refuse := func(*http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED }
		g.api.onList("nodes", refuse)
		g.api.onWatch("nodes", refuse)
		g.clock.Step(time.Minute)
		gone := g.clock.Now()
		watch.end()
		got := g.settle()
		wantNodes(t, got, "a")
		f := wantFeed(t, got, model.KindNode, model.FeedFailing, "cannot watch nodes: connection refused by cluster")
		if !f.Since.Equal(gone) || !f.Listed || f.Objects != 1 {
			t.Errorf("feed %+v, want failing since %s with what it had", f, gone)
		}

		// It tries again, ever more rarely, and goes on where it was.
		g.api.seen("nodes")
		for range 600 {
			g.clock.Step(time.Second)
			g.settle()
		}
		tries := len(g.api.seen("nodes"))
		if tries < 60 || tries > 120 {
			t.Errorf("%d attempts in 12 minutes", tries)
		}
		if again := wantFeed(t, g.settle(), model.KindNode, model.FeedFailing, f.Error); !again.Since.Equal(f.Since) {
			t.Errorf("failing since %s, want %s", again.Since, f.Since)
		}
		back := newStream(t)
		g.api.onWatch("nodes", back.open)
		g.api.seen("nodes")
		g.clock.Step(15 * time.Second)
		wantFeed(t, g.settle(), model.KindNode, model.FeedFailing, f.Error)
		g.clock.Step(atOnce)
		wantFeed(t, g.settle(), model.KindNode, model.FeedSynced, "")
		wantRequests(t, g, "watch nodes 5")
	})
}

func TestFeedThatGetsNoAnswer(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		gate := make(chan struct{})
		g.api.onList("nodes", func(r *http.Request) (*http.Response, error) {
			select {
			case <-gate:
				return answerWith(200, listOf("1", "a"))
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})
		g.open(t)
		wantFeed(t, g.settle(), model.KindNode, model.FeedWaiting, "")
		g.clock.Step(answerWithin)
		wantFeed(t, g.settle(), model.KindNode, model.FeedFailing, "no answer to list nodes for 15s, still waiting")
		close(gate)
		got := g.settle()
		wantFeed(t, got, model.KindNode, model.FeedSynced, "")
		wantNodes(t, got, "a")
	})
}

func TestFeedWithAPageThatFails(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		g.api.onList("nodes", func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Get("continue") != "" {
				return nil, io.ErrUnexpectedEOF
			}
			first := listOf("", "a")
			first["metadata"] = map[string]string{"continue": "more"}
			return answerWith(200, first)
		})
		g.open(t)
		got := g.settle()
		wantNodes(t, got, "a")
		if f := wantFeed(t, got, model.KindNode, model.FeedFailing, "cannot list nodes: cluster closed the connection"); f.Listed {
			t.Error("half a list counts as one")
		}
		g.api.onList("nodes", answers(200, listOf("3", "b")))
		g.clock.Step(time.Second)
		got = g.settle()
		wantNodes(t, got, "b")
		wantFeed(t, got, model.KindNode, model.FeedSynced, "")
	})
}

func TestFeedWhoseWatchEndsAtOnce(t *testing.T) {
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"a broken connection": func(*http.Request) (*http.Response, error) { return nil, io.EOF },
		"an empty stream": func(r *http.Request) (*http.Response, error) {
			s := newStream(nil)
			s.end()
			return s.open(r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			act(t, func(t *testing.T, g *stage) {
				g.api.onWatch("nodes", answer)
				g.open(t)
				for range 10 {
					g.clock.Step(time.Second)
					g.settle()
				}
				if f := g.settle().Feed(model.KindNode); f.State != model.FeedFailing || f.Error == "" {
					t.Errorf("feed %+v", f)
				}
				if n := len(g.api.seen("nodes")); n > 12 {
					t.Errorf("%d requests in 13 seconds", n)
				}
			})
		})
	}
}

// TestFeedPassesAnEventThatCannotBeRead: going on from the version before it would
// meet the same event for ever.
func TestFeedPassesAnEventThatCannotBeRead(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		g.api.onList("nodes", answers(200, listOf("5", "a")))
		g.api.onWatch("nodes", func(r *http.Request) (*http.Response, error) {
			s := newStream(t)
			go func() {
				_, _ = io.WriteString(s.out, `{"type":"MODIFIED","object":{"kind":"Poison","apiVersion":"v9"}}`)
			}()
			return s.open(r)
		})
		g.open(t)
		got := g.settle()
		if f := got.Feed(model.KindNode); f.State != model.FeedFailing {
			t.Fatalf("feed %+v", f)
		}
		g.api.seen("nodes")
		g.api.onList("nodes", answers(200, listOf("6", "b")))
		good := newStream(t)
		g.api.onWatch("nodes", good.open)
		g.clock.Step(time.Second)
		got = g.settle()
		wantNodes(t, got, "b")
		wantFeed(t, got, model.KindNode, model.FeedSynced, "")
		wantRequests(t, g, "list nodes", "watch nodes 6")
	})
}

// TestCloseWhileEverythingHangs ends a session none of whose requests is answered.
// The bubble fails if a goroutine is left.
func TestCloseWhileEverythingHangs(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		hang := func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		for _, kind := range model.Kinds {
			g.api.onList(string(kind), hang)
		}
		g.api.onList("version", hang)
		g.api.onList("selfsubjectreviews", hang)
		g.open(t)
		g.settle()
		g.Close()
		if _, err := g.Next(context.Background(), g.latest.Serial); err != ErrClosed {
			t.Errorf("error %v", err)
		}
	})
}
