package controllers

import (
	"sort"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// index answers what the controllers ask most without going through whole collections. The copies feed it, each change
// before anyone can read it from the copy.
type index struct {
	mu         sync.Mutex
	byOwner    map[types.UID]map[key]*corev1.Pod
	byNode     map[string]map[key]*corev1.Pod
	bySpace    map[string]map[key]*corev1.Pod
	waiting    map[key]bool // pods without a node
	sets       map[types.UID]map[key]*appsv1.ReplicaSet
	budgets    map[string]map[string]bool
	nodes      map[string]bool
	daemonSets map[key]bool
	used       map[string]*load     // nil: to be summed up again
	assumed    map[types.UID]string // the node that a pod was bound to, until the copy shows it
}

func newIndex() *index {
	return &index{byOwner: map[types.UID]map[key]*corev1.Pod{}, byNode: map[string]map[key]*corev1.Pod{},
		bySpace: map[string]map[key]*corev1.Pod{}, waiting: map[key]bool{}, sets: map[types.UID]map[key]*appsv1.ReplicaSet{},
		budgets: map[string]map[string]bool{}, nodes: map[string]bool{}, daemonSets: map[key]bool{}, used: map[string]*load{}, assumed: map[types.UID]string{}}
}

func put[K comparable, V any](m map[K]map[key]V, at K, k key, v V) {
	if m[at] == nil {
		m[at] = map[key]V{}
	}
	m[at][k] = v
}

func drop[K comparable, V any](m map[K]map[key]V, at K, k key) {
	delete(m[at], k)
	if len(m[at]) == 0 {
		delete(m, at)
	}
}

func (x *index) pod(old, now *corev1.Pod) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if old != nil {
		k := key{kindPod, old.Namespace, old.Name}
		if ref := metav1.GetControllerOfNoCopy(old); ref != nil {
			drop(x.byOwner, ref.UID, k)
		}
		drop(x.byNode, old.Spec.NodeName, k)
		drop(x.bySpace, old.Namespace, k)
		delete(x.waiting, k)
		delete(x.used, old.Spec.NodeName)
		if node, ok := x.assumed[old.UID]; ok && (now == nil || now.Spec.NodeName != "") {
			delete(x.assumed, old.UID)
			delete(x.used, node)
			drop(x.byNode, node, k)
		}
	}
	if now == nil {
		return
	}
	k := key{kindPod, now.Namespace, now.Name}
	if ref := metav1.GetControllerOfNoCopy(now); ref != nil {
		put(x.byOwner, ref.UID, k, now)
	}
	put(x.bySpace, now.Namespace, k, now)
	if now.Spec.NodeName == "" {
		if active(now) {
			x.waiting[k] = true
		}
		return
	}
	put(x.byNode, now.Spec.NodeName, k, now)
	delete(x.used, now.Spec.NodeName)
}

// assume puts a pod that was just bound on its node before the copy shows it there.
func (x *index) assume(p *corev1.Pod, node string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	k := key{kindPod, p.Namespace, p.Name}
	if !x.waiting[k] {
		return // the copy was quicker
	}
	put(x.byNode, node, k, p)
	delete(x.used, node)
	x.assumed[p.UID] = node
}

// assumedOn is the node that a pod was bound to without the copy showing it; empty: none.
func (x *index) assumedOn(pod types.UID) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.assumed[pod]
}

func (x *index) replicaSet(old, now *appsv1.ReplicaSet) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if old != nil {
		if ref := metav1.GetControllerOfNoCopy(old); ref != nil {
			drop(x.sets, ref.UID, key{kindReplicaSet, old.Namespace, old.Name})
		}
	}
	if now != nil {
		if ref := metav1.GetControllerOfNoCopy(now); ref != nil {
			put(x.sets, ref.UID, key{kindReplicaSet, now.Namespace, now.Name}, now)
		}
	}
}

func (x *index) budget(b metav1.Object, there bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !there {
		delete(x.budgets[b.GetNamespace()], b.GetName())
		return
	}
	if x.budgets[b.GetNamespace()] == nil {
		x.budgets[b.GetNamespace()] = map[string]bool{}
	}
	x.budgets[b.GetNamespace()][b.GetName()] = true
}

func (x *index) node(name string, there bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if there {
		x.nodes[name] = true
	} else {
		delete(x.nodes, name)
	}
}

func (x *index) daemonSet(k key, there bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if there {
		x.daemonSets[k] = true
	} else {
		delete(x.daemonSets, k)
	}
}

func (x *index) hasNode(name string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.nodes[name]
}

func (x *index) budgetsOf(namespace string) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	names := make([]string, 0, len(x.budgets[namespace]))
	for n := range x.budgets[namespace] {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func (x *index) daemonSetKeys() []key {
	x.mu.Lock()
	defer x.mu.Unlock()
	return sortedKeys(x.daemonSets)
}

func (x *index) waitingPods() []key {
	x.mu.Lock()
	defer x.mu.Unlock()
	return sortedKeys(x.waiting)
}

func (x *index) podsOfOwner(uid types.UID) []*corev1.Pod {
	x.mu.Lock()
	defer x.mu.Unlock()
	return sortedValues(x.byOwner[uid])
}

func (x *index) podsOfNode(name string) []*corev1.Pod {
	x.mu.Lock()
	defer x.mu.Unlock()
	return sortedValues(x.byNode[name])
}

func (x *index) podsOfNamespace(name string) []*corev1.Pod {
	x.mu.Lock()
	defer x.mu.Unlock()
	return sortedValues(x.bySpace[name])
}

func (x *index) replicaSetsOf(uid types.UID) []*appsv1.ReplicaSet {
	x.mu.Lock()
	defer x.mu.Unlock()
	return sortedValues(x.sets[uid])
}

func sortedKeys[V any](m map[key]V) []key {
	keys := make([]key, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return a.namespace < b.namespace || a.namespace == b.namespace && a.name < b.name
	})
	return keys
}

func sortedValues[V any](m map[key]V) []V {
	out := make([]V, 0, len(m))
	for _, k := range sortedKeys(m) {
		out = append(out, m[k])
	}
	return out
}
