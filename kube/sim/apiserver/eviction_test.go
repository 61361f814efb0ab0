package apiserver

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
)

// working is a pod on a node, ready or not.
func working(name string, ready bool) *corev1.Pod {
	p := pod("shop", name, "n1")
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	if ready {
		p.Status.Conditions[0].Status = corev1.ConditionTrue
	}
	return p
}

// guard is a budget for all pods of working, with a status as a disruption controller would write it.
func guard(name string, change func(*policyv1.PodDisruptionBudget)) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Generation: 1},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
		Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptionsAllowed: 1, CurrentHealthy: 2, DesiredHealthy: 1,
			ExpectedPods: 2},
	}
	if change != nil {
		change(b)
	}
	return b
}

func shop() *corev1.Namespace { return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}} }

const evictBody = `{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p","namespace":"shop"}%s}`

// TestEvictionAnswers holds what the table of package conformance cannot make on a real server: budgets whose status no
// controller would write. Words are those of kube-apiserver 1.37.2.
func TestEvictionAnswers(t *testing.T) {
	type budgets = []*policyv1.PodDisruptionBudget
	one := func(change func(*policyv1.PodDisruptionBudget)) budgets { return budgets{guard("b", change)} }
	cases := []struct {
		name    string
		pod     *corev1.Pod
		budgets budgets
		more    string
		code    int
		reason  string
		cause   string // a part of the first cause
		retry   string
		left    int32 // disruptionsAllowed of the first budget afterwards
		gone    bool  // nothing of the pod is left
		stays   bool  // the pod was not touched
	}{
		{name: "room", pod: working("p", true), budgets: one(nil), code: 201, left: 0},
		{name: "dry run spends nothing", pod: working("p", true), budgets: one(nil), more: `,"deleteOptions":{"dryRun":["All"]}`, code: 201, left: 1, stays: true},
		{name: "nothing left, as many as needed", pod: working("p", true), code: 429, reason: "TooManyRequests", stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed, b.Status.DesiredHealthy = 0, 2 }),
			cause:   "The disruption budget b needs 2 healthy pods and has 2 currently"},
		{name: "nothing left, no word why", pod: working("p", true), code: 429, reason: "TooManyRequests", stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed = 0 }),
			cause:   "The disruption budget b does not allow evicting pods currently"},
		{name: "nothing left, with a reason", pod: working("p", true), code: 429, reason: "TooManyRequests", stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) {
				b.Status.DisruptionsAllowed = 0
				b.Status.Conditions = []metav1.Condition{{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
					Reason: policyv1.InsufficientPodsReason, Message: "wait"}}
			}),
			cause: "The disruption budget b does not allow evicting pods currently (InsufficientPods): wait"},
		{name: "the controller failed", pod: working("p", true), code: 429, reason: "TooManyRequests", stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) {
				b.Status.DisruptionsAllowed, b.Status.DesiredHealthy = 0, 9
				b.Status.Conditions = []metav1.Condition{{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
					Reason: policyv1.SyncFailedReason, Message: "no scale"}}
			}),
			cause: "The disruption budget b does not allow evicting pods currently because it failed sync: no scale"},
		{name: "the controller is behind", pod: working("p", true), code: 429, reason: "TooManyRequests", retry: "10", left: 1, stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Generation = 2 }),
			cause:   "The disruption budget b is still being processed by the server."},
		{name: "negative", pod: working("p", true), code: 403, reason: "Forbidden", left: -1, stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed = -1 }),
			cause:   "The disruption budget b does not allow evicting pods currently: pdb disruptions allowed is negative"},
		{name: "too many unconfirmed", pod: working("p", true), code: 403, reason: "Forbidden", left: 1, stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) {
				b.Status.DisruptedPods = map[string]metav1.Time{}
				for i := range maxDisruptedPods + 1 {
					b.Status.DisruptedPods[fmt.Sprint(i)] = metav1.Time{}
				}
			}),
			cause: "too many pending evictions not confirmed by PDB controller"},
		{name: "two budgets", pod: working("p", true), code: 500, left: 1, stays: true, budgets: budgets{guard("b", nil), guard("c", nil)}},
		{name: "not ready, budget met", pod: working("p", false), code: 201, left: 0,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed = 0 })},
		{name: "not ready, budget not met", pod: working("p", false), code: 429, reason: "TooManyRequests", stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed, b.Status.CurrentHealthy = 0, 0 }),
			cause:   "needs 1 healthy pods and has 0 currently"},
		{name: "not ready, nothing wanted healthy", pod: working("p", false), code: 429, reason: "TooManyRequests", stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed, b.Status.DesiredHealthy = 0, 0 })},
		{name: "not ready, always allowed", pod: working("p", false), code: 201, left: 0,
			budgets: one(func(b *policyv1.PodDisruptionBudget) {
				b.Status.DisruptionsAllowed, b.Status.CurrentHealthy = 0, 0
				b.Spec.UnhealthyPodEvictionPolicy = ptr.To(policyv1.AlwaysAllow)
			})},
		{name: "ready, policy does not help", pod: working("p", true), code: 429, reason: "TooManyRequests", stays: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) {
				b.Status.DisruptionsAllowed = 0
				b.Spec.UnhealthyPodEvictionPolicy = ptr.To(policyv1.AlwaysAllow)
			})},
		{name: "pending", pod: withPhase(corev1.PodPending), code: 201, left: -1,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed = -1 })},
		{name: "succeeded", pod: withPhase(corev1.PodSucceeded), code: 201, left: -1, gone: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed = -1 })},
		{name: "failed", pod: withPhase(corev1.PodFailed), code: 201, left: -1, gone: true,
			budgets: one(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed = -1 })},
		{name: "no budget", pod: working("p", true), code: 201},
		{name: "another pod's UID", pod: working("p", true), more: `,"deleteOptions":{"preconditions":{"uid":"x"}}`, code: 409, reason: "Conflict", stays: true},
		{name: "dry runs contradict each other", pod: working("p", true), more: `,"deleteOptions":{"dryRun":["Other"]}`, code: 500, stays: true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, client := start(t, Options{}, "")
			objects := []runtime.Object{shop(), c.pod}
			for _, b := range c.budgets {
				objects = append(objects, b)
			}
			if err := s.Load(objects...); err != nil {
				t.Fatal(err)
			}
			query := ""
			if strings.Contains(c.name, "contradict") {
				query = "?dryRun=All"
			}
			r := do(t, s, sent{method: "POST", path: "/api/v1/namespaces/shop/pods/p/eviction" + query, body: fmt.Sprintf(evictBody, c.more)})
			reason, _ := r.at("reason").(string)
			if r.code != c.code || reason != c.reason || r.header.Get("Retry-After") != c.retry {
				t.Errorf("answered %d %q, Retry-After %q: %s", r.code, reason, r.header.Get("Retry-After"), r.text)
			}
			cause, _ := r.at("details.causes.0.message").(string)
			if !strings.Contains(cause, c.cause) || (c.cause == "" && c.code == 201 && cause != "") {
				t.Errorf("cause is %q, want %q", cause, c.cause)
			}
			if c.cause != "" && r.at("details.causes.0.reason") != "DisruptionBudget" {
				t.Errorf("the cause is of type %v", r.at("details.causes.0.reason"))
			}
			if len(c.budgets) > 0 {
				b, err := client.PolicyV1().PodDisruptionBudgets("shop").Get(t.Context(), "b", metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if b.Status.DisruptionsAllowed != c.left {
					t.Errorf("%d disruptions are left, want %d", b.Status.DisruptionsAllowed, c.left)
				}
			}
			checkPod(t, client.CoreV1().Pods("shop").Get, c.gone, c.stays)
		})
	}
}

