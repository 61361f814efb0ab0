package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
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

// withTemplate adds the pod that the workload would make. What another workload
// controls is left out: its controller holds the template that counts.
func (t interner) withTemplate(w *model.Workload, template *corev1.PodTemplateSpec) *model.Workload {
	if w.Owner.Name != "" {
		return w
	}
	w.Template = t.pod(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name, Labels: template.Labels},
		Spec:       template.Spec,
	})
	return w
}

func (t interner) daemonSet(d *appsv1.DaemonSet) *model.Workload {
	return t.withTemplate(t.workload(model.KindDaemonSet, d, int(d.Status.DesiredNumberScheduled), int(d.Status.NumberReady)), &d.Spec.Template)
}

func (t interner) replicaSet(r *appsv1.ReplicaSet) *model.Workload {
	return t.withTemplate(t.workload(model.KindReplicaSet, r, orOne(r.Spec.Replicas), int(r.Status.ReadyReplicas)), &r.Spec.Template)
}

func (t interner) deployment(d *appsv1.Deployment) *model.Workload {
	return t.withTemplate(t.workload(model.KindDeployment, d, orOne(d.Spec.Replicas), int(d.Status.ReadyReplicas)), &d.Spec.Template)
}

func (t interner) statefulSet(s *appsv1.StatefulSet) *model.Workload {
	return t.withTemplate(t.workload(model.KindStatefulSet, s, orOne(s.Spec.Replicas), int(s.Status.ReadyReplicas)), &s.Spec.Template)
}

// job counts completions, and the pods that succeeded as ready. A job without
// completions is done when any pod succeeds, so it is counted by its parallelism
// (k8s.io/api batch/v1 JobSpec).
func (t interner) job(j *batchv1.Job) *model.Workload {
	desired := orOne(j.Spec.Parallelism)
	if j.Spec.Completions != nil {
		desired = int(*j.Spec.Completions)
	}
	return t.withTemplate(t.workload(model.KindJob, j, desired, int(j.Status.Succeeded)), &j.Spec.Template)
}
