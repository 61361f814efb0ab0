package model

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Workload is a DaemonSet, ReplicaSet, Deployment, StatefulSet or Job.
type Workload struct {
	Kind      Kind
	Namespace string
	Name      string
	UID       string
	Owner     Owner // a ReplicaSet's Deployment, a Job's CronJob
	Desired   int   // replicas, completions, or nodes for a DaemonSet
	Ready     int
	Created   time.Time // UTC
	Template  *Pod      // the pod that it would make, without node and status; nil where something else controls it
}

// Key implements Object.
func (w *Workload) Key() Key { return Key{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name} }

// RuntimeClass is a node.k8s.io RuntimeClass.
type RuntimeClass struct {
	Name         string
	UID          string
	Handler      string
	NodeSelector map[string]string // scheduling.nodeSelector; empty selects every node
	Tolerations  []corev1.Toleration
	Overhead     Resources // overhead.podFixed
	Created      time.Time // UTC
}

// Key implements Object.
func (r *RuntimeClass) Key() Key { return Key{Kind: KindRuntimeClass, Name: r.Name} }

// Selects reports whether the class's selector admits the node. A class without
// scheduling says nothing about nodes, so it selects none in particular.
func (r *RuntimeClass) Selects(n *Node) bool {
	if len(r.NodeSelector) == 0 {
		return false
	}
	for k, v := range r.NodeSelector {
		if got, ok := n.Labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// Budget is a PodDisruptionBudget.
type Budget struct {
	Namespace          string
	Name               string
	UID                string
	MinAvailable       string // as written: a number, a percentage, or empty
	MaxUnavailable     string
	DisruptionsAllowed int
	CurrentHealthy     int
	DesiredHealthy     int
	ExpectedPods       int
	Selector           *metav1.LabelSelector // nil selects nothing, an empty one every pod of the namespace
	AlwaysEvictSick    bool                  // unhealthyPodEvictionPolicy AlwaysAllow
	Stale              bool                  // status.observedGeneration is behind metadata.generation
}

// Key implements Object.
func (b *Budget) Key() Key { return Key{Kind: KindBudget, Namespace: b.Namespace, Name: b.Name} }

// CSINode is the list of CSI drivers that a node has registered.
type CSINode struct {
	Name    string   // the node's name
	Drivers []string // sorted
}

// Key implements Object.
func (c *CSINode) Key() Key { return Key{Kind: KindCSINode, Name: c.Name} }

// Lease is a node's heartbeat in kube-node-lease.
type Lease struct {
	Node    string
	Renewed time.Time // UTC
}

// Key implements Object.
func (l *Lease) Key() Key { return Key{Kind: KindLease, Namespace: "kube-node-lease", Name: l.Node} }
