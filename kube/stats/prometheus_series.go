package stats

import (
	"net"

	promodel "github.com/prometheus/common/model"

	"github.com/mullion-tui/mullion/model"
)

// The series that are asked for. kube-prometheus-stack records the second two under
// the pods' true labels (kps-windows.pod.rules).
const (
	seriesCommitted    = "windows_memory_committed_bytes"
	seriesCommitLimit  = "windows_memory_commit_limit"
	seriesPhysical     = "windows_memory_physical_total_bytes"
	recordedCommit     = "windows_container_memory_usage"
	recordedWorkingSet = "windows_container_private_working_set_usage"
	rawCommit          = "windows_container_memory_usage_commit_bytes"
	rawWorkingSet      = "windows_container_memory_usage_private_working_set_bytes"
)

// prometheusSeries are the newest samples, by what they are about.
type prometheusSeries struct {
	hosts map[string]*model.Usage // by the label node, or the host of the scraped address
	byID  map[string]*model.ContainerUsage
	named map[containerName]*model.ContainerUsage
}

type containerName struct{ namespace, pod, container string }

func sortSeries(all []promodel.SampleStream) *prometheusSeries {
	s := &prometheusSeries{hosts: map[string]*model.Usage{}, byID: map[string]*model.ContainerUsage{}, named: map[containerName]*model.ContainerUsage{}}
	for i := range all {
		f := newest(&all[i])
		if !f.Known() {
			continue
		}
		switch name, labels := string(all[i].Metric[promodel.MetricNameLabel]), all[i].Metric; name {
		case seriesCommitted, seriesCommitLimit, seriesPhysical:
			u := at(s.hosts, hostOf(labels))
			replace(map[string]*model.Figure{seriesCommitted: &u.Commit, seriesCommitLimit: &u.CommitLimit, seriesPhysical: &u.Physical}[name], f)
		default:
			for _, c := range s.containers(name, labels) {
				if name == recordedWorkingSet || name == rawWorkingSet {
					replace(&c.WorkingSet, f)
				} else {
					replace(&c.Commit, f)
				}
			}
		}
	}
	return s
}

// newest takes a number over 0 from the last sample: NaN and 0 say that nothing was
// measured.
func newest(s *promodel.SampleStream) model.Figure {
	if len(s.Values) == 0 {
		return model.Figure{}
	}
	last := s.Values[len(s.Values)-1]
	v := float64(last.Value)
	if !(v >= 1 && v < 1<<62) { // NaN too
		return model.Figure{}
	}
	return model.Figure{Value: int64(v), At: last.Timestamp.Time().UTC(), Source: model.FromPrometheus}
}

// replace keeps the newer of two series that say the same: what was scraped under
// other labels before stays in the range for a while.
func replace(to *model.Figure, f model.Figure) {
	if !to.Known() || f.At.After(to.At) {
		*to = f
	}
}

func at[K comparable, V any](m map[K]*V, k K) *V {
	v := m[k]
	if v == nil {
		v = new(V)
		m[k] = v
	}
	return v
}

func hostOf(m promodel.Metric) string {
	if node := string(m["node"]); node != "" {
		return node
	}
	instance := string(m[promodel.InstanceLabel])
	if host, _, err := net.SplitHostPort(instance); err == nil {
		return host
	}
	return instance
}

// containers returns where a container's series belongs: under its ID, and under its
// names. In a raw series the plain labels name the exporter that was scraped, and the
// exported_ ones the container, where the exporter knew it.
func (s *prometheusSeries) containers(series string, m promodel.Metric) []*model.ContainerUsage {
	var out []*model.ContainerUsage
	if id := bareID(string(m["container_id"])); id != "" {
		out = append(out, at(s.byID, id))
	}
	prefix := "exported_"
	if series == recordedCommit || series == recordedWorkingSet {
		prefix = ""
	}
	label := func(name string) string { return string(m[promodel.LabelName(prefix+name)]) }
	if who := (containerName{label("namespace"), label("pod"), label("container")}); who.pod != "" && who.container != "" {
		out = append(out, at(s.named, who))
	}
	return out
}

// usage puts together what the series know of a node.
func (s *prometheusSeries) usage(n *model.NodeView) *model.Usage {
	u := &model.Usage{Node: n.Name}
	hosts := []string{n.Name}
	for _, a := range n.Addresses {
		hosts = append(hosts, a.Addr)
	}
	for _, host := range hosts {
		if found := s.hosts[host]; found != nil {
			u.Commit, u.CommitLimit, u.Physical = u.Commit.Or(found.Commit), u.CommitLimit.Or(found.CommitLimit), u.Physical.Or(found.Physical)
		}
	}
	for _, p := range n.Pods {
		for _, c := range p.Containers {
			out := model.ContainerUsage{Namespace: p.Namespace, Pod: p.Name, Container: c.Name}
			for _, found := range []*model.ContainerUsage{s.byID[bareID(c.ID)], s.named[containerName{p.Namespace, p.Name, c.Name}]} {
				if found != nil {
					out.Commit, out.WorkingSet = out.Commit.Or(found.Commit), out.WorkingSet.Or(found.WorkingSet)
				}
			}
			if out.Commit.Known() || out.WorkingSet.Known() {
				u.Containers = append(u.Containers, out)
			}
		}
	}
	u.SortContainers()
	return u
}
