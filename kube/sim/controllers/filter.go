package controllers

import (
	"sort"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// The scheduler's words for why a node does not fit (pkg/scheduler/framework/plugins, read at v1.37.2).
const (
	whyUnschedulable = "node(s) were unschedulable"
	whyTaint         = "node(s) had untolerated taint(s)"
	whyAffinity      = "node(s) didn't match Pod's node affinity/selector"
	whyAntiAffinity  = "node(s) didn't match pod anti-affinity rules"
	whyTooMany       = "Too many pods"
)

// load is what the pods of one node take.
type load struct {
	pods     []*corev1.Pod
	requests corev1.ResourceList
	owners   map[types.UID]int
}

func (l *load) add(p *corev1.Pod) {
	l.pods = append(l.pods, p)
	l.owners[ownerOf(p)]++
	for name, q := range requestsOf(p) {
		sum := l.requests[name]
		sum.Add(q)
		l.requests[name] = sum
	}
}

func requestsOf(p *corev1.Pod) corev1.ResourceList {
	return resource.PodRequests(p, resource.PodResourcesOptions{})
}

func ownerOf(p *corev1.Pod) types.UID {
	if ref := metav1.GetControllerOfNoCopy(p); ref != nil {
		return ref.UID
	}
	return ""
}

// loadOf sums up a node's pods; finished ones take nothing.
func (x *index) loadOf(node string) *load {
	x.mu.Lock()
	defer x.mu.Unlock()
	if l := x.used[node]; l != nil {
		return l
	}
	l := &load{requests: corev1.ResourceList{}, owners: map[types.UID]int{}}
	for _, p := range sortedValues(x.byNode[node]) {
		if !finished(p) {
			l.add(p)
		}
	}
	x.used[node] = l
	return l
}

// filterFor is what a pod asks of a node, worked out once for all nodes.
type filterFor struct {
	pod      *corev1.Pod
	affinity nodeaffinity.RequiredNodeAffinity
	requests corev1.ResourceList
	anti     []antiTerm
}

type antiTerm struct {
	selector labels.Selector
	topology string
}

func newFilterFor(p *corev1.Pod) filterFor {
	f := filterFor{pod: p, affinity: nodeaffinity.GetRequiredNodeAffinity(p), requests: requestsOf(p)}
	if p.Spec.Affinity == nil || p.Spec.Affinity.PodAntiAffinity == nil {
		return f
	}
	for _, t := range p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		if s, err := metav1.LabelSelectorAsSelector(t.LabelSelector); err == nil {
			f.anti = append(f.anti, antiTerm{s, t.TopologyKey})
		}
	}
	return f
}

// refusal is why a node does not fit; no reasons: it does. hopeless: not even an empty node would do.
type refusal struct {
	reasons  []string
	hopeless bool
}

// refuses stops at the first filter that fails, like the scheduler, and names every resource that is short.
func (f filterFor) refuses(n *corev1.Node, l *load, c *Controllers) refusal {
	tolerations := f.pod.Spec.Tolerations
	if n.Spec.Unschedulable {
		t := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
		if _, hurts := untolerated([]corev1.Taint{t}, tolerations, t.Effect); hurts {
			return refusal{[]string{whyUnschedulable}, true}
		}
	}
	if _, hurts := untolerated(n.Spec.Taints, tolerations, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute); hurts {
		return refusal{[]string{whyTaint}, true}
	}
	if match, err := f.affinity.Match(n); err != nil || !match {
		return refusal{[]string{whyAffinity}, true}
	}
	if short := f.short(n, l); len(short.reasons) > 0 {
		return short
	}
	for _, t := range f.anti {
		if c.crowded(f.pod, t, n) {
			return refusal{reasons: []string{whyAntiAffinity}}
		}
	}
	return refusal{}
}

func (f filterFor) short(n *corev1.Node, l *load) refusal {
	out := refusal{}
	if limit := n.Status.Allocatable.Pods().Value(); int64(len(l.pods)) >= limit {
		out.reasons = append(out.reasons, whyTooMany)
	}
	names := make([]string, 0, len(f.requests))
	for name := range f.requests {
		names = append(names, string(name))
	}
	sort.Strings(names)
	for _, name := range names {
		want, all := f.requests[corev1.ResourceName(name)], n.Status.Allocatable[corev1.ResourceName(name)]
		if want.IsZero() {
			continue
		}
		free := all.DeepCopy()
		free.Sub(l.requests[corev1.ResourceName(name)])
		if free.Cmp(want) < 0 {
			out.reasons = append(out.reasons, "Insufficient "+name)
			out.hopeless = out.hopeless || all.Cmp(want) < 0
		}
	}
	return out
}

// crowded says whether a pod that the term keeps off runs in the node's part of the topology.
func (c *Controllers) crowded(p *corev1.Pod, t antiTerm, n *corev1.Node) bool {
	here, ok := n.Labels[t.topology]
	if !ok {
		return false
	}
	for _, other := range c.index.podsOfNamespace(p.Namespace) {
		if other.UID == p.UID || finished(other) || !t.selector.Matches(labels.Set(other.Labels)) {
			continue
		}
		node := other.Spec.NodeName
		if node == "" {
			node = c.index.assumedOn(other.UID)
		}
		if on, ok := c.nodes.Get("", node); ok && on.Labels[t.topology] == here {
			return true
		}
	}
	return false
}
