package stats

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/model"
)

// series writes one series of a range: labels as JSON, values at the given seconds
// before now.
func series(labels string, samples ...string) string {
	var values []string
	for i := 0; i+1 < len(samples); i += 2 {
		var ago int
		_, _ = fmt.Sscan(samples[i], &ago)
		values = append(values, fmt.Sprintf("[%d,%q]", now.Add(-time.Duration(ago)*time.Second).Unix(), samples[i+1]))
	}
	return fmt.Sprintf(`{"metric":{%s},"values":[%s]}`, labels, strings.Join(values, ","))
}

func matrix(all ...string) string {
	return `{"status":"success","data":{"resultType":"matrix","result":[` + strings.Join(all, ",") + `]}}`
}

func fromPrometheus(v int64, secondsAgo int) model.Figure {
	return model.Figure{Value: v, At: now.Add(-time.Duration(secondsAgo) * time.Second), Source: model.FromPrometheus}
}

const (
	helloID = "containerd://d00d000000000000000000000000000000000000000000000000000000000001"
	target  = `"job":"windows-exporter","namespace":"monitoring","pod":"kps-prometheus-windows-exporter-7x2ks","container":"windows-exporter","instance":"192.168.10.25:9182"`
)

func labNode() *model.NodeView {
	return &model.NodeView{
		Node: &model.Node{Name: "k8s-lab-win-1", OS: model.OSWindows, Addresses: []model.Address{{Type: "Hostname", Addr: "k8s-lab-win-1"}, {Type: "InternalIP", Addr: "192.168.10.25"}}},
		Pods: []*model.Pod{
			{Namespace: "monitoring", Name: "kps-prometheus-windows-exporter-7x2ks", Containers: []model.Container{{Name: "windows-exporter", ID: "containerd://ee"}}},
			{Namespace: "win-demo", Name: "hello-win-759c899954-tkfg6", Containers: []model.Container{{Name: "hello", ID: helloID}}},
		},
	}
}

func hello(series, extra string) string {
	return fmt.Sprintf(`"__name__":%q,"container_id":%q%s`, series, helloID, extra)
}

// The lab of the articles: 0.31 of the node's limit, 98 MiB committed, 42 MiB working
// set, in each of the forms in which a Prometheus may have them.
func TestPrometheusOfTheLab(t *testing.T) {
	nodes := []string{
		series(`"__name__":"windows_memory_committed_bytes",`+target, "75", "3078619000", "15", "3078619136"),
		series(`"__name__":"windows_memory_commit_limit",`+target, "15", "9931063296"),
		series(`"__name__":"windows_memory_physical_total_bytes",`+target, "15", "8588865536"),
		series(`"__name__":"windows_memory_committed_bytes","instance":"192.168.10.99:9182"`, "15", "5"),
	}
	names := `"namespace":"win-demo","pod":"hello-win-759c899954-tkfg6","container":"hello"`
	exported := `,"exported_namespace":"win-demo","exported_pod":"hello-win-759c899954-tkfg6","exported_container":"hello",` + target
	forms := map[string][]string{
		"recorded by kube-prometheus-stack": {
			series(hello(recordedCommit, ","+names), "20", "102760448"), series(hello(recordedWorkingSet, ","+names), "20", "44040192"),
		},
		"recorded, without an ID": {
			series(`"__name__":"windows_container_memory_usage",`+names, "20", "102760448"),
			series(`"__name__":"windows_container_private_working_set_usage",`+names, "20", "44040192"),
		},
		"raw, with exported labels": {series(hello(rawCommit, exported), "20", "102760448"), series(hello(rawWorkingSet, exported), "20", "44040192")},
		"raw, of an exporter that knows no names": {
			series(hello(rawCommit, ","+target), "20", "102760448"), series(hello(rawWorkingSet, ","+target), "20", "44040192"),
		},
		"raw and recorded at once: the newer one": {
			series(hello(recordedCommit, ","+names), "50", "99"), series(hello(rawCommit, exported), "20", "102760448"), series(hello(rawWorkingSet, exported), "20", "44040192"),
		},
		"a duplicate under labels of before": {
			series(hello(rawCommit, exported), "20", "102760448"), series(hello(rawCommit, `,"job":"old"`), "80", "7"), series(hello(rawWorkingSet, exported), "20", "44040192"),
		},
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(says(200, "application/json", matrix(append(form, nodes...)...)))
			defer server.Close()
			u, err := (&Prometheus{URL: server.URL, HTTP: server.Client(), Now: fixed}).Node(t.Context(), labNode(), false)
			if err != nil {
				t.Fatal(err)
			}
			check(t, "commit, of its last sample", u.Commit, fromPrometheus(3078619136, 15))
			check(t, "commit limit", u.CommitLimit, fromPrometheus(9931063296, 15))
			check(t, "physical", u.Physical, fromPrometheus(8588865536, 15))
			c, _ := u.Container("win-demo", "hello-win-759c899954-tkfg6", "hello")
			check(t, "hello-win's commit", c.Commit, fromPrometheus(98<<20, 20))
			check(t, "hello-win's working set", c.WorkingSet, fromPrometheus(42<<20, 20))
			if got, ok := u.Container("monitoring", "kps-prometheus-windows-exporter-7x2ks", "windows-exporter"); ok {
				t.Errorf("the exporter was given what its containers use: %+v", got)
			}
		})
	}
}

