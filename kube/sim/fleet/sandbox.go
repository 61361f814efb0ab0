package fleet

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

const (
	podStart     = 2 * time.Second
	podStop      = 1 * time.Second
	jobTime      = 30 * time.Second
	killAgain    = 10 * time.Second // between two tries to remove a sandbox that cannot be removed
	unhealthyFor = 10 * time.Second // from a start without network to the first failed probe
)

// stage is how far a kubelet has come with a pod.
type stage int

const (
	arrived  stage = iota // bound to the node, nothing started
	starting              // its containers are being created
	running
	exited   // its containers have ended for good
	stopping // it was deleted; its grace period runs
	gone     // the kubelet has let go of it
)

// sandbox is what a machine knows of one pod.
type sandbox struct {
	key    podKey
	pod    *corev1.Pod // as last seen or written; not to be written into
	stage  stage
	turn   int  // a step planned for an earlier turn is void
	cutOff bool // started before the network was back: it never becomes ready
	// stuck: it lived through an unclean stop on Windows, and its network namespace cannot be removed before the next boot.
	stuck  bool
	events map[string]*corev1.Event
}

// syncPod looks at a pod that changed. It is safe to repeat.
func (m *machine) syncPod(ctx context.Context, k podKey) error {
	pod, ok := m.f.pods.Get(k.namespace, k.name)
	s := m.pods[k]
	if s != nil && (!ok || pod.UID != s.pod.UID || pod.Spec.NodeName != m.name) {
		s.turn++
		delete(m.pods, k)
		s = nil
	}
	if !ok || pod.Spec.NodeName != m.name || held(pod) {
		return nil
	}
	if s == nil {
		s = &sandbox{key: k, pod: pod, stage: adoptedStage(pod), events: map[string]*corev1.Event{}}
		m.pods[k] = s
		if s.stage == running && pod.Spec.RestartPolicy == corev1.RestartPolicyAlways {
			m.planLeaks(s)
		}
	} else if newer(pod, s.pod) {
		s.pod = pod
	}
	if !m.live() {
		return nil
	}
	return m.advance(ctx, s)
}

func adoptedStage(p *corev1.Pod) stage {
	switch p.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed:
		return exited
	case corev1.PodRunning, corev1.PodUnknown:
		return running
	}
	return arrived
}

// advance takes the next step with a pod that the kubelet sees.
func (m *machine) advance(ctx context.Context, s *sandbox) error {
	if s.pod.DeletionTimestamp != nil {
		return m.stopPod(ctx, s)
	}
	if s.stage == arrived {
		return m.admit(ctx, s)
	}
	return nil
}

// later plans a step with a pod; another turn of the pod or a reboot in between makes it void.
func (m *machine) later(d time.Duration, s *sandbox, do step) {
	s.turn++
	turn := s.turn
	m.after(d, func(ctx context.Context) error {
		if s.turn != turn {
			return nil
		}
		return do(ctx)
	})
}

// admit refuses a pod of the wrong OS, and begins to start any other.
func (m *machine) admit(ctx context.Context, s *sandbox) error {
	if os := s.pod.Spec.OS; os != nil && string(os.Name) != m.info.OperatingSystem {
		s.stage = exited
		return m.writeStatus(ctx, s, func(st *corev1.PodStatus) {
			st.Phase, st.Reason = corev1.PodFailed, "PodOSNotSupported"
			st.Message = "Failed to admit pod as the OS field doesn't match node OS"
		})
	}
	now := m.now()
	if err := m.writeStatus(ctx, s, func(st *corev1.PodStatus) { creating(s.pod, st, m.address(), now) }); err != nil {
		return err
	}
	s.stage = starting
	m.later(m.startDelay(s.pod), s, func(ctx context.Context) error { return m.startPod(ctx, s) })
	return nil
}

// startDelay is how long a new pod takes to start now. On Linux the kubelet tries again and again until the CNI answers; on
// Windows a pod that comes too early gets a sandbox without network.
func (m *machine) startDelay(p *corev1.Pod) time.Duration {
	d := or(m.profile.PodStart, podStart)
	if wait := m.networkAt.Sub(m.now()); wait > 0 && !m.windows() && !p.Spec.HostNetwork {
		d += wait
	}
	return d
}

// startPod starts, or starts again, the containers of a pod.
func (m *machine) startPod(ctx context.Context, s *sandbox) error {
	now := m.now()
	s.cutOff = !s.pod.Spec.HostNetwork && now.Before(m.networkAt)
	ip := m.podIP(s.pod)
	err := m.writeStatus(ctx, s, func(st *corev1.PodStatus) { m.started(s.pod, st, ip, !s.cutOff, now) })
	if err != nil {
		return err
	}
	s.stage = running
	for _, c := range s.pod.Spec.Containers {
		m.images[c.Image] = true
	}
	if s.cutOff {
		m.later(unhealthyFor, s, func(ctx context.Context) error { return m.failProbe(ctx, s) })
		return nil
	}
	return m.runContainers(s)
}

// runContainers plans what a pod's command does, as far as the simulation knows commands.
func (m *machine) runContainers(s *sandbox) error {
	if r, ok := rebootOf(s.pod, m.windows()); ok {
		m.planReboot(s, r)
		return nil
	}
	if s.pod.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		m.later(or(m.profile.JobTime, jobTime), s, func(ctx context.Context) error { return m.exit(ctx, s, 0) })
		return nil
	}
	m.planLeaks(s)
	return nil
}

// exit ends the containers of a pod for good.
func (m *machine) exit(ctx context.Context, s *sandbox, code int32) error {
	now := m.now()
	if err := m.writeStatus(ctx, s, func(st *corev1.PodStatus) { ended(s.pod, st, code, "", now) }); err != nil {
		return err
	}
	s.stage = exited
	return nil
}

func (m *machine) failProbe(ctx context.Context, s *sandbox) error {
	return m.podEvent(ctx, s, corev1.EventTypeWarning, "Unhealthy", fmt.Sprintf(
		"Readiness probe failed: Get %q: context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
		"http://"+s.pod.Status.PodIP+":8080/"))
}

// stopPod begins to stop a deleted pod. What never started, or has ended, goes at once.
func (m *machine) stopPod(ctx context.Context, s *sandbox) error {
	switch s.stage {
	case stopping, gone:
		return nil
	case arrived, exited:
		return m.remove(ctx, s)
	}
	wait := or(m.profile.PodStop, podStop)
	if grace := time.Duration(ptr.Deref(s.pod.DeletionGracePeriodSeconds, 0)) * time.Second; grace < wait {
		wait = grace
	}
	s.stage = stopping
	m.later(wait, s, func(ctx context.Context) error { return m.remove(ctx, s) })
	return nil
}
