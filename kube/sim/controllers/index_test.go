package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A pod that was bound takes room on its node before the copy shows it there, and once it does, only once.
func TestAssumedPodTakesRoomOnce(t *testing.T) {
	waiting := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "1"}}
	bound := waiting.DeepCopy()
	bound.Spec.NodeName = "node-1"
	for name, then := range map[string]struct {
		now  *corev1.Pod
		want int
	}{
		"nothing yet":           {waiting, 1},
		"the copy shows it":     {bound, 1},
		"it was deleted before": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			x := newIndex()
			x.pod(nil, waiting)
			x.assume(waiting, "node-1")
			if got := len(x.loadOf("node-1").pods); got != 1 || x.assumedOn("1") != "node-1" {
				t.Fatalf("%d pods on the node, assumed on %q", got, x.assumedOn("1"))
			}
			x.pod(waiting, then.now)
			if got := len(x.loadOf("node-1").pods); got != then.want {
				t.Errorf("%d pods on the node, want %d", got, then.want)
			}
			if still := x.assumedOn("1") != ""; still != (then.now == waiting) {
				t.Errorf("still assumed: %v", still)
			}
		})
	}
}
