package controllers_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

func budgetFor(app string, spec policyv1.PodDisruptionBudgetSpec) *policyv1.PodDisruptionBudget {
	spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	return &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app}, Spec: spec}
}

func TestBudgetArithmetic(t *testing.T) {
	cases := map[string]struct {
		spec     policyv1.PodDisruptionBudgetSpec
		replicas int32
		want     string
	}{
		"minAvailable counts the pods that are there": {spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromInt32(2))}, replicas: 4,
			want: "expected 4, desired 2, healthy 4, allowed 2"},
		"minAvailable above all": {spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromInt32(9))}, replicas: 4,
			want: "expected 4, desired 9, healthy 4, allowed 0"},
		"a share is rounded up": {spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromString("50%"))}, replicas: 5,
			want: "expected 5, desired 3, healthy 5, allowed 2"},
		"maxUnavailable counts what the controller wants": {spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr.To(intstr.FromInt32(1))}, replicas: 4,
			want: "expected 4, desired 3, healthy 4, allowed 1"},
		"maxUnavailable as a share is rounded up": {spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr.To(intstr.FromString("10%"))}, replicas: 4,
			want: "expected 4, desired 3, healthy 4, allowed 1"},
		"maxUnavailable 0": {spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr.To(intstr.FromInt32(0))}, replicas: 4,
			want: "expected 4, desired 4, healthy 4, allowed 0"},
		"no pods, nothing allowed": {spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr.To(intstr.FromInt32(1))}, replicas: 0,
			want: "expected 0, desired 0, healthy 0, allowed 0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", tc.replicas), budgetFor("web", tc.spec)}, Register: twoLinux()})
			c.Advance(5 * time.Second)
			if got := budgetText(t, c); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func budgetText(t *testing.T, c *simtest.Cluster) string {
	t.Helper()
	b, err := c.Client.PolicyV1().PodDisruptionBudgets("default").Get(c.Context(), "web", metav1.GetOptions{})
	must(t, err)
	if b.Status.ObservedGeneration != b.Generation {
		t.Errorf("observed generation %d of %d", b.Status.ObservedGeneration, b.Generation)
	}
	s := b.Status
	return fmt.Sprintf("expected %d, desired %d, healthy %d, allowed %d", s.ExpectedPods, s.DesiredHealthy, s.CurrentHealthy, s.DisruptionsAllowed)
}

func TestSilentNodeSpendsTheBudget(t *testing.T) {
	b := budgetFor("web", policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr.To(intstr.FromInt32(1))})
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 4), b}, Register: twoLinux()})
	c.Advance(15 * time.Second)
	must(t, c.Fleet.PowerOff("linux-1", 0))
	c.Advance(time.Minute)
	if got, want := budgetText(t, c), "expected 4, desired 3, healthy 2, allowed 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// An eviction that was granted and never carried out counts for two minutes.
func TestGrantedEvictionExpires(t *testing.T) {
	b := budgetFor("web", policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr.To(intstr.FromInt32(1))})
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 2), b}, Register: twoLinux()})
	c.Advance(5 * time.Second)
	now, err := c.Client.PolicyV1().PodDisruptionBudgets("default").Get(c.Context(), "web", metav1.GetOptions{})
	must(t, err)
	now.Status.DisruptedPods = map[string]metav1.Time{c.Pods("default", "app=web")[0].Name: metav1.NewTime(c.Clock.Now())}
	now.Status.DisruptionsAllowed = 0
	_, err = c.Client.PolicyV1().PodDisruptionBudgets("default").UpdateStatus(c.Context(), now, metav1.UpdateOptions{})
	must(t, err)
	c.Advance(100 * time.Second)
	if got, want := budgetText(t, c), "expected 2, desired 1, healthy 1, allowed 0"; got != want {
		t.Errorf("before the end: got %s, want %s", got, want)
	}
	c.Advance(30 * time.Second)
	if got, want := budgetText(t, c), "expected 2, desired 1, healthy 2, allowed 1"; got != want {
		t.Errorf("after two minutes: got %s, want %s", got, want)
	}
}

func TestDaemonSetReachesTheNodesThatItFits(t *testing.T) {
	win := simtest.Machine("win-1", "windows")
	win.Spec.Taints = []corev1.Taint{{Key: "os", Value: "windows", Effect: corev1.TaintEffectNoSchedule}}
	cordoned := simtest.Machine("linux-2", "linux")
	cordoned.Spec.Unschedulable = true
	everywhere := simtest.HostDaemonSet("everywhere", "linux")
	everywhere.Spec.Template.Spec.NodeSelector = nil
	plain := simtest.HostDaemonSet("plain", "linux")
	plain.Spec.Template.Spec.NodeSelector, plain.Spec.Template.Spec.Tolerations = nil, nil
	c := simtest.New(t, simtest.Options{
		Objects:  []runtime.Object{everywhere, plain, simtest.HostDaemonSet("windows-only", "windows")},
		Register: []*corev1.Node{simtest.Machine("linux-1", "linux"), cordoned, win},
	})
	c.Advance(5 * time.Second)
	for app, want := range map[string]map[string]bool{
		"everywhere":   {"linux-1": true, "linux-2": true, "win-1": true}, // it tolerates everything: the taint keeps nothing off
		"plain":        {"linux-1": true, "linux-2": true},                // a cordon stops no DaemonSet, a taint does
		"windows-only": {"win-1": true},
	} {
		got := map[string]bool{}
		for _, p := range c.Pods("kube-system", "app="+app) {
			got[p.Spec.NodeName] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is on %v, want %v", app, got, want)
		}
		d, err := c.Client.AppsV1().DaemonSets("kube-system").Get(c.Context(), app, metav1.GetOptions{})
		must(t, err)
		if n := int32(len(want)); d.Status.DesiredNumberScheduled != n || d.Status.NumberReady != n {
			t.Errorf("%s: status %+v, want %d", app, d.Status, n)
		}
	}
}
