package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ZoneLabels are the labels that name a node's zone, the current one first.
var ZoneLabels = []string{"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"}

// PoolLabels are the labels by which the distributions name a node's pool.
var PoolLabels = []string{
	"kubernetes.azure.com/agentpool", "agentpool",
	"eks.amazonaws.com/nodegroup", "alpha.eksctl.io/nodegroup-name",
	"cloud.google.com/gke-nodepool",
	"karpenter.sh/nodepool",
	"machine.openshift.io/cluster-api-machineset",
	"rke.cattle.io/machine-pool-name",
}

// Arrange filters, groups, sorts and adds up. It walks over every node, so it
// belongs beside the frame path and not on it. now decides the phase of support.
func Arrange(s *Snapshot, q Query, now time.Time) *Inventory {
	inv := &Inventory{Serial: s.Serial, Query: q, All: len(s.nodes)}
	match := newMatcher(q, s.nodes)
	total := newTotals()
	index := map[string]int{}
	for _, v := range s.nodes {
		if !match(v) {
			continue
		}
		total.add(v)
		for _, g := range groupsOf(v, q) {
			i, ok := index[g.ID]
			if !ok {
				i = len(inv.Groups)
				index[g.ID] = i
				g.Totals = newTotals()
				inv.Groups = append(inv.Groups, g)
			}
			inv.Groups[i].Nodes = append(inv.Groups[i].Nodes, v)
			inv.Groups[i].Totals.add(v)
		}
	}
	inv.Total = total
	for i := range inv.Groups {
		inv.Groups[i].describe(now)
		sortNodes(inv.Groups[i].Nodes, q)
	}
	slices.SortFunc(inv.Groups, compareGroups)
	return inv
}

// groupsOf returns the group of a node, or its groups: several RuntimeClasses may
// select one node. OS and Build are set only where they are part of the grouping.
func groupsOf(v *NodeView, q Query) []Group {
	switch q.Grouping {
	case GroupByRuntimeClass:
		if len(v.Classes) == 0 {
			return []Group{{ID: "class:", Title: "no RuntimeClass selects these"}}
		}
		out := make([]Group, len(v.Classes))
		for i, class := range v.Classes {
			out[i] = Group{ID: "class:" + class, Title: "RuntimeClass " + class}
		}
		return out
	case GroupByZone:
		return []Group{labelGroup("zone", v.Zone())}
	case GroupByPool:
		return []Group{labelGroup("pool", v.Pool(q.PoolLabel))}
	case GroupByNone:
		return []Group{{ID: "all", Title: "all nodes"}}
	default:
		return []Group{buildGroup(v)}
	}
}

func labelGroup(what, value string) Group {
	if value == "" {
		return Group{ID: what + ":", Title: "no " + what}
	}
	return Group{ID: what + ":" + value, Title: what + " " + value}
}

func buildGroup(v *NodeView) Group {
	if v.OS != OSWindows {
		title := map[OS]string{OSLinux: "Linux", OSUnknown: "unknown operating system"}[v.OS]
		if title == "" {
			title = string(v.OS)
		}
		return Group{ID: "os:" + string(v.OS), Title: title, OS: v.OS}
	}
	g := Group{ID: "os:windows/" + v.Windows.Build, OS: OSWindows, Build: v.Windows.Build}
	product, known := ProductOf(v.Windows.Number)
	switch {
	case v.Windows.Build == "":
		g.Title = "Windows, build unknown"
	case known:
		g.Title = product.Name + " · " + v.Windows.Build
	default:
		g.Title = "Windows, unknown release · " + v.Windows.Build
	}
	return g
}

// describe fills in what the nodes of the group have in common.
func (g *Group) describe(now time.Time) {
	g.Support = SupportUnknown
	first := g.Nodes[0]
	for _, v := range g.Nodes {
		if v.OS != first.OS || v.Windows.Build != first.Windows.Build {
			return
		}
	}
	g.OS, g.Build = first.OS, first.Windows.Build
	if p, ok := ProductOf(first.Windows.Number); ok {
		g.Product = p.Name
		g.Support, g.Until = p.Support(now)
	}
}

// Zone returns the zone label's value; AKS writes "0" for "no zone".
func (n *Node) Zone() string {
	for _, l := range ZoneLabels {
		if z := n.Labels[l]; z != "" && z != "0" {
			return z
		}
	}
	return ""
}

// Pool returns the value of the given label, or of the first of PoolLabels that
// the node carries where label is empty.
func (n *Node) Pool(label string) string {
	if label != "" {
		return n.Labels[label]
	}
	for _, l := range PoolLabels {
		if p := n.Labels[l]; p != "" {
			return p
		}
	}
	return ""
}

