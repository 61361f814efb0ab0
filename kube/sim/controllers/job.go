package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// syncJob keeps as many pods active as the Job may run at once until enough have succeeded or too many failed.
func (c *Controllers) syncJob(ctx context.Context, k key) error {
	j, ok := c.jobs.Get(k.namespace, k.name)
	if !ok || held(j) || j.DeletionTimestamp != nil || jobEnded(j) || ptr.Deref(j.Spec.Suspend, false) {
		return nil
	}
	pods, current := c.podsOf(j.UID)
	succeeded := int32(len(filter(pods, func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodSucceeded })))
	failed := int32(len(filter(pods, func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodFailed })))
	// Pods that were removed since still count.
	succeeded, failed = max(succeeded, j.Status.Succeeded), max(failed, j.Status.Failed)
	live := filter(pods, active)
	want := ptr.Deref(j.Spec.Completions, 1)
	tooMany := failed > ptr.Deref(j.Spec.BackoffLimit, 6)
	if current && !tooMany && succeeded < want {
		for range min(ptr.Deref(j.Spec.Parallelism, 1), want-succeeded) - int32(len(live)) {
			if err := c.createPod(ctx, c.jobPod(j), j); err != nil {
				return err
			}
		}
	}
	if tooMany {
		for _, p := range live {
			if err := c.deletePod(ctx, p, false); err != nil {
				return err
			}
		}
	}
	return c.jobStatus(ctx, j, live, succeeded, failed, want, tooMany)
}

func (c *Controllers) jobPod(j *batchv1.Job) *corev1.Pod {
	p := c.podFrom(&j.Spec.Template, j, batchv1.SchemeGroupVersion.WithKind(kindJob), "")
	p.Labels = with(with(p.Labels, batchv1.JobNameLabel, j.Name), batchv1.ControllerUidLabel, string(j.UID))
	return p
}

func (c *Controllers) jobStatus(ctx context.Context, j *batchv1.Job, live []*corev1.Pod, succeeded, failed, want int32, tooMany bool) error {
	st := j.Status.DeepCopy()
	now := metav1.NewTime(c.clock.Now())
	if st.StartTime == nil {
		st.StartTime = &now
	}
	st.Active, st.Succeeded, st.Failed = int32(len(live)), succeeded, failed
	st.Ready = ptr.To(int32(len(filter(live, ready))))
	switch {
	case tooMany:
		st.Active = 0
		st.Conditions = append(st.Conditions, batchv1.JobCondition{Type: batchv1.JobFailed, Status: corev1.ConditionTrue,
			Reason: batchv1.JobReasonBackoffLimitExceeded, Message: "Job has reached the specified backoff limit", LastProbeTime: now, LastTransitionTime: now})
	case succeeded >= want:
		st.CompletionTime = &now
		st.Conditions = append(st.Conditions, batchv1.JobCondition{Type: batchv1.JobComplete, Status: corev1.ConditionTrue,
			Reason: batchv1.JobReasonCompletionsReached, Message: "Reached expected number of succeeded pods", LastProbeTime: now, LastTransitionTime: now})
	}
	if equality.Semantic.DeepEqual(*st, j.Status) {
		return nil
	}
	out := j.DeepCopy()
	out.Status = *st
	if _, err := c.client.BatchV1().Jobs(j.Namespace).UpdateStatus(ctx, out, metav1.UpdateOptions{}); err != nil {
		return ignoreGone(fmt.Errorf("write its status: %w", err))
	}
	return nil
}

func jobEnded(j *batchv1.Job) bool {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}
