package controllers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/mullion-tui/mullion/kube/sim/mirror"
)

// Options set up the controllers; everything may be zero.
type Options struct {
	// Clock is the controllers' time; nil = the real clock.
	Clock clock.WithTicker
	// Seed decides the random part of pod names.
	Seed uint64
	// GracePeriod is how old a node's lease may become before the node's Ready condition turns Unknown. 0 = 50 s, the
	// controller manager's default.
	GracePeriod time.Duration
	// Report is told of each failed call to the API server, which is tried again. nil: nobody is told.
	Report func(error)
}

const (
	graceDefault = 50 * time.Second
	retryFirst   = time.Second // doubled with each failure in a row
	retryAtMost  = 2 * time.Minute
)

// Controllers are all controllers of one cluster and its scheduler. They are driven like a fleet: by Run, or by Start once
// and Settle after each move of a test's clock.
type Controllers struct {
	client kubernetes.Interface
	o      Options
	clock  clock.WithTicker
	rng    *rand.Rand

	nodes        *mirror.Mirror[*corev1.Node]
	pods         *mirror.Mirror[*corev1.Pod]
	leases       *mirror.Mirror[*coordinationv1.Lease]
	deployments  *mirror.Mirror[*appsv1.Deployment]
	replicaSets  *mirror.Mirror[*appsv1.ReplicaSet]
	daemonSets   *mirror.Mirror[*appsv1.DaemonSet]
	statefulSets *mirror.Mirror[*appsv1.StatefulSet]
	jobs         *mirror.Mirror[*batchv1.Job]
	budgets      *mirror.Mirror[*policyv1.PodDisruptionBudget]
	copies       []copyOf

	sync  map[string]func(ctx context.Context, k key) error
	queue *queue
	index *index
	// The three below belong to the one worker.
	awaited  awaited
	beats    map[string]beat
	failures map[key]int // in a row
	group    sync.WaitGroup
}

// copyOf is what the controllers do with every copy, whatever it holds.
type copyOf interface {
	Run(ctx context.Context)
	WaitForSync(ctx context.Context) error
	CatchUp(ctx context.Context) error
}

// New makes the controllers; nothing happens before Run or Start.
func New(client kubernetes.Interface, o Options) *Controllers {
	c := &Controllers{client: client, o: o, clock: o.Clock, rng: rand.New(rand.NewPCG(o.Seed, 0x636f6e74726f6c)),
		queue: newQueue(), index: newIndex(), awaited: newAwaited(), beats: map[string]beat{}, failures: map[key]int{}}
	if c.clock == nil {
		c.clock = clock.RealClock{}
	}
	if c.o.GracePeriod <= 0 {
		c.o.GracePeriod = graceDefault
	}
	c.watch()
	c.sync = map[string]func(context.Context, key) error{
		kindPod: c.schedule, kindReplicaSet: c.syncReplicaSet, kindDeployment: c.syncDeployment, kindDaemonSet: c.syncDaemonSet,
		kindStatefulSet: c.syncStatefulSet, kindJob: c.syncJob, kindBudget: c.syncBudget,
		kindHealth: c.checkHealth, kindTaints: c.syncTaints, kindEvict: c.evictTainted, kindGarbage: c.collect,
	}
	return c
}

// Run is New and Controllers.Run in one call.
func Run(ctx context.Context, client kubernetes.Interface, o Options) error {
	return New(client, o).Run(ctx)
}

// Start follows the cluster until ctx ends. It returns when every collection is known, or with ctx's error.
func (c *Controllers) Start(ctx context.Context) error {
	for _, m := range c.copies {
		c.group.Go(func() { m.Run(ctx) })
	}
	for _, m := range c.copies {
		if err := m.WaitForSync(ctx); err != nil {
			return err
		}
	}
	c.queue.add(key{kind: kindHealth})
	return nil
}

// Run works until ctx ends; then it returns nil, after all its goroutines have ended.
func (c *Controllers) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer c.group.Wait()
	defer cancel()
	if err := c.Start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("start the controllers: %w", err)
	}
	for ctx.Err() == nil {
		for k, ok := c.queue.take(c.clock.Now()); ok && ctx.Err() == nil; k, ok = c.queue.take(c.clock.Now()) {
			c.work(ctx, k)
		}
		c.rest(ctx)
	}
	return nil
}

func (c *Controllers) rest(ctx context.Context) {
	var due <-chan time.Time
	if at, ok := c.queue.next(); ok {
		t := c.clock.NewTimer(at.Sub(c.clock.Now()))
		defer t.Stop()
		due = t.C()
	}
	select {
	case <-c.queue.wake:
	case <-due:
	case <-ctx.Done():
	}
}

// Settle does everything that is due now, waits until the copies have caught up with the server, and repeats this until
// nothing is left to do. It returns how many items it worked on. It must not run beside Run.
func (c *Controllers) Settle(ctx context.Context) (int, error) {
	done := 0
	for {
		for _, m := range c.copies {
			if err := m.CatchUp(ctx); err != nil {
				return done, err
			}
		}
		n := 0
		for k, ok := c.queue.take(c.clock.Now()); ok; k, ok = c.queue.take(c.clock.Now()) {
			c.work(ctx, k)
			n++
		}
		if n == 0 {
			return done, ctx.Err()
		}
		done += n
	}
}

// Next is when the controllers have something to do next; false when they only wait for changes.
func (c *Controllers) Next() (time.Time, bool) { return c.queue.next() }

// work looks at one item. A conflict is no failure: the copy was behind, and the item is looked at again.
func (c *Controllers) work(ctx context.Context, k key) {
	err := c.sync[k.kind](ctx, k)
	if err == nil || ctx.Err() != nil {
		delete(c.failures, k)
		return
	}
	wait := retryFirst
	if !conflict(err) {
		wait = min(retryFirst<<min(c.failures[k], 10), retryAtMost)
		c.failures[k]++
		if c.o.Report != nil {
			c.o.Report(fmt.Errorf("controllers: %s %s: %w", k.kind, mirror.Key(k.namespace, k.name), err))
		}
	}
	c.queue.addAt(k, c.clock.Now().Add(wait))
}

func conflict(err error) bool {
	var s apierrors.APIStatus
	return errors.As(err, &s) && apierrors.IsConflict(err)
}

// after has an item looked at again later; an earlier plan for it stays.
func (c *Controllers) after(d time.Duration, k key) { c.queue.addAt(k, c.clock.Now().Add(d)) }
