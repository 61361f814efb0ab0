package scenario

import (
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// runtimeClass adds a RuntimeClass; pods that are added later are admitted by it.
func (s *stage) runtimeClass(c *nodev1.RuntimeClass, age time.Duration) {
	s.classes[c.Name] = c
	s.add("RuntimeClass", c, age)
}

// windowsClass is a RuntimeClass for one Windows build, as the articles write it.
func windowsClass(name, build, handler string, taint corev1.Taint) *nodev1.RuntimeClass {
	c := &nodev1.RuntimeClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Handler: handler,
		Scheduling: &nodev1.Scheduling{NodeSelector: map[string]string{
			corev1.LabelOSStable: "windows", corev1.LabelArchStable: "amd64", corev1.LabelWindowsBuild: build,
		}},
	}
	if taint.Key != "" {
		c.Scheduling.Tolerations = []corev1.Toleration{{
			Key: taint.Key, Operator: corev1.TolerationOpEqual, Value: taint.Value, Effect: taint.Effect,
		}}
	}
	return c
}

// budget adds a PodDisruptionBudget; finish computes its status when all pods are there.
func (s *stage) budget(b *policyv1.PodDisruptionBudget, age time.Duration) {
	b.Generation = 1
	s.budgets = append(s.budgets, b)
	s.add("PodDisruptionBudget", b, age)
}

// countBudgets writes into every budget's status what the disruption controller would.
func (s *stage) countBudgets() {
	if len(s.budgets) == 0 {
		return
	}
	pods := map[string][]*corev1.Pod{}
	for _, o := range s.objects {
		if p, ok := o.(*corev1.Pod); ok {
			pods[p.Namespace] = append(pods[p.Namespace], p)
		}
	}
	for _, b := range s.budgets {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err != nil {
			continue // the consistency test names it
		}
		var expected, healthy int
		for _, p := range pods[b.Namespace] {
			if !selector.Matches(labels.Set(p.Labels)) {
				continue
			}
			expected++
			if ready(p) && p.DeletionTimestamp == nil {
				healthy++
			}
		}
		s.countBudget(b, expected, healthy)
	}
}

func (s *stage) countBudget(b *policyv1.PodDisruptionBudget, expected, healthy int) {
	scaled := func(v *intstr.IntOrString) int {
		n, _ := intstr.GetScaledValueFromIntOrPercent(v, expected, true)
		return n
	}
	desired := 0
	switch {
	case b.Spec.MinAvailable != nil:
		desired = scaled(b.Spec.MinAvailable)
	case b.Spec.MaxUnavailable != nil:
		desired = max(0, expected-scaled(b.Spec.MaxUnavailable))
	}
	allowed := max(0, healthy-desired)
	if expected == 0 {
		allowed = 0
	}
	condition := metav1.Condition{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionTrue, Reason: policyv1.SufficientPodsReason,
		LastTransitionTime: b.CreationTimestamp, ObservedGeneration: b.Generation,
	}
	if allowed == 0 {
		condition.Status, condition.Reason = metav1.ConditionFalse, policyv1.InsufficientPodsReason
	}
	b.Status = policyv1.PodDisruptionBudgetStatus{
		ObservedGeneration: b.Generation, DisruptionsAllowed: int32(allowed), CurrentHealthy: int32(healthy),
		DesiredHealthy: int32(desired), ExpectedPods: int32(expected), Conditions: []metav1.Condition{condition},
	}
}

// staticPods adds the mirror pods of a static pod, one for each node it is placed on. The pod's name gets the node's name.
func (s *stage) staticPods(p *corev1.Pod, age time.Duration, placed []Placed) error {
	for _, at := range placed {
		m, err := s.machine(at.Node)
		if err != nil {
			return err
		}
		name := p.Name + "-" + m.Name
		hash := suffix("static", name) + suffix(name, "static")
		t := &corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: maps.Clone(p.Labels), Annotations: map[string]string{
				"kubernetes.io/config.hash": hash, corev1.MirrorPodAnnotationKey: hash, "kubernetes.io/config.source": "file",
			}},
			Spec: *p.Spec.DeepCopy(),
		}
		t.Spec.HostNetwork = true
		t.Spec.Priority, t.Spec.PriorityClassName = ptr.To[int32](2000001000), "system-node-critical"
		t.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}}
		owner := nodeOwner(s.nodes[m.Name], true)
		if _, err := s.pod(p.Namespace, name, t, &owner, at, age); err != nil {
			return err
		}
	}
	return nil
}
