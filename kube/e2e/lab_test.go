//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	stats "k8s.io/kubelet/pkg/apis/stats/v1alpha1"

	"github.com/mullion-tui/mullion/kube/e2e/lab"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
	"github.com/mullion-tui/mullion/model"
)

// TestLabAndItsMemory lets the lab of the articles live on the real control plane, once:
// its Services have addresses of their own.
func TestLabAndItsMemory(t *testing.T) {
	client, s := admin(t), openAdmin(t)
	await(t, s, "all feeds synced", synced)
	sc, err := scenario.Lab(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	l, err := lab.Start(t.Context(), plane, sc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("the session shows its nodes in their groups", func(t *testing.T) {
		want := map[string]int{"linux ": 3, "windows 10.0.26100": 1}
		await(t, s, "the groups of the lab", func(s *model.Snapshot) bool { return maps.Equal(labGroups(s), want) })
		t.Logf("true groups %v after the start of the fleet", time.Since(begin).Round(time.Millisecond))
	})
	// What follows looks at the pods: without them there is nothing to see.
	if !t.Run("its workloads become ready", func(t *testing.T) {
		eventually(t, "every replica of the lab ready", func() (bool, error) {
			missing, err := notReady(t, client)
			if len(missing) > 0 {
				err = fmt.Errorf("not ready: %s", strings.Join(missing, ", "))
			}
			return err == nil, err
		})
		t.Logf("all ready %v after the start of the fleet", time.Since(begin).Round(time.Millisecond))
	}) {
		return
	}
	t.Run("Windows pods are on the Windows node alone", func(t *testing.T) {
		pods, err := client.CoreV1().Pods("win-demo").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(pods.Items) == 0 {
			t.Fatal("no pod in win-demo")
		}
		for _, p := range pods.Items {
			if p.Spec.NodeName != "k8s-lab-win-1" {
				t.Errorf("%s runs on %q", p.Name, p.Spec.NodeName)
			}
		}
	})
	t.Run("the session counts its pods as the API server does", func(t *testing.T) {
		await(t, s, "the pods of each node", func(s *model.Snapshot) bool { return podsAgree(t, client, s) })
	})
	t.Run("its memory is that of the articles", memoryOfTheLab)
	t.Run("its kubelets answer through the node proxy", func(t *testing.T) { summaryAnswers(t, client) })
	t.Run("its Windows exporter answers through the pod proxy", func(t *testing.T) { exporterAnswers(t, client) })
}

// labGroups counts the lab's nodes by their group.
func labGroups(s *model.Snapshot) map[string]int {
	out := map[string]int{}
	for _, g := range model.Arrange(s, model.Query{}, time.Now()).Groups {
		for _, n := range g.Nodes {
			if strings.HasPrefix(n.Name, "k8s-lab-") {
				out[string(g.OS)+" "+g.Build]++
			}
		}
	}
	return out
}

// notReady names the workloads that lack replicas, as their controllers count them.
func notReady(t *testing.T, client kubernetes.Interface) ([]string, error) {
	var out []string
	lacks := func(kind, namespace, name string, ready, want int32) {
		if ready < want || want == 0 {
			out = append(out, fmt.Sprintf("%s %s/%s %d of %d", kind, namespace, name, ready, want))
		}
	}
	deployments, err := client.AppsV1().Deployments("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, d := range deployments.Items {
		lacks("Deployment", d.Namespace, d.Name, d.Status.ReadyReplicas, *d.Spec.Replicas)
	}
	daemonSets, err := client.AppsV1().DaemonSets("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, d := range daemonSets.Items {
		lacks("DaemonSet", d.Namespace, d.Name, d.Status.NumberReady, d.Status.DesiredNumberScheduled)
	}
	statefulSets, err := client.AppsV1().StatefulSets("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, d := range statefulSets.Items {
		lacks("StatefulSet", d.Namespace, d.Name, d.Status.ReadyReplicas, *d.Spec.Replicas)
	}
	return out, nil
}

// podsAgree compares the pods of each of the lab's nodes with a fresh list.
func podsAgree(t *testing.T, client kubernetes.Interface, s *model.Snapshot) bool {
	for _, n := range s.Nodes() {
		if !strings.HasPrefix(n.Name, "k8s-lab-") {
			continue
		}
		pods, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{
			FieldSelector: fields.OneTermEqualSelector("spec.nodeName", n.Name).String(),
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(pods.Items) == 0 || len(pods.Items) != len(n.Pods) {
			return false
		}
	}
	return true
}

func summaryAnswers(t *testing.T, client kubernetes.Interface) {
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes.Items {
		if !strings.HasPrefix(n.Name, "k8s-lab-") {
			continue
		}
		data, err := client.CoreV1().RESTClient().Get().Resource("nodes").Name(n.Name).SubResource("proxy").Suffix("stats/summary").DoRaw(t.Context())
		if err != nil {
			t.Errorf("the summary of %s: %v", n.Name, err)
			continue
		}
		var summary stats.Summary
		if err := json.Unmarshal(data, &summary); err != nil {
			t.Errorf("the summary of %s: %v", n.Name, err)
			continue
		}
		if summary.Node.NodeName != n.Name || len(summary.Pods) == 0 {
			t.Errorf("the summary of %s is of %q with %d pods", n.Name, summary.Node.NodeName, len(summary.Pods))
		}
		commit := hasContainer(summary.Node.SystemContainers, "windows-global-commit-memory")
		if windows := n.Labels[corev1.LabelOSStable] == "windows"; windows != commit {
			t.Errorf("the summary of %s, Windows %v: has the commit of the node: %v", n.Name, windows, commit)
		}
	}
}

func exporterAnswers(t *testing.T, client kubernetes.Interface) {
	pods, err := client.CoreV1().Pods("monitoring").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pods.Items {
		if !strings.HasPrefix(p.Name, "kps-prometheus-windows-exporter-") {
			continue
		}
		data, err := client.CoreV1().Pods(p.Namespace).ProxyGet("http", p.Name, "9182", "metrics", nil).DoRaw(t.Context())
		if err != nil || !strings.Contains(string(data), "windows_memory_commit_limit") {
			t.Errorf("the metrics of %s: %v\n%.400s", p.Name, err, data)
		}
		return
	}
	t.Error("the lab has no Windows exporter")
}

func hasContainer(all []stats.ContainerStats, name string) bool {
	for _, c := range all {
		if c.Name == name {
			return true
		}
	}
	return false
}
