package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	nodeutil "k8s.io/component-helpers/node/util"
)

// tolerateFor is what the API server's admission gives every pod that says nothing of silent nodes.
const tolerateFor = 300 * time.Second

func nodeName(n string) types.NodeName { return types.NodeName(n) }

func labelSet(m map[string]string) labels.Set { return m }

// ownTaints are the taints that the node lifecycle controller alone writes, by the condition that they stand for.
var ownTaints = []struct {
	key       string
	condition corev1.NodeConditionType
	status    corev1.ConditionStatus
	effects   []corev1.TaintEffect
}{
	{corev1.TaintNodeNotReady, corev1.NodeReady, corev1.ConditionFalse, []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}},
	{corev1.TaintNodeUnreachable, corev1.NodeReady, corev1.ConditionUnknown, []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}},
	{corev1.TaintNodeMemoryPressure, corev1.NodeMemoryPressure, corev1.ConditionTrue, []corev1.TaintEffect{corev1.TaintEffectNoSchedule}},
	{corev1.TaintNodeDiskPressure, corev1.NodeDiskPressure, corev1.ConditionTrue, []corev1.TaintEffect{corev1.TaintEffectNoSchedule}},
	{corev1.TaintNodePIDPressure, corev1.NodePIDPressure, corev1.ConditionTrue, []corev1.TaintEffect{corev1.TaintEffectNoSchedule}},
	{corev1.TaintNodeNetworkUnavailable, corev1.NodeNetworkUnavailable, corev1.ConditionTrue, []corev1.TaintEffect{corev1.TaintEffectNoSchedule}},
}

// syncTaints makes a node's taints say what its conditions and its cordon say.
func (c *Controllers) syncTaints(ctx context.Context, k key) error {
	n, ok := c.nodes.Get("", k.name)
	if !ok || held(n) {
		return nil
	}
	want := c.wantedTaints(n)
	if equality.Semantic.DeepEqual(want, n.Spec.Taints) || len(want) == 0 && len(n.Spec.Taints) == 0 {
		return nil
	}
	// The resource version makes the patch fail when somebody else changed the taints: a list is replaced as a whole.
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": n.ResourceVersion}, "spec": map[string]any{"taints": want}})
	if err != nil {
		return fmt.Errorf("compute its taints: %w", err)
	}
	if _, err := c.client.CoreV1().Nodes().Patch(ctx, n.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return ignoreGone(fmt.Errorf("write its taints: %w", err))
	}
	return nil
}

func (c *Controllers) wantedTaints(n *corev1.Node) []corev1.Taint {
	want := []corev1.Taint{}
	have := map[corev1.Taint]corev1.Taint{}
	for _, t := range n.Spec.Taints {
		if t.Key != corev1.TaintNodeUnschedulable && !isOwn(t.Key) {
			want = append(want, t)
			continue
		}
		have[corev1.Taint{Key: t.Key, Effect: t.Effect}] = t
	}
	add := func(key string, effect corev1.TaintEffect) {
		t := corev1.Taint{Key: key, Effect: effect}
		if old, ok := have[t]; ok {
			t = old
		} else {
			now := metav1.NewTime(c.clock.Now())
			t.TimeAdded = &now
		}
		want = append(want, t)
	}
	for _, o := range ownTaints {
		if _, cond := nodeutil.GetNodeCondition(&n.Status, o.condition); cond != nil && cond.Status == o.status {
			for _, effect := range o.effects {
				add(o.key, effect)
			}
		}
	}
	if n.Spec.Unschedulable {
		add(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule)
	}
	if equality.Semantic.DeepEqual(taintSet(want), taintSet(n.Spec.Taints)) {
		return n.Spec.Taints
	}
	return want
}

func taintSet(list []corev1.Taint) map[corev1.Taint]bool {
	set := map[corev1.Taint]bool{}
	for _, t := range list {
		set[corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}] = true
	}
	return set
}

func isOwn(key string) bool {
	for _, o := range ownTaints {
		if o.key == key {
			return true
		}
	}
	return false
}

// evictTainted deletes the pods of a node that do not, or no longer, tolerate its NoExecute taints.
func (c *Controllers) evictTainted(ctx context.Context, k key) error {
	n, ok := c.nodes.Get("", k.name)
	if !ok || held(n) {
		return nil
	}
	now := c.clock.Now()
	var errs []error
	for _, p := range c.index.podsOfNode(n.Name) {
		if p.DeletionTimestamp != nil || held(p) {
			continue
		}
		at, evict := evictionTime(p, n.Spec.Taints, now)
		switch {
		case !evict:
		case at.After(now):
			c.after(at.Sub(now), k)
		default:
			errs = append(errs, c.deletePod(ctx, p, false))
		}
	}
	return errors.Join(errs...)
}

// evictionTime is when a pod has tolerated the taints for as long as it may; false: for ever.
func evictionTime(p *corev1.Pod, taints []corev1.Taint, now time.Time) (at time.Time, evict bool) {
	for _, t := range taints {
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		since := now
		if t.TimeAdded != nil {
			since = t.TimeAdded.Time
		}
		left, forEver := toleratedFor(p.Spec.Tolerations, t)
		if end := since.Add(left); !forEver && (!evict || end.Before(at)) {
			at, evict = end, true
		}
	}
	return at, evict
}

// toleratedFor is the shortest time that the tolerations of a taint give.
func toleratedFor(tolerations []corev1.Toleration, t corev1.Taint) (left time.Duration, forEver bool) {
	found := false
	forEver = true
	for _, tol := range tolerations {
		if _, hurts := untolerated([]corev1.Taint{t}, []corev1.Toleration{tol}, t.Effect); hurts {
			continue
		}
		found = true
		if tol.TolerationSeconds == nil {
			continue
		}
		if d := time.Duration(max(0, *tol.TolerationSeconds)) * time.Second; forEver || d < left {
			left, forEver = d, false
		}
	}
	if found {
		return left, forEver
	}
	if t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable {
		return tolerateFor, false // a loaded pod that never passed admission
	}
	return 0, false
}
