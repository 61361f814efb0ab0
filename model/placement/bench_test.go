package placement

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// big is a cluster of 5,000 nodes, of which two in five run Windows, and 50,000 pods of
// 5,000 templates, of which every tenth keeps its own kind off its node.
func big() *model.Snapshot {
	const nodes, pods = 5000, 50000
	c := model.NewCluster()
	var d model.Delta
	for i := range nodes {
		s := ready()
		n := s.node
		n.Name = fmt.Sprintf("node-%04d", i)
		n.MaxPods, n.Allocatable = 60, model.Resources{CPU: 16000, Memory: 64 * gib}
		n.Labels = map[string]string{"kubernetes.io/os": "windows", hostKey: n.Name, zoneKey: []string{"a", "b", "c"}[i%3]}
		if i%5 >= 2 {
			n.OS, n.Windows, n.Taints, n.Labels["kubernetes.io/os"] = model.OSLinux, model.WindowsVersion{}, nil, "linux"
		}
		d.Objects = append(d.Objects, n)
	}
	var shape *model.Shape
	var labels map[string]string
	for i := range pods {
		if i%10 == 0 {
			app := fmt.Sprintf("app-%d", i/10)
			shape = &model.Shape{Images: []model.ContainerImage{{Container: "app", Image: app}}}
			if i%100 == 0 {
				shape.Affinity = away(term1(hostKey, app))
			}
			labels = map[string]string{"app": app, "pod-template-hash": "1"}
		}
		d.Objects = append(d.Objects, &model.Pod{Namespace: fmt.Sprintf("ns-%02d", i%40), Name: fmt.Sprintf("pod-%05d", i),
			Node: fmt.Sprintf("node-%04d", i%nodes), Phase: "Running", Shape: shape, Labels: labels, Requests: model.Resources{CPU: 100, Memory: gib}})
	}
	for _, k := range model.Kinds {
		d.Feeds = append(d.Feeds, model.Feed{Kind: k, State: model.FeedSynced, Listed: true})
	}
	c.Apply(d)
	return c.Snapshot()
}

func BenchmarkBoard(b *testing.B) {
	snap := big()
	plain := ready().pod
	apart := ready().pod
	apart.Shape.Affinity = away(term1(hostKey, "app-1"))
	apart.Shape.Spread = spreadOver(zoneKey, func(c *corev1.TopologySpreadConstraint) { c.LabelSelector = like("app-1") })
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			New(snap, What{})
		}
	})
	for name, pod := range map[string]*model.Pod{"plain": plain, "with company": apart} {
		b.Run("first "+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				New(snap, What{}).Explain(pod)
			}
		})
		b.Run("next "+name, func(b *testing.B) {
			board := New(snap, What{})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p := *pod
				p.Name = fmt.Sprint(i)
				board.Explain(&p)
			}
		})
	}
	b.Run("one node", func(b *testing.B) {
		board := New(snap, What{})
		b.ReportAllocs()
		for b.Loop() {
			board.Verdict(plain, "node-0003")
		}
	})
}
