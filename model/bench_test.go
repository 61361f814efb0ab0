package model

import (
	"fmt"
	"testing"
	"time"
)

func bigCluster(nodes, pods int) *Cluster {
	c := NewCluster()
	var d Delta
	for i := range nodes {
		name := fmt.Sprintf("node-%04d", i)
		if i%5 < 2 {
			d.Objects = append(d.Objects, windowsNode(name, fmt.Sprintf("10.0.%d.%d", []int{17763, 20348, 26100}[i%3], 1000+i%7), nil))
		} else {
			d.Objects = append(d.Objects, linuxNode(name, nil))
		}
	}
	for i := range pods {
		d.Objects = append(d.Objects, bigPod(i, nodes, 0))
	}
	c.Apply(d)
	c.Snapshot()
	return c
}

func bigPod(i, nodes, restart int) *Pod {
	return &Pod{Namespace: fmt.Sprintf("ns-%02d", i%40), Name: fmt.Sprintf("pod-%05d", i), Node: fmt.Sprintf("node-%04d", i%nodes),
		Phase: "Running", Restart: restart, Requests: Resources{CPU: 100, Memory: 64 << 20}}
}

// A quarter of a second of a busy cluster: 125 pods change, then a snapshot is taken.
func BenchmarkApplyAndSnapshot(b *testing.B) {
	c := bigCluster(5000, 50000)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		var d Delta
		for range 125 {
			n++
			d.Objects = append(d.Objects, bigPod(n*37%50000, 5000, n))
		}
		c.Apply(d)
		c.Snapshot()
	}
}

func BenchmarkArrange(b *testing.B) {
	s := bigCluster(5000, 50000).Snapshot()
	now := time.Now()
	for _, q := range []Query{{}, {Sort: SortByMemory}, {Filter: "os=windows 26100"}, {Grouping: GroupByNone, Sort: SortByStatus}} {
		b.Run(fmt.Sprintf("%v/%v/%s", q.Grouping, q.Sort, q.Filter), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Arrange(s, q, now)
			}
		})
	}
}
