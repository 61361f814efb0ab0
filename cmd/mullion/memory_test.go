package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"sigs.k8s.io/yaml"

	"github.com/mullion-tui/mullion/model"
)

func memoryOf(t *testing.T, args ...string) memoryOutput {
	t.Helper()
	stdout, stderr, code := mullion(t, append([]string{"--demo", "memory", "-o", "json"}, args...)...)
	if code != exitOK || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	var out memoryOutput
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// The table of the article on workloads in a hybrid cluster, through the whole
// program: 0.31 of the node's limit; of hello-win 98 MiB committed, 42 MiB working
// set, 0.38 of 256 MiB.
func TestMemoryOfTheLab(t *testing.T) {
	out := memoryOf(t, "k8s-lab-win-1")
	if out.APIVersion != "mullion/v1" || out.Kind != "MemoryInventory" || out.Context != "lab" || len(out.Nodes) != 1 {
		t.Fatalf("head: %+v", out)
	}
	n := out.Nodes[0]
	if math.Round(*n.Ratio*100) != 31 || *n.CommitBytes+2047<<20 >= *n.LimitBytes || *n.Source != "kubelet summary" || *n.WorkingSetBytes>>20 != 1292 {
		t.Errorf("node: ratio %v, commit %d, limit %d, working set %d, from %s", *n.Ratio, *n.CommitBytes, *n.LimitBytes, *n.WorkingSetBytes, *n.Source)
	}
	if *n.EvictionBytes != *n.LimitBytes-500<<20 || len(n.Reasons) != 0 || *n.AgeSeconds > 60 {
		t.Errorf("node: eviction at %d, reasons %q, age %d", *n.EvictionBytes, n.Reasons, *n.AgeSeconds)
	}
	hello := 0
	for _, c := range n.Containers {
		if c.Container == "hello" {
			hello++
			if *c.CommitBytes != 98<<20 || *c.WorkingSetBytes != 42<<20 || *c.LimitBytes != 256<<20 || math.Round(*c.Ratio*100) != 38 {
				t.Errorf("hello-win: %d of %d, working set %d, ratio %v", *c.CommitBytes, *c.LimitBytes, *c.WorkingSetBytes, *c.Ratio)
			}
		}
		if c.HostProcess && (c.Source == nil || *c.Source != "windows_exporter") {
			t.Errorf("a HostProcess container, which the kubelet does not measure: %+v", c)
		}
		if c.NoLimit && (c.LimitBytes != nil || c.Ratio != nil) {
			t.Errorf("no limit is not a share: %+v", c)
		}
	}
	if hello != 2 {
		t.Errorf("%d containers of hello-win", hello)
	}
}

// Whatever is null has its reason beside it, and no commit is made of a working set.
func TestMemoryReasons(t *testing.T) {
	reasons := map[string]string{}
	for _, n := range memoryOf(t, "--context", "trouble").Nodes {
		windows := n.OS == "windows"
		if counts := n.WorkingSetBytes; (windows && (n.CommitBytes == nil || n.LimitBytes == nil) || !windows && counts == nil) && len(n.Reasons) == 0 {
			t.Errorf("%s: something is unknown and nothing says why", n.Name)
		}
		if !windows && n.CommitBytes != nil {
			t.Errorf("%s has a commit", n.Name)
		}
		for _, c := range n.Containers {
			counts := c.WorkingSetBytes
			if windows {
				counts = c.CommitBytes
			}
			if (counts == nil) != (c.Reason != "") {
				t.Errorf("%s/%s: used %v, reason %q", c.Namespace, c.Pod, counts, c.Reason)
			}
		}
		reasons[n.Name] = strings.Join(n.Reasons, "\n")
	}
	for node, want := range map[string]string{
		"w25-tight":   "kubelet summary: the kubelet cannot be reached: remote error: tls: internal error (it has no serving certificate: is a kubelet-serving CSR pending?)",
		"w23h2":       "kubelet summary: the kubelet answers 403 Forbidden",
		"lin-1":       "kubelet summary: the answer is not a summary: invalid character '<'",
		"w25-clock":   "the clock of the node is 7m0s ahead of this machine's: ages count from the answer",
		"w22-offline": "kubelet summary: the kubelet cannot be reached: dial tcp",
	} {
		if !strings.Contains(reasons[node], want) {
			t.Errorf("%s: %q, want %q", node, reasons[node], want)
		}
	}
}

func TestMemoryRefusesWhatIsNotThere(t *testing.T) {
	if _, stderr, code := mullion(t, "--demo", "memory", "nowhere"); code != exitUsage || !strings.Contains(stderr, `no node "nowhere"`) {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	if _, stderr, code := mullion(t, "--demo", "memory", "-o", "wide"); code != exitUsage || !strings.Contains(stderr, "table, json, yaml") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

// A dump holds no figures: every one is null and says so.
func TestMemoryOfADump(t *testing.T) {
	dump := file(t, "nodes.json", `{"kind":"Node","apiVersion":"v1","metadata":{"name":"w"},"status":{"nodeInfo":{"operatingSystem":"windows"},"addresses":[{"type":"InternalIP","address":"192.0.2.1"}]}}`)
	stdout, _, code := mullion(t, "--from", dump, "memory", "-o", "yaml")
	var out memoryOutput
	if err := yaml.UnmarshalStrict([]byte(stdout), &out); err != nil || code != exitOK || len(out.Nodes) != 1 {
		t.Fatalf("exit code %d, %v: %s", code, err, stdout)
	}
	if n := out.Nodes[0]; n.CommitBytes != nil || n.Source != nil || len(n.Reasons) == 0 {
		t.Errorf("%+v", n)
	}
}

// known is a cluster with every kind of row.
func knownMemory() *model.Snapshot {
	at := time.Date(2026, 12, 1, 11, 59, 53, 0, time.UTC)
	figure := func(mib int64, s model.StatsSource) model.Figure {
		return model.Figure{Value: mib << 20, At: at, Source: s}
	}
	container := func(name string, limit int64) model.Container {
		return model.Container{Name: name, ID: "containerd://" + name, MemoryRequest: limit << 20, MemoryLimit: limit << 20}
	}
	pod := func(node, name string, c model.Container) *model.Pod {
		p := &model.Pod{Namespace: "win-demo", Name: name, Node: node, Phase: "Running", Requests: model.Resources{Memory: c.MemoryRequest}, Limits: model.Resources{Memory: c.MemoryLimit}, Containers: []model.Container{c}}
		if c.MemoryLimit == 0 {
			p.MemoryNoLimit = 1
		}
		return p
	}
	stopped := container("crashes", 64)
	stopped.Stopped = true
	host := pod("k8s-lab-win-1", "kube-proxy-windows", container("kube-proxy", 0))
	host.HostProcess = true
	used := func(pod, c string, commit, set model.Figure) model.ContainerUsage {
		return model.ContainerUsage{Namespace: "win-demo", Pod: pod, Container: c, Commit: commit, WorkingSet: set}
	}
	win := &model.Usage{
		Node: "k8s-lab-win-1", Read: at, Commit: figure(2936, model.FromSummary), CommitLimit: figure(9471, model.FromSummary),
		Physical: figure(8191, model.FromSummary), WorkingSet: figure(1292, model.FromSummary),
		Containers: []model.ContainerUsage{
			used("hello-win", "hello", figure(98, model.FromSummary), figure(42, model.FromSummary)),
			used("only-working-set", "app", model.Figure{}, figure(41, model.FromMetrics)),
			used("unlimited", "app", figure(30, model.FromExporter), figure(20, model.FromExporter)),
		},
		Problems: []string{"windows_exporter: pod win-demo/exporter cannot be reached"},
	}
	win.SortContainers()
	c := model.NewCluster()
	c.Apply(model.Delta{
		Objects: []model.Object{
			&model.Node{Name: "k8s-lab-win-1", OS: model.OSWindows, Kubelet: "v1.37.2"}, win,
			pod("k8s-lab-win-1", "hello-win", container("hello", 256)), pod("k8s-lab-win-1", "only-working-set", container("app", 256)),
			pod("k8s-lab-win-1", "unlimited", container("app", 0)), pod("k8s-lab-win-1", "crash", stopped), host,
			&model.Node{Name: "k8s-lab-node-1", OS: model.OSLinux, Capacity: model.Resources{Memory: 7560 << 20}},
			&model.Usage{Node: "k8s-lab-node-1", Read: at, WorkingSet: figure(1960, model.FromMetrics)},
			&model.Node{Name: "silent", OS: model.OSWindows}, &model.Usage{Node: "silent", Read: at, Problems: []string{"kubelet summary: the kubelet cannot be reached"}},
		},
		Feeds: []model.Feed{{Kind: model.KindNode, State: model.FeedSynced, Listed: true}, {Kind: model.KindPod, State: model.FeedSynced, Listed: true}},
	})
	return c.Snapshot()
}

func TestMemoryOutput(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, format := range []string{"table", "json"} {
		t.Run(format, func(t *testing.T) {
			var out bytes.Buffer
			if err := describeMemory(model.SessionInfo{Context: "lab", Server: "https://lab:6443"}, knownMemory(), nil, now).print(&out, format); err != nil {
				t.Fatal(err)
			}
			golden.RequireEqual(t, out.Bytes())
		})
	}
}

func TestMemoryWithoutPods(t *testing.T) {
	c := model.NewCluster()
	c.Apply(model.Delta{
		Objects: []model.Object{&model.Node{Name: "w", OS: model.OSWindows}},
		Feeds:   []model.Feed{{Kind: model.KindNode, State: model.FeedSynced, Listed: true}, {Kind: model.KindPod, State: model.FeedForbidden, Error: "cannot list pods"}},
	})
	out := describeMemory(model.SessionInfo{}, c.Snapshot(), nil, time.Now())
	if n := out.Nodes[0]; n.RequestBytes != nil || n.Unlimited != nil {
		t.Errorf("sums over pods that nobody knows: %+v", n)
	}
	if want := fmt.Sprintf("pods: %s: cannot list pods", model.FeedForbidden); len(out.Problems) != 1 || out.Problems[0] != want {
		t.Errorf("problems %q, want %q", out.Problems, want)
	}
}
