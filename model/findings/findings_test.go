package findings

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mullion-tui/mullion/model"
)

const mib = 1 << 20

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func figure(v int64) model.Figure {
	return model.Figure{Value: v, At: now, Source: model.FromSummary}
}

// win is a well Windows node with one pod of one container, changed as the case says.
func win(edit func(n *model.Node, p *model.Pod, u *model.Usage)) *model.NodeView {
	n := &model.Node{
		Name: "w", OS: model.OSWindows, Kubelet: "v1.37.2", Taints: []model.Taint{{Key: "os", Value: "windows", Effect: "NoSchedule"}},
		Capacity: model.Resources{Memory: 8192 * mib}, Allocatable: model.Resources{Memory: 6144 * mib},
	}
	p := &model.Pod{
		Namespace: "shop", Name: "web", Node: "w", OS: model.OSWindows, Phase: "Running", Limits: model.Resources{Memory: 256 * mib},
		Containers: []model.Container{{Name: "app", ID: "containerd://1", MemoryRequest: 256 * mib, MemoryLimit: 256 * mib}},
	}
	u := &model.Usage{
		Node: "w", Read: now, Boot: now.AddDate(0, 0, -20), Commit: figure(3000 * mib), CommitLimit: figure(10000 * mib),
		Containers: []model.ContainerUsage{{Namespace: "shop", Pod: "web", Container: "app", Commit: figure(98 * mib), WorkingSet: figure(42 * mib)}},
	}
	if edit != nil {
		edit(n, p, u)
	}
	return view(n, p, u)
}

func view(n *model.Node, objects ...model.Object) *model.NodeView {
	c := model.NewCluster()
	c.Apply(model.Delta{At: now, Objects: append([]model.Object{n}, objects...)})
	v, _ := c.Snapshot().Node(n.Name)
	return v
}

// tell writes findings as "ID severity object: evidence".
func tell(all []Finding) []string {
	var out []string
	for _, f := range all {
		out = append(out, f.ID+" "+f.Severity.String()+" "+strings.TrimPrefix(f.Object.Namespace+"/"+f.Object.Name, "/")+": "+f.Evidence)
	}
	return out
}

