package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/model"
)

func (t interner) workload(kind model.Kind, o metav1.Object, desired, ready int) *model.Workload {
	return &model.Workload{
		Kind:      kind,
		Namespace: t.of(o.GetNamespace()),
		Name:      t.of(o.GetName()),
		UID:       t.of(string(o.GetUID())),
		Owner:     t.ownerOf(o),
		Desired:   desired,
		Ready:     ready,
		Created:   at(o.GetCreationTimestamp()),
	}
}

func (t interner) daemonSet(d *appsv1.DaemonSet) *model.Workload {
	return t.workload(model.KindDaemonSet, d, int(d.Status.DesiredNumberScheduled), int(d.Status.NumberReady))
}

func (t interner) replicaSet(r *appsv1.ReplicaSet) *model.Workload {
	return t.workload(model.KindReplicaSet, r, orOne(r.Spec.Replicas), int(r.Status.ReadyReplicas))
}

func (t interner) deployment(d *appsv1.Deployment) *model.Workload {
	return t.workload(model.KindDeployment, d, orOne(d.Spec.Replicas), int(d.Status.ReadyReplicas))
}

func (t interner) statefulSet(s *appsv1.StatefulSet) *model.Workload {
	return t.workload(model.KindStatefulSet, s, orOne(s.Spec.Replicas), int(s.Status.ReadyReplicas))
}

// job counts completions, and the pods that succeeded as ready. A job without
// completions is done when any pod succeeds, so it is counted by its parallelism
// (k8s.io/api batch/v1 JobSpec).
func (t interner) job(j *batchv1.Job) *model.Workload {
	desired := orOne(j.Spec.Parallelism)
	if j.Spec.Completions != nil {
		desired = int(*j.Spec.Completions)
	}
	return t.workload(model.KindJob, j, desired, int(j.Status.Succeeded))
}
