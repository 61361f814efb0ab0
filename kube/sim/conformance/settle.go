package conformance

import (
	"context"
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// settle brings the status of a budget to what the disruption controller would write. Where there is a controller, it does
// so itself or agrees; where there is none, this writes it. It returns once the status is there.
func (b *bench) settle(ctx context.Context, name string, h health) error {
	api := b.client.PolicyV1().PodDisruptionBudgets(b.namespace)
	for {
		pdb, err := api.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("wait for the status of budget %s: %w", name, err)
		}
		want := statusFor(pdb, h)
		if sameStatus(pdb.Status, want) {
			return nil
		}
		pdb.Status = want
		if _, err = api.UpdateStatus(ctx, pdb, metav1.UpdateOptions{}); err != nil && !apierrors.IsConflict(err) {
			return fmt.Errorf("write the status of budget %s: %w", name, err)
		}
		// What was written may be overwritten by a controller that has not seen every pod yet, so look again.
	}
}

func statusFor(pdb *policyv1.PodDisruptionBudget, h health) policyv1.PodDisruptionBudgetStatus {
	condition := metav1.Condition{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
		Reason: policyv1.InsufficientPodsReason, ObservedGeneration: pdb.Generation, LastTransitionTime: pdb.CreationTimestamp}
	if h.allowed > 0 {
		condition.Status, condition.Reason = metav1.ConditionTrue, policyv1.SufficientPodsReason
	}
	return policyv1.PodDisruptionBudgetStatus{ObservedGeneration: pdb.Generation, CurrentHealthy: int32(h.current),
		DesiredHealthy: int32(h.desired), DisruptionsAllowed: int32(h.allowed), ExpectedPods: int32(h.expected),
		Conditions: []metav1.Condition{condition}}
}

func sameStatus(a, b policyv1.PodDisruptionBudgetStatus) bool {
	return a.ObservedGeneration == b.ObservedGeneration && a.CurrentHealthy == b.CurrentHealthy && a.DesiredHealthy == b.DesiredHealthy &&
		a.DisruptionsAllowed == b.DisruptionsAllowed && a.ExpectedPods == b.ExpectedPods && len(a.DisruptedPods) == 0
}
