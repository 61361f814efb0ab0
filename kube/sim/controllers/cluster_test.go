package controllers_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

func TestDeploymentBecomesReadyOnTwoNodes(t *testing.T) {
	c := simtest.New(t, simtest.Options{
		Objects:  []runtime.Object{simtest.Deployment("web", "linux", 3)},
		Register: []*corev1.Node{simtest.Machine("linux-1", "linux"), simtest.Machine("linux-2", "linux")},
	})
	c.Advance(5 * time.Second)
	on := map[string]int{}
	for _, p := range c.Pods("default", "app=web") {
		on[p.Spec.NodeName]++
		if p.Status.Phase != corev1.PodRunning || !isReady(&p) {
			t.Errorf("pod %s is %s, %v", p.Name, p.Status.Phase, p.Status.Conditions)
		}
	}
	if on["linux-1"]+on["linux-2"] != 3 || on["linux-1"] == 0 || on["linux-2"] == 0 {
		t.Errorf("pods on nodes: %v, want all three, spread", on)
	}
}

func isReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
