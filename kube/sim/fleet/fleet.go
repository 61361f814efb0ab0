package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/mullion-tui/mullion/kube/sim/mirror"
)

// Options set up a Fleet. Only what is named here is needed; everything may be zero.
type Options struct {
	// Clock is the fleet's time; nil = the real clock.
	Clock clock.WithTicker
	// Seed decides every random value: container IDs, Linux boot IDs, offsets of heartbeats, unlisted memory figures.
	Seed uint64
	// Profiles by node name; a node that is not listed has the zero Profile.
	Profiles map[string]Profile
	// Register holds nodes that the fleet creates when the cluster does not have them, as a kubelet registers itself. What
	// they leave out (labels, node info, addresses, capacity, conditions) is filled in as a kubelet would.
	Register []*corev1.Node
	// Heartbeat is how often each kubelet renews its lease. 0 = 10 s, the kubelet's default; more than 40 s lets nodes
	// become Unknown, where a node lifecycle controller runs with its defaults.
	Heartbeat time.Duration
	// Report is told of each failed call to the API server, which is tried again. nil: nobody is told.
	Report func(error)
}

const (
	heartbeatDefault = 10 * time.Second
	retryAfter       = 2 * time.Second
	workers          = 8
)

// step is one thing that a machine does; it runs with the machine's lock held. An error is reported and the step repeated.
type step func(ctx context.Context) error

// Fleet plays the machines of one cluster. Give its client a high rate limit (QPS -1): every kubelet writes through it.
//
// It is driven in one of two ways: Run, on a clock that moves by itself; or Start once, and then Settle after each move of
// a clock that a test sets (see simclock.Advance).
type Fleet struct {
	client kubernetes.Interface
	o      Options
	clock  clock.WithTicker
	nodes  *mirror.Mirror[*corev1.Node]
	pods   *mirror.Mirror[*corev1.Pod]
	wake   chan struct{} // capacity 1: something is due or has changed

	playing chan struct{} // closed when Run has taken over every machine that was there

	mu       sync.Mutex
	agenda   agenda
	machines map[string]*machine
	present  map[string]bool            // the Nodes that the cluster has
	byNode   map[string]map[podKey]bool // the pods bound to each
	dirty    dirt
	mirrors  sync.WaitGroup
}

// New makes a fleet; nothing happens before Run or Start.
func New(client kubernetes.Interface, o Options) *Fleet {
	f := &Fleet{client: client, o: o, clock: o.Clock, wake: make(chan struct{}, 1), playing: make(chan struct{}),
		machines: map[string]*machine{}, present: map[string]bool{}, byNode: map[string]map[podKey]bool{}, dirty: newDirt()}
	if f.clock == nil {
		f.clock = clock.RealClock{}
	}
	if f.o.Heartbeat <= 0 {
		f.o.Heartbeat = heartbeatDefault
	}
	f.nodes = mirror.New[*corev1.Node, *corev1.NodeList](client, "nodes", client.CoreV1().Nodes(), f.noteNode, f.report)
	f.pods = mirror.New[*corev1.Pod, *corev1.PodList](client, "pods", client.CoreV1().Pods(""), f.notePod, f.report)
	return f
}

// Start registers the nodes of the Options and follows the cluster until ctx ends. It returns when nodes and pods are
// known, with ctx's error, or when a node could not be registered.
func (f *Fleet) Start(ctx context.Context) error {
	if err := f.register(ctx); err != nil {
		return err
	}
	f.mirrors.Go(func() { f.nodes.Run(ctx) })
	f.mirrors.Go(func() { f.pods.Run(ctx) })
	if err := f.nodes.WaitForSync(ctx); err != nil {
		return err
	}
	return f.pods.WaitForSync(ctx)
}

// Run starts the fleet and plays it until ctx ends; then it returns nil, after all its goroutines have ended.
func (f *Fleet) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer f.mirrors.Wait()
	defer cancel()
	if err := f.Start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	return f.loop(ctx)
}

// Playing is closed once Run has taken over every machine that was there at its start: from then on their kubelets answer.
func (f *Fleet) Playing() <-chan struct{} { return f.playing }

// Settle does everything that is due now, waits until the fleet's copies have caught up with the server, and repeats this
// until nothing is left to do. It returns how many things it did; renewing a lease is none. It must not run beside Run.
func (f *Fleet) Settle(ctx context.Context) (int, error) {
	done := 0
	for {
		if err := errors.Join(f.nodes.CatchUp(ctx), f.pods.CatchUp(ctx)); err != nil {
			return done, err
		}
		n := 0
		for t, ok := f.take(); ok; t, ok = f.take() {
			if f.perform(ctx, t) {
				n++
			}
		}
		if n == 0 {
			return done, ctx.Err()
		}
		done += n
	}
}

// Next is the time of the fleet's next task; false when it only waits for the cluster.
func (f *Fleet) Next() (time.Time, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.agenda.next()
}

// Reboot restarts a machine in an orderly way: its containers stop, it is away for its Profile's BootTime (and SlowBoot),
// and comes back with a new boot ID. A machine that is off is switched on. It returns an error if the fleet has no such node.
func (f *Fleet) Reboot(node string) error {
	m, err := f.machine(node)
	if err != nil {
		return fmt.Errorf("reboot: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reboot()
	return nil
}

// PowerOff cuts a machine's power, and switches it on again after off; 0 or less leaves it off until Reboot. What ran on it
// is not cleaned up: see the package comment. It returns an error if the fleet has no such node.
func (f *Fleet) PowerOff(node string, off time.Duration) error {
	m, err := f.machine(node)
	if err != nil {
		return fmt.Errorf("power off: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.powerOff(off)
	return nil
}

func (f *Fleet) machine(node string) (*machine, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.machines[node]
	if !ok {
		return nil, fmt.Errorf("the fleet has no node %q (it knows %d)", node, len(f.machines))
	}
	return m, nil
}

func (f *Fleet) report(err error) {
	if f.o.Report != nil {
		f.o.Report(err)
	}
}
