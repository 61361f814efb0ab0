package model

import (
	"reflect"
	"slices"
	"time"
)

// Cluster gathers deltas and makes snapshots of them. It is not safe for use by
// several goroutines: one owns it and hands out snapshots.
type Cluster struct {
	serial  uint64
	version uint64
	changed bool
	last    *Snapshot

	at     time.Time
	server ServerFacts
	feeds  map[Kind]Feed

	nodes     map[string]*Node
	pods      map[Key]*Pod
	onNode    map[string]*sorted[*Pod] // by node name; "" holds the unbound pods
	classes   sorted[*RuntimeClass]
	budgets   sorted[*Budget]
	workloads sorted[*Workload]
	csi       map[string]*CSINode
	leases    map[string]time.Time
	usage     map[string]*Usage
	history   map[string]*history
	kept      map[Kind]*sorted[Object]

	views sorted[*NodeView]
	dirty map[string]struct{} // nodes whose view is out of date
}

// NewCluster returns a cluster of which nothing is known yet.
func NewCluster() *Cluster {
	c := &Cluster{
		changed: true,
		feeds:   map[Kind]Feed{},
		nodes:   map[string]*Node{},
		pods:    map[Key]*Pod{},
		onNode:  map[string]*sorted[*Pod]{},
		csi:     map[string]*CSINode{},
		leases:  map[string]time.Time{},
		usage:   map[string]*Usage{},
		history: map[string]*history{},
		kept:    map[Kind]*sorted[Object]{},
		dirty:   map[string]struct{}{},
	}
	for _, k := range Kinds {
		c.feeds[k] = Feed{Kind: k}
	}
	return c
}

// Apply takes a delta in. It keeps the objects that the delta carries, so nobody
// may write to them afterwards.
func (c *Cluster) Apply(d Delta) {
	if d.Empty() {
		return
	}
	c.changed = true
	if d.At.After(c.at) {
		c.at = d.At
	}
	c.reset(d)
	for _, k := range d.Gone {
		c.remove(k)
	}
	for _, o := range d.Objects {
		c.put(o)
	}
	for _, f := range d.Feeds {
		c.feeds[f.Kind] = f
	}
	if d.Server != nil {
		c.server = *d.Server
	}
}

// reset drops what a fresh full list no longer holds.
func (c *Cluster) reset(d Delta) {
	if len(d.Reset) == 0 {
		return
	}
	listed := make(map[Key]bool, len(d.Objects))
	for _, o := range d.Objects {
		listed[o.Key()] = true
	}
	for _, kind := range d.Reset {
		for _, k := range c.keysOf(kind) {
			if !listed[k] {
				c.remove(k)
			}
		}
	}
}

func (c *Cluster) keysOf(kind Kind) []Key {
	var keys []Key
	switch kind {
	case KindNode:
		for name := range c.nodes {
			keys = append(keys, Key{Kind: kind, Name: name})
		}
	case KindPod:
		for k := range c.pods {
			keys = append(keys, k)
		}
	case KindRuntimeClass:
		keys = keysIn(c.classes.items)
	case KindBudget:
		keys = keysIn(c.budgets.items)
	case KindCSINode:
		for name := range c.csi {
			keys = append(keys, Key{Kind: kind, Name: name})
		}
	case KindLease:
		for name := range c.leases {
			keys = append(keys, (&Lease{Node: name}).Key())
		}
	case KindUsage:
		for name := range c.usage {
			keys = append(keys, (&Usage{Node: name}).Key())
		}
	default:
		if isKept(kind) {
			return keysIn(c.keptOf(kind).items)
		}
		for _, w := range c.workloads.items {
			if w.Kind == kind {
				keys = append(keys, w.Key())
			}
		}
	}
	return keys
}

func keysIn[T Object](items []T) []Key {
	keys := make([]Key, len(items))
	for i, o := range items {
		keys[i] = o.Key()
	}
	return keys
}

func (c *Cluster) put(o Object) {
	switch o := o.(type) {
	case *Node:
		c.nodes[o.Name] = o
		c.touch(o.Name)
	case *Pod:
		c.putPod(o)
	case *RuntimeClass:
		c.classes.put(o)
		c.touchAll()
	case *Budget:
		c.budgets.put(o)
	case *Workload:
		c.workloads.put(o)
	case *CSINode:
		c.csi[o.Name] = o
		c.touch(o.Name)
	case *Lease:
		c.leases[o.Node] = o.Renewed
		c.touch(o.Node)
	case *Usage:
		c.usage[o.Node] = o
		c.remember(o)
		c.touch(o.Node)
	default:
		c.keptOf(o.Key().Kind).put(o)
	}
}

func (c *Cluster) putPod(p *Pod) {
	k := p.Key()
	if old, ok := c.pods[k]; ok {
		if reflect.DeepEqual(old, p) {
			return
		}
		if old.Node != p.Node {
			c.podsOn(old.Node).del(k)
			c.touch(old.Node)
		}
	}
	c.pods[k] = p
	c.podsOn(p.Node).put(p)
	c.touch(p.Node)
}

