package stats

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	metrics "k8s.io/metrics/pkg/client/clientset/versioned"

	"github.com/mullion-tui/mullion/model"
)

// Metrics reads metrics.k8s.io: CPU and working set, never commit. The API has no
// field selector: one node's pods cost as much as all, so all are read at once.
type Metrics struct {
	Client metrics.Interface
	Now    func() time.Time

	all   batch
	nodes map[string]*model.Usage
	pods  map[string][]model.ContainerUsage // by namespace/pod
}

// Source says which source this is.
func (*Metrics) Source() model.StatsSource { return model.FromMetrics }

// Node returns what the last list says of the node; it lists anew when that is old.
func (m *Metrics) Node(ctx context.Context, n *model.NodeView, _ bool) (*model.Usage, error) {
	unlock, err := m.all.fresh(m.Now(), metricsServes, func() error { return m.list(ctx) })
	defer unlock()
	if err != nil {
		return nil, err
	}
	found, ok := m.nodes[n.Name]
	if !ok {
		return nil, fmt.Errorf("it has no figures of node %s", n.Name)
	}
	u := *found
	u.Read = m.all.read
	for _, p := range n.Pods {
		u.Containers = append(u.Containers, m.pods[p.Namespace+"/"+p.Name]...)
	}
	u.SortContainers()
	return &u, nil
}

func (m *Metrics) list(ctx context.Context) error {
	nodes, err := m.Client.MetricsV1beta1().NodeMetricses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	pods, err := m.Client.MetricsV1beta1().PodMetricses("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	m.nodes, m.pods = map[string]*model.Usage{}, map[string][]model.ContainerUsage{}
	for i := range nodes.Items {
		item := &nodes.Items[i]
		m.nodes[item.Name] = &model.Usage{
			Node: item.Name,
			CPU:  metricsFigure(item.Usage.Cpu().MilliValue(), item.Timestamp), WorkingSet: metricsBytes(item.Usage.Memory(), item.Timestamp),
		}
	}
	for i := range pods.Items {
		m.addPod(&pods.Items[i])
	}
	return nil
}

func (m *Metrics) addPod(p *metricsv1beta1.PodMetrics) {
	key := p.Namespace + "/" + p.Name
	for _, c := range p.Containers {
		ws := metricsBytes(c.Usage.Memory(), p.Timestamp)
		if !ws.Known() {
			continue // HostProcess containers: nothing was measured
		}
		m.pods[key] = append(m.pods[key], model.ContainerUsage{
			Namespace: p.Namespace, Pod: p.Name, Container: c.Name, WorkingSet: ws,
			CPU: metricsFigure(c.Usage.Cpu().MilliValue(), p.Timestamp),
		})
	}
}

func metricsBytes(q *resource.Quantity, at metav1.Time) model.Figure {
	if q.Value() <= 0 {
		return model.Figure{}
	}
	return metricsFigure(q.Value(), at)
}

func metricsFigure(v int64, at metav1.Time) model.Figure {
	if v < 0 {
		return model.Figure{}
	}
	return model.Figure{Value: v, At: at.UTC(), Source: model.FromMetrics}
}
