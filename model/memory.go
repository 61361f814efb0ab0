package model

import (
	"cmp"
	"slices"
	"time"
)

// StatsSource is where a figure was read, best first (domain: commit, not working set).
type StatsSource uint8

// The sources of figures. A figure of NoSource is not known, whatever its value.
const (
	NoSource       StatsSource = iota
	FromSummary                // the kubelet's Summary API, through the API server
	FromExporter               // windows_exporter, through the pod proxy
	FromPrometheus             // the Prometheus HTTP API
	FromMetrics                // metrics.k8s.io: CPU and working set alone
)

// String returns the words that the UI and the JSON output show.
func (s StatsSource) String() string {
	return [...]string{"unknown", "kubelet summary", "windows_exporter", "Prometheus", "metrics.k8s.io"}[s]
}

// Figure is one measured number with where and when it was read. The zero value is
// not known: a number that is absent never reads as 0.
type Figure struct {
	Value  int64     // bytes, or thousandths of a core
	At     time.Time // by the clock of the source, UTC; zero is unknown
	Source StatsSource
}

// Known reports whether there is a number at all.
func (f Figure) Known() bool { return f.Source != NoSource }

// Or returns f where it is known, else other.
func (f Figure) Or(other Figure) Figure {
	if f.Known() {
		return f
	}
	return other
}

// Usage is what is known of a node's memory, from one source or several.
type Usage struct {
	Node string
	Read time.Time // when the newest answer arrived, by the clock of this machine, UTC

	Commit      Figure // Windows: committed bytes of the whole system
	CommitLimit Figure // Windows: physical memory and page file
	Physical    Figure // installed memory
	WorkingSet  Figure // Windows: sum of private working sets; Linux: the root cgroup's working set
	CPU         Figure // thousandths of a core

	// Boot is when the operating system started, UTC; zero is unknown.
	Boot       time.Time
	Containers []ContainerUsage // by namespace, pod and container
	Problems   []string         // why a figure is missing: what was asked, and what came back
}

// Key implements Object.
func (u *Usage) Key() Key { return Key{Kind: KindUsage, Name: u.Node} }

// ContainerUsage is what one container uses.
type ContainerUsage struct {
	Namespace  string
	Pod        string
	Container  string
	Commit     Figure // Windows: commit of the job object, what its limit is compared with
	WorkingSet Figure // Windows: private working set; Linux: the cgroup's working set
	CPU        Figure
}

func compareContainers(a, b ContainerUsage) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Container, b.Container))
}

// Container finds the figures of one container.
func (u *Usage) Container(namespace, pod, container string) (ContainerUsage, bool) {
	if u == nil {
		return ContainerUsage{}, false
	}
	i, ok := slices.BinarySearchFunc(u.Containers, ContainerUsage{Namespace: namespace, Pod: pod, Container: container}, compareContainers)
	if !ok {
		return ContainerUsage{}, false
	}
	return u.Containers[i], true
}

// Merge returns u with what it does not know taken from other. Both stay as they
// are; Containers of both must be sorted.
func (u *Usage) Merge(other *Usage) *Usage {
	if u == nil || other == nil {
		return cmp.Or(u, other)
	}
	out := *u
	if other.Read.After(out.Read) {
		out.Read = other.Read
	}
	out.Commit = u.Commit.Or(other.Commit)
	out.CommitLimit = u.CommitLimit.Or(other.CommitLimit)
	out.Physical = u.Physical.Or(other.Physical)
	out.WorkingSet = u.WorkingSet.Or(other.WorkingSet)
	out.CPU = u.CPU.Or(other.CPU)
	if out.Boot.IsZero() {
		out.Boot = other.Boot
	}
	out.Containers = mergeContainers(u.Containers, other.Containers)
	out.Problems = append(slices.Clip(slices.Clone(u.Problems)), other.Problems...)
	return &out
}

func mergeContainers(a, b []ContainerUsage) []ContainerUsage {
	out := make([]ContainerUsage, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		switch order := compareContainers(a[0], b[0]); {
		case order < 0:
			out, a = append(out, a[0]), a[1:]
		case order > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			c := a[0]
			c.Commit = c.Commit.Or(b[0].Commit)
			c.WorkingSet = c.WorkingSet.Or(b[0].WorkingSet)
			c.CPU = c.CPU.Or(b[0].CPU)
			out, a, b = append(out, c), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// SortContainers brings the containers into the order that Container and Merge need.
// Of two with the same names, as while a StatefulSet replaces a pod, the one that was
// measured last stays.
func (u *Usage) SortContainers() {
	slices.SortStableFunc(u.Containers, func(a, b ContainerUsage) int {
		return cmp.Or(compareContainers(a, b), b.measured().Compare(a.measured()))
	})
	u.Containers = slices.CompactFunc(u.Containers, func(a, b ContainerUsage) bool { return compareContainers(a, b) == 0 })
}

func (c ContainerUsage) measured() time.Time { return c.Commit.Or(c.WorkingSet).Or(c.CPU).At }
