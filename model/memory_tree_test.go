package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// treeCluster has a calm, a full and two unknown Windows nodes, and a Linux node of
// two pods.
func treeCluster() *Snapshot {
	pod := func(namespace, name, node string, limits ...int64) *Pod {
		p := &Pod{Namespace: namespace, Name: name, Node: node, Phase: "Running"}
		for i, l := range limits {
			p.Containers = append(p.Containers, Container{Name: fmt.Sprint("c", i), ID: "x", MemoryLimit: l})
		}
		return p
	}
	windows := func(name string, commit, limit Figure, containers ...ContainerUsage) []Object {
		return []Object{windowsNode(name, "10.0.20348.1", nil), &Usage{Node: name, Read: testNow, Commit: commit, CommitLimit: limit, Containers: containers}}
	}
	uses := func(pod, container string, commit int64) ContainerUsage {
		return ContainerUsage{Namespace: "a", Pod: pod, Container: container, Commit: fig(commit, FromSummary), WorkingSet: fig(commit, FromSummary)}
	}
	c := NewCluster()
	var d Delta
	d.Feeds = []Feed{{Kind: KindPod, State: FeedSynced, Listed: true}}
	d.Objects = slices.Concat(
		windows("calm", fig(30, FromSummary), fig(100, FromSummary), uses("hello", "c0", 95), uses("two", "c0", 1), uses("two", "c1", 2)),
		windows("full", fig(93, FromSummary), fig(100, FromSummary)),
		windows("nolimit", fig(50, FromSummary), Figure{}),
		[]Object{
			windowsNode("silent", "10.0.20348.1", nil), linuxNode("lin", nil),
			&Usage{Node: "lin", Read: testNow, WorkingSet: fig(1<<30, FromSummary), Physical: fig(8<<30, FromSummary), Containers: []ContainerUsage{uses("web", "c0", 5)}},
			pod("a", "hello", "calm", 100), pod("a", "two", "calm", 10, 10), pod("a", "free", "calm", 0), pod("a", "web", "lin", 10),
			&Pod{Namespace: "a", Name: "done", Node: "calm", Phase: "Succeeded"},
		})
	c.Apply(d)
	return c.Snapshot()
}

// drawTree is a tree as text: one row a line, indented by its depth.
func drawTree(t *MemoryTree) string {
	var b strings.Builder
	for _, r := range t.Rows {
		ref := r.Ref()
		name := ref.Node
		switch {
		case r.Note != "":
			name = "(" + r.Note + ")"
		case ref.Container != "":
			name = ref.Container
		case ref.Pod != "":
			name = ref.Pod
		}
		b.WriteString(strings.Repeat("-", r.Depth()) + name + " ")
	}
	return strings.TrimSpace(b.String())
}

