package stats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	kubelet "k8s.io/kubelet/pkg/apis/stats/v1alpha1"

	"github.com/mullion-tui/mullion/model"
)

// Summary reads the kubelet's Summary API through the API server. It needs no
// add-on, only the right to get nodes/proxy.
type Summary struct {
	Client rest.Interface // of core/v1
	Now    func() time.Time
}

// Source says which source this is.
func (Summary) Source() model.StatsSource { return model.FromSummary }

// Node asks the node's kubelet. The full summary, which costs the kubelet a walk
// over every volume, is asked for only where the boot time is wanted: without it
// startTime of a Windows node is the kubelet's start (kubelet server/stats/summary.go).
func (s Summary) Node(ctx context.Context, n *model.NodeView, boot bool) (*model.Usage, error) {
	req := s.Client.Get().Resource("nodes").Name(n.Name).SubResource("proxy").Suffix("stats", "summary").MaxRetries(0)
	if !boot {
		req = req.Param("only_cpu_and_memory", "true")
	}
	body, err := raw(req.Do(ctx))
	if err != nil {
		return nil, throughProxy("the kubelet", err)
	}
	u, err := parseSummary(body, n.Name, n.OS)
	if err != nil {
		return nil, err
	}
	u.Read = s.Now().UTC()
	if !boot {
		u.Boot = time.Time{}
	}
	return u, nil
}

func parseSummary(body []byte, node string, os model.OS) (*model.Usage, error) {
	var sum kubelet.Summary
	if err := json.Unmarshal(body, &sum); err != nil {
		return nil, fmt.Errorf("the answer is not a summary: %w", err)
	}
	if sum.Node.NodeName == "" {
		return nil, errors.New("the answer is JSON, but not a summary: it names no node")
	}
	if sum.Node.NodeName != node {
		return nil, fmt.Errorf("the answer is about node %q", sum.Node.NodeName)
	}
	u := &model.Usage{Node: node}
	summaryNode(u, sum.Node, os)
	for i := range sum.Pods {
		summaryPod(u, &sum.Pods[i], os)
	}
	u.SortContainers()
	return u, nil
}

func summaryNode(u *model.Usage, node kubelet.NodeStats, os model.OS) {
	if !node.StartTime.IsZero() {
		u.Boot = node.StartTime.UTC()
	}
	u.CPU = cpuFigure(node.CPU)
	m := node.Memory
	if m == nil {
		return
	}
	at := m.Time.UTC()
	u.WorkingSet = positive(m.WorkingSetBytes, at)
	if u.WorkingSet.Known() && m.AvailableBytes != nil {
		// Linux: capacity less working set; Windows: physical memory less working set.
		available := int64(*m.AvailableBytes)
		if physical := available + u.WorkingSet.Value; available >= 0 && physical > 0 {
			u.Physical = model.Figure{Value: physical, At: at, Source: model.FromSummary}
		}
	}
	if os != model.OSWindows {
		return
	}
	// node.memory.usageBytes is the counter Committed Bytes in every version; the
	// limit is known only from the system container of kubelet 1.31 and later.
	u.Commit = positive(m.UsageBytes, at)
	for _, c := range node.SystemContainers {
		if c.Name != kubelet.SystemContainerWindowsGlobalCommitMemory || c.Memory == nil {
			continue
		}
		used, left := c.Memory.UsageBytes, c.Memory.AvailableBytes
		if commit := positive(used, c.Memory.Time.UTC()); commit.Known() && left != nil && int64(*left) >= 0 {
			u.Commit = commit
			u.CommitLimit = model.Figure{Value: commit.Value + int64(*left), At: commit.At, Source: model.FromSummary}
		}
	}
}

func summaryPod(u *model.Usage, pod *kubelet.PodStats, os model.OS) {
	for _, c := range pod.Containers {
		out := model.ContainerUsage{Namespace: pod.PodRef.Namespace, Pod: pod.PodRef.Name, Container: c.Name, CPU: cpuFigure(c.CPU)}
		if c.Memory != nil {
			at := c.Memory.Time.UTC()
			out.WorkingSet = positive(c.Memory.WorkingSetBytes, at)
			if os == model.OSWindows {
				// 0 means not measured: HostProcess containers, and kubelets without
				// the feature gate PodAndContainerStatsFromCRI.
				out.Commit = positive(c.Memory.UsageBytes, at)
			}
		}
		if out.Commit.Known() || out.WorkingSet.Known() || out.CPU.Value > 0 {
			u.Containers = append(u.Containers, out)
		}
	}
}

func cpuFigure(c *kubelet.CPUStats) model.Figure {
	if c == nil || c.UsageNanoCores == nil || int64(*c.UsageNanoCores) < 0 {
		return model.Figure{}
	}
	// Rounded up: a container that works a little does not work 0.
	milli := (int64(*c.UsageNanoCores) + 999_999) / 1_000_000
	return model.Figure{Value: milli, At: c.Time.UTC(), Source: model.FromSummary}
}

// positive makes a figure of a number that is there and over 0.
func positive(n *uint64, at time.Time) model.Figure {
	if n == nil || int64(*n) <= 0 {
		return model.Figure{}
	}
	return model.Figure{Value: int64(*n), At: at, Source: model.FromSummary}
}
