package model

import (
	"sort"
	"time"
)

// NodeView is a node with everything that hangs on it. It is never written after
// it was handed out: a change makes a new one with a higher Version.
type NodeView struct {
	*Node
	Pods      []*Pod    // by namespace and name
	Running   int       // pods that are not finished: what counts against MaxPods
	Requests  Resources // of the pods that are not finished
	Limits    Resources
	Unlimited int      // containers of those pods without a memory limit
	Classes   []string // RuntimeClasses whose selector admits the node, sorted
	Drivers   []string // CSI drivers; nil when CSIKnown is false
	CSIKnown  bool
	LeaseTime time.Time // last heartbeat, UTC; zero is unknown
	Usage     *Usage    // measured memory; nil while nobody has asked
	History   []Sample  // of the node's memory in the last half hour, oldest first
	Version   uint64

	HighContainers int // containers that use WarnRatio of their memory limit or more
}

// Snapshot is a cluster at one moment. It is immutable and cheap to take: what
// did not change is shared with the one before.
type Snapshot struct {
	Serial uint64    // grows with every snapshot of a session; 0 is the empty one
	At     time.Time // when the newest delta in it arrived, UTC
	Server ServerFacts
	Feeds  []Feed // in the order of Kinds

	nodes     []*NodeView // by name
	unbound   []*Pod      // pods without a node, by namespace and name
	strays    [][]*Pod    // pods on nodes that the node feed does not hold, one slice a node, by its name
	stray     int         // how many those are
	pods      int
	classes   []*RuntimeClass // by name
	budgets   []*Budget       // by namespace and name
	workloads []*Workload     // by kind, namespace and name
	kept      map[Kind][]Object
}

// Nodes returns all nodes by name. The slice must not be written to.
func (s *Snapshot) Nodes() []*NodeView { return s.nodes }

// Node finds a node by name.
func (s *Snapshot) Node(name string) (*NodeView, bool) {
	i := sort.Search(len(s.nodes), func(i int) bool { return s.nodes[i].Name >= name })
	if i < len(s.nodes) && s.nodes[i].Name == name {
		return s.nodes[i], true
	}
	return nil, false
}

// Unbound returns the pods that no node holds, by namespace and name.
func (s *Snapshot) Unbound() []*Pod { return s.unbound }

// StrayPods returns how many pods are bound to nodes that the node feed does not
// hold: because it is forbidden or late, or because the node is gone.
func (s *Snapshot) StrayPods() int { return s.stray }

// Strays returns the pods that StrayPods counts, one slice for each node that is not there.
func (s *Snapshot) Strays() [][]*Pod { return s.strays }

// PodCount returns the number of pods in the cluster, finished ones included.
func (s *Snapshot) PodCount() int { return s.pods }

// RuntimeClasses returns all RuntimeClasses by name.
func (s *Snapshot) RuntimeClasses() []*RuntimeClass { return s.classes }

// Workloads returns all workloads by kind, namespace and name.
func (s *Snapshot) Workloads() []*Workload { return s.workloads }

// Budgets returns all PodDisruptionBudgets by namespace and name.
func (s *Snapshot) Budgets() []*Budget { return s.budgets }

// OwnerOf returns what an operator calls the pod's owner: the Deployment behind
// its ReplicaSet, the CronJob behind its Job, else its controller itself. It is
// zero when the pod has none.
func (s *Snapshot) OwnerOf(p *Pod) Owner {
	kind, ok := map[string]Kind{"ReplicaSet": KindReplicaSet, "Job": KindJob}[p.Owner.Kind]
	if !ok {
		return p.Owner
	}
	l := sorted[*Workload]{items: s.workloads}
	w, ok := l.get(Key{Kind: kind, Namespace: p.Namespace, Name: p.Owner.Name})
	if !ok || w.Owner.Name == "" {
		return p.Owner
	}
	return w.Owner
}

// Feed returns the state of one kind's feed.
func (s *Snapshot) Feed(k Kind) Feed {
	for _, f := range s.Feeds {
		if f.Kind == k {
			return f
		}
	}
	return Feed{Kind: k}
}
