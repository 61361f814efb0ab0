package controllers

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// syncStatefulSet makes pod after pod, each when the one before is ready (or all at once with Parallel), removes from the
// highest number down, and writes the status. A name is used again only when its last holder is gone.
func (c *Controllers) syncStatefulSet(ctx context.Context, k key) error {
	s, ok := c.statefulSets.Get(k.namespace, k.name)
	if !ok || held(s) {
		return nil
	}
	pods, current := c.podsOf(s.UID)
	if s.DeletionTimestamp == nil && current {
		if err := c.order(ctx, s, pods); err != nil {
			return err
		}
	}
	return c.statefulSetStatus(ctx, s, filter(pods, active))
}

func (c *Controllers) order(ctx context.Context, s *appsv1.StatefulSet, pods []*corev1.Pod) error {
	first := 0
	if s.Spec.Ordinals != nil {
		first = int(s.Spec.Ordinals.Start)
	}
	want := int(ptr.Deref(s.Spec.Replicas, 1))
	parallel := s.Spec.PodManagementPolicy == appsv1.ParallelPodManagement
	have := map[int]*corev1.Pod{}
	highest := -1
	for _, p := range pods {
		if n, ok := ordinal(s.Name, p.Name); ok {
			have[n] = p
			highest = max(highest, n)
		}
	}
	for n := first; n < first+want; n++ {
		p := have[n]
		switch {
		case p == nil && c.nameTaken(s.Namespace, s.Name, n):
			// the last holder still goes
		case p == nil:
			if err := c.createPod(ctx, c.statefulPod(s, n), s); err != nil {
				return err
			}
		case finished(p) && p.DeletionTimestamp == nil && !held(p):
			if err := c.deletePod(ctx, p, false); err != nil {
				return err
			}
		case ready(p) && p.DeletionTimestamp == nil:
			continue
		}
		if !parallel {
			return nil
		}
	}
	for n := highest; n >= first+want; n-- {
		p := have[n]
		if p == nil || held(p) {
			continue
		}
		if p.DeletionTimestamp == nil {
			if err := c.deletePod(ctx, p, false); err != nil {
				return err
			}
		}
		if !parallel {
			return nil
		}
	}
	return nil
}

// nameTaken says whether any pod still has the name: one of an earlier set, or one whose deletion the copy does not show yet.
func (c *Controllers) nameTaken(namespace, set string, n int) bool {
	_, taken := c.pods.Get(namespace, set+"-"+strconv.Itoa(n))
	return taken
}

func (c *Controllers) statefulPod(s *appsv1.StatefulSet, n int) *corev1.Pod {
	name := s.Name + "-" + strconv.Itoa(n)
	p := c.podFrom(&s.Spec.Template, s, appsv1.SchemeGroupVersion.WithKind(kindStatefulSet), name)
	p.Labels = with(with(p.Labels, appsv1.StatefulSetPodNameLabel, name), appsv1.PodIndexLabel, strconv.Itoa(n))
	p.Spec.Hostname, p.Spec.Subdomain = name, s.Spec.ServiceName
	for _, t := range s.Spec.VolumeClaimTemplates {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: t.Name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: t.Name + "-" + name}}})
	}
	return p
}

func ordinal(set, pod string) (int, bool) {
	tail, ok := strings.CutPrefix(pod, set+"-")
	n, err := strconv.Atoi(tail)
	return n, ok && err == nil
}

func (c *Controllers) statefulSetStatus(ctx context.Context, s *appsv1.StatefulSet, live []*corev1.Pod) error {
	st := s.Status.DeepCopy()
	st.Replicas = int32(len(live))
	st.ReadyReplicas = int32(len(filter(live, ready)))
	st.AvailableReplicas, st.CurrentReplicas, st.UpdatedReplicas = st.ReadyReplicas, st.Replicas, st.Replicas
	st.ObservedGeneration = s.Generation
	if equality.Semantic.DeepEqual(*st, s.Status) {
		return nil
	}
	out := s.DeepCopy()
	out.Status = *st
	if _, err := c.client.AppsV1().StatefulSets(s.Namespace).UpdateStatus(ctx, out, metav1.UpdateOptions{}); err != nil {
		return ignoreGone(fmt.Errorf("write its status: %w", err))
	}
	return nil
}
