package kube

import (
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/mullion-tui/mullion/model"
)

func (t interner) budget(b *policyv1.PodDisruptionBudget) *model.Budget {
	return &model.Budget{
		Namespace:          t.of(b.Namespace),
		Name:               b.Name,
		UID:                string(b.UID),
		MinAvailable:       amount(b.Spec.MinAvailable),
		MaxUnavailable:     amount(b.Spec.MaxUnavailable),
		DisruptionsAllowed: int(b.Status.DisruptionsAllowed),
		CurrentHealthy:     int(b.Status.CurrentHealthy),
		DesiredHealthy:     int(b.Status.DesiredHealthy),
		ExpectedPods:       int(b.Status.ExpectedPods),
		Selector:           b.Spec.Selector,
		AlwaysEvictSick:    b.Spec.UnhealthyPodEvictionPolicy != nil && *b.Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow,
		Stale:              b.Status.ObservedGeneration < b.Generation,
	}
}

func amount(v *intstr.IntOrString) string {
	if v == nil {
		return ""
	}
	return cut(v.String())
}