func (c *Cluster) podsOn(node string) *sorted[*Pod] {
	l := c.onNode[node]
	if l == nil {
		l = &sorted[*Pod]{}
		c.onNode[node] = l
	}
	return l
}

func (c *Cluster) remove(k Key) {
	switch k.Kind {
	case KindNode:
		delete(c.nodes, k.Name)
		delete(c.usage, k.Name) // another machine may come under this name
		delete(c.history, k.Name)
		c.touch(k.Name)
	case KindPod:
		old, ok := c.pods[k]
		if !ok {
			return
		}
		delete(c.pods, k)
		l := c.podsOn(old.Node)
		l.del(k)
		if len(l.items) == 0 {
			delete(c.onNode, old.Node)
		}
		c.touch(old.Node)
	case KindRuntimeClass:
		if c.classes.del(k) {
			c.touchAll()
		}
	case KindBudget:
		c.budgets.del(k)
	case KindCSINode:
		delete(c.csi, k.Name)
		c.touch(k.Name)
	case KindLease:
		delete(c.leases, k.Name)
		c.touch(k.Name)
	case KindUsage:
		delete(c.usage, k.Name)
		delete(c.history, k.Name)
		c.touch(k.Name)
	default:
		if isKept(k.Kind) {
			c.keptOf(k.Kind).del(k)
			return
		}
		c.workloads.del(k)
	}
}

// remember adds the newest figure to the node's history: commit where there is one.
func (c *Cluster) remember(u *Usage) {
	used := u.Commit.Or(u.WorkingSet)
	if n := c.nodes[u.Node]; n != nil && n.OS == OSWindows {
		used = u.Commit
	}
	if !used.Known() {
		return
	}
	h := c.history[u.Node]
	if h == nil {
		h = &history{}
		c.history[u.Node] = h
	}
	h.add(Sample{At: u.Read, Used: used.Value})
}

func (c *Cluster) touch(node string) { c.dirty[node] = struct{}{} }

func (c *Cluster) touchAll() {
	for name := range c.nodes {
		c.touch(name)
	}
}

// Snapshot returns the cluster as it is now: the same one as before while nothing changed.
func (c *Cluster) Snapshot() *Snapshot {
	if !c.changed && c.last != nil {
		return c.last
	}
	c.changed = false
	c.refresh()
	c.serial++
	s := &Snapshot{
		Serial:    c.serial,
		At:        c.at,
		Server:    c.server,
		nodes:     c.views.share(),
		pods:      len(c.pods),
		classes:   c.classes.share(),
		budgets:   c.budgets.share(),
		workloads: c.workloads.share(),
	}
	s.kept = make(map[Kind][]Object, len(c.kept))
	for k, l := range c.kept {
		s.kept[k] = l.share()
	}
	if l := c.onNode[""]; l != nil {
		s.unbound = l.share()
	}
	bound := 0
	for _, v := range s.nodes {
		bound += len(v.Pods)
	}
	if s.stray = s.pods - bound - len(s.unbound); s.stray > 0 {
		s.strays = c.strays()
	}
	for _, k := range Kinds {
		s.Feeds = append(s.Feeds, c.feeds[k])
	}
	c.last = s
	return s
}

// strays returns the pods of nodes that are not there.
func (c *Cluster) strays() [][]*Pod {
	var missing []string
	for name, l := range c.onNode {
		if name != "" && c.nodes[name] == nil && len(l.items) > 0 {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	all := make([][]*Pod, len(missing))
	for i, name := range missing {
		all[i] = c.onNode[name].share()
	}
	return all
}

// refresh makes the views anew of the nodes that something happened to.
func (c *Cluster) refresh() {
	for name := range c.dirty {
		n := c.nodes[name]
		if n == nil {
			c.views.del(Key{Kind: KindNode, Name: name})
			continue
		}
		c.views.put(c.view(n))
	}
	clear(c.dirty)
}

func (c *Cluster) view(n *Node) *NodeView {
	c.version++
	v := &NodeView{Node: n, LeaseTime: c.leases[n.Name], Version: c.version, Usage: c.usage[n.Name], History: c.history[n.Name].view()}
	if l := c.onNode[n.Name]; l != nil {
		v.Pods = l.share()
	}
	for _, p := range v.Pods {
		if p.Finished() {
			continue
		}
		v.Running++
		v.Requests = v.Requests.Plus(p.Requests)
		v.Limits = v.Limits.Plus(p.Limits)
		v.Unlimited += p.MemoryNoLimit
	}
	v.HighContainers = v.highContainers()
	for _, class := range c.classes.items {
		if class.Selects(n) {
			v.Classes = append(v.Classes, class.Name)
		}
	}
	if csi := c.csi[n.Name]; csi != nil {
		v.Drivers, v.CSIKnown = slices.Clone(csi.Drivers), true
	}
	return v
}
