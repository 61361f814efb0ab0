package placement

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// What says how the cluster would differ from the snapshot. The zero value is the
// cluster as it is.
type What struct {
	Cordoned []string                // nodes that take no new pods
	Gone     map[model.Key]bool      // pods that are away
	Promised map[string][]*model.Pod // pods that count as running on a node, by its name
	// OSVersions returns the os.version of each Windows entry in an image's manifest,
	// for example "10.0.20348.587", where it is known; "" is an entry without one. Nil
	// leaves only the tag to infer from.
	OSVersions func(image string) (versions []string, known bool)
}

// Board is a cluster, as it is or would be, on which pods are placed in mind. It
// remembers what it worked out, so one Board should answer all questions about one
// snapshot. One goroutine owns it.
type Board struct {
	snap     *model.Snapshot
	seats    []*seat // in the order of the snapshot
	index    map[string]int
	gone     map[model.Key]bool
	placed   map[model.Key]bool
	versions func(image string) ([]string, bool)

	plans   map[*model.Shape]*plan
	stands  map[*model.Shape][][]Reason // of some shapes: what standing said of each node
	crowds  map[crowdKey]*crowd
	keepers []keeper // pods with required anti-affinity; nil until somebody asks
	looked  bool     // keepers is made
	scratch corev1.Node
}

// seat is a node and what is taken of it.
type seat struct {
	*model.NodeView
	cordoned bool
	pods     int
	used     model.Resources
	promised []*model.Pod
	extended map[string]int64 // nil until somebody asks
	ports    []model.HostPort
	ported   bool // ports is made
}

// New makes the Board of a snapshot with changes.
func New(s *model.Snapshot, w What) *Board {
	b := &Board{
		snap: s, gone: map[model.Key]bool{}, placed: map[model.Key]bool{}, versions: w.OSVersions, index: make(map[string]int, len(s.Nodes())),
		plans: map[*model.Shape]*plan{}, stands: map[*model.Shape][][]Reason{}, crowds: map[crowdKey]*crowd{},
	}
	seats := make([]seat, len(s.Nodes()))
	for i, v := range s.Nodes() {
		seats[i] = seat{NodeView: v, cordoned: v.Unschedulable, pods: v.Running, used: v.Requests}
		b.seats = append(b.seats, &seats[i])
		b.index[v.Name] = i
	}
	for _, name := range w.Cordoned {
		if i, ok := b.index[name]; ok {
			b.seats[i].cordoned = true
		}
	}
	if len(w.Gone) > 0 {
		for _, v := range s.Nodes() {
			for _, p := range v.Pods {
				if w.Gone[p.Key()] {
					b.Remove(p)
				}
			}
		}
	}
	for node, pods := range w.Promised {
		for _, p := range pods {
			b.Place(p, node)
		}
	}
	return b
}

// Place counts the pod as running on the node from now on: a plan goes on pod by pod.
// It does nothing when the snapshot has no such node.
func (b *Board) Place(p *model.Pod, node string) {
	i, ok := b.index[node]
	if !ok {
		return
	}
	s := b.seats[i]
	s.promised = append(s.promised, p)
	b.placed[p.Key()] = true
	s.pods++
	s.used = s.used.Plus(p.Requests)
	b.forget(s)
}

// Remove takes a pod of the snapshot away. It does nothing when the pod holds no node,
// has ended, or was taken away before.
func (b *Board) Remove(p *model.Pod) {
	i, ok := b.index[p.Node]
	if !ok || p.Finished() || b.gone[p.Key()] {
		return
	}
	b.gone[p.Key()] = true
	s := b.seats[i]
	s.pods--
	s.used = s.used.Minus(p.Requests)
	b.forget(s)
}

// forget drops what was worked out from the pods that were there before.
func (b *Board) forget(s *seat) {
	s.extended, s.ports, s.ported = nil, nil, false
	b.keepers, b.looked = nil, false
	clear(b.crowds)
}

// counts reports whether a pod of the snapshot takes part.
func (b *Board) counts(p *model.Pod) bool { return !p.Finished() && !b.gone[p.Key()] }

// guests calls yield for every pod that takes part on the node, but for the one asked about.
func (b *Board) guests(s *seat, but model.Key, yield func(*model.Pod)) {
	for _, p := range s.Pods {
		if b.counts(p) && !isPod(p, but) {
			yield(p)
		}
	}
	for _, p := range s.promised {
		if !isPod(p, but) {
			yield(p)
		}
	}
}

