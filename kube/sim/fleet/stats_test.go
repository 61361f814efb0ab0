package fleet_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	stats "k8s.io/kubelet/pkg/apis/stats/v1alpha1"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

const mib = 1 << 20

// lab is a Windows node with the memory figures of seed 001.
func lab(t *testing.T, p fleet.Profile) *simtest.Cluster {
	exporter := simtest.HostDaemonSet("windows-exporter", "windows")
	exporter.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 9182}}
	p.Memory = fleet.Memory{Physical: 8192 * mib, PageFile: 2048 * mib, SystemCommit: 2000 * mib, SystemWorkingSet: 1000 * mib}
	p.Containers = map[string]fleet.ContainerMemory{"default/hello-win/main": {Commit: 98 * mib, WorkingSet: 42 * mib}}
	return windowsNode(t, p, runtime.Object(exporter), simtest.Deployment("hello-win", "windows", 1))
}

func summaryOf(t *testing.T, c *simtest.Cluster, path string) stats.Summary {
	t.Helper()
	w := ask(c.Fleet.Kubelet("win-1"), path)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	var s stats.Summary
	must(t, json.Unmarshal(w.Body.Bytes(), &s))
	return s
}

func ask(h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestSummaryAndExporterAgree(t *testing.T) {
	c := lab(t, fleet.Profile{})
	s := summaryOf(t, c, "/stats/summary")
	name := c.Pods("kube-system", "app=windows-exporter")[0].Name
	page := ask(c.Fleet.PodPort("kube-system", name, 9182), "/metrics").Body.Bytes()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	metrics, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	must(t, err)

	global := s.Node.SystemContainers[1]
	if global.Name != stats.SystemContainerWindowsGlobalCommitMemory {
		t.Fatalf("system containers: %+v", s.Node.SystemContainers)
	}
	limit := float64(*global.Memory.UsageBytes + *global.Memory.AvailableBytes)
	for metric, want := range map[string]float64{
		"windows_memory_commit_limit":                              limit,
		"windows_memory_committed_bytes":                           float64(*global.Memory.UsageBytes),
		"windows_memory_physical_total_bytes":                      8192 * mib,
		"windows_memory_available_bytes":                           float64(*s.Node.Memory.AvailableBytes),
		"windows_system_boot_time_timestamp":                       float64(s.Node.StartTime.Unix()),
		"windows_container_count":                                  4,
		"windows_container_memory_usage_commit_bytes":              98 * mib,
		"windows_container_memory_usage_private_working_set_bytes": 42 * mib,
	} {
		if got := gauge(metrics[metric], "hello-win"); got != want {
			t.Errorf("%s = %.0f, want %.0f", metric, got, want)
		}
	}
	if limit != 10240*mib || *s.Node.Memory.UsageBytes != *global.Memory.UsageBytes {
		t.Errorf("limit %.0f, node uses %d, global %d", limit, *s.Node.Memory.UsageBytes, *global.Memory.UsageBytes)
	}
	checkPods(t, s)
}

// gauge is the value of a family's only metric, or of the one whose pod's name begins so.
func gauge(f *dto.MetricFamily, pod string) float64 {
	for _, m := range f.GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetName() == "pod" && len(l.GetValue()) > len(pod) && l.GetValue()[:len(pod)] == pod {
				return m.GetGauge().GetValue()
			}
		}
	}
	if len(f.GetMetric()) == 1 {
		return f.GetMetric()[0].GetGauge().GetValue()
	}
	return -1
}

func checkPods(t *testing.T, s stats.Summary) {
	t.Helper()
	if len(s.Pods) != 4 {
		t.Fatalf("%d pods in the summary, want 4", len(s.Pods))
	}
	for _, p := range s.Pods {
		m := p.Containers[0].Memory
		if p.PodRef.Namespace == "default" && (*m.UsageBytes != 98*mib || *m.WorkingSetBytes != 42*mib) {
			t.Errorf("hello-win: commit %d, working set %d", *m.UsageBytes, *m.WorkingSetBytes)
		}
		if p.PodRef.Namespace == "kube-system" && (*m.UsageBytes != 0 || *m.WorkingSetBytes != 0) {
			t.Errorf("HostProcess container of %s: %d, %d; a kubelet shows 0", p.PodRef.Name, *m.UsageBytes, *m.WorkingSetBytes)
		}
	}
}

func TestShortSummaryShowsTheKubeletsStart(t *testing.T) {
	c := lab(t, fleet.Profile{})
	start := c.Clock.Now()
	must(t, c.Fleet.Reboot("win-1"))
	c.Advance(time.Minute)
	full, short := summaryOf(t, c, "/stats/summary"), summaryOf(t, c, "/stats/summary?only_cpu_and_memory=true")
	if got := full.Node.StartTime.Time; !got.After(start) || !got.Before(start.Add(10*time.Second)) {
		t.Errorf("boot time %s, want it between the reboot and the kubelet's start", got)
	}
	if got := short.Node.StartTime.Time; !got.Equal(start.Add(10 * time.Second)) {
		t.Errorf("start in the short summary %s, want the kubelet's", got)
	}
	if full.Node.Fs == nil || short.Node.Fs != nil || short.Node.Memory == nil {
		t.Error("the short summary has disks or lacks memory")
	}
}

func TestOldKubeletHasNoGlobalCommit(t *testing.T) {
	c := windowsNode(t, fleet.Profile{Memory: fleet.Memory{NoGlobalCommit: true}})
	if s := summaryOf(t, c, "/stats/summary"); len(s.Node.SystemContainers) != 1 {
		t.Errorf("system containers: %+v", s.Node.SystemContainers)
	}
}

func TestKubeletThroughTheAPIServer(t *testing.T) {
	c := lab(t, fleet.Profile{})
	get := func() ([]byte, error) {
		return c.Client.CoreV1().RESTClient().Get().AbsPath("/api/v1/nodes/win-1/proxy/stats/summary").DoRaw(c.Context())
	}
	if b, err := get(); err != nil || !bytes.Contains(b, []byte("windows-global-commit-memory")) {
		t.Errorf("summary through the proxy: %v %.200s", err, b)
	}
	must(t, c.Fleet.PowerOff("win-1", 0))
	if _, err := get(); !apierrors.IsServiceUnavailable(err) {
		t.Errorf("summary of a machine that is off: %v, want 503", err)
	}
	if h := c.Fleet.Kubelet("nowhere"); h != nil {
		t.Error("there is a kubelet on a node that does not exist")
	}
}
