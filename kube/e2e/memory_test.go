//go:build e2e && linux

package e2e_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/kube"
	"github.com/mullion-tui/mullion/kube/e2e/cluster"
	"github.com/mullion-tui/mullion/model"
)

const labWindows = "k8s-lab-win-1"

// openReadOnly starts a session whose requests all pass the read-only guard.
func openReadOnly(t *testing.T, user string, groups ...string) *kube.Session {
	t.Helper()
	config, err := plane.Config(user, groups...)
	if err != nil {
		t.Fatal(err)
	}
	if err := kube.ReadOnly(config); err != nil {
		t.Fatal(err)
	}
	return open(t, config)
}

// containersOf returns what the containers of a workload's pods on a node use.
func containersOf(v *model.NodeView, namespace, workload string) []model.MemoryUse {
	var out []model.MemoryUse
	for _, p := range v.Pods {
		if p.Namespace == namespace && strings.HasPrefix(p.Name, workload+"-") {
			for _, c := range p.Containers {
				out = append(out, v.ContainerMemory(p, c))
			}
		}
	}
	return out
}

func isRatio(m model.MemoryUse, want float64) bool {
	r, ok := m.Ratio()
	return ok && math.Round(r*100)/100 == want
}

// memoryOfTheLab reads the table of the articles from the fleet's kubelets, behind the
// node proxy and the pod proxy of a real API server.
func memoryOfTheLab(t *testing.T) {
	s := openReadOnly(t, "operator", cluster.AdminGroup)
	s.Look([]string{labWindows})
	snap := await(t, s, "hello-win's figures and the node's", func(s *model.Snapshot) bool {
		s2, ok := s.Node(labWindows)
		if !ok || !isRatio(s2.Memory(), 0.31) {
			return false
		}
		hello := containersOf(s2, "win-demo", "hello-win")
		return len(hello) == 2 && isRatio(hello[0], 0.38) && isRatio(hello[1], 0.38)
	})
	v, _ := snap.Node(labWindows)
	for _, m := range containersOf(v, "win-demo", "hello-win") {
		if !m.Commit || m.Used.Value != 98<<20 || m.Limit != 256<<20 || m.Second.Value != 42<<20 || m.Used.Source != model.FromSummary {
			t.Errorf("hello-win: %+v", m)
		}
	}
	if m := v.Memory(); m.Used.Source != model.FromSummary || m.Eviction != m.Limit-500<<20 {
		t.Errorf("node: %+v", m)
	}
	await(t, s, "what the kubelet does not measure, from the exporter", func(s *model.Snapshot) bool {
		v, _ := s.Node(labWindows)
		proxy := containersOf(v, "kube-system", "kube-proxy-windows")
		return len(proxy) == 1 && proxy[0].Used.Source == model.FromExporter
	})
}

// TestMemoryWithoutRights: who may not look through proxies is told so, and sees the rest.
func TestMemoryWithoutRights(t *testing.T) {
	client := admin(t)
	bind(t, client, "no-proxies",
		rbacv1.PolicyRule{APIGroups: []string{"", "apps", "batch", "policy", "node.k8s.io", "storage.k8s.io", "coordination.k8s.io"}, Resources: []string{"nodes", "pods", "daemonsets", "replicasets", "deployments", "statefulsets", "jobs", "poddisruptionbudgets", "runtimeclasses", "csinodes", "leases"}, Verbs: []string{"get", "list", "watch"}},
	)
	node := makeNode(t, client, "no-proxies-win", "10.0.26100", "10.0.26100.6584")
	config, err := plane.Config("viewer", "no-proxies")
	if err != nil {
		t.Fatal(err)
	}
	user, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the right to list pods", func() (bool, error) {
		_, err := user.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		return true, err
	})
	s := openReadOnly(t, "viewer", "no-proxies")
	snap := await(t, s, "the reasons", func(s *model.Snapshot) bool {
		v, ok := s.Node(node.Name)
		return ok && v.Usage != nil
	})
	v, _ := snap.Node(node.Name)
	for _, want := range []string{
		`kubelet summary: cannot get nodes/proxy: forbidden for user "viewer"`,
		"windows_exporter: no pod of the node is one",
		`Prometheus: cannot list services: forbidden for user "viewer"`,
	} {
		if !slices.Contains(v.Usage.Problems, want) {
			t.Errorf("problems %q, want %q", v.Usage.Problems, want)
		}
	}
	if m := v.Memory(); m.Used.Known() {
		t.Errorf("a figure from nowhere: %+v", m)
	}
}

// TestMemoryFromPrometheus finds a Prometheus as a Service and asks it through the
// service proxy, for a node whose kubelet and exporter tell nothing.
func TestMemoryFromPrometheus(t *testing.T) {
	client := admin(t)
	ns := namespace(t, client)
	node := makeNode(t, client, "prometheus-win", "10.0.26100", "10.0.26100.6584")
	const address = "10.244.99.9"
	asked := make(chan string, 100)
	plane.ServeKubelets(func(target string) http.Handler {
		if target != address+":9090" {
			return nil
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked <- r.Method + " " + r.URL.Path
			at := time.Now().Unix()
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[
				{"metric":{"__name__":"windows_memory_committed_bytes","node":%q},"values":[[%d,"300"]]},
				{"metric":{"__name__":"windows_memory_commit_limit","node":%q},"values":[[%d,"1000"]]}]}}`, node.Name, at, node.Name, at)
		})
	})
	t.Cleanup(func() { plane.ServeKubelets(func(string) http.Handler { return nil }) })
	servePrometheus(t, client, ns, node.Name, address)

	s := openReadOnly(t, "operator", cluster.AdminGroup)
	s.Look([]string{node.Name})
	snap := await(t, s, "the node's commit", func(s *model.Snapshot) bool {
		v, ok := s.Node(node.Name)
		if ok && v.Usage != nil {
			t.Logf("%q", v.Usage.Problems) // says why, if it never comes
		}
		return ok && isRatio(v.Memory(), 0.3)
	})
	v, _ := snap.Node(node.Name)
	if m := v.Memory(); m.Used.Source != model.FromPrometheus {
		t.Errorf("node: %+v", m)
	}
	if got := <-asked; got != "GET /api/v1/query" {
		t.Errorf("asked %s", got)
	}
}

// servePrometheus makes a Service with one ready pod: the API server proxies to
// endpoints alone that are pods.
func servePrometheus(t *testing.T, client kubernetes.Interface, ns, node, address string) {
	t.Helper()
	labels := map[string]string{"app": "kube-prometheus-stack-prometheus"}
	pod, err := client.CoreV1().Pods(ns).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "prometheus-0", Labels: labels},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "prometheus", Image: "prometheus"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod.Status.Phase, pod.Status.PodIP, pod.Status.PodIPs = corev1.PodRunning, address, []corev1.PodIP{{IP: address}}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	if _, err := client.CoreV1().Pods(ns).UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Services(ns).Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "kps-prometheus", Labels: labels},
		Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Name: "http-web", Port: 9090}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an endpoint of the Service", func() (bool, error) {
		list, err := client.DiscoveryV1().EndpointSlices(ns).List(t.Context(), metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=kps-prometheus"})
		return err == nil && len(list.Items) > 0 && len(list.Items[0].Endpoints) > 0, err
	})
	// A pod of a node without a kubelet stays for ever unless nobody waits for one.
	t.Cleanup(func() {
		if err := client.CoreV1().Pods(ns).Delete(context.Background(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}); err != nil {
			t.Error(err)
		}
	})
}
