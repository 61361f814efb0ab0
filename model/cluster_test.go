package model

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// world draws small objects from a small set of names, so that they meet often.
func drawObject(t *rapid.T) Object {
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
	node := rapid.SampledFrom([]string{"", "a", "b", "c", "gone"}).Draw(t, "node")
	cpu := int64(rapid.IntRange(0, 3).Draw(t, "cpu"))
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return &Node{Name: name, Unschedulable: cpu == 1, Labels: map[string]string{"x": fmt.Sprint(cpu)}}
	case 1:
		return &RuntimeClass{Name: name, NodeSelector: map[string]string{"x": fmt.Sprint(cpu)}}
	case 2:
		return &CSINode{Name: name, Drivers: []string{fmt.Sprint(cpu)}}
	case 3:
		return &Lease{Node: name, Renewed: time.Unix(cpu, 0)}
	case 4:
		return &Workload{Kind: KindReplicaSet, Namespace: "n", Name: name, Desired: int(cpu)}
	default:
		phase := rapid.SampledFrom([]string{"Running", "Succeeded"}).Draw(t, "phase")
		return &Pod{Namespace: "n", Name: name + fmt.Sprint(cpu), Node: node, Phase: phase, Requests: Resources{CPU: cpu}}
	}
}

func drawDelta(t *rapid.T) Delta {
	d := Delta{At: time.Unix(1, 0)}
	for range rapid.IntRange(0, 5).Draw(t, "objects") {
		d.Objects = append(d.Objects, drawObject(t))
	}
	for range rapid.IntRange(0, 3).Draw(t, "gone") {
		d.Gone = append(d.Gone, drawObject(t).Key())
	}
	if rapid.IntRange(0, 9).Draw(t, "reset") == 0 {
		d.Reset = []Kind{rapid.SampledFrom([]Kind{KindNode, KindPod, KindReplicaSet, KindLease, KindRuntimeClass, KindCSINode}).Draw(t, "kind")}
	}
	return d
}

// plain is the naive cluster that the incremental one must equal.
type plain map[Key]Object

func (p plain) apply(d Delta) {
	listed := map[Key]bool{}
	for _, o := range d.Objects {
		listed[o.Key()] = true
	}
	for k := range p {
		if slices.Contains(d.Reset, k.Kind) && !listed[k] {
			delete(p, k)
		}
	}
	for _, k := range d.Gone {
		delete(p, k)
	}
	for _, o := range d.Objects {
		p[o.Key()] = o
	}
}

func (p plain) rebuild() *Snapshot {
	c := NewCluster()
	d := Delta{At: time.Unix(1, 0)}
	for _, o := range p {
		d.Objects = append(d.Objects, o)
	}
	c.Apply(d)
	return c.Snapshot()
}

func describe(s *Snapshot) string {
	out := fmt.Sprintln(s.PodCount(), s.StrayPods())
	for _, v := range s.Nodes() {
		out += fmt.Sprintln(v.Name, v.Unschedulable, v.Running, v.Requests, v.Classes, v.Drivers, v.CSIKnown, v.LeaseTime.Unix(), podNames(v.Pods))
	}
	out += fmt.Sprintln(podNames(s.Unbound()))
	for _, pods := range s.Strays() {
		out += fmt.Sprintln("stray", podNames(pods))
	}
	for _, w := range s.workloads {
		out += fmt.Sprintln(*w)
	}
	for _, c := range s.RuntimeClasses() {
		out += fmt.Sprintln(*c)
	}
	return out
}

func podNames(pods []*Pod) (names []string) {
	for _, p := range pods {
		names = append(names, p.Namespace+"/"+p.Name+"@"+p.Node+p.Phase)
	}
	return names
}

func TestClusterIncrementalEqualsRebuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, p := NewCluster(), plain{}
		type taken struct {
			s    *Snapshot
			text string
		}
		var old []taken
		for range rapid.IntRange(1, 12).Draw(t, "deltas") {
			d := drawDelta(t)
			c.Apply(d)
			p.apply(d)
			s := c.Snapshot()
			if got, want := describe(s), describe(p.rebuild()); got != want {
				t.Fatalf("incremental:\n%s\nrebuilt:\n%s", got, want)
			}
			old = append(old, taken{s, describe(s)})
		}
		for _, o := range old {
			if now := describe(o.s); now != o.text {
				t.Fatalf("snapshot %d changed after it was handed out:\n%s\nwas:\n%s", o.s.Serial, now, o.text)
			}
		}
	})
}

func TestSnapshotSharesWhatDidNotChange(t *testing.T) {
	c := NewCluster()
	c.Apply(Delta{Objects: []Object{
		&Node{Name: "a"}, &Node{Name: "b"},
		&Pod{Namespace: "n", Name: "p", Node: "a", Phase: "Running"},
	}})
	first := c.Snapshot()
	if again := c.Snapshot(); again != first {
		t.Error("nothing changed, yet a new snapshot was made")
	}
	c.Apply(Delta{Objects: []Object{&Pod{Namespace: "n", Name: "p", Node: "a", Phase: "Running"}}})
	same := c.Snapshot()
	c.Apply(Delta{Objects: []Object{&Pod{Namespace: "n", Name: "p", Node: "a", Phase: "Failed"}}})
	second := c.Snapshot()
	view := func(s *Snapshot, name string) *NodeView { v, _ := s.Node(name); return v }
	if view(first, "a") != view(same, "a") {
		t.Error("an equal pod made a new view of its node")
	}
	if view(first, "b") != view(second, "b") {
		t.Error("the view of an untouched node was made anew")
	}
	if view(second, "a").Version <= view(first, "a").Version {
		t.Error("the view of a touched node kept its version")
	}
	if view(first, "a").Running != 1 || view(second, "a").Running != 0 {
		t.Error("a finished pod still counts")
	}
}

func TestOwnerOf(t *testing.T) {
	c := NewCluster()
	deployment := Owner{Kind: "Deployment", Name: "web", UID: "d"}
	c.Apply(Delta{Objects: []Object{
		&Workload{Kind: KindReplicaSet, Namespace: "n", Name: "web-1", Owner: deployment},
		&Workload{Kind: KindReplicaSet, Namespace: "n", Name: "bare"},
		&Workload{Kind: KindJob, Namespace: "n", Name: "night-1", Owner: Owner{Kind: "CronJob", Name: "night"}},
	}})
	s := c.Snapshot()
	for _, tc := range []struct{ owner, want Owner }{
		{Owner{Kind: "ReplicaSet", Name: "web-1"}, deployment},
		{Owner{Kind: "ReplicaSet", Name: "bare"}, Owner{Kind: "ReplicaSet", Name: "bare"}},
		{Owner{Kind: "ReplicaSet", Name: "vanished"}, Owner{Kind: "ReplicaSet", Name: "vanished"}},
		{Owner{Kind: "Job", Name: "night-1"}, Owner{Kind: "CronJob", Name: "night"}},
		{Owner{Kind: "DaemonSet", Name: "web-1"}, Owner{Kind: "DaemonSet", Name: "web-1"}},
		{Owner{}, Owner{}},
	} {
		if got := s.OwnerOf(&Pod{Namespace: "n", Owner: tc.owner}); got != tc.want {
			t.Errorf("owner of a pod of %v = %v, want %v", tc.owner, got, tc.want)
		}
	}
}

func TestFeedsStartWaiting(t *testing.T) {
	c := NewCluster()
	s := c.Snapshot()
	if len(s.Feeds) != len(Kinds) || s.Feed(KindPod).State != FeedWaiting {
		t.Fatalf("feeds of an empty cluster: %+v", s.Feeds)
	}
	f := Feed{Kind: KindPod, State: FeedForbidden, Error: "no"}
	c.Apply(Delta{Feeds: []Feed{f}})
	if got := c.Snapshot().Feed(KindPod); !reflect.DeepEqual(got, f) {
		t.Errorf("feed = %+v", got)
	}
	if s.Feed(KindPod).State != FeedWaiting {
		t.Error("the snapshot before was written to")
	}
}
