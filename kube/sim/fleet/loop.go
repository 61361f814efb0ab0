package fleet

import (
	"context"
	"hash/fnv"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
)

type podKey struct{ namespace, name string }

// dirt is what has changed in the cluster and was not looked at yet, in the order in which it came.
type dirt struct {
	nodes   []string
	pods    []podKey
	hasNode map[string]bool
	hasPod  map[podKey]map[string]bool // the nodes that the pod is or was bound to
}

func newDirt() dirt {
	return dirt{hasNode: map[string]bool{}, hasPod: map[podKey]map[string]bool{}}
}

func (f *Fleet) noteNode(old, now *corev1.Node) {
	f.mu.Lock()
	var name string
	if now != nil {
		name = now.Name
		f.present[name] = true
	} else {
		name = old.Name
		delete(f.present, name)
	}
	if !f.dirty.hasNode[name] {
		f.dirty.hasNode[name] = true
		f.dirty.nodes = append(f.dirty.nodes, name)
	}
	f.mu.Unlock()
	f.nudge()
}

func (f *Fleet) notePod(old, now *corev1.Pod) {
	f.mu.Lock()
	if old != nil && old.Spec.NodeName != "" {
		f.forgetPod(old)
	}
	if now != nil && now.Spec.NodeName != "" {
		f.rememberPod(now)
	}
	f.mu.Unlock()
	f.nudge()
}

func (f *Fleet) rememberPod(p *corev1.Pod) {
	k := podKey{p.Namespace, p.Name}
	on := f.byNode[p.Spec.NodeName]
	if on == nil {
		on = map[podKey]bool{}
		f.byNode[p.Spec.NodeName] = on
	}
	on[k] = true
	f.markPod(k, p.Spec.NodeName)
}

func (f *Fleet) forgetPod(p *corev1.Pod) {
	k := podKey{p.Namespace, p.Name}
	delete(f.byNode[p.Spec.NodeName], k)
	f.markPod(k, p.Spec.NodeName)
}

func (f *Fleet) markPod(k podKey, node string) {
	on := f.dirty.hasPod[k]
	if on == nil {
		on = map[string]bool{}
		f.dirty.hasPod[k] = on
		f.dirty.pods = append(f.dirty.pods, k)
	}
	on[node] = true
}

// podsOf lists the pods bound to a node, sorted; f.mu must be held.
func (f *Fleet) podsOf(node string) []podKey {
	keys := make([]podKey, 0, len(f.byNode[node]))
	for k := range f.byNode[node] {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return a.namespace < b.namespace || a.namespace == b.namespace && a.name < b.name
	})
	return keys
}

func (f *Fleet) nudge() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// at plans a step for a machine.
func (f *Fleet) at(t time.Time, m *machine, do step) {
	f.mu.Lock()
	f.agenda.add(t, m, do)
	f.mu.Unlock()
	f.nudge()
}

// take moves what has changed to the agenda, and returns its earliest task that is due.
func (f *Fleet) take() (task, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.Now()
	for _, name := range f.dirty.nodes {
		f.nodeChanged(now, name)
	}
	for _, k := range f.dirty.pods {
		for _, node := range sortedKeys(f.dirty.hasPod[k]) {
			if m := f.machines[node]; m != nil {
				f.agenda.add(now, m, func(ctx context.Context) error { return m.syncPod(ctx, k) })
			}
		}
	}
	if len(f.dirty.nodes)+len(f.dirty.pods) > 0 {
		f.dirty = newDirt()
	}
	return f.agenda.due(now)
}

// nodeChanged lets a machine look at its Node, makes the machine when the Node is new, and scraps it when the Node is gone.
// f.mu must be held.
func (f *Fleet) nodeChanged(now time.Time, name string) {
	m := f.machines[name]
	if !f.present[name] {
		if m != nil {
			delete(f.machines, name)
			f.agenda.add(now, m, m.scrap)
		}
		return
	}
	if m != nil {
		f.agenda.add(now, m, m.syncNode)
		return
	}
	m = newMachine(f, name)
	f.machines[name] = m
	f.agenda.add(now, m, m.syncNode)
	for _, k := range f.podsOf(name) {
		f.agenda.add(now, m, func(ctx context.Context) error { return m.syncPod(ctx, k) })
	}
}

// perform says whether the task may have changed anything that concerns others: a renewed lease alone does not.
func (f *Fleet) perform(ctx context.Context, t task) bool {
	t.m.mu.Lock()
	t.m.quiet = false
	err := t.do(ctx)
	quiet := t.m.quiet
	t.m.mu.Unlock()
	if err != nil && ctx.Err() == nil {
		f.report(err)
		f.at(f.clock.Now().Add(retryAfter), t.m, t.do)
	}
	return !quiet
}

// loop hands each task to the worker of its machine, so that one machine's tasks keep their order and a slow call of one
// does not hold up all others.
func (f *Fleet) loop(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	queues := make([]chan task, workers)
	for i := range queues {
		queues[i] = make(chan task, 64)
		wg.Go(func() {
			for t := range queues[i] {
				f.perform(ctx, t)
			}
		})
		defer close(queues[i])
	}
	for first := true; ; first = false {
		for t, ok := f.take(); ok && ctx.Err() == nil; t, ok = f.take() {
			select {
			case queues[shard(t.m.name)] <- t:
			case <-ctx.Done():
			}
		}
		if first {
			f.announce(queues)
		}
		if !f.rest(ctx) {
			return nil
		}
	}
}

// announce closes playing once every worker has done what was due at the start.
func (f *Fleet) announce(queues []chan task) {
	var left atomic.Int32
	left.Store(int32(len(queues)))
	for _, q := range queues {
		q <- task{m: newMachine(f, ""), do: func(context.Context) error {
			if left.Add(-1) == 0 {
				close(f.playing)
			}
			return nil
		}}
	}
}

// rest waits for the next task or change; false when ctx has ended.
func (f *Fleet) rest(ctx context.Context) bool {
	var due <-chan time.Time
	if at, ok := f.Next(); ok {
		t := f.clock.NewTimer(at.Sub(f.clock.Now()))
		defer t.Stop()
		due = t.C()
	}
	select {
	case <-f.wake:
	case <-due:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

func shard(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % workers)
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
