package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	pdbhelper "k8s.io/component-helpers/apps/poddisruptionbudget"
	"k8s.io/utils/ptr"
)

// disruptedFor is how long an eviction that was granted counts against the budget while its pod is not deleted yet.
const disruptedFor = 2 * time.Minute

// syncBudget does the disruption controller's arithmetic (pkg/controller/disruption, read at v1.37.2).
func (c *Controllers) syncBudget(ctx context.Context, k key) error {
	b, ok := c.budgets.Get(k.namespace, k.name)
	if !ok || held(b) {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil {
		return fmt.Errorf("read its selector: %w", err)
	}
	pods := filter(c.index.podsOfNamespace(b.Namespace), func(p *corev1.Pod) bool { return selector.Matches(labelSet(p.Labels)) })
	now := c.clock.Now()
	st := policyv1.PodDisruptionBudgetStatus{ObservedGeneration: b.Generation, Conditions: b.Status.DeepCopy().Conditions}
	if st.ExpectedPods, st.DesiredHealthy, err = c.expected(b, pods); err != nil {
		return err
	}
	st.DisruptedPods = map[string]metav1.Time{}
	for _, p := range pods {
		since, granted := b.Status.DisruptedPods[p.Name]
		if p.DeletionTimestamp != nil {
			continue
		}
		if left := since.Add(disruptedFor).Sub(now); granted && left >= 0 {
			st.DisruptedPods[p.Name] = since
			c.after(left+time.Second, k)
			continue
		}
		if ready(p) {
			st.CurrentHealthy++
		}
	}
	st.DisruptionsAllowed = max(0, st.CurrentHealthy-st.DesiredHealthy)
	if st.ExpectedPods <= 0 {
		st.DisruptionsAllowed = 0
	}
	out := b.DeepCopy()
	out.Status = st
	pdbhelper.UpdateDisruptionAllowedCondition(out)
	c.stampConditions(b.Status.Conditions, out.Status.Conditions)
	if sameBudget(b.Status, out.Status) && pdbhelper.ConditionsAreUpToDate(b) {
		return nil
	}
	if _, err := c.client.PolicyV1().PodDisruptionBudgets(b.Namespace).UpdateStatus(ctx, out, metav1.UpdateOptions{}); err != nil {
		return ignoreGone(fmt.Errorf("write its status: %w", err))
	}
	return nil
}

// sameBudget leaves out the conditions: they follow from the numbers, and their times are the helper's.
func sameBudget(a, b policyv1.PodDisruptionBudgetStatus) bool {
	a.Conditions, b.Conditions = nil, nil
	return equality.Semantic.DeepEqual(a, b)
}

// stampConditions replaces the time of the helper, which knows no clock but the real one.
func (c *Controllers) stampConditions(old, now []metav1.Condition) {
	for i := range now {
		now[i].LastTransitionTime = metav1.NewTime(c.clock.Now())
		for _, o := range old {
			if o.Type == now[i].Type && o.Status == now[i].Status {
				now[i].LastTransitionTime = o.LastTransitionTime
			}
		}
	}
}

// expected is how many pods there should be, and how many of them healthy. Percentages and maxUnavailable refer to what the
// pods' controllers want, a plain minAvailable to the pods that are there.
func (c *Controllers) expected(b *policyv1.PodDisruptionBudget, pods []*corev1.Pod) (count, healthy int32, err error) {
	switch {
	case b.Spec.MaxUnavailable != nil:
		count = c.expectedScale(pods)
		n, err := intstr.GetScaledValueFromIntOrPercent(b.Spec.MaxUnavailable, int(count), true)
		if err != nil {
			return 0, 0, fmt.Errorf("read maxUnavailable: %w", err)
		}
		return count, max(0, count-int32(n)), nil
	case b.Spec.MinAvailable != nil && b.Spec.MinAvailable.Type == intstr.Int:
		return int32(len(pods)), b.Spec.MinAvailable.IntVal, nil
	case b.Spec.MinAvailable != nil:
		count = c.expectedScale(pods)
		n, err := intstr.GetScaledValueFromIntOrPercent(b.Spec.MinAvailable, int(count), true)
		if err != nil {
			return 0, 0, fmt.Errorf("read minAvailable: %w", err)
		}
		return count, int32(n), nil
	}
	return 0, 0, nil
}

func (c *Controllers) expectedScale(pods []*corev1.Pod) int32 {
	seen := map[types.UID]bool{}
	total := int32(0)
	for _, p := range pods {
		ref := metav1.GetControllerOf(p)
		if ref == nil || seen[ref.UID] {
			continue
		}
		seen[ref.UID] = true
		total += c.scaleOf(p.Namespace, ref, seen)
	}
	return total
}

// scaleOf is what a pod's controller wants; a ReplicaSet of a Deployment counts as the Deployment, once.
func (c *Controllers) scaleOf(namespace string, ref *metav1.OwnerReference, seen map[types.UID]bool) int32 {
	switch ref.Kind {
	case kindReplicaSet:
		rs, ok := c.replicaSets.Get(namespace, ref.Name)
		if !ok {
			return 0
		}
		owner := metav1.GetControllerOf(rs)
		if owner == nil || owner.Kind != kindDeployment {
			return ptr.Deref(rs.Spec.Replicas, 1)
		}
		d, ok := c.deployments.Get(namespace, owner.Name)
		if !ok || seen[d.UID] {
			return 0
		}
		seen[d.UID] = true
		return ptr.Deref(d.Spec.Replicas, 1)
	case kindStatefulSet:
		if s, ok := c.statefulSets.Get(namespace, ref.Name); ok {
			return ptr.Deref(s.Spec.Replicas, 1)
		}
	}
	return 0
}
