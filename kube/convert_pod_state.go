package kube

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// podLook is what kubectl prints of a pod in READY, STATUS and RESTARTS. The rules
// are those of the API server's table (pkg/printers/internalversion printPod,
// v1.37), so that both say the same of the same pod.
type podLook struct {
	state    string
	message  string // of the container that gave the state
	ready    int
	total    int // sidecars counted
	restarts int
}

// nodeLost is the reason that the node lifecycle controller gives to pods of a
// node that it cannot reach (pkg/util/node NodeUnreachablePodReason).
const nodeLost = "NodeLost"

func lookAt(p *corev1.Pod) podLook {
	look := podLook{state: string(p.Status.Phase), total: len(p.Spec.Containers)}
	if p.Status.Reason != "" {
		look.state = p.Status.Reason
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonSchedulingGated {
			look.state, look.message = corev1.PodReasonSchedulingGated, c.Message
		}
	}
	if done := look.initContainers(p); done || conditionIs(p, corev1.PodInitialized) {
		look.containers(p)
	}
	if p.DeletionTimestamp != nil {
		switch {
		case p.Status.Reason == nodeLost:
			look.state = "Unknown"
		case p.Status.Phase != corev1.PodFailed && p.Status.Phase != corev1.PodSucceeded:
			look.state = "Terminating"
		}
	}
	return look
}

// initContainers takes the init containers in, up to the first that is not through,
// and reports whether all are. Once they are, only restarts of sidecars count.
func (l *podLook) initContainers(p *corev1.Pod) (done bool) {
	sidecars := map[string]bool{}
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; isSidecar(c) {
			sidecars[c.Name] = true
			l.total++
		}
	}
	sidecarRestarts := 0
	for i := range p.Status.InitContainerStatuses {
		c := &p.Status.InitContainerStatuses[i]
		l.restarts += int(c.RestartCount)
		if sidecars[c.Name] {
			sidecarRestarts += int(c.RestartCount)
		}
		ended, waiting := c.State.Terminated, c.State.Waiting
		switch {
		case ended != nil && ended.ExitCode == 0:
			continue
		case sidecars[c.Name] && c.Started != nil && *c.Started:
			if c.Ready {
				l.ready++
			}
			continue
		case ended != nil:
			l.state, l.message = "Init:"+endReason(ended), ended.Message
		case waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing":
			l.state, l.message = "Init:"+waiting.Reason, waiting.Message
		default:
			l.state = fmt.Sprintf("Init:%d/%d", i, len(p.Spec.InitContainers))
		}
		if conditionIs(p, corev1.PodInitialized) {
			l.restarts = sidecarRestarts
		}
		return false
	}
	l.restarts = sidecarRestarts
	return true
}

// containers lets the first container that has something to say give the state.
func (l *podLook) containers(p *corev1.Pod) {
	running, failed := false, ""
	for i := len(p.Status.ContainerStatuses) - 1; i >= 0; i-- {
		c := &p.Status.ContainerStatuses[i]
		l.restarts += int(c.RestartCount)
		ended, waiting := c.State.Terminated, c.State.Waiting
		switch {
		case waiting != nil && waiting.Reason != "":
			l.state, l.message = waiting.Reason, waiting.Message
		case ended != nil:
			l.state, l.message = endReason(ended), ended.Message
			if ended.ExitCode != 0 {
				failed = l.state
			}
		case c.Ready && c.State.Running != nil:
			running = true
			l.ready++
		}
	}
	if l.state != "Completed" {
		return
	}
	switch {
	case running && conditionIs(p, corev1.PodReady):
		l.state = "Running"
	case failed != "":
		l.state = failed
	case running:
		l.state = "NotReady"
	}
}

func endReason(ended *corev1.ContainerStateTerminated) string {
	switch {
	case ended.Reason != "":
		return ended.Reason
	case ended.Signal != 0:
		return fmt.Sprintf("Signal:%d", ended.Signal)
	default:
		return fmt.Sprintf("ExitCode:%d", ended.ExitCode)
	}
}

func conditionIs(p *corev1.Pod, kind corev1.PodConditionType) bool {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == kind {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// messageOf returns why the pod is in its state: in the words of the pod's status,
// else of the container that gave the state, else of the scheduler.
func messageOf(p *corev1.Pod, look podLook) string {
	if p.Status.Message != "" {
		return p.Status.Message
	}
	if look.message != "" {
		return look.message
	}
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return c.Message
		}
	}
	return ""
}
