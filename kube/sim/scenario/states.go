package scenario

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
)

// hold makes the fleet and the controllers leave the pod as it is.
func hold(p *corev1.Pod) {
	if p.Annotations == nil {
		p.Annotations = map[string]string{}
	}
	p.Annotations[fleet.Hold] = "true"
}

// waiting is a pod whose containers have not started: reason is what kubectl shows.
func waiting(p *corev1.Pod, reason, message string) {
	p.Status.Phase = corev1.PodPending
	for i := range p.Status.ContainerStatuses {
		c := &p.Status.ContainerStatuses[i]
		c.Ready, c.Started, c.RestartCount, c.ContainerID, c.ImageID = false, ptr.To(false), 0, "", ""
		c.LastTerminationState = corev1.ContainerState{}
		c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
	unready(p, p.CreationTimestamp)
	hold(p)
}

// crashing is a pod whose containers end again and again.
func (s *stage) crashing(p *corev1.Pod, exit int32, message string, restarts int32) {
	for i := range p.Status.ContainerStatuses {
		c := &p.Status.ContainerStatuses[i]
		c.Ready, c.Started, c.RestartCount = false, ptr.To(false), restarts
		c.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
			ExitCode: exit, Reason: "Error", Message: message, ContainerID: c.ContainerID,
			StartedAt: s.ago(3 * time.Minute), FinishedAt: s.ago(170 * time.Second),
		}
		c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "CrashLoopBackOff", Message: fmt.Sprintf("back-off 5m0s restarting failed container=%s pod=%s_%s", c.Name, p.Name, p.Namespace),
		}}
	}
	unready(p, s.ago(170*time.Second))
	hold(p)
}

// unready takes the pod's Ready condition away.
func unready(p *corev1.Pod, since metav1.Time) {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodReady || c.Type == corev1.ContainersReady {
			c.Status, c.LastTransitionTime = corev1.ConditionFalse, since
			c.Reason, c.Message = "ContainersNotReady", "containers with unready status: [app]"
		}
	}
	for i := range p.Status.ContainerStatuses {
		p.Status.ContainerStatuses[i].Ready = false
	}
}

// leaving is a pod whose deletion was asked for and does not come to an end.
func (s *stage) leaving(p *corev1.Pod, asked time.Duration) {
	grace := int64(30)
	if p.Spec.TerminationGracePeriodSeconds != nil {
		grace = *p.Spec.TerminationGracePeriodSeconds
	}
	p.DeletionTimestamp = ptr.To(s.ago(asked - time.Duration(grace)*time.Second))
	p.DeletionGracePeriodSeconds = ptr.To(grace)
	unready(p, s.ago(asked))
	hold(p)
}

// warn adds a warning about a node or a pod.
func (s *stage) warn(o metav1.Object, reason, message string, count int, last time.Duration) {
	s.event(o, corev1.EventTypeWarning, reason, message, count, last)
}

// event adds what the kubelet said of a node or a pod: count times, half a minute apart, the last of them so long ago.
func (s *stage) event(o metav1.Object, level, reason, message string, count int, last time.Duration) {
	kind, ns := "Pod", o.GetNamespace()
	if _, ok := o.(*corev1.Node); ok {
		kind, ns = "Node", metav1.NamespaceDefault
	}
	first := last + time.Duration(count-1)*30*time.Second
	name := o.GetName() + "." + suffix(o.GetName(), reason, message) + suffix(message, reason)
	s.add("Event", &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name[max(0, len(name)-253):]},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: "v1", Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID(),
		},
		Type: level, Reason: reason, Message: message, Count: int32(count),
		Source: corev1.EventSource{Component: "kubelet"}, ReportingController: "kubelet",
		FirstTimestamp: s.ago(first), LastTimestamp: s.ago(last),
	}, first)
}
