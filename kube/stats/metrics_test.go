package stats

import (
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metrics "k8s.io/metrics/pkg/client/clientset/versioned"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/model"
)

// metricsServer answers as metrics-server does, with the lab's kubectl top.
var metricsServer = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body := `{"kind":"NodeMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[
		{"metadata":{"name":"k8s-lab-win-1"},"timestamp":"2026-12-01T11:59:40Z","window":"10s","usage":{"cpu":"216543210n","memory":"1323008Ki"}},
		{"metadata":{"name":"empty"},"timestamp":"2026-12-01T11:59:40Z","window":"10s","usage":{"cpu":"0","memory":"0"}}]}`
	if strings.HasSuffix(r.URL.Path, "/pods") {
		body = `{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[
			{"metadata":{"namespace":"win-demo","name":"hello-win-759c899954-tkfg6"},"timestamp":"2026-12-01T11:59:45Z","window":"10s","containers":[{"name":"hello","usage":{"cpu":"1m","memory":"42688Ki"}}]},
			{"metadata":{"namespace":"monitoring","name":"kps-prometheus-windows-exporter-7x2ks"},"timestamp":"2026-12-01T11:59:45Z","window":"10s","containers":[{"name":"windows-exporter","usage":{"cpu":"0","memory":"0"}}]}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(body))
})

func metricsOf(t *testing.T, s *apiserver.Server, user string) *Metrics {
	t.Helper()
	config := s.Config(user)
	config.ContentType = "application/vnd.kubernetes.protobuf" // as a session has it
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	c, err := metrics.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &Metrics{Client: c, Now: fixed}
}

func TestMetricsAreWorkingSets(t *testing.T) {
	s, _ := cluster(t)
	s.SetMetrics(metricsServer)
	u, err := metricsOf(t, s, "admin").Node(t.Context(), labNode(), false)
	if err != nil {
		t.Fatal(err)
	}
	fromMetrics := func(v int64, at string) model.Figure {
		return model.Figure{Value: v, At: utc(at), Source: model.FromMetrics}
	}
	check(t, "commit", u.Commit, model.Figure{})
	check(t, "working set", u.WorkingSet, fromMetrics(1323008<<10, "2026-12-01T11:59:40Z"))
	check(t, "CPU, rounded up", u.CPU, fromMetrics(217, "2026-12-01T11:59:40Z"))
	c, _ := u.Container("win-demo", "hello-win-759c899954-tkfg6", "hello")
	check(t, "hello-win's commit", c.Commit, model.Figure{})
	check(t, "hello-win's working set", c.WorkingSet, fromMetrics(42688<<10, "2026-12-01T11:59:45Z"))
	if len(u.Containers) != 1 {
		t.Errorf("a HostProcess container of 0 counts as measured: %+v", u.Containers)
	}
}

func TestMetricsBadInput(t *testing.T) {
	s, _ := cluster(t)
	ask := func(user string, n *model.NodeView) (*model.Usage, error) {
		return metricsOf(t, s, user).Node(t.Context(), n, false)
	}
	if _, err := ask("admin", labNode()); !apierrors.IsNotFound(err) || !wide(err) {
		t.Errorf("no metrics server: %v", err)
	}
	s.SetMetrics(metricsServer)
	if _, err := ask("viewer", labNode()); !apierrors.IsForbidden(err) || !wide(err) {
		t.Errorf("forbidden: %v", err)
	}
	other := labNode()
	other.Node = &model.Node{Name: "other", OS: model.OSWindows}
	if _, err := ask("admin", other); err == nil || wide(err) || !strings.Contains(err.Error(), "no figures of node other") {
		t.Errorf("a node that it does not know: %v", err)
	}
	other.Name = "empty"
	if u, err := ask("admin", other); err != nil || u.WorkingSet.Known() {
		t.Errorf("zeros: %+v, %v", u, err)
	}
	s.SetMetrics(says(503, "text/plain", "no endpoints"))
	if _, err := ask("admin", labNode()); !wide(err) {
		t.Errorf("a metrics server that is away: %v", err)
	}
	s.SetMetrics(says(200, "text/html", "<html>"))
	if _, err := ask("admin", labNode()); !wide(err) {
		t.Errorf("HTML: %v", err)
	}
}