func TestArrangeMemory(t *testing.T) {
	open := func(refs ...MemoryRef) map[MemoryRef]bool {
		m := map[MemoryRef]bool{}
		for _, r := range refs {
			m[r] = true
		}
		return m
	}
	calm, two := MemoryRef{Node: "calm"}, MemoryRef{"calm", "a", "two", ""}
	for _, c := range []struct {
		name string
		q    MemoryQuery
		want string
	}{
		{"pressure: what has no ratio stands behind, what is not known last", MemoryQuery{}, "full calm lin nolimit silent"},
		{"reversed: the same stand last", MemoryQuery{Reverse: true}, "lin calm full nolimit silent"},
		{"used", MemoryQuery{Sort: MemoryByUsed}, "lin full nolimit calm silent"},
		{"headroom", MemoryQuery{Sort: MemoryByHeadroom}, "full calm lin nolimit silent"},
		{"name", MemoryQuery{Sort: MemoryByName}, "calm full lin nolimit silent"},
		{"name reversed", MemoryQuery{Sort: MemoryByName, Reverse: true}, "silent nolimit lin full calm"},
		{"unfolded", MemoryQuery{Unfolded: open(calm)}, "full calm -hello -two -free lin nolimit silent"},
		{"unfolded twice", MemoryQuery{Unfolded: open(calm, two)}, "full calm -hello -two --c1 --c0 -free lin nolimit silent"},
		{"a pod of one container holds nothing", MemoryQuery{Unfolded: open(calm, MemoryRef{"calm", "a", "hello", ""})}, "full calm -hello -two -free lin nolimit silent"},
		{"a pod in a folded node", MemoryQuery{Unfolded: open(two)}, "full calm lin nolimit silent"},
		{"no pods", MemoryQuery{Unfolded: open(MemoryRef{Node: "full"})}, "full -(no pod runs here) calm lin nolimit silent"},
		{"filter by node", MemoryQuery{Filter: "os=linux"}, "lin"},
		{"filter by pod", MemoryQuery{Filter: "hello"}, "calm -hello"},
		{"filter by pod, folded by hand", MemoryQuery{Filter: "hello", Unfolded: map[MemoryRef]bool{calm: false}}, "calm"},
		{"filter by node and pod", MemoryQuery{Filter: "os=windows w"}, "full calm nolimit silent"},
		{"each word by node or pod", MemoryQuery{Filter: "os=linux web"}, "lin -web"},
		{"filter by namespace and pod", MemoryQuery{Filter: "a/we"}, "lin -web"},
		{"letters of a node's name", MemoryQuery{Filter: "slnt"}, "silent"},
		{"a pod that has ended", MemoryQuery{Filter: "done"}, ""},
		{"nothing", MemoryQuery{Filter: "zzz"}, ""},
	} {
		if got := drawTree(ArrangeMemory(treeCluster(), c.q)); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestMemoryTreeCounts(t *testing.T) {
	tree := ArrangeMemory(treeCluster(), MemoryQuery{})
	if tree.All != 5 || tree.Nodes != 5 || tree.High != 1 || tree.HighContainers != 1 || tree.Unasked != 1 || tree.Unknown != 1 {
		t.Errorf("%d of %d nodes, %d high, %d containers high, %d not asked, %d unknown", tree.Nodes, tree.All, tree.High, tree.HighContainers, tree.Unasked, tree.Unknown)
	}
}

func TestWhyNotKnown(t *testing.T) {
	s := treeCluster()
	rows := map[string]MemoryRow{}
	for _, r := range ArrangeMemory(s, MemoryQuery{Unfolded: map[MemoryRef]bool{{Node: "calm"}: true}}).Rows {
		ref := r.Ref()
		rows[ref.Node+"/"+ref.Pod] = r
	}
	for name, want := range map[string]string{
		"calm/": "", "calm/hello": "", "calm/two": "", "full/": "",
		"calm/free": "no source lists this container", "silent/": "the node was not asked yet",
		"nolimit/": "no source tells the commit limit; the kubelet does from 1.31 on",
	} {
		if got := rows[name].Why(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestPodsThatAreNotKnown(t *testing.T) {
	c := NewCluster()
	c.Apply(Delta{Objects: []Object{linuxNode("lin", nil)}, Feeds: []Feed{{Kind: KindPod, State: FeedForbidden}}})
	tree := ArrangeMemory(c.Snapshot(), MemoryQuery{Unfolded: map[MemoryRef]bool{{Node: "lin"}: true}})
	if got := drawTree(tree); got != "lin -(the pods are not known: their feed is forbidden)" {
		t.Error(got)
	}
}

// Every row is there once, below its parent, and rows of one parent are in order.
func TestMemoryTreeIsATree(t *testing.T) {
	s := treeCluster()
	all := ArrangeMemory(s, MemoryQuery{}).Rows
	rapid.Check(t, func(r *rapid.T) {
		q := MemoryQuery{
			Sort: MemorySort(rapid.IntRange(0, int(MemoryByName)).Draw(r, "sort")), Reverse: rapid.Bool().Draw(r, "reverse"),
			Filter: rapid.SampledFrom([]string{"", "a", "calm", "hello", "os=windows two"}).Draw(r, "filter"), Unfolded: map[MemoryRef]bool{},
		}
		for _, row := range all {
			ref := row.Ref()
			if rapid.Bool().Draw(r, ref.Node) {
				q.Unfolded[ref] = rapid.Bool().Draw(r, "open")
			}
			for _, p := range row.Node.Pods {
				q.Unfolded[MemoryRef{ref.Node, p.Namespace, p.Name, ""}] = rapid.Bool().Draw(r, p.Name)
			}
		}
		seen := map[MemoryRef]bool{}
		for i, row := range ArrangeMemory(s, q).Rows {
			ref := row.Ref()
			if seen[ref] {
				t.Fatalf("%v is there twice", ref)
			}
			seen[ref] = true
			if parent, ok := ref.Parent(); ok && !seen[parent] {
				t.Fatalf("row %d, %v, stands above its parent", i, ref)
			}
		}
	})
}

func BenchmarkArrangeMemory(b *testing.B) {
	s := bigCluster(5000, 50000).Snapshot()
	unfolded := map[MemoryRef]bool{}
	for _, v := range s.Nodes() {
		unfolded[MemoryRef{Node: v.Name}] = true
	}
	for name, q := range map[string]MemoryQuery{
		"folded": {}, "used": {Sort: MemoryByUsed}, "filter": {Filter: "pod-49999"}, "unfolded": {Unfolded: unfolded},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ArrangeMemory(s, q)
			}
		})
	}
}
