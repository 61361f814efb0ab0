package controllers

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	schedulinghelpers "k8s.io/component-helpers/scheduling/corev1"
)

// syncDaemonSet puts one pod on every node that the template fits, takes it from the others, and writes the status.
func (c *Controllers) syncDaemonSet(ctx context.Context, k key) error {
	d, ok := c.daemonSets.Get(k.namespace, k.name)
	if !ok || held(d) {
		return nil
	}
	pods, current := c.podsOf(d.UID)
	nodes := c.nodes.List()
	byNode := map[string][]*corev1.Pod{}
	for _, p := range pods {
		n := boundFor(p)
		byNode[n] = append(byNode[n], p)
	}
	count := daemonCount{}
	for _, n := range nodes {
		run, stay := fitsDaemon(d, n)
		mine := byNode[n.Name]
		count.add(run, mine)
		if d.DeletionTimestamp != nil || !current {
			continue
		}
		if err := c.daemonOn(ctx, d, n, run, stay, mine); err != nil {
			return err
		}
	}
	return c.daemonSetStatus(ctx, d, count)
}

// daemonOn brings one node to what the set wants there.
func (c *Controllers) daemonOn(ctx context.Context, d *appsv1.DaemonSet, n *corev1.Node, run, stay bool, mine []*corev1.Pod) error {
	for i, p := range mine {
		if p.DeletionTimestamp != nil || held(p) {
			continue
		}
		if finished(p) || !stay || i > 0 {
			if err := c.deletePod(ctx, p, false); err != nil {
				return err
			}
		}
	}
	if !run || len(mine) > 0 {
		return nil
	}
	p := c.podFrom(&d.Spec.Template, d, appsv1.SchemeGroupVersion.WithKind(kindDaemonSet), "")
	aimAt(&p.Spec, n.Name)
	p.Spec.Tolerations = append(p.Spec.Tolerations, daemonTolerations(p.Spec.HostNetwork)...)
	return c.createPod(ctx, p, d)
}

// fitsDaemon says whether a pod of the set should be started on the node, and whether one that is there may stay.
func fitsDaemon(d *appsv1.DaemonSet, n *corev1.Node) (run, stay bool) {
	spec := d.Spec.Template.Spec
	if spec.NodeName != "" && spec.NodeName != n.Name {
		return false, false
	}
	match, err := nodeaffinity.NewRequiredNodeAffinity(spec.NodeSelector, spec.Affinity).Match(n)
	if err != nil || !match {
		return false, false
	}
	tolerations := append(append([]corev1.Toleration{}, spec.Tolerations...), daemonTolerations(spec.HostNetwork)...)
	_, evicts := untolerated(n.Spec.Taints, tolerations, corev1.TaintEffectNoExecute)
	_, repels := untolerated(n.Spec.Taints, tolerations, corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule)
	return !repels, !evicts
}

// untolerated finds a taint with one of the effects that none of the tolerations tolerates.
func untolerated(taints []corev1.Taint, tolerations []corev1.Toleration, effects ...corev1.TaintEffect) (corev1.Taint, bool) {
	return schedulinghelpers.FindMatchingUntoleratedTaint(klog.Background(), taints, tolerations, func(t *corev1.Taint) bool {
		for _, e := range effects {
			if t.Effect == e {
				return true
			}
		}
		return false
	}, false)
}

// daemonTolerations are those that the DaemonSet controller adds to every pod.
func daemonTolerations(hostNetwork bool) []corev1.Toleration {
	exists := func(key string, effect corev1.TaintEffect) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
	}
	out := []corev1.Toleration{
		exists(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule),
	}
	if hostNetwork {
		out = append(out, exists(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule))
	}
	return out
}

// aimAt ties a pod to a node by affinity, so that the scheduler binds it; terms that are there keep their other needs.
func aimAt(spec *corev1.PodSpec, node string) {
	this := corev1.NodeSelectorRequirement{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	if spec.Affinity.NodeAffinity == nil {
		spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	required := &spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if *required == nil || len((*required).NodeSelectorTerms) == 0 {
		*required = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}
	}
	for i := range (*required).NodeSelectorTerms {
		(*required).NodeSelectorTerms[i].MatchFields = []corev1.NodeSelectorRequirement{this}
	}
}

// boundFor is the node of a DaemonSet's pod, bound or only aimed at.
func boundFor(p *corev1.Pod) string {
	if p.Spec.NodeName != "" || p.Spec.Affinity == nil || p.Spec.Affinity.NodeAffinity == nil {
		return p.Spec.NodeName
	}
	if r := p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		for _, t := range r.NodeSelectorTerms {
			for _, f := range t.MatchFields {
				if f.Key == metav1.ObjectNameField && len(f.Values) == 1 {
					return f.Values[0]
				}
			}
		}
	}
	return ""
}

type daemonCount struct{ desired, current, misscheduled, ready int32 }

func (n *daemonCount) add(run bool, mine []*corev1.Pod) {
	live := filter(mine, active)
	switch {
	case !run && len(live) > 0:
		n.misscheduled++
	case run:
		n.desired++
		if len(live) > 0 {
			n.current++
		}
		if len(filter(live, ready)) > 0 {
			n.ready++
		}
	}
}

func (c *Controllers) daemonSetStatus(ctx context.Context, d *appsv1.DaemonSet, n daemonCount) error {
	st := d.Status.DeepCopy()
	st.DesiredNumberScheduled, st.CurrentNumberScheduled, st.NumberMisscheduled = n.desired, n.current, n.misscheduled
	st.NumberReady, st.NumberAvailable, st.UpdatedNumberScheduled = n.ready, n.ready, n.current
	st.NumberUnavailable = n.desired - n.ready
	st.ObservedGeneration = d.Generation
	if equality.Semantic.DeepEqual(*st, d.Status) {
		return nil
	}
	out := d.DeepCopy()
	out.Status = *st
	if _, err := c.client.AppsV1().DaemonSets(d.Namespace).UpdateStatus(ctx, out, metav1.UpdateOptions{}); err != nil {
		return ignoreGone(fmt.Errorf("write its status: %w", err))
	}
	return nil
}
