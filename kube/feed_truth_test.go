package kube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/mullion-tui/mullion/model"
)

// truth is the nodes resource of an API server with a history: it lists in pages,
// replays to a watch what happened since its version, and refuses one that is older
// than its memory.
type truth struct {
	mu      sync.Mutex
	now     int             // resourceVersion
	floor   int             // the oldest version that can be watched from
	nodes   map[string]bool // name to cordoned
	history []happening
	down    bool
	watch   chan happening // the open watch, if any
}

type happening struct {
	version int
	kind    string
	object  runtime.Object
}

func (s *truth) object(name string) *corev1.Node {
	n := atVersion(nodeNamed(name), strconv.Itoa(s.now))
	n.Spec.Unschedulable = s.nodes[name]
	return n
}

func (s *truth) happen(kind, name string) {
	h := happening{s.now, kind, s.object(name)}
	s.history = append(s.history, h)
	if s.watch != nil {
		s.watch <- h
	}
}

// do changes the server: what says what, and name to which node.
func (s *truth) do(what, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, there := s.nodes[name]
	s.now++
	switch what {
	case "put":
		kind := "ADDED"
		if there {
			kind = "MODIFIED"
		}
		s.nodes[name] = !s.nodes[name]
		s.happen(kind, name)
	case "delete":
		if there {
			s.happen("DELETED", name)
			delete(s.nodes, name)
		}
	case "cut":
		s.cut()
	case "forget":
		s.floor = s.now
	case "expire":
		s.floor = s.now
		if s.watch != nil {
			s.watch <- happening{kind: "ERROR", object: statusOf(apierrors.NewResourceExpired("too old"))}
			s.watch = nil
		}
	case "down":
		s.down = true
		s.cut()
	case "up":
		s.down = false
	}
}

func (s *truth) cut() {
	if s.watch != nil {
		close(s.watch)
		s.watch = nil
	}
}

func (s *truth) list(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return nil, syscall.ECONNREFUSED
	}
	items := []corev1.Node{}
	for name := range s.nodes {
		items = append(items, *s.object(name))
	}
	return answerWith(200, corev1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(s.now)}, Items: items})
}

func (s *truth) open(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return nil, syscall.ECONNREFUSED
	}
	from, err := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	if err != nil {
		return nil, err
	}
	events := make(chan happening, 1000)
	if from < s.floor {
		events <- happening{kind: "ERROR", object: statusOf(apierrors.NewResourceExpired("too old"))}
		close(events)
	} else {
		for _, h := range s.history {
			if h.version > from {
				events <- h
			}
		}
		s.watch = events
	}
	body := newStream(nil)
	go func() {
		defer body.end()
		out := json.NewEncoder(body.out)
		for {
			select {
			case h, ok := <-events:
				if !ok || out.Encode(map[string]any{"type": h.kind, "object": h.object}) != nil {
					return
				}
			case <-r.Context().Done():
				return
			}
		}
	}()
	return body.open(r)
}

// difference compares what a snapshot shows with what is true.
func (s *truth) difference(got *model.Snapshot) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(got.Nodes()) != len(s.nodes) {
		return fmt.Sprintf("%d nodes are shown, there are %d", len(got.Nodes()), len(s.nodes))
	}
	for _, n := range got.Nodes() {
		if cordoned, there := s.nodes[n.Name]; !there || cordoned != n.Unschedulable {
			return fmt.Sprintf("node %s is shown with cordoned=%v", n.Name, n.Unschedulable)
		}
	}
	if f := got.Feed(model.KindNode); f.State != model.FeedSynced || f.Objects != len(s.nodes) {
		return fmt.Sprintf("the feed is %+v", f)
	}
	return ""
}

// TestWhateverHappensTheTruthIsShownInTheEnd: through every order of changes, cut
// watches, forgotten history and outages, and at any moment between them.
func TestWhateverHappensTheTruthIsShownInTheEnd(t *testing.T) {
	type step struct {
		What, Name string
		After      time.Duration
	}
	steps := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
		return step{
			What:  rapid.SampledFrom([]string{"put", "put", "put", "delete", "cut", "forget", "expire", "down", "up"}).Draw(r, "what"),
			Name:  rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "name"),
			After: rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Second, 10 * time.Second}).Draw(r, "after"),
		}
	}), 0, 30)
	rapid.Check(t, func(r *rapid.T) {
		plan := steps.Draw(r, "steps")
		problem := ""
		act(t, func(t *testing.T, g *stage) {
			server := &truth{nodes: map[string]bool{}}
			g.api.onList("nodes", server.list)
			g.api.onWatch("nodes", server.open)
			g.open(t)
			for _, s := range plan {
				server.do(s.What, s.Name)
				if s.After > 0 {
					g.clock.Step(s.After)
					g.settle()
				}
			}
			server.do("up", "")
			for range 5 {
				g.clock.Step(15 * time.Second)
				g.settle()
			}
			problem = server.difference(g.settle())
		})
		if problem != "" {
			r.Fatal(problem)
		}
	})
}
