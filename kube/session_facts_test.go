package kube

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mullion-tui/mullion/model"
)

func TestServerFacts(t *testing.T) {
	act(t, func(t *testing.T, g *stage) {
		g.api.onList("version", fails(apierrors.NewServiceUnavailable("starting")))
		g.api.onList("selfsubjectreviews", answers(201, map[string]any{"status": map[string]any{"userInfo": map[string]string{"username": "viewer"}}}))
		g.open(t)
		got := g.settle().Server
		if want := (model.ServerFacts{User: "viewer", Error: "server version unknown: the API server is not available (503 Service Unavailable)"}); got != want {
			t.Fatalf("facts %+v, want %+v", got, want)
		}
		g.api.onList("version", nil)
		g.clock.Step(time.Second)
		if got, want := g.settle().Server, (model.ServerFacts{User: "viewer", Version: "v1.37.2"}); got != want {
			t.Fatalf("facts %+v, want %+v", got, want)
		}
		g.api.onList("version", answers(200, map[string]string{"gitVersion": "v1.38.0"}))
		g.clock.Step(factsEvery)
		if got := g.settle().Server.Version; got != "v1.38.0" {
			t.Errorf("after an upgrade the version is %s", got)
		}
	})
}
