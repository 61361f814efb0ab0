package model

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func fig(v int64, s StatsSource) Figure { return Figure{Value: v, At: testNow, Source: s} }

func TestMergePrefersTheBetterSource(t *testing.T) {
	summary := &Usage{Node: "n", Commit: fig(3, FromSummary), Containers: []ContainerUsage{
		{Namespace: "a", Pod: "p", Container: "c", WorkingSet: fig(41, FromSummary)},
		{Namespace: "a", Pod: "q", Container: "c", Commit: fig(7, FromSummary)},
	}}
	exporter := &Usage{Node: "n", Commit: fig(4, FromExporter), CommitLimit: fig(9, FromExporter), Boot: testNow, Containers: []ContainerUsage{
		{Namespace: "a", Pod: "p", Container: "c", Commit: fig(98, FromExporter), WorkingSet: fig(42, FromExporter)},
		{Namespace: "b", Pod: "x", Container: "c", Commit: fig(1, FromExporter)},
	}}
	m := summary.Merge(exporter)
	if m.Commit != fig(3, FromSummary) || m.CommitLimit != fig(9, FromExporter) || !m.Boot.Equal(testNow) {
		t.Errorf("node: %+v", m)
	}
	c, ok := m.Container("a", "p", "c")
	if !ok || c.Commit != fig(98, FromExporter) || c.WorkingSet != fig(41, FromSummary) {
		t.Errorf("container: %+v", c)
	}
	if len(m.Containers) != 3 || len(summary.Containers) != 2 || summary.CommitLimit.Known() {
		t.Error("containers lost, or the summary was written to")
	}
	var nobody *Usage
	if nobody.Merge(summary) != summary || summary.Merge(nil) != summary {
		t.Error("nothing merged with something is not the something")
	}
}

// While a StatefulSet replaces a pod, the kubelet lists two of one name.
func TestOfTwoContainersOfOneNameTheNewerStays(t *testing.T) {
	old, young := fig(1, FromSummary), fig(2, FromSummary)
	old.At = testNow.Add(-time.Minute)
	for _, order := range [][]Figure{{old, young}, {young, old}} {
		u := &Usage{}
		for _, f := range order {
			u.Containers = append(u.Containers, ContainerUsage{Pod: "db-0", Container: "c", WorkingSet: f}, ContainerUsage{Pod: "a", Container: "c", WorkingSet: f})
		}
		u.SortContainers()
		c, _ := u.Container("", "db-0", "c")
		if len(u.Containers) != 2 || c.WorkingSet != young {
			t.Errorf("%+v", u.Containers)
		}
	}
}

func TestMergeLosesNoContainer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string, s StatsSource) *Usage {
			u := &Usage{}
			seen := map[string]bool{}
			for _, pod := range rapid.SliceOfN(rapid.StringMatching("[a-c]{1,2}"), 0, 6).Draw(t, label) {
				if !seen[pod] {
					seen[pod] = true
					u.Containers = append(u.Containers, ContainerUsage{Pod: pod, Commit: fig(1, s)})
				}
			}
			u.SortContainers()
			return u
		}
		a, b := draw("a", FromSummary), draw("b", FromExporter)
		m := a.Merge(b)
		for _, c := range a.Containers {
			if got, ok := m.Container("", c.Pod, ""); !ok || got.Commit.Source != FromSummary {
				t.Fatalf("%q of the better source: %+v", c.Pod, got)
			}
		}
		for _, c := range b.Containers {
			if _, ok := m.Container("", c.Pod, ""); !ok {
				t.Fatalf("%q of the other source is lost", c.Pod)
			}
		}
	})
}

// The lab of seed 001: commit 0.31 of the limit; hello-win 98 of 256 MiB, 42 MiB working set.
func labView() (*NodeView, *Pod) {
	const mib = 1 << 20
	pod := &Pod{Namespace: "win-demo", Name: "hello-win-759c899954-tkfg6", Phase: "Running", Node: "k8s-lab-win-1",
		Containers: []Container{{Name: "hello", ID: "containerd://1", MemoryLimit: 256 * mib}}}
	n := windowsNode("k8s-lab-win-1", "10.0.26100.33438", func(n *Node) { n.Kubelet = "v1.37.2" })
	c := NewCluster()
	c.Apply(Delta{Objects: []Object{n, pod, &Usage{
		Node: n.Name, Read: testNow, Commit: fig(2936*mib, FromSummary), CommitLimit: fig(9471*mib, FromSummary), WorkingSet: fig(1292*mib, FromSummary),
		Containers: []ContainerUsage{{Namespace: pod.Namespace, Pod: pod.Name, Container: "hello", Commit: fig(98*mib, FromSummary), WorkingSet: fig(42*mib, FromSummary)}},
	}}})
	v, _ := c.Snapshot().Node(n.Name)
	return v, pod
}

