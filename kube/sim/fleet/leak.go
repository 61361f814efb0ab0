package fleet

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	allocationFailed = 2 // the exit code of a Go program, and of many others, that gets no memory
	firstBackOff     = 10 * time.Second
	longestBackOff   = 5 * time.Minute
)

// leaked is what a container has leaked after some time, in bytes.
func (c ContainerMemory) leaked(after time.Duration) int64 {
	return int64(float64(c.Leak) * max(0, after.Minutes()))
}

// leaksSince is when a container that runs began to leak: nobody knows how much it had leaked before the fleet came.
func (m *machine) leaksSince(started time.Time) time.Time {
	if started.Before(m.tookOver) {
		return m.tookOver
	}
	return started
}

// planLeaks plans the moment at which a pod's leaking container reaches its limit. What else the pod does is planned
// already or not at all: a pod leaks only where it does nothing else.
func (m *machine) planLeaks(s *sandbox) {
	for i := range s.pod.Spec.Containers {
		c := &s.pod.Spec.Containers[i]
		mem, limit := m.containerMemory(s.pod, c), c.Resources.Limits.Memory().Value()
		if mem.Leak <= 0 || limit <= 0 {
			continue
		}
		for _, st := range s.pod.Status.ContainerStatuses {
			if st.Name != c.Name || st.State.Running == nil {
				continue
			}
			room := time.Duration(float64(limit-mem.Commit) / float64(mem.Leak) * float64(time.Minute))
			until := m.leaksSince(st.State.Running.StartedAt.Time).Add(room)
			m.later(max(0, until.Sub(m.now())), s, func(ctx context.Context) error { return m.failAllocation(ctx, s, c.Name) })
			return
		}
	}
}

// failAllocation ends a container that got no more memory, and starts it again after the kubelet's back-off. On Windows
// nobody kills it: it ends by itself, with its own code.
func (m *machine) failAllocation(ctx context.Context, s *sandbox, name string) error {
	now := m.now()
	wait := firstBackOff
	err := m.writeStatus(ctx, s, func(st *corev1.PodStatus) {
		for i := range st.ContainerStatuses {
			c := &st.ContainerStatuses[i]
			if c.Name != name {
				continue
			}
			wait = min(longestBackOff, firstBackOff<<min(c.RestartCount, 5))
			terminate(c, allocationFailed, "", now)
			c.LastTerminationState = c.State
			c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: fmt.Sprintf(
				"back-off %s restarting failed container=%s pod=%s_%s(%s)", wait, name, s.key.name, s.key.namespace, s.pod.UID)}}
		}
		setUnready(s.pod, st, now)
	})
	if err != nil {
		return err
	}
	m.later(wait, s, func(ctx context.Context) error { return m.startPod(ctx, s) })
	return m.podEvent(ctx, s, corev1.EventTypeWarning, "BackOff", fmt.Sprintf(
		"Back-off restarting failed container %s in pod %s_%s(%s)", name, s.key.name, s.key.namespace, s.pod.UID))
}
