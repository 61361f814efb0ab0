package controllers

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/mirror"
)

// watch names the collections and what a change in each of them means.
func (c *Controllers) watch() {
	cl := c.client
	c.nodes = follow[*corev1.Node, *corev1.NodeList](c, "nodes", cl.CoreV1().Nodes(), c.noteNode)
	c.pods = follow[*corev1.Pod, *corev1.PodList](c, "pods", cl.CoreV1().Pods(""), c.notePod)
	c.leases = follow[*coordinationv1.Lease, *coordinationv1.LeaseList](c, "leases", cl.CoordinationV1().Leases(corev1.NamespaceNodeLease), nil)
	c.deployments = follow[*appsv1.Deployment, *appsv1.DeploymentList](c, "deployments", cl.AppsV1().Deployments(""),
		func(old, now *appsv1.Deployment) { noteOwner(c, kindDeployment, old, now) })
	c.replicaSets = follow[*appsv1.ReplicaSet, *appsv1.ReplicaSetList](c, "replicasets", cl.AppsV1().ReplicaSets(""),
		func(old, now *appsv1.ReplicaSet) {
			noteOwner(c, kindReplicaSet, old, now)
			c.noteOwnerOf(either(old, now))
			c.index.replicaSet(old, now)
		})
	c.daemonSets = follow[*appsv1.DaemonSet, *appsv1.DaemonSetList](c, "daemonsets", cl.AppsV1().DaemonSets(""),
		func(old, now *appsv1.DaemonSet) {
			d := either(old, now)
			c.index.daemonSet(key{kindDaemonSet, d.Namespace, d.Name}, now != nil)
			noteOwner(c, kindDaemonSet, old, now)
		})
	c.statefulSets = follow[*appsv1.StatefulSet, *appsv1.StatefulSetList](c, "statefulsets", cl.AppsV1().StatefulSets(""),
		func(old, now *appsv1.StatefulSet) { noteOwner(c, kindStatefulSet, old, now) })
	c.jobs = follow[*batchv1.Job, *batchv1.JobList](c, "jobs", cl.BatchV1().Jobs(""),
		func(old, now *batchv1.Job) { noteOwner(c, kindJob, old, now) })
	c.budgets = follow[*policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudgetList](c, "poddisruptionbudgets",
		cl.PolicyV1().PodDisruptionBudgets(""), c.noteBudget)
}

func follow[T mirror.Object, L runtime.Object](c *Controllers, name string, src mirror.Source[L], note func(old, now T)) *mirror.Mirror[T] {
	m := mirror.New[T, L](c.client, name, src, note, c.o.Report)
	c.copies = append(c.copies, m)
	return m
}

func noteOwner[T mirror.Object](c *Controllers, kind string, old, now T) {
	o := either(old, now)
	c.queue.add(key{kind, o.GetNamespace(), o.GetName()})
	var none T
	if now == none {
		c.queue.add(key{kind: kindGarbage, name: string(old.GetUID())})
	}
}

func either[T mirror.Object](old, now T) T {
	var none T
	if now != none {
		return now
	}
	return old
}

// noteOwnerOf has the controller of an object look at it.
func (c *Controllers) noteOwnerOf(o metav1.Object) {
	ref := metav1.GetControllerOfNoCopy(o)
	if ref == nil {
		return
	}
	switch ref.Kind {
	case kindReplicaSet, kindDeployment, kindDaemonSet, kindStatefulSet, kindJob:
		c.queue.add(key{ref.Kind, o.GetNamespace(), ref.Name})
	}
}

func (c *Controllers) notePod(old, now *corev1.Pod) {
	c.index.pod(old, now)
	p := either(old, now)
	c.noteOwnerOf(p)
	for _, name := range c.index.budgetsOf(p.Namespace) {
		c.queue.add(key{kindBudget, p.Namespace, name})
	}
	switch {
	case now == nil || finished(now) || now.DeletionTimestamp != nil:
		c.roomMade()
	case now.Spec.NodeName == "":
		c.queue.add(key{kindPod, now.Namespace, now.Name})
	case old == nil || old.Spec.NodeName != now.Spec.NodeName:
		if !c.index.hasNode(now.Spec.NodeName) {
			c.queue.add(key{kind: kindGarbage, name: nodePrefix + now.Spec.NodeName})
		}
		c.queue.add(key{kind: kindEvict, name: now.Spec.NodeName})
	}
}

func (c *Controllers) noteBudget(old, now *policyv1.PodDisruptionBudget) {
	b := either(old, now)
	c.index.budget(b, now != nil)
	c.queue.add(key{kindBudget, b.Namespace, b.Name})
}

// noteNode keeps quiet about a kubelet's routine reports: only what placement depends on concerns the others.
func (c *Controllers) noteNode(old, now *corev1.Node) {
	n := either(old, now)
	c.index.node(n.Name, now != nil)
	if now == nil {
		c.queue.add(key{kind: kindGarbage, name: nodePrefix + n.Name})
	} else {
		c.queue.add(key{kind: kindTaints, name: n.Name})
	}
	if old != nil && now != nil && samePlacement(old, now) {
		return
	}
	c.queue.add(key{kind: kindEvict, name: n.Name})
	c.queue.add(key{kind: kindHealth})
	for _, k := range c.index.daemonSetKeys() {
		c.queue.add(k)
	}
	c.roomMade()
}

func samePlacement(a, b *corev1.Node) bool {
	return a.Spec.Unschedulable == b.Spec.Unschedulable && maps.Equal(a.Labels, b.Labels) &&
		equality.Semantic.DeepEqual(a.Spec.Taints, b.Spec.Taints) &&
		equality.Semantic.DeepEqual(a.Status.Allocatable, b.Status.Allocatable)
}

// roomMade has every pod without a node looked at again.
func (c *Controllers) roomMade() {
	for _, k := range c.index.waitingPods() {
		c.queue.add(k)
	}
}

func held(o metav1.Object) bool { return o.GetAnnotations()[fleet.Hold] == "true" }

func finished(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

func active(p *corev1.Pod) bool { return !finished(p) && p.DeletionTimestamp == nil }

func ready(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