func TestMemoryOfTheLab(t *testing.T) {
	v, pod := labView()
	node := v.Memory()
	if r, ok := node.Ratio(); !ok || round2(r) != 0.31 || !node.Commit {
		t.Errorf("node ratio %v, %v", r, ok)
	}
	if left, _ := node.Headroom(); left != (9471-2936)<<20 {
		t.Errorf("headroom %d", left)
	}
	if node.Eviction != (9471-500)<<20 {
		t.Errorf("eviction line %d", node.Eviction)
	}
	c := v.ContainerMemory(pod, pod.Containers[0])
	if r, ok := c.Ratio(); !ok || round2(r) != 0.38 || c.Second.Value != 42<<20 {
		t.Errorf("container ratio %v, %v; working set %d", r, ok, c.Second.Value)
	}
	if p := v.PodMemory(pod); p.Used != c.Used || p.Limit != c.Limit {
		t.Errorf("pod of one container: %+v", p)
	}
	if age, ok := node.Age(testNow.Add(7 * time.Second)); !ok || age != 7*time.Second {
		t.Errorf("age %v", age)
	}
	if age, _ := node.Age(testNow.Add(-time.Hour)); age != 0 {
		t.Errorf("a clock that is behind gives age %v", age)
	}
}

func round2(f float64) float64 { return float64(int(f*100+0.5)) / 100 }

func TestWorkingSetIsNeverCommit(t *testing.T) {
	v, pod := labView()
	u := *v.Usage
	u.Commit, u.Containers = Figure{}, []ContainerUsage{{Namespace: pod.Namespace, Pod: pod.Name, Container: "hello", WorkingSet: fig(255<<20, FromMetrics)}}
	blind := *v
	blind.Usage = &u
	if _, ok := blind.Memory().Ratio(); ok {
		t.Error("a node without commit has a ratio")
	}
	m := blind.ContainerMemory(pod, pod.Containers[0])
	if _, ok := m.Ratio(); ok || m.High() || m.Used.Known() {
		t.Errorf("a working set was compared with a commit limit: %+v", m)
	}
}

func TestMemoryOfLinux(t *testing.T) {
	n := linuxNode("l", func(n *Node) { n.Capacity = Resources{Memory: 8 << 30} })
	pod := &Pod{Namespace: "n", Name: "p", Node: "l", Phase: "Running", Containers: []Container{{Name: "a", MemoryLimit: 100}, {Name: "b"}}}
	c := NewCluster()
	c.Apply(Delta{Objects: []Object{n, pod, &Usage{Node: "l", Read: testNow, WorkingSet: fig(2<<30, FromSummary), Containers: []ContainerUsage{
		{Namespace: "n", Pod: "p", Container: "a", WorkingSet: fig(50, FromSummary)}, {Namespace: "n", Pod: "p", Container: "b", WorkingSet: fig(5, FromSummary)},
	}}}})
	v, _ := c.Snapshot().Node("l")
	if r, ok := v.Memory().Ratio(); !ok || r != 0.25 || v.Memory().Commit {
		t.Errorf("node ratio %v %v", r, ok)
	}
	if r, ok := v.ContainerMemory(pod, pod.Containers[0]).Ratio(); !ok || r != 0.5 {
		t.Errorf("container ratio %v %v", r, ok)
	}
	free := v.ContainerMemory(pod, pod.Containers[1])
	if _, ok := free.Ratio(); ok || !free.NoLimit {
		t.Errorf("no limit is not a share: %+v", free)
	}
	if p := v.PodMemory(pod); !p.NoLimit || p.Limit != 0 || p.Used.Value != 55 {
		t.Errorf("pod: %+v", p)
	}
	if v.Unlimited != 0 && pod.MemoryNoLimit == 0 {
		t.Errorf("unlimited %d", v.Unlimited)
	}
}

func TestEvictionLineNeedsANewKubelet(t *testing.T) {
	for version, want := range map[string]bool{"v1.37.2": true, "v1.31.0": true, "v1.31.0-eks-1": true, "v1.30.9": false, "v1.9.0": false, "v2.0.0": true, "": false, "x.y": false, "v1.31+": true} {
		if got := kubeletEvictsOnCommit(version); got != want {
			t.Errorf("kubelet %q evicts on commit: %v, want %v", version, got, want)
		}
	}
}

func TestHistoryIsBoundedAndImmutable(t *testing.T) {
	n := windowsNode("w", "10.0.26100.1", nil)
	c := NewCluster()
	c.Apply(Delta{Objects: []Object{n}})
	view := func() []Sample { v, _ := c.Snapshot().Node("w"); return v.History }
	var first []Sample
	for i := range 1000 {
		c.Apply(Delta{Objects: []Object{&Usage{Node: "w", Read: testNow.Add(time.Duration(i) * 10 * time.Second), Commit: fig(int64(i+1), FromSummary), WorkingSet: fig(9999, FromSummary)}}})
		if i == 5 {
			first = view()
		}
	}
	h := view()
	if len(h) != historySize || h[len(h)-1].Used != 1000 {
		t.Fatalf("%d samples, the last of %d", len(h), h[len(h)-1].Used)
	}
	if span := h[len(h)-1].At.Sub(h[0].At); span < 29*time.Minute || span > 31*time.Minute {
		t.Errorf("the samples span %v", span)
	}
	if len(first) != 2 || first[1].Used != 6 {
		t.Errorf("an old history changed: %v", first)
	}
	c.Apply(Delta{Objects: []Object{&Usage{Node: "w", Read: testNow.Add(4 * time.Hour), WorkingSet: fig(5, FromMetrics)}}})
	if last := view()[historySize-1].Used; last != 1000 {
		t.Errorf("a working set of %d came into the commit's history", last)
	}
	c.Apply(Delta{Gone: []Key{n.Key()}})
	c.Apply(Delta{Objects: []Object{n}})
	if len(view()) != 0 {
		t.Error("another node of the same name inherited a history")
	}
}
