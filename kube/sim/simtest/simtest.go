// Package simtest builds a whole simulated cluster for tests: API server, machines and controllers on one clock that only
// the test moves. Nothing in it sleeps: a step ends when everything that was due on the way is done and every copy has
// caught up.
package simtest

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	testclock "k8s.io/utils/clock/testing"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/controllers"
	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/simclock"
)

// patience ends a test that waits for something that never comes; it decides nothing else.
const patience = 5 * time.Minute

// Options say what the cluster holds; everything may be zero.
type Options struct {
	// Objects are loaded as they are before anything runs.
	Objects []runtime.Object
	// Profiles of the machines, by node name.
	Profiles map[string]fleet.Profile
	// Register holds nodes that the fleet creates.
	Register []*corev1.Node
	// NoControllers leaves out the scheduler and the controllers.
	NoControllers bool
	// MayFail lets calls of the fleet and the controllers fail, which otherwise fails the test.
	MayFail bool
}

// Cluster is a running simulated cluster.
type Cluster struct {
	t           testing.TB
	ctx         context.Context
	Server      *apiserver.Server
	Client      kubernetes.Interface
	Clock       *testclock.FakeClock
	Fleet       *fleet.Fleet
	Controllers *controllers.Controllers // nil with NoControllers
	parts       []simclock.Part
}

// New starts a cluster that ends with the test. Its clock shows 2026-12-01 12:00:00 UTC.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	c := &Cluster{t: t, ctx: ctx, Clock: testclock.NewFakeClock(time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC))}
	var err error
	c.Server, err = apiserver.New(apiserver.Options{Clock: c.Clock})
	c.must(err)
	t.Cleanup(func() {
		cancel()
		c.Server.Close()
	})
	c.must(c.Server.Load(o.Objects...))
	config := c.Server.Config("admin")
	config.ContentType = runtime.ContentTypeProtobuf
	c.Client, err = kubernetes.NewForConfig(config)
	c.must(err)
	report := func(err error) {
		if !o.MayFail {
			t.Errorf("%s: %v", c.Clock.Now().Format(time.TimeOnly), err)
		}
	}
	c.Fleet = fleet.New(c.Client, fleet.Options{Clock: c.Clock, Seed: 1, Profiles: o.Profiles, Register: o.Register, Report: report})
	c.must(c.Fleet.Start(ctx))
	c.parts = append(c.parts, c.Fleet)
	if !o.NoControllers {
		c.Controllers = controllers.New(c.Client, controllers.Options{Clock: c.Clock, Seed: 1, Report: report})
		c.must(c.Controllers.Start(ctx))
		c.parts = append(c.parts, c.Controllers)
	}
	c.Server.SetKubelets(c.Fleet.Kubelet)
	c.Server.SetPodPorts(c.Fleet.PodPort)
	c.Settle()
	return c
}

// Context ends with the test, or when it takes far too long.
func (c *Cluster) Context() context.Context { return c.ctx }

// Settle lets everything that is due happen.
func (c *Cluster) Settle() {
	c.t.Helper()
	c.must(simclock.Settle(c.ctx, c.parts...))
}

// Advance moves the clock and lets everything happen that falls due on the way.
func (c *Cluster) Advance(d time.Duration) {
	c.t.Helper()
	c.must(simclock.Advance(c.ctx, c.Clock, d, c.parts...))
}

// Until advances second by second until is says yes, and returns how long that took; the test fails after limit.
func (c *Cluster) Until(limit time.Duration, what string, is func() bool) time.Duration {
	c.t.Helper()
	for d := time.Duration(0); ; d += time.Second {
		if is() {
			return d
		}
		if d >= limit {
			c.t.Fatalf("%s: not within %s", what, limit)
		}
		c.Advance(time.Second)
	}
}

// Node reads a node.
func (c *Cluster) Node(name string) *corev1.Node {
	c.t.Helper()
	n, err := c.Client.CoreV1().Nodes().Get(c.ctx, name, metav1.GetOptions{})
	c.must(err)
	return n
}

// Pod reads a pod.
func (c *Cluster) Pod(namespace, name string) *corev1.Pod {
	c.t.Helper()
	p, err := c.Client.CoreV1().Pods(namespace).Get(c.ctx, name, metav1.GetOptions{})
	c.must(err)
	return p
}

// Pods lists the pods of a namespace that have the labels, given as a selector; empty selects all.
func (c *Cluster) Pods(namespace, selector string) []corev1.Pod {
	c.t.Helper()
	l, err := c.Client.CoreV1().Pods(namespace).List(c.ctx, metav1.ListOptions{LabelSelector: selector})
	c.must(err)
	return l.Items
}

// Events lists the events with that reason, of all namespaces.
func (c *Cluster) Events(reason string) []corev1.Event {
	c.t.Helper()
	l, err := c.Client.CoreV1().Events("").List(c.ctx, metav1.ListOptions{FieldSelector: "reason=" + reason})
	c.must(err)
	return l.Items
}

func (c *Cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%s: %v", c.Clock.Now().Format(time.TimeOnly), err)
	}
}