// isPod compares by parts: making a Key for each pod of a cluster takes longer.
func isPod(p *model.Pod, k model.Key) bool { return p.Name == k.Name && p.Namespace == k.Namespace }

// own returns how often the pod itself is counted on the node, so that it is not in
// its own way.
func (b *Board) own(s *seat, p *model.Pod) int {
	n := 0
	if p.Node == s.Name && b.counts(p) && slices.ContainsFunc(s.Pods, func(o *model.Pod) bool { return isPod(o, p.Key()) }) {
		n++
	}
	for _, o := range s.promised {
		if isPod(o, p.Key()) {
			n++
		}
	}
	return n
}

// asNode returns what the matchers of Kubernetes read of a node: its name and labels.
// It is good until the next call.
func (b *Board) asNode(s *seat) *corev1.Node {
	b.scratch.Name, b.scratch.Labels = s.Name, s.Labels
	return &b.scratch
}

// Verdict returns what becomes of the pod on a node; ok is false when the snapshot has
// no such node.
func (b *Board) Verdict(p *model.Pod, node string) (v Verdict, ok bool) {
	i, ok := b.index[node]
	if !ok {
		return Verdict{}, false
	}
	return b.verdict(b.ask(p), i), true
}

// question is one pod and what is known of it for all nodes.
type question struct {
	pod   *model.Pod
	shape *model.Shape
	plan  *plan
	crowd *crowd
	whole []Reason // the same on every node
	disks []disk
	self  model.Key

	stands  [][]Reason           // by the node's place, filled as nodes are asked about
	systems map[machine][]Reason // what system said of machines like these
}

// maxStands bounds the shapes of which the answers of every node are kept: in a cluster
// of 5,000 nodes each takes a megabyte.
const maxStands = 8

func (b *Board) standsOf(s *model.Shape) [][]Reason {
	known := b.stands[s]
	if known == nil {
		if len(b.stands) >= maxStands {
			clear(b.stands)
		}
		known = make([][]Reason, len(b.seats))
		b.stands[s] = known
	}
	return known
}

var noShape = &model.Shape{}

// ask works out what does not depend on the node.
func (b *Board) ask(p *model.Pod) *question {
	q := &question{pod: p, shape: p.Shape, self: p.Key(), systems: map[machine][]Reason{}}
	if q.shape == nil {
		q.shape = noShape
		q.whole = append(q.whole, Reason{Template, Doubt, "what the pod asks of a node is not known", ""})
	}
	q.plan, q.stands = b.planOf(q.shape), b.standsOf(q.shape)
	q.crowd = b.crowdOf(q)
	if p.Node == "" {
		for _, g := range q.shape.Gates {
			q.whole = append(q.whole, Reason{Gate, Refuses, "scheduling gate " + g + " holds it back", ""})
		}
		if s := q.shape.Scheduler; s != "" {
			q.whole = append(q.whole, Reason{Scheduler, Doubt, "scheduler " + s + " decides, by rules of its own", ""})
		}
	}
	if q.shape.DeviceClaims {
		q.whole = append(q.whole, Reason{Devices, Doubt, "it claims devices, which are not looked at here", ""})
	}
	b.volumes(q)
	sortReasons(q.whole)
	return q
}

// verdict asks every rule.
func (b *Board) verdict(q *question, i int) Verdict {
	s := b.seats[i]
	if q.stands[i] == nil {
		q.stands[i] = b.standing(make([]Reason, 0, 2), q, s)
	}
	out := make([]Reason, 0, len(q.whole)+len(q.stands[i])+2)
	out = append(append(out, q.whole...), q.stands[i]...)
	if t := q.pod.Target; t != "" && t != s.Name {
		out = append(out, Reason{Target, Refuses, "its DaemonSet made it for node " + t, ""})
	}
	out = b.ports(out, q, s)
	out = b.room(out, q, s)
	out = b.disks(out, q, s)
	out = b.spread(out, q, s)
	out = b.company(out, q, s)
	out = b.class(out, q, s)
	out = append(out, b.systemOf(q, s)...)
	sortReasons(out)
	return Verdict{Node: s.NodeView, Reasons: out}
}
