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

// TestLabMemoryAddsUp recomputes the article's commit ratio from the parts that the fleet is given.
func TestLabMemoryAddsUp(t *testing.T) {
	sc, err := Lab(testNow)
	if err != nil {
		t.Fatal(err)
	}
	p := sc.Profiles["k8s-lab-win-1"]
	commit, working := p.Memory.SystemCommit, p.Memory.SystemWorkingSet
	for _, pod := range index(t, sc).pods {
		if pod.Spec.NodeName != "k8s-lab-win-1" {
			continue
		}
		for _, c := range pod.Spec.Containers {
			m, ok := p.Containers[pod.Namespace+"/"+workloadOf(pod)+"/"+c.Name]
			if !ok {
				t.Errorf("%s: container %s has no figures", pod.Name, c.Name)
			}
			commit += m.Commit
			working += m.WorkingSet
		}
	}
	if got := float64(commit) / float64(p.Memory.Physical+p.Memory.PageFile); got < 0.305 || got >= 0.315 {
		t.Errorf("committed/limit = %.3f, want 0.31", got)
	}
	if got := working >> 20; got != 1292 {
		t.Errorf("working set %d MiB, want 1292", got)
	}
	hello := p.Containers["win-demo/hello-win/hello"]
	if hello.Commit>>20 != 98 || hello.WorkingSet>>20 != 42 {
		t.Errorf("hello-win: commit %d MiB, working set %d MiB, want 98 and 42", hello.Commit>>20, hello.WorkingSet>>20)
	}
}