func TestPrometheusGaps(t *testing.T) {
	limit := series(`"__name__":"windows_memory_commit_limit","instance":"192.168.10.25:9182"`, "15", "9931063296")
	committed := func(v string) string {
		return series(`"__name__":"windows_memory_committed_bytes","node":"k8s-lab-win-1","instance":"10.244.3.7:9182"`, "15", v)
	}
	for _, c := range []struct {
		name   string
		all    []string
		commit model.Figure
	}{
		{"NaN", []string{limit, committed("NaN")}, model.Figure{}},
		{"infinite", []string{limit, committed("+Inf")}, model.Figure{}},
		{"zero", []string{limit, committed("0")}, model.Figure{}},
		{"negative", []string{limit, committed("-5")}, model.Figure{}},
		{"a missing series", []string{limit}, model.Figure{}},
		{"a series without samples", []string{limit, series(`"__name__":"windows_memory_committed_bytes","node":"k8s-lab-win-1"`)}, model.Figure{}},
		{"the label node", []string{limit, committed("300")}, fromPrometheus(300, 15)},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(says(200, "application/json", matrix(c.all...)))
			defer server.Close()
			u, err := (&Prometheus{URL: server.URL, HTTP: server.Client(), Now: fixed}).Node(t.Context(), labNode(), false)
			if err != nil {
				t.Fatal(err)
			}
			check(t, "commit", u.Commit, c.commit)
			check(t, "commit limit", u.CommitLimit, fromPrometheus(9931063296, 15))
		})
	}
}

func TestPrometheusBadInput(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler http.Handler
		want    string
	}{
		{"an error of the query", says(422, "application/json", `{"status":"error","errorType":"execution","error":"query timed out"}`), "it refuses the query: query timed out"},
		{"a wrong URL", says(404, "text/plain", "404 page not found"), "answers 404 Not Found: 404 page not found"},
		{"a page to log in", says(200, "text/html", "<html>"), "what answers is no Prometheus: invalid character '<'"},
		{"another API", says(200, "application/json", `{"kind":"Status"}`), `what answers is no Prometheus: status "", result ""`},
		{"an instant vector", says(200, "application/json", `{"status":"success","data":{"resultType":"vector","result":[]}}`), `result "vector"`},
		{"nothing", says(200, "application/json", ""), "what answers is no Prometheus"},
		{"401", says(401, "text/plain", "who are you"), "answers 401 Unauthorized: who are you"},
		{"no series at all", says(200, "application/json", matrix()), "it has no series of a windows_exporter on node k8s-lab-win-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			_, err := (&Prometheus{URL: server.URL + "/prometheus", HTTP: server.Client(), Now: fixed}).Node(t.Context(), labNode(), false)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if perNode := c.name == "no series at all"; wide(err) == perNode {
				t.Errorf("concerns every node: %v", wide(err))
			}
		})
	}
	gone := httptest.NewServer(says(200, "", ""))
	gone.Close()
	if _, err := (&Prometheus{URL: gone.URL, HTTP: http.DefaultClient, Now: fixed}).Node(t.Context(), labNode(), false); !wide(err) {
		t.Errorf("nobody there: %v", err)
	}
}

