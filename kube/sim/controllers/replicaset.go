package controllers

import (
	"context"
	"fmt"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// syncReplicaSet creates or deletes pods until as many are active as are wanted, and writes the status.
func (c *Controllers) syncReplicaSet(ctx context.Context, k key) error {
	rs, ok := c.replicaSets.Get(k.namespace, k.name)
	if !ok || held(rs) {
		return nil
	}
	pods, current := c.podsOf(rs.UID)
	live := filter(pods, active)
	if rs.DeletionTimestamp == nil && current {
		if err := c.scale(ctx, rs, live, int(ptr.Deref(rs.Spec.Replicas, 1))); err != nil {
			return err
		}
	}
	return c.replicaSetStatus(ctx, rs, live)
}

func (c *Controllers) scale(ctx context.Context, rs *appsv1.ReplicaSet, live []*corev1.Pod, want int) error {
	for range want - len(live) {
		p := c.podFrom(&rs.Spec.Template, rs, appsv1.SchemeGroupVersion.WithKind(kindReplicaSet), "")
		if err := c.createPod(ctx, p, rs); err != nil {
			return err
		}
	}
	if len(live) <= want {
		return nil
	}
	victims := append([]*corev1.Pod{}, live...)
	sort.SliceStable(victims, func(i, j int) bool { return cheaper(victims[i], victims[j]) })
	for _, p := range victims[:len(live)-want] {
		if held(p) {
			continue
		}
		if err := c.deletePod(ctx, p, false); err != nil {
			return err
		}
	}
	return nil
}

// cheaper orders pods by how little is lost with them: without a node, not running, not ready, younger.
func cheaper(a, b *corev1.Pod) bool {
	if x, y := a.Spec.NodeName == "", b.Spec.NodeName == ""; x != y {
		return x
	}
	if x, y := a.Status.Phase == corev1.PodRunning, b.Status.Phase == corev1.PodRunning; x != y {
		return y
	}
	if x, y := ready(a), ready(b); x != y {
		return y
	}
	return b.CreationTimestamp.Before(&a.CreationTimestamp)
}

func (c *Controllers) replicaSetStatus(ctx context.Context, rs *appsv1.ReplicaSet, live []*corev1.Pod) error {
	st := rs.Status.DeepCopy()
	st.Replicas = int32(len(live))
	st.FullyLabeledReplicas = st.Replicas
	st.ReadyReplicas = int32(len(filter(live, ready)))
	st.AvailableReplicas = st.ReadyReplicas
	st.ObservedGeneration = rs.Generation
	if equality.Semantic.DeepEqual(*st, rs.Status) {
		return nil
	}
	out := rs.DeepCopy()
	out.Status = *st
	if _, err := c.client.AppsV1().ReplicaSets(rs.Namespace).UpdateStatus(ctx, out, metav1.UpdateOptions{}); err != nil {
		return ignoreGone(fmt.Errorf("write its status: %w", err))
	}
	return nil
}

func filter[T any](list []T, keep func(T) bool) []T {
	out := make([]T, 0, len(list))
	for _, v := range list {
		if keep(v) {
			out = append(out, v)
		}
	}
	return out
}
