package stats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	promodel "github.com/prometheus/common/model"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/model"
)

// ExporterPort is where windows_exporter listens.
const ExporterPort = 9182

// ErrNoExporter says that no pod of the node is a windows_exporter.
var ErrNoExporter = errors.New("no pod of the node is one")

// Exporter reads the windows_exporter of a node through the pod proxy. It needs the
// right to get pods/proxy in the exporter's namespace.
type Exporter struct {
	Client rest.Interface // of core/v1
	Now    func() time.Time
}

// Source says which source this is.
func (Exporter) Source() model.StatsSource { return model.FromExporter }

// Node asks the exporter that runs on the node.
func (e Exporter) Node(ctx context.Context, n *model.NodeView, _ bool) (*model.Usage, error) {
	p := exporterOn(n)
	if p == nil {
		return nil, ErrNoExporter
	}
	body, err := raw(e.Client.Get().Namespace(p.Namespace).Resource("pods").Name(fmt.Sprintf("%s:%d", p.Name, ExporterPort)).
		SubResource("proxy").Suffix("metrics").MaxRetries(0).Do(ctx))
	if err != nil {
		return nil, throughProxy(fmt.Sprintf("pod %s/%s", p.Namespace, p.Name), err)
	}
	return parseExporter(body, n, e.Now().UTC())
}

func exporterOn(n *model.NodeView) *model.Pod {
	for _, p := range n.Pods {
		if p.Exporter && p.Phase == "Running" {
			return p
		}
	}
	return nil
}

// parseExporter reads an exposition page. It carries no times, so now counts.
func parseExporter(body []byte, n *model.NodeView, now time.Time) (*model.Usage, error) {
	parser := expfmt.NewTextParser(promodel.UTF8Validation)
	// windows_exporter's own published pages begin with a byte order mark.
	families, err := parser.TextToMetricFamilies(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
	if err != nil {
		return nil, fmt.Errorf("the answer is not a metrics page: %w", err)
	}
	page := exporterPage{families, now}
	u := &model.Usage{
		Node:        n.Name,
		Read:        now,
		CommitLimit: page.first(seriesCommitLimit, "windows_os_virtual_memory_bytes"),
		Commit:      page.first(seriesCommitted),
		Physical:    page.first(seriesPhysical, "windows_cs_physical_memory_bytes", "windows_os_visible_memory_bytes"),
		Boot:        page.boot(),
	}
	if free := page.first("windows_os_virtual_memory_free_bytes"); !u.Commit.Known() && free.Known() && free.Value < u.CommitLimit.Value {
		free.Value = u.CommitLimit.Value - free.Value
		u.Commit = free
	}
	u.Containers = page.containers(n)
	u.SortContainers()
	return u, nil
}

type exporterPage struct {
	families map[string]*dto.MetricFamily
	now      time.Time
}

// first returns the first of the named families that has a number. Names changed
// between versions; the newest comes first.
func (p exporterPage) first(names ...string) model.Figure {
	for _, name := range names {
		if f := p.families[name]; f != nil {
			for _, m := range f.Metric {
				if figure := p.figure(m); figure.Known() {
					return figure
				}
			}
		}
	}
	return model.Figure{}
}

// figure takes a number over 0: HostProcess containers and broken counters read 0.
func (p exporterPage) figure(m *dto.Metric) model.Figure {
	v, ok := value(m)
	if !ok || v < 1 {
		return model.Figure{}
	}
	return model.Figure{Value: int64(v), At: p.now, Source: model.FromExporter}
}

func value(m *dto.Metric) (float64, bool) {
	var v float64
	switch {
	case m.Gauge != nil:
		v = m.Gauge.GetValue()
	case m.Untyped != nil:
		v = m.Untyped.GetValue()
	case m.Counter != nil:
		v = m.Counter.GetValue()
	default:
		return 0, false
	}
	return v, !math.IsNaN(v) && v > -math.MaxInt64 && v < math.MaxInt64
}

// bootNames: the value of the oldest name is the boot time in spite of it. In
// 0.30.2 to 0.30.5 the one ending in _seconds held the uptime (issue 1963), which
// is known by being far too small for a time.
var bootNames = []string{
	"windows_system_boot_time_timestamp", "windows_system_boot_time_timestamp_seconds", "windows_system_system_up_time",
}

const earliestBoot = 1_000_000_000 // 2001, in seconds

func (p exporterPage) boot() time.Time {
	if f := p.first(bootNames...); f.Known() && f.Value > earliestBoot {
		return time.Unix(f.Value, 0).UTC()
	}
	return time.Time{}
}

func (p exporterPage) containers(n *model.NodeView) []model.ContainerUsage {
	names := containersByID(n)
	found := map[containerName]int{}
	var out []model.ContainerUsage
	collect := func(family string, put func(*model.ContainerUsage, model.Figure)) {
		f := p.families[family]
		if f == nil {
			return
		}
		for _, m := range f.Metric {
			who, ok := containerOf(m, names)
			figure := p.figure(m)
			if !ok || !figure.Known() {
				continue
			}
			i, ok := found[who]
			if !ok {
				i = len(out)
				found[who], out = i, append(out, model.ContainerUsage{Namespace: who.namespace, Pod: who.pod, Container: who.container})
			}
			put(&out[i], figure)
		}
	}
	collect(rawCommit, func(c *model.ContainerUsage, f model.Figure) { c.Commit = f })
	collect(rawWorkingSet, func(c *model.ContainerUsage, f model.Figure) { c.WorkingSet = f })
	return out
}

// containersByID finds the pods' containers by the bare ID: the prefix that the
// exporter writes says who owns the compute system, not which runtime it is.
func containersByID(n *model.NodeView) map[string]containerName {
	names := map[string]containerName{}
	for _, p := range n.Pods {
		for _, c := range p.Containers {
			if id := bareID(c.ID); id != "" {
				names[id] = containerName{p.Namespace, p.Name, c.Name}
			}
		}
	}
	return names
}

func bareID(id string) string {
	_, bare, ok := strings.Cut(id, "://")
	if !ok {
		return id
	}
	return bare
}

// containerOf reads the labels of 0.31; where they are missing or empty the
// container ID decides. Pause containers belong to nobody.
func containerOf(m *dto.Metric, names map[string]containerName) (containerName, bool) {
	labels := map[string]string{}
	for _, l := range m.Label {
		labels[l.GetName()] = l.GetValue()
	}
	if who, ok := names[bareID(labels["container_id"])]; ok {
		return who, true
	}
	if labels["pod"] == "" || labels["container"] == "" {
		return containerName{}, false
	}
	return containerName{labels["namespace"], labels["pod"], labels["container"]}, true
}
