package findings

import (
	"fmt"
	"testing"
	"time"

	"github.com/mullion-tui/mullion/model"
)

// large is a cluster of 5,000 nodes, every second of them Windows, with ten pods each.
// Some things are wrong in it: a twentieth of the Windows pods has no limit, a hundred wait.
func large() *model.Cluster {
	const nodes, pods = 5000, 10
	c := model.NewCluster()
	shapes := make([]*model.Shape, 200)
	for i := range shapes {
		shapes[i] = &model.Shape{NodeSelector: map[string]string{osLabel: "windows", model.WindowsBuildLabel: "10.0.26100"}, Images: []model.ContainerImage{{Container: "app", Image: fmt.Sprintf("example.com/app-%d:1-ltsc2025", i)}}}
	}
	var objects []model.Object
	for i := range nodes {
		name := fmt.Sprintf("n%04d", i)
		n, os := windowsNode(name), model.OSWindows
		if i%2 == 1 {
			n, os = linuxNode(name), model.OSLinux
		}
		objects = append(objects, n, heartbeat(name, 5*time.Second), booted(name, 90*24*time.Hour))
		for j := range pods {
			objects = append(objects, windowsPod(fmt.Sprintf("p%04d-%d", i, j), name, func(p *model.Pod) {
				p.OS, p.Shape, p.Owner = os, shapes[(i*pods+j)%len(shapes)], model.Owner{Kind: "ReplicaSet", Name: fmt.Sprint("rs", i%500), UID: fmt.Sprint("rs", i%500)}
				if os == model.OSLinux {
					p.Shape = &model.Shape{}
				}
				if (i*pods+j)%20 == 0 {
					p.Containers[0].MemoryLimit = 0
				}
			}))
		}
	}
	for i := range 100 {
		objects = append(objects, windowsPod(fmt.Sprint("waits", i), "", pending("0/5000 nodes are available"), func(p *model.Pod) { p.Shape = shapes[i%4] }))
	}
	for i := range 500 {
		objects = append(objects, &model.Workload{Kind: model.KindDeployment, Namespace: "shop", Name: fmt.Sprint("d", i), Template: windowsPod("t", "")},
			&model.Workload{Kind: model.KindReplicaSet, Namespace: "shop", Name: fmt.Sprint("rs", i), Owner: model.Owner{Kind: "Deployment", Name: fmt.Sprint("d", i)}})
	}
	c.Apply(model.Delta{At: now, Objects: objects, Feeds: []model.Feed{{Kind: model.KindLease, State: model.FeedSynced, Listed: true}}})
	return c
}

// A first look at everything.
func BenchmarkFindFirst(b *testing.B) {
	w := World{Snapshot: large().Snapshot(), Now: now}
	b.ReportAllocs()
	for b.Loop() {
		(&Book{}).Find(w)
	}
}

// A look after the usual quarter of a second: 125 heartbeats and some pods.
func BenchmarkFindNext(b *testing.B) {
	c, book := large(), &Book{}
	at := now
	book.Find(World{Snapshot: c.Snapshot(), Now: at})
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		at = at.Add(250 * time.Millisecond)
		var objects []model.Object
		for i := range 125 {
			objects = append(objects, &model.Lease{Node: fmt.Sprintf("n%04d", i*37%5000), Renewed: at})
		}
		c.Apply(model.Delta{At: at, Objects: objects})
		s := c.Snapshot()
		b.StartTimer()
		book.Find(World{Snapshot: s, Now: at})
	}
}