// compareGroups puts Windows first, its newest build on top, then Linux, then what
// is unknown; groups of mixed nodes stand by title, and those without a value last.
func compareGroups(a, b Group) int {
	return cmp.Or(
		cmp.Compare(groupRank(a), groupRank(b)),
		cmp.Compare(buildNumber(b), buildNumber(a)),
		cmp.Compare(a.Title, b.Title),
		cmp.Compare(a.ID, b.ID),
	)
}

func groupRank(g Group) int {
	switch {
	case strings.HasSuffix(g.ID, ":") && !strings.HasPrefix(g.ID, "os:"):
		return 4
	case !strings.HasPrefix(g.ID, "os:"):
		return 0
	case g.OS == OSWindows && g.Build != "":
		return 0
	case g.OS == OSWindows:
		return 1
	case g.OS == OSLinux:
		return 2
	default:
		return 3
	}
}

func buildNumber(g Group) int {
	if !strings.HasPrefix(g.ID, "os:windows/") {
		return 0
	}
	b, _, _ := splitVersion(g.Build)
	return b[2]
}

func newTotals() Totals { return Totals{RevisionLow: -1, RevisionHigh: -1, Fullest: -1} }

func (t *Totals) add(v *NodeView) {
	t.Nodes++
	if r, _ := v.Readiness(); r == Ready {
		t.Ready++
	}
	if v.Unschedulable {
		t.Cordoned++
	}
	if v.InTrouble() {
		t.Trouble++
	}
	if v.InMaintenance() {
		t.Maintenance++
	}
	t.Pods += v.Running
	t.MaxPods += v.MaxPods
	t.Requests = t.Requests.Plus(v.Requests)
	t.Limits = t.Limits.Plus(v.Limits)
	t.Allocatable = t.Allocatable.Plus(v.Allocatable)
	if r, ok := v.Memory().Ratio(); ok {
		t.Fullest = max(t.Fullest, r)
	}
	if v.OS != OSWindows || v.Windows.Revision < 0 {
		return
	}
	if t.RevisionLow < 0 || v.Windows.Revision < t.RevisionLow {
		t.RevisionLow = v.Windows.Revision
	}
	t.RevisionHigh = max(t.RevisionHigh, v.Windows.Revision)
}

// sortNodes puts what an operator looks for first on top: trouble, the oldest
// revision, the fullest node, the oldest node. Equal nodes stand by name.
func sortNodes(nodes []*NodeView, q Query) {
	slices.SortFunc(nodes, func(a, b *NodeView) int {
		c := compareNodes(a, b, q.Sort)
		if q.Reverse {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a.Name, b.Name))
	})
}

func compareNodes(a, b *NodeView, by SortKey) int {
	switch by {
	case SortByStatus:
		return cmp.Compare(b.severity(), a.severity())
	case SortByRevision:
		return cmp.Or(cmp.Compare(a.Windows.Number, b.Windows.Number), cmp.Compare(a.Windows.Revision, b.Windows.Revision), cmp.Compare(a.Kernel, b.Kernel))
	case SortByPods:
		return cmp.Compare(b.Running, a.Running)
	case SortByCPU:
		return cmp.Compare(share(b.Requests.CPU, b.Allocatable.CPU), share(a.Requests.CPU, a.Allocatable.CPU))
	case SortByMemory:
		return cmp.Compare(share(b.Requests.Memory, b.Allocatable.Memory), share(a.Requests.Memory, a.Allocatable.Memory))
	case SortByAge:
		return a.Created.Compare(b.Created)
	default:
		return cmp.Compare(a.Name, b.Name)
	}
}

func share(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func (n *Node) severity() int {
	r, _ := n.Readiness()
	switch {
	case r != Ready:
		return 3
	case len(n.Pressures()) > 0:
		return 2
	case n.Unschedulable || n.InMaintenance():
		return 1
	default:
		return 0
	}
}

// StatusWords returns the node's state as kubectl and the UI name it, the most
// important word first: "Ready", "NotReady", "Unknown" or "never ready", then
// "cordoned", "maintenance" and each pressure.
func (n *Node) StatusWords() []string {
	r, _ := n.Readiness()
	words := []string{map[Readiness]string{
		Ready: "Ready", NotReady: "NotReady", ReadyUnknown: "Unknown", ReadyAbsent: "never ready",
	}[r]}
	if n.Unschedulable {
		words = append(words, "cordoned")
	}
	if n.InMaintenance() {
		words = append(words, "maintenance")
	}
	return append(words, n.Pressures()...)
}

// RevisionRange returns the span of the known revisions as "3091" or "2900–3091",
// and an empty string where none is known.
func (t Totals) RevisionRange() string {
	switch {
	case t.RevisionLow < 0:
		return ""
	case t.RevisionLow == t.RevisionHigh:
		return fmt.Sprint(t.RevisionLow)
	default:
		return fmt.Sprintf("%d–%d", t.RevisionLow, t.RevisionHigh)
	}
}
