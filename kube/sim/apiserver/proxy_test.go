package apiserver

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// echo answers with what reached it.
func echo(who string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			w.WriteHeader(http.StatusTeapot) // the user's token must not go on to a node
		}
		_, _ = fmt.Fprintf(w, "%s: %s %s", who, r.Method, r.RequestURI)
	})
}

func TestProxies(t *testing.T) {
	s, c := start(t, Options{}, "")
	n := node("n1")
	n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.0.2.1"}}
	silent := node("n2")
	silent.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.0.2.2"}}
	p := pod("shop", "p", "n1")
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 8080}}
	p.Status.PodIP = "10.0.0.1"
	prometheus := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "prometheus"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "web", Port: 9090}}},
	}
	if err := s.Load(shop(), n, silent, p, pod("shop", "q", "n2"), pod("shop", "unbound", ""), prometheus); err != nil {
		t.Fatal(err)
	}
	s.SetKubelets(func(node string) http.Handler {
		if node == "n1" {
			return echo("kubelet of " + node)
		}
		return nil
	})
	s.SetPodPorts(func(ns, name string, port int) http.Handler {
		if port == 9182 || port == 8080 {
			return echo(fmt.Sprintf("%s/%s:%d", ns, name, port))
		}
		return nil
	})
	s.SetServices(func(ns, name string, port int) http.Handler {
		if port == 9090 {
			return echo(fmt.Sprintf("service %s/%s:%d", ns, name, port))
		}
		return nil
	})
	const pods, services = "/api/v1/namespaces/shop/pods/", "/api/v1/namespaces/shop/services/"
	for _, c := range []struct {
		path string
		code int
		text string
	}{
		{"/api/v1/nodes/n1/proxy/stats/summary?only_cpu_and_memory=true", 200, "kubelet of n1: GET /stats/summary?only_cpu_and_memory=true"},
		{"/api/v1/nodes/n1:10250/proxy/pods/", 200, "kubelet of n1: GET /pods/"},
		{"/api/v1/nodes/n1/proxy", 200, "kubelet of n1: GET /"},
		{"/api/v1/nodes/n2/proxy/stats/summary", 503, "error trying to reach service: dial tcp 192.0.2.2:10250: connect: connection refused"},
		{"/api/v1/nodes/none/proxy/stats/summary", 404, `nodes \"none\" not found`},
		{pods + "p:9182/proxy/metrics", 200, "shop/p:9182: GET /metrics"},
		{pods + "https:p:9182/proxy/metrics", 200, "shop/p:9182: GET /metrics"},
		{pods + "p/proxy/x", 200, "shop/p:8080: GET /x"},
		{pods + "p:1/proxy/metrics", 503, "dial tcp 10.0.0.1:1: connect: connection refused"},
		{services + "http:prometheus:9090/proxy/api/v1/query?query=up", 200, "service shop/prometheus:9090: GET /api/v1/query?query=up"},
		{services + "prometheus:web/proxy/x", 200, "service shop/prometheus:9090: GET /x"},
		{services + "prometheus/proxy/x", 503, `no endpoints available for service \"prometheus\"`},
		{services + "none:80/proxy/x", 404, "not found"},
		{pods + "p/log?tailLines=5&container=c", 200, "kubelet of n1: GET /containerLogs/shop/p/c?tailLines=5"},
		{pods + "p/log?container=nosuch", 400, "container nosuch is not valid for pod p"},
		{pods + "q/log", 500, "connection refused"},
		{pods + "unbound/log", 400, "pod unbound does not have a host assigned"},
		{pods + "none/log", 404, "not found"},
	} {
		if r := do(t, s, sent{method: "GET", path: c.path}); r.code != c.code || !strings.Contains(r.text, c.text) {
			t.Errorf("%s: %d %s, want %d %s", c.path, r.code, r.text, c.code, c.text)
		}
	}
	// As client-go asks for it.
	b, err := c.CoreV1().RESTClient().Get().Resource("nodes").Name("n1").SubResource("proxy").Suffix("stats/summary").DoRaw(t.Context())
	if err != nil || string(b) != "kubelet of n1: GET /stats/summary" {
		t.Errorf("%q, %v", b, err)
	}
	stream, err := c.CoreV1().Pods("shop").GetLogs("p", &corev1.PodLogOptions{}).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if b, err := io.ReadAll(stream); err != nil || !strings.Contains(string(b), "/containerLogs/shop/p/c") {
		t.Errorf("%q, %v", b, err)
	}
}

func TestMetricsAreServedOnlyByAHandler(t *testing.T) {
	s, c := start(t, Options{}, "")
	const path = "/apis/metrics.k8s.io/v1beta1/nodes"
	hasGroup := func() bool {
		groups, err := c.Discovery().ServerGroups()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range groups.Groups {
			if g.Name == "metrics.k8s.io" {
				return true
			}
		}
		return false
	}
	if r := do(t, s, sent{method: "GET", path: path}); r.code != 404 || hasGroup() {
		t.Errorf("without a handler: %d, in discovery %v", r.code, hasGroup())
	}
	s.SetMetrics(echo("metrics"))
	if r := do(t, s, sent{method: "GET", path: path}); r.text != "metrics: GET "+path || !hasGroup() {
		t.Errorf("with a handler: %q, in discovery %v", r.text, hasGroup())
	}
	s.SetMetrics(nil)
	if hasGroup() {
		t.Error("the group is still in discovery")
	}
}

func TestDiscovery(t *testing.T) {
	_, c := start(t, Options{Version: "v1.99.3"}, "")
	v, err := c.Discovery().ServerVersion()
	if err != nil || v.GitVersion != "v1.99.3" || v.Major != "1" || v.Minor != "99" {
		t.Errorf("%+v, %v", v, err)
	}
	groups, lists, err := c.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]metav1.APIResource{}
	for _, l := range lists {
		for _, r := range l.APIResources {
			found[l.GroupVersion+" "+r.Name] = r
		}
	}
	for name, want := range map[string]struct {
		kind       string
		namespaced bool
	}{
		"v1 nodes": {"Node", false}, "v1 pods/eviction": {"Eviction", true}, "apps/v1 daemonsets": {"DaemonSet", true},
		"policy/v1 poddisruptionbudgets/status": {"PodDisruptionBudget", true}, "node.k8s.io/v1 runtimeclasses": {"RuntimeClass", false},
		"events.k8s.io/v1 events": {"Event", true}, "authorization.k8s.io/v1 selfsubjectaccessreviews": {"SelfSubjectAccessReview", false},
	} {
		if r, ok := found[name]; !ok || r.Kind != want.kind || r.Namespaced != want.namespaced {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if e := found["v1 pods/eviction"]; e.Group != "policy" || e.Version != "v1" {
		t.Errorf("an eviction is of %s/%s: kubectl drain looks for policy/v1", e.Group, e.Version)
	}
	// The documents of before aggregation, which older clients read.
	legacy := c.Discovery().WithLegacy()
	if old, err := legacy.ServerGroups(); err != nil || len(old.Groups) != len(groups) {
		t.Errorf("%d groups, want %d: %v", len(old.Groups), len(groups), err)
	}
	if l, err := legacy.ServerResourcesForGroupVersion("policy/v1"); err != nil || len(l.APIResources) != 2 {
		t.Errorf("%+v, %v", l, err)
	}
}