// One question serves every node for a while; it is a GET below the URL's own path.
func TestPrometheusIsAskedOnceForAll(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		if q := r.URL.Query().Get("query"); !strings.Contains(q, recordedCommit) || !strings.HasSuffix(q, "[150s]") {
			t.Errorf("query %q", q)
		}
		says(200, "application/json", matrix()).ServeHTTP(w, r)
	}))
	defer server.Close()
	clock := now
	p := &Prometheus{URL: server.URL + "/prometheus", HTTP: server.Client(), Now: func() time.Time { return clock }}
	for range 3 {
		_, _ = p.Node(t.Context(), labNode(), false)
	}
	clock = clock.Add(prometheusServes)
	_, _ = p.Node(t.Context(), labNode(), false)
	if want := "GET /prometheus/api/v1/query"; len(asked) != 2 || asked[0] != want || asked[1] != want {
		t.Errorf("asked %q", asked)
	}
}

func TestPrometheusFoundAsAService(t *testing.T) {
	s, client := cluster(t)
	core := client.CoreV1().RESTClient()
	find := func() error {
		_, err := (&Prometheus{Client: core, Now: fixed}).Node(t.Context(), labNode(), false)
		return err
	}
	if err := find(); err == nil || !strings.Contains(err.Error(), ErrNoPrometheus.Error()) || !wide(err) {
		t.Errorf("without a Service: %v", err)
	}
	service := func(name string, labels map[string]string, ports ...corev1.ServicePort) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "monitoring", Name: name, Labels: labels}, Spec: corev1.ServiceSpec{Ports: ports}}
	}
	if err := s.Load(
		service("plain", map[string]string{"app.kubernetes.io/name": "prometheus"}, corev1.ServicePort{Port: 80}),
		service("kps-prometheus", map[string]string{"app": "kube-prometheus-stack-prometheus"}, corev1.ServicePort{Name: "reloader-web", Port: 8080}, corev1.ServicePort{Name: "http-web", Port: 9090}),
	); err != nil {
		t.Fatal(err)
	}
	if err := find(); err == nil || !strings.Contains(err.Error(), "no endpoints available") {
		t.Errorf("a Service without endpoints: %v", err)
	}
	var path string
	s.SetServices(func(namespace, name string, port int) http.Handler {
		path = fmt.Sprintf("%s/%s:%d", namespace, name, port)
		return says(200, "application/json", matrix(series(hello(rawCommit, ""), "20", "102760448")))
	})
	u, err := (&Prometheus{Client: core, Now: fixed}).Node(t.Context(), labNode(), false)
	if err != nil {
		t.Fatal(err)
	}
	if path != "monitoring/kps-prometheus:9090" {
		t.Errorf("asked %s", path)
	}
	c, _ := u.Container("win-demo", "hello-win-759c899954-tkfg6", "hello")
	check(t, "hello-win's commit", c.Commit, fromPrometheus(98<<20, 20))

	s.SetServices(func(string, string, int) http.Handler {
		return says(400, "application/json", `{"status":"error","errorType":"bad_data","error":"parse error"}`)
	})
	if err := find(); err == nil || !strings.Contains(err.Error(), "it refuses the query: parse error") {
		t.Errorf("an error body through the proxy: %v", err)
	}
}
