package model

import (
	"cmp"
	"slices"
	"strings"
)

// MemorySort is what the rows of the memory tree are ordered by; equal rows stand
// by name, and the containers of a pod in its order. What is not known stands last, in either direction.
type MemorySort int

// The sort keys in the order in which the UI cycles through them.
const (
	MemoryByPressure MemorySort = iota // used of the limit, the fullest first
	MemoryByUsed                       // bytes, the most first
	MemoryByHeadroom                   // bytes, the least first
	MemoryByName
)

// String returns the word that the UI shows.
func (k MemorySort) String() string {
	return [...]string{"pressure", "used", "headroom", "name"}[k]
}

// MemoryRef names a row of the memory tree: a node, a pod where Pod is set, or one
// of its containers where Container is set.
type MemoryRef struct{ Node, Namespace, Pod, Container string }

// Parent returns the row above in the tree; a node has none.
func (r MemoryRef) Parent() (MemoryRef, bool) {
	switch {
	case r.Container != "":
		return MemoryRef{r.Node, r.Namespace, r.Pod, ""}, true
	case r.Pod != "":
		return MemoryRef{Node: r.Node}, true
	default:
		return r, false
	}
}

// MemoryQuery says which rows are wanted and in what order.
type MemoryQuery struct {
	Sort      MemorySort
	Reverse   bool
	Filter    string // as in Query; a word may also be in the name of a pod or its namespace
	PoolLabel string
	// Unfolded says of nodes and pods whether what they hold is wanted. Of those that
	// it does not name, only nodes found by their pods are unfolded. Nobody writes to
	// it once it was handed over.
	Unfolded map[MemoryRef]bool
}

// MemoryTree is the answer to a MemoryQuery: the rows from top to bottom.
type MemoryTree struct {
	Serial uint64 // of the snapshot that it was made from
	Query  MemoryQuery
	Rows   []MemoryRow

	Nodes          int // shown, folded or not
	All            int // nodes in the cluster
	High           int // of the nodes shown, those from WarnRatio on
	HighContainers int // on the nodes shown
	Unasked        int // of the nodes shown, those that no source was asked about yet
	Unknown        int // of the nodes shown, the others whose ratio is not known
}

// MemoryRow is a node, a pod, a container, or a note in place of pods.
type MemoryRow struct {
	Node      *NodeView
	Pod       *Pod   // nil on a node's row
	Container int    // of Pod.Containers; -1 on other rows
	Note      string // why an unfolded node holds nothing; empty on other rows
	Open      bool   // what it holds follows
	Leaf      bool   // it holds nothing that could follow
}

// Depth is 0 for nodes, 1 for pods and notes, 2 for containers.
func (r MemoryRow) Depth() int {
	switch {
	case r.Container >= 0:
		return 2
	case r.Pod != nil || r.Note != "":
		return 1
	default:
		return 0
	}
}

// Ref names the row. A note is named like a pod without a name.
func (r MemoryRow) Ref() MemoryRef {
	ref := MemoryRef{Node: r.Node.Name}
	if r.Note != "" {
		ref.Pod = "\x00"
	}
	if r.Pod != nil {
		ref.Namespace, ref.Pod = r.Pod.Namespace, r.Pod.Name
	}
	if r.Container >= 0 {
		ref.Container = r.Pod.Containers[r.Container].Name
	}
	return ref
}

// Use is what the row's node, pod or container uses.
func (r MemoryRow) Use() MemoryUse {
	switch {
	case r.Container >= 0:
		return r.Node.ContainerMemory(r.Pod, r.Pod.Containers[r.Container])
	case r.Pod != nil:
		return r.Node.PodMemory(r.Pod)
	default:
		return r.Node.Memory()
	}
}

// Why says why something of Use is not known; empty where all of it is.
func (r MemoryRow) Why() string {
	switch {
	case r.Container >= 0:
		if r.Use().Used.Known() {
			return ""
		}
		return r.Node.WhyUnknown(r.Pod, r.Pod.Containers[r.Container])
	case r.Pod != nil:
		return r.Node.whyPodUnknown(r.Pod)
	default:
		return r.Node.WhyNodeUnknown()
	}
}

// WhyNodeUnknown says why the node's own use or its limit is not known; empty where
// both are.
func (v *NodeView) WhyNodeUnknown() string {
	m := v.Memory()
	_, known := m.Ratio()
	switch {
	case known:
		return ""
	case v.Usage == nil:
		return "the node was not asked yet"
	case len(v.Usage.Problems) > 0:
		return strings.Join(v.Usage.Problems, "; ")
	case m.Commit && m.Used.Known():
		return "no source tells the commit limit; the kubelet does from 1.31 on"
	default:
		return "no source knows it"
	}
}

func (v *NodeView) whyPodUnknown(p *Pod) string {
	for _, c := range p.Containers {
		if v.ContainerMemory(p, c).Used.Known() {
			continue
		}
		if len(p.Containers) > 1 {
			return c.Name + ": " + v.WhyUnknown(p, c)
		}
		return v.WhyUnknown(p, c)
	}
	if len(p.Containers) == 0 {
		return "the pod has no containers"
	}
	return ""
}

