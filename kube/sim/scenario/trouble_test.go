package scenario

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
)

// TestTroubleHasEveryFinding: each finding that a cluster can show is named by an object. F27 is about kubeconfig files.
func TestTroubleHasEveryFinding(t *testing.T) {
	sc, err := Trouble(testNow)
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]int{}
	for _, o := range sc.Objects {
		for _, f := range strings.Split(o.(metav1.Object).GetAnnotations()[Example], ",") {
			examples[f]++
		}
	}
	for i := 1; i <= 28; i++ {
		if f := fmt.Sprintf("F%02d", i); f != "F27" && examples[f] == 0 {
			t.Errorf("no object is an example of %s", f)
		}
	}
}

// TestTroubleIsWhatItSays checks the facts behind some of the names.
func TestTroubleIsWhatItSays(t *testing.T) {
	sc, err := Trouble(testNow)
	if err != nil {
		t.Fatal(err)
	}
	c := index(t, sc)
	pods := map[string]*corev1.Pod{}
	for _, p := range c.pods {
		pods[workloadOf(p)] = p
	}
	tight, full := c.nodes["w25-tight"], c.nodes["w25-full"]
	for finding, ok := range map[string]bool{
		"F01": len(c.nodes["w25-open"].Spec.Taints) == 0,
		"F04": pods["f04-other-build"].Spec.NodeSelector[corev1.LabelWindowsBuild] != c.nodes[pods["f04-other-build"].Spec.NodeName].Labels[corev1.LabelWindowsBuild],
		"F06": pods["f06-no-os"].Spec.OS == nil,
		"F07": pods["f07-no-limit"].Spec.Containers[0].Resources.Limits.Memory().IsZero(),
		"F11": tight.Status.Capacity.Memory().Value()-tight.Status.Allocatable.Memory().Value() < 2<<30,
		"F12": strings.HasSuffix(tight.Spec.PodCIDR, "/26") && tight.Status.Allocatable.Pods().Value() > 60,
		"F22": pods["f22-finalizer"] != nil && c.byUID[pods["f22-finalizer"].UID] != nil,
		"F25": pods["f25-linux-pod"].Status.Reason == "PodOSNotSupported",
	} {
		if !ok {
			t.Errorf("the example of %s does not show it", finding)
		}
	}

	m := sc.Profiles["w25-full"]
	used, limits := m.Memory.SystemCommit, int64(0)
	for _, p := range c.pods {
		if p.Spec.NodeName != full.Name {
			continue
		}
		for _, container := range p.Spec.Containers {
			used += m.Containers[p.Namespace+"/"+workloadOf(p)+"/"+container.Name].Commit
			limits += container.Resources.Limits.Memory().Value()
		}
	}
	limit := m.Memory.Physical + m.Memory.PageFile
	if ratio := float64(used) / float64(limit); ratio < 0.9 || ratio > 1 {
		t.Errorf("F09: %s has committed %.2f of its limit, want 0.9 to 1", full.Name, ratio)
	}
	if limits <= limit {
		t.Errorf("F10: the limits on %s are %d, want more than its commit limit %d", full.Name, limits, limit)
	}
	for _, o := range sc.Objects {
		if csr, ok := o.(*certificatesv1.CertificateSigningRequest); ok && len(csr.Status.Conditions) > 0 {
			t.Errorf("F17: %s has been decided", csr.Name)
		}
	}
}

// TestTroubleStaysInTrouble: whatever a kubelet or a controller would mend is held.
func TestTroubleStaysInTrouble(t *testing.T) {
	sc, err := Trouble(testNow)
	if err != nil {
		t.Fatal(err)
	}
	c := index(t, sc)
	for _, p := range c.pods {
		n := c.nodes[p.Spec.NodeName]
		if n == nil || n.Annotations[fleet.Hold] == "true" {
			continue
		}
		if (!ready(p) || p.DeletionTimestamp != nil) && p.Annotations[fleet.Hold] != "true" {
			t.Errorf("%s/%s is not well and not held", p.Namespace, p.Name)
		}
	}
}

func TestHostileTextIsHostile(t *testing.T) {
	all := everything()
	for name, part := range map[string]string{"escape": "\x1b[", "C1": "\u009b", "bell": "\a", "right to left": "\u202e", "line feed": "\n", "NUL": "\x00"} {
		if !strings.Contains(all, part) {
			t.Errorf("no %s", name)
		}
	}
	if utf8.ValidString(all) {
		t.Error("all of it is valid UTF-8")
	}
}