// Each case raises one finding, or comes near one and raises none.
func TestMemoryFindings(t *testing.T) {
	type edit = func(n *model.Node, p *model.Pod, u *model.Usage)
	cases := []struct {
		name string
		edit edit
		want []string
	}{
		{"a node that is well", nil, nil},
		{"no limit", func(_ *model.Node, p *model.Pod, _ *model.Usage) { p.Containers[0].MemoryLimit = 0 },
			[]string{"F07 warning shop/web: container app has no memory limit; 98 MiB committed (kubelet summary)"}},
		{"no limit, and nothing measured", func(_ *model.Node, p *model.Pod, u *model.Usage) { p.Containers[0].MemoryLimit = 0; u.Containers = nil },
			[]string{"F07 warning shop/web: container app has no memory limit"}},
		{"no limit on a HostProcess pod", func(_ *model.Node, p *model.Pod, _ *model.Usage) {
			p.Containers[0].MemoryLimit, p.HostProcess = 0, true
		}, nil},
		{"no limit on a pod that has ended", func(_ *model.Node, p *model.Pod, _ *model.Usage) {
			p.Containers[0].MemoryLimit, p.Phase = 0, "Succeeded"
		}, nil},
		{"no limit on Linux", func(n *model.Node, p *model.Pod, _ *model.Usage) {
			n.OS, p.OS, p.Containers[0].MemoryLimit = model.OSLinux, model.OSLinux, 0
		}, nil},
		{"request below limit", func(_ *model.Node, p *model.Pod, _ *model.Usage) { p.Containers[0].MemoryRequest = 128 * mib },
			[]string{"F08 info shop/web: container app requests 128 MiB and is limited to 256 MiB"}},
		{"request below limit on Linux", func(n *model.Node, p *model.Pod, _ *model.Usage) {
			n.OS, p.OS, p.Containers[0].MemoryRequest = model.OSLinux, model.OSLinux, 128*mib
		}, nil},
		{"a container at 90 %", func(_ *model.Node, p *model.Pod, u *model.Usage) {
			p.Containers[0].MemoryRequest, p.Containers[0].MemoryLimit, u.Containers[0].Commit = 200*mib, 200*mib, figure(180*mib)
		}, []string{"F09 warning shop/web: container app has committed 180 MiB of 200 MiB (90 %; kubelet summary)"}},
		{"a container just below", func(_ *model.Node, _ *model.Pod, u *model.Usage) { u.Containers[0].Commit = figure(230 * mib) }, nil},
		{"a working set at the limit is no commit", func(_ *model.Node, _ *model.Pod, u *model.Usage) {
			u.Containers[0].Commit, u.Containers[0].WorkingSet = model.Figure{}, figure(255*mib)
		}, nil},
		{"a node at 90 %", func(_ *model.Node, _ *model.Pod, u *model.Usage) { u.Commit = figure(9000 * mib) },
			[]string{"F09 warning w: the node has committed 9000 MiB of 10000 MiB (90 %; kubelet summary)"}},
		{"a node just below", func(_ *model.Node, _ *model.Pod, u *model.Usage) { u.Commit = figure(8999 * mib) }, nil},
		{"a node beyond the eviction line", func(_ *model.Node, _ *model.Pod, u *model.Usage) { u.Commit = figure(9600 * mib) },
			[]string{"F09 critical w: the node has committed 9600 MiB of 10000 MiB (96 %; kubelet summary); the kubelet evicts pods from 9500 MiB on"}},
		{"a kubelet that does not evict on commit", func(n *model.Node, _ *model.Pod, u *model.Usage) { n.Kubelet, u.Commit = "v1.30.4", figure(9600*mib) },
			[]string{"F09 warning w: the node has committed 9600 MiB of 10000 MiB (96 %; kubelet summary)"}},
		{"limits over the commit limit", func(_ *model.Node, p *model.Pod, _ *model.Usage) { p.Limits.Memory, p.MemoryNoLimit = 10001*mib, 2 },
			[]string{"F10 warning w: limits of 10001 MiB on a node with commit limit 10000 MiB; 2 more containers have no limit"}},
		{"limits up to the commit limit", func(_ *model.Node, p *model.Pod, _ *model.Usage) { p.Limits.Memory = 10000 * mib }, nil},
		{"limits, and a commit limit that is not known", func(_ *model.Node, p *model.Pod, u *model.Usage) {
			p.Limits.Memory, u.CommitLimit = 90000*mib, model.Figure{}
		}, nil},
		{"limits over the allocatable of Linux", func(n *model.Node, p *model.Pod, _ *model.Usage) {
			n.OS, p.OS, p.Limits.Memory = model.OSLinux, model.OSLinux, 6145*mib
		},
			[]string{"F10 info w: limits of 6145 MiB on a node with allocatable 6144 MiB"}},
		{"1.5 GiB for the system", func(n *model.Node, _ *model.Pod, _ *model.Usage) { n.Allocatable.Memory = 6656 * mib },
			[]string{"F11 warning w: 1536 MiB of 8192 MiB are kept for the system"}},
		{"the same on Linux", func(n *model.Node, p *model.Pod, _ *model.Usage) {
			n.OS, p.OS, n.Allocatable.Memory = model.OSLinux, model.OSLinux, 6656*mib
		}, nil},
		{"allocatable not known", func(n *model.Node, _ *model.Pod, _ *model.Usage) { n.Allocatable.Memory = 0 }, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := tell(Node(&World{Now: now}, win(c.edit))); !slices.Equal(got, c.want) {
				t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestRulesAreWhole(t *testing.T) {
	last := ""
	for _, r := range Rules() {
		scopes := 0
		for _, set := range []bool{r.Node != nil, r.Pod != nil, r.Cluster != nil} {
			if set {
				scopes++
			}
		}
		if scopes != 1 {
			t.Errorf("%s has %d scopes", r.ID, scopes)
		}
		if r.Title == "" || r.Looks == "" || r.Why == "" || r.Remedy == "" {
			t.Errorf("%s lacks words", r.ID)
		}
		if r.ID <= last {
			t.Errorf("%s comes after %s", r.ID, last)
		}
		last = r.ID
	}
}

// A book says the same as a look at everything, and looks only at what has changed.
func TestBookIsIncremental(t *testing.T) {
	looks := map[string]int{}
	b := &Book{rules: []Rule{
		{ID: "N", Node: func(_ *World, v *model.NodeView) []Finding {
			looks[v.Name]++
			return []Finding{{Object: v.Key(), Evidence: "seen"}}
		}},
		{ID: "P", Severity: Warning, Pod: func(_ *World, v *model.NodeView, p *model.Pod) []Finding {
			return []Finding{{Object: p.Key(), Evidence: map[bool]string{true: "waits", false: "runs"}[v == nil]}}
		}},
		{ID: "C", Severity: Critical, Cluster: func(w *World) []Finding {
			return []Finding{{Evidence: strings.Repeat("n", len(w.Snapshot.Nodes()))}}
		}},
	}}
	c := model.NewCluster()
	c.Apply(model.Delta{Objects: []model.Object{
		&model.Node{Name: "a"}, &model.Node{Name: "b"}, &model.Pod{Name: "p", Node: "a", Phase: "Running"},
		&model.Pod{Name: "q", Phase: "Pending"}, &model.Pod{Name: "done", Node: "a", Phase: "Failed"},
	}})
	want := []string{"C critical : nn", "P warning p: runs", "P warning q: waits", "N info a: seen", "N info b: seen"}
	for range 2 {
		if got := tell(b.Find(World{Snapshot: c.Snapshot(), Now: now})); !slices.Equal(got, want) {
			t.Errorf("found %q", got)
		}
	}
	c.Apply(model.Delta{Objects: []model.Object{&model.Node{Name: "b", Unschedulable: true}}, Gone: []model.Key{{Kind: model.KindNode, Name: "a"}}})
	if got := tell(b.Find(World{Snapshot: c.Snapshot(), Now: now})); !slices.Equal(got, []string{"C critical : n", "P warning p: waits", "P warning q: waits", "N info b: seen"}) {
		t.Errorf("after the change %q", got)
	}
	if looks["a"] != 1 || looks["b"] != 2 {
		t.Errorf("looked %v times", looks)
	}
}
