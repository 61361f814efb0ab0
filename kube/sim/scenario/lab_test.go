package scenario

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestLabIsThatOfTheArticles compares the facts that the articles print.
func TestLabIsThatOfTheArticles(t *testing.T) {
	sc, err := Lab(testNow)
	if err != nil {
		t.Fatal(err)
	}
	c := index(t, sc)
	for _, want := range []struct{ name, address, os, kernel, cpu string }{
		{"k8s-lab-master-1", "192.168.10.23", "Ubuntu 26.04.1 LTS", "7.0.0-42-generic", "2"},
		{"k8s-lab-node-1", "192.168.10.24", "Ubuntu 26.04.1 LTS", "7.0.0-42-generic", "2"},
		{"k8s-lab-node-2", "192.168.10.26", "Ubuntu 26.04.1 LTS", "7.0.0-42-generic", "2"},
		{"k8s-lab-win-1", "192.168.10.25", "Windows Server 2025 Datacenter", "10.0.26100.33438", "4"},
	} {
		n := c.nodes[want.name]
		if n == nil {
			t.Fatalf("no node %s", want.name)
		}
		i := n.Status.NodeInfo
		if n.Status.Addresses[0].Address != want.address || i.OSImage != want.os || i.KernelVersion != want.kernel ||
			n.Status.Capacity.Cpu().String() != want.cpu {
			t.Errorf("%s: %v, %s cores", want.name, i, n.Status.Capacity.Cpu())
		}
		if i.KubeletVersion != "v1.37.2" || i.ContainerRuntimeVersion != "containerd://2.2.2" {
			t.Errorf("%s: kubelet %s, runtime %s", want.name, i.KubeletVersion, i.ContainerRuntimeVersion)
		}
	}
	win := c.nodes["k8s-lab-win-1"]
	if win.Status.NodeInfo.BootID != "11" || win.Labels[corev1.LabelWindowsBuild] != "10.0.26100" || win.Status.Allocatable.Pods().Value() != 60 {
		t.Errorf("k8s-lab-win-1: boot ID %q, build %q, %s pods", win.Status.NodeInfo.BootID, win.Labels[corev1.LabelWindowsBuild], win.Status.Allocatable.Pods())
	}

	var evictable, unready int
	for _, p := range c.pods {
		if !ready(p) {
			unready++
		}
		if ref := metav1.GetControllerOf(p); p.Spec.NodeName == win.Name && (ref == nil || ref.Kind != "DaemonSet") {
			evictable++
		}
	}
	if evictable != 7 || unready != 0 {
		t.Errorf("%d pods that a drain moves off the Windows node and %d unready pods, want 7 and 0", evictable, unready)
	}
}

// TestLabMemoryAddsUp recomputes what kubectl top and windows_exporter show in the articles from the parts that the fleet
// is given, container by container.
func TestLabMemoryAddsUp(t *testing.T) {
	sc, err := Lab(testNow)
	if err != nil {
		t.Fatal(err)
	}
	commit, working := map[string]int64{}, map[string]int64{}
	for _, pod := range index(t, sc).pods {
		node := pod.Spec.NodeName
		for _, c := range pod.Spec.Containers {
			m, ok := sc.Profiles[node].Containers[pod.Namespace+"/"+workloadOf(pod)+"/"+c.Name]
			if !ok {
				t.Errorf("%s/%s: container %s has no figures", pod.Namespace, pod.Name, c.Name)
			}
			commit[node] += m.Commit
			working[node] += m.WorkingSet
		}
	}
	for node, top := range map[string]int64{
		"k8s-lab-master-1": 1588, "k8s-lab-node-1": 1960, "k8s-lab-node-2": 1514, "k8s-lab-win-1": 1292,
	} {
		system := sc.Profiles[node].Memory.SystemWorkingSet
		if system < 300<<20 {
			t.Errorf("%s: only %d MiB are left for its system", node, system>>20)
		}
		if got := (working[node] + system) >> 20; got != top {
			t.Errorf("%s: working set %d MiB, want %d", node, got, top)
		}
	}
	win := sc.Profiles["k8s-lab-win-1"].Memory
	ratio := float64(commit["k8s-lab-win-1"]+win.SystemCommit) / float64(win.Physical+win.PageFile)
	if ratio < 0.305 || ratio >= 0.315 {
		t.Errorf("committed/limit = %.3f, want 0.31", ratio)
	}
	hello := sc.Profiles["k8s-lab-win-1"].Containers["win-demo/hello-win/hello"]
	if hello.Commit>>20 != 98 || hello.WorkingSet>>20 != 42 {
		t.Errorf("hello-win: commit %d MiB, working set %d MiB, want 98 and 42", hello.Commit>>20, hello.WorkingSet>>20)
	}
}
