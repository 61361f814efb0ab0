package fleet

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	testclock "k8s.io/utils/clock/testing"

	"github.com/mullion-tui/mullion/kube/sim/simclock"
)

func TestSmoke(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	clk := testclock.NewFakeClock(time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC))
	c := fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "d", Name: "p", UID: "u"}, Spec: corev1.PodSpec{NodeName: "w", Containers: []corev1.Container{{Name: "c", Image: "i"}}}})
	f := New(c, Options{Clock: clk, Seed: 1, Register: []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "w"}, Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{OperatingSystem: "windows"}}}}, Report: func(err error) { t.Error(err) }})
	if err := f.Start(ctx); err != nil {
		t.Fatal(err)
	}
	show := func() {
		p, _ := c.CoreV1().Pods("d").Get(ctx, "p", metav1.GetOptions{})
		n, _ := c.CoreV1().Nodes().Get(ctx, "w", metav1.GetOptions{})
		t.Log(clk.Now().Format("15:04:05"), p.Status.Phase, p.Status.PodIP, p.Status.ContainerStatuses, n.Status.NodeInfo.BootID, n.Labels)
	}
	for range 3 {
		if err := simclock.Advance(ctx, clk, 3*time.Second, f); err != nil {
			t.Fatal(err)
		}
		show()
	}
	if err := f.Reboot("w"); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := simclock.Advance(ctx, clk, 5*time.Second, f); err != nil {
			t.Fatal(err)
		}
		show()
	}
	ev, _ := c.CoreV1().Events("").List(ctx, metav1.ListOptions{})
	for _, e := range ev.Items {
		t.Log(e.InvolvedObject.Name, e.Reason, e.Message, e.Count)
	}
}