func withPhase(phase corev1.PodPhase) *corev1.Pod {
	p := working("p", false)
	p.Status.Phase = phase
	return p
}

func checkPod(t *testing.T, get func(context.Context, string, metav1.GetOptions) (*corev1.Pod, error), gone, stays bool) {
	t.Helper()
	p, err := get(t.Context(), "p", metav1.GetOptions{})
	if gone {
		if err == nil {
			t.Errorf("the pod is still there: %+v", p.Status)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	marked := false
	for _, c := range p.Status.Conditions {
		marked = marked || (c.Type == corev1.DisruptionTarget && c.Reason == "EvictionByEvictionAPI")
	}
	if marked == stays || (p.DeletionTimestamp == nil) != stays {
		t.Errorf("marked %v, deletion %v; want the pod untouched: %v", marked, p.DeletionTimestamp, stays)
	}
}

func TestEvictionLeavesWordInTheBudget(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, client := start(t, Options{Clock: clocktesting.NewFakeClock(now)}, "")
	if err := s.Load(shop(), working("p", true), guard("b", nil)); err != nil {
		t.Fatal(err)
	}
	do(t, s, sent{method: "POST", path: "/api/v1/namespaces/shop/pods/p/eviction", body: fmt.Sprintf(evictBody, "")})
	b, err := client.PolicyV1().PodDisruptionBudgets("shop").Get(t.Context(), "b", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if at := b.Status.DisruptedPods["p"]; !at.Time.Equal(now) {
		t.Errorf("the pod is noted at %v, want %v", at, now)
	}
	c := b.Status.Conditions
	if len(c) != 1 || c[0].Status != metav1.ConditionFalse || c[0].Reason != policyv1.InsufficientPodsReason {
		t.Errorf("conditions are %+v", c)
	}
	p, err := client.CoreV1().Pods("shop").Get(t.Context(), "p", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := now.Add(30 * time.Second); !p.DeletionTimestamp.Time.Equal(want) {
		t.Errorf("the pod has until %v, want %v", p.DeletionTimestamp, want)
	}
}
