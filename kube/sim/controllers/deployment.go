package controllers

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
)

const revisionAnnotation = "deployment.kubernetes.io/revision"

// syncDeployment gives the ReplicaSet of the present template its replicas, takes them from the others as it gets ready,
// and writes the status.
func (c *Controllers) syncDeployment(ctx context.Context, k key) error {
	d, ok := c.deployments.Get(k.namespace, k.name)
	if !ok || d.DeletionTimestamp != nil || held(d) {
		return nil
	}
	sets := c.index.replicaSetsOf(d.UID)
	present := presentSet(d, sets)
	want := ptr.Deref(d.Spec.Replicas, 1)
	if !d.Spec.Paused {
		if present == nil {
			return c.newReplicaSet(ctx, d, len(sets), want)
		}
		if err := c.resize(ctx, present, want); err != nil {
			return err
		}
		for _, old := range sets {
			left := min(ptr.Deref(old.Spec.Replicas, 0), max(0, want-present.Status.ReadyReplicas))
			if old.UID == present.UID {
				continue
			}
			if err := c.resize(ctx, old, left); err != nil {
				return err
			}
		}
	}
	return c.deploymentStatus(ctx, d, sets, present)
}

// presentSet is the ReplicaSet of the Deployment's template. In a loaded cluster the two may differ in details that nobody
// changed; then the revision tells.
func presentSet(d *appsv1.Deployment, sets []*appsv1.ReplicaSet) *appsv1.ReplicaSet {
	for _, rs := range sets {
		t := rs.Spec.Template.DeepCopy()
		delete(t.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
		mine := d.Spec.Template.DeepCopy()
		delete(mine.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
		if equality.Semantic.DeepEqual(t, mine) {
			return rs
		}
	}
	if d.Status.ObservedGeneration < d.Generation {
		return nil
	}
	for _, rs := range sets {
		if len(sets) == 1 || rs.Annotations[revisionAnnotation] != "" && rs.Annotations[revisionAnnotation] == d.Annotations[revisionAnnotation] {
			return rs
		}
	}
	return nil
}

func (c *Controllers) newReplicaSet(ctx context.Context, d *appsv1.Deployment, before int, replicas int32) error {
	hash, err := templateHash(&d.Spec.Template)
	if err != nil {
		return err
	}
	t := d.Spec.Template.DeepCopy()
	t.Labels = with(t.Labels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	selector := d.Spec.Selector.DeepCopy()
	selector.MatchLabels = with(selector.MatchLabels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: d.Name + "-" + hash, Labels: t.Labels,
			Annotations:     map[string]string{revisionAnnotation: strconv.Itoa(before + 1)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind(kindDeployment))}},
		Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: selector, Template: *t},
	}
	_, err = c.client.AppsV1().ReplicaSets(d.Namespace).Create(ctx, rs, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create ReplicaSet %s: %w", rs.Name, err)
	}
	return nil
}

// templateHash names a template; Kubernetes makes its own the same way from another hash of another form.
func templateHash(t *corev1.PodTemplateSpec) (string, error) {
	b, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("hash the pod template: %w", err)
	}
	h := fnv.New32a()
	h.Write(b)
	return rand.SafeEncodeString(strconv.FormatUint(uint64(h.Sum32()), 10)), nil
}

func (c *Controllers) resize(ctx context.Context, rs *appsv1.ReplicaSet, want int32) error {
	if ptr.Deref(rs.Spec.Replicas, 1) == want || held(rs) {
		return nil
	}
	out := rs.DeepCopy()
	out.Spec.Replicas = &want
	if _, err := c.client.AppsV1().ReplicaSets(rs.Namespace).Update(ctx, out, metav1.UpdateOptions{}); err != nil {
		return ignoreGone(fmt.Errorf("resize ReplicaSet %s to %d: %w", rs.Name, want, err))
	}
	return nil
}

func (c *Controllers) deploymentStatus(ctx context.Context, d *appsv1.Deployment, sets []*appsv1.ReplicaSet, present *appsv1.ReplicaSet) error {
	st := d.Status.DeepCopy()
	st.Replicas, st.ReadyReplicas, st.AvailableReplicas, st.UpdatedReplicas = 0, 0, 0, 0
	for _, rs := range sets {
		st.Replicas += rs.Status.Replicas
		st.ReadyReplicas += rs.Status.ReadyReplicas
		st.AvailableReplicas += rs.Status.AvailableReplicas
	}
	if present != nil {
		st.UpdatedReplicas = present.Status.Replicas
	}
	want := ptr.Deref(d.Spec.Replicas, 1)
	st.UnavailableReplicas = max(0, max(want, st.Replicas)-st.AvailableReplicas)
	st.ObservedGeneration = d.Generation
	c.availability(st, st.AvailableReplicas >= want-maxUnavailable(d, want))
	if equality.Semantic.DeepEqual(*st, d.Status) {
		return nil
	}
	out := d.DeepCopy()
	out.Status = *st
	if _, err := c.client.AppsV1().Deployments(d.Namespace).UpdateStatus(ctx, out, metav1.UpdateOptions{}); err != nil {
		return ignoreGone(fmt.Errorf("write its status: %w", err))
	}
	return nil
}

func (c *Controllers) availability(st *appsv1.DeploymentStatus, is bool) {
	now := metav1.NewTime(c.clock.Now())
	n := appsv1.DeploymentCondition{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionFalse, LastUpdateTime: now, LastTransitionTime: now,
		Reason: "MinimumReplicasUnavailable", Message: "Deployment does not have minimum availability."}
	if is {
		n.Status, n.Reason, n.Message = corev1.ConditionTrue, "MinimumReplicasAvailable", "Deployment has minimum availability."
	}
	for i, old := range st.Conditions {
		if old.Type == n.Type {
			if old.Status != n.Status {
				st.Conditions[i] = n
			}
			return
		}
	}
	st.Conditions = append(st.Conditions, n)
}

func with(m map[string]string, k, v string) map[string]string {
	out := map[string]string{k: v}
	for name, value := range m {
		if name != k {
			out[name] = value
		}
	}
	return out
}

// ignoreGone drops the error of a write to something that was deleted meanwhile.
func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// maxUnavailable is how many replicas an available Deployment may lack: its strategy's limit, by default a quarter.
func maxUnavailable(d *appsv1.Deployment, want int32) int32 {
	limit := intstr.FromString("25%")
	if r := d.Spec.Strategy.RollingUpdate; r != nil && r.MaxUnavailable != nil {
		limit = *r.MaxUnavailable
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(&limit, int(want), false)
	if err != nil {
		return 0 // not a number: nothing may be missing
	}
	return int32(n)
}