// highContainers counts the containers from WarnRatio on.
func (v *NodeView) highContainers() int {
	n := 0
	if v.Usage == nil {
		return 0
	}
	for _, p := range v.Pods {
		if p.Finished() {
			continue
		}
		for _, c := range p.Containers {
			if v.ContainerMemory(p, c).High() {
				n++
			}
		}
	}
	return n
}

// ArrangeMemory filters, sorts and unfolds. It walks over every node, so it belongs
// beside the frame path and not on it.
func ArrangeMemory(s *Snapshot, q MemoryQuery) *MemoryTree {
	t := &MemoryTree{Serial: s.Serial, Query: q, All: len(s.nodes)}
	f := newMemoryFilter(s, q)
	type found struct {
		row   MemoryRow
		order memoryOrder
		some  bool // found by its pods: only those are shown
	}
	nodes := make([]found, 0, len(s.nodes))
	for i, v := range s.nodes {
		whole := f.node(v)
		if !whole && !f.anyPod(v) {
			continue
		}
		use := v.Memory()
		n := found{row: MemoryRow{Node: v, Container: -1}, order: orderOf(use, i, q.Sort), some: !whole}
		open, told := q.Unfolded[MemoryRef{Node: v.Name}]
		n.row.Open = open || !told && n.some
		nodes = append(nodes, n)
		t.count(v, use)
	}
	slices.SortFunc(nodes, func(a, b found) int { return q.compare(a.order, b.order) })
	t.Rows = make([]MemoryRow, 0, len(nodes))
	for _, n := range nodes {
		t.Rows = append(t.Rows, n.row)
		if n.row.Open {
			t.unfold(s, n.row.Node, f, n.some)
		}
	}
	return t
}

func (t *MemoryTree) count(v *NodeView, use MemoryUse) {
	t.Nodes++
	t.HighContainers += v.HighContainers
	if use.High() {
		t.High++
	}
	if _, ok := use.Ratio(); v.Usage == nil {
		t.Unasked++
	} else if !ok {
		t.Unknown++
	}
}

// unfold adds the pods of a node, and the containers of those that are unfolded.
func (t *MemoryTree) unfold(s *Snapshot, v *NodeView, f memoryFilter, some bool) {
	type found struct {
		pod   *Pod
		order memoryOrder
	}
	var pods []found
	for i, p := range v.Pods {
		if !p.Finished() && (!some || f.pod(v, p)) {
			pods = append(pods, found{p, orderOf(v.PodMemory(p), i, t.Query.Sort)})
		}
	}
	if len(pods) == 0 {
		t.Rows = append(t.Rows, MemoryRow{Node: v, Container: -1, Leaf: true, Note: noPods(s)})
		return
	}
	slices.SortFunc(pods, func(a, b found) int { return t.Query.compare(a.order, b.order) })
	for _, p := range pods {
		row := MemoryRow{Node: v, Pod: p.pod, Container: -1, Leaf: len(p.pod.Containers) < 2}
		row.Open = !row.Leaf && t.Query.Unfolded[row.Ref()]
		t.Rows = append(t.Rows, row)
		if row.Open {
			t.unfoldPod(v, p.pod)
		}
	}
}

func noPods(s *Snapshot) string {
	if f := s.Feed(KindPod); !f.Listed {
		return "the pods are not known: their feed is " + f.State.String()
	}
	return "no pod runs here"
}

func (t *MemoryTree) unfoldPod(v *NodeView, p *Pod) {
	order := make([]int, len(p.Containers))
	orders := make([]memoryOrder, len(p.Containers))
	for i, c := range p.Containers {
		order[i], orders[i] = i, orderOf(v.ContainerMemory(p, c), i, t.Query.Sort)
	}
	slices.SortFunc(order, func(a, b int) int { return t.Query.compare(orders[a], orders[b]) })
	for _, i := range order {
		t.Rows = append(t.Rows, MemoryRow{Node: v, Pod: p, Container: i, Leaf: true})
	}
}

// memoryOrder is a row's place among its neighbours: by class, by value within the
// class, by index, which is the order of names, and of containers in their pod.
type memoryOrder struct {
	class int
	value float64
	index int
}

const (
	orderKnown   = iota
	orderNoLimit // nothing to compare with; by what is used
	orderUnknown
)

func orderOf(m MemoryUse, index int, by MemorySort) memoryOrder {
	used := -float64(m.Used.Value)
	o := memoryOrder{class: orderKnown, index: index}
	ratio, ok := m.Ratio()
	switch {
	case by == MemoryByName:
		o.value = float64(index)
	case !m.Used.Known():
		o.class = orderUnknown
	case by == MemoryByUsed:
		o.value = used
	case !ok:
		o.class, o.value = orderNoLimit, used
	case by == MemoryByHeadroom:
		o.value = float64(m.Limit - m.Used.Value)
	default:
		o.value = -ratio
	}
	return o
}

// compare puts two rows in order. Classes stay where they are in the reverse.
func (q *MemoryQuery) compare(a, b memoryOrder) int {
	c := cmp.Compare(a.value, b.value)
	if q.Reverse {
		c = -c
	}
	return cmp.Or(cmp.Compare(a.class, b.class), c, cmp.Compare(a.index, b.index))
}
