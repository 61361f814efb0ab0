package fleet

import (
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"k8s.io/utils/ptr"
)

// exporterPort is where windows_exporter listens.
const exporterPort = 9182

// writeExporter writes the page of windows_exporter 0.31 with the collectors memory, container, os, system and service, from
// the same figures as the Summary API. HostProcess containers have their true commit here.
func (m *machine) writeExporter(w io.Writer) error {
	page := expositions{}
	u := m.measure()
	page.add("windows_memory_commit_limit", "(CommitLimit)", float64(u.limit))
	page.add("windows_memory_committed_bytes", "(CommittedBytes)", float64(u.commit))
	page.add("windows_memory_available_bytes", "Physical memory that processes can still take, in bytes", float64(u.physical-u.workingSet))
	page.add("windows_memory_physical_total_bytes", "Installed physical memory, in bytes", float64(u.physical))
	page.add("windows_memory_physical_free_bytes", "Physical memory that nothing uses, in bytes", float64(u.physical-u.workingSet))
	page.add("windows_system_boot_time_timestamp", "Unix time of the system's boot", float64(m.bootedAt.Unix()))
	page.add("windows_os_hostname", "Names of the machine in labels", 1, "domain", "", "fqdn", m.name, "hostname", m.name)
	m.addOS(page)
	for _, service := range []string{"containerd", "kubelet"} {
		for _, state := range []string{"continue pending", "pause pending", "paused", "running", "start pending", "stop pending", "stopped"} {
			value := 0.0
			if state == "running" {
				value = 1
			}
			page.add("windows_service_state", "The state of the service", value, "name", service, "state", state)
		}
	}
	containers := 0
	for _, p := range u.pods {
		for _, c := range p.containers {
			containers++
			labels := []string{"container", c.name, "container_id", c.id, "namespace", p.pod.Namespace, "pod", p.pod.Name}
			page.add("windows_container_available", "Available", 1, append(labels, "hostprocess", strconv.FormatBool(c.hostProcess))...)
			page.add("windows_container_memory_usage_commit_bytes", "Memory Usage Commit Bytes", float64(c.Commit), labels...)
			page.add("windows_container_memory_usage_private_working_set_bytes", "Memory Usage Private Working Set Bytes", float64(c.WorkingSet), labels...)
		}
	}
	page.add("windows_container_count", "Number of containers", float64(containers))
	return page.write(w)
}

func (m *machine) addOS(page expositions) {
	parts := append(strings.Split(m.info.KernelVersion, "."), "", "", "", "")
	page.add("windows_os_info", "Product name and version in labels", 1,
		"build_number", parts[2], "major_version", parts[0], "minor_version", parts[1], "product", m.info.OSImage,
		"revision", parts[3], "version", strings.Join(parts[:3], "."))
}

// expositions are metric families by name.
type expositions map[string]*dto.MetricFamily

// add adds a gauge with labels given as name, value, name, value …
func (e expositions) add(name, help string, value float64, labels ...string) {
	f := e[name]
	if f == nil {
		f = &dto.MetricFamily{Name: ptr.To(name), Help: ptr.To(help), Type: dto.MetricType_GAUGE.Enum()}
		e[name] = f
	}
	metric := &dto.Metric{Gauge: &dto.Gauge{Value: ptr.To(value)}}
	for i := 0; i+1 < len(labels); i += 2 {
		metric.Label = append(metric.Label, &dto.LabelPair{Name: ptr.To(labels[i]), Value: ptr.To(labels[i+1])})
	}
	sort.Slice(metric.Label, func(i, j int) bool { return metric.Label[i].GetName() < metric.Label[j].GetName() })
	f.Metric = append(f.Metric, metric)
}

func (e expositions) write(w io.Writer) error {
	names := make([]string, 0, len(e))
	for n := range e {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		if _, err := expfmt.MetricFamilyToText(w, e[n]); err != nil {
			return fmt.Errorf("write metric %s: %w", n, err)
		}
	}
	return nil
}
