package fleet

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// remove takes a stopped pod off the machine and then out of the cluster, as the kubelet does: a last status, then a delete
// without grace that holds for this UID alone.
func (m *machine) remove(ctx context.Context, s *sandbox) error {
	if s.stuck {
		return m.failToKill(ctx, s)
	}
	if s.stage == stopping {
		now := m.now()
		if err := m.writeStatus(ctx, s, func(st *corev1.PodStatus) { ended(s.pod, st, 0, "", now) }); err != nil {
			return err
		}
	}
	err := m.f.client.CoreV1().Pods(s.key.namespace).Delete(ctx, s.key.name, metav1.DeleteOptions{
		GracePeriodSeconds: ptr.To[int64](0), Preconditions: metav1.NewUIDPreconditions(string(s.pod.UID))})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("kubelet of %s: delete the stopped pod %s/%s: %w", m.name, s.key.namespace, s.key.name, err)
	}
	s.stage = gone
	return nil
}

// failToKill is what happens to a sandbox of before an unclean stop: its HNS namespace belongs to a network that is no
// more, and cannot be removed before the next orderly boot (seed 001).
func (m *machine) failToKill(ctx context.Context, s *sandbox) error {
	err := m.podEvent(ctx, s, corev1.EventTypeWarning, "FailedKillPod", fmt.Sprintf(
		"error killing pod: failed to \"KillPodSandbox\" for %q with KillPodSandboxError: \"rpc error: code = Unknown desc = "+
			"failed to remove network namespace for sandbox: hcnDeleteNamespace failed in Win32: The specified request is unsupported.\"",
		s.pod.UID))
	if err != nil {
		return err
	}
	m.later(killAgain, s, func(ctx context.Context) error { return m.remove(ctx, s) })
	return nil
}

// recover is what a kubelet does after a boot with the pods that it finds bound to its node.
func (m *machine) recover() {
	for _, k := range sortedPods(m.pods) {
		s := m.pods[k]
		m.after(0, func(ctx context.Context) error { return m.recoverPod(ctx, s) })
	}
	// Pods that were bound while the machine was away are not in m.pods yet.
	m.f.mu.Lock()
	bound := m.f.podsOf(m.name)
	m.f.mu.Unlock()
	for _, k := range bound {
		if m.pods[k] == nil {
			m.after(0, func(ctx context.Context) error { return m.syncPod(ctx, k) })
		}
	}
}

// recoverPod is safe to repeat.
func (m *machine) recoverPod(ctx context.Context, s *sandbox) error {
	if m.pods[s.key] != s {
		return nil
	}
	s.turn++
	if s.pod.DeletionTimestamp != nil {
		// Whatever its sandbox was, containerd drops it at its start; after an unclean stop it cannot.
		s.stuck = s.stuck && m.unclean
		return m.remove(ctx, s)
	}
	if s.stage == arrived || s.stage == starting {
		s.stage = arrived
		return m.admit(ctx, s)
	}
	if s.stage != running {
		return nil
	}
	return m.restartInPlace(ctx, s)
}

// restartInPlace makes a new sandbox for a pod that ran when the machine stopped, or ends it when it must not run again.
func (m *machine) restartInPlace(ctx context.Context, s *sandbox) error {
	now := m.now()
	if s.pod.Spec.RestartPolicy == corev1.RestartPolicyNever {
		if err := m.writeStatus(ctx, s, func(st *corev1.PodStatus) { ended(s.pod, st, lostCode, lostReason, m.downAt) }); err != nil {
			return err
		}
		s.stage = exited
		return nil
	}
	if err := m.writeStatus(ctx, s, func(st *corev1.PodStatus) { lost(s.pod, st, m.downAt, now) }); err != nil {
		return err
	}
	if err := m.podEvent(ctx, s, corev1.EventTypeNormal, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created."); err != nil {
		return err
	}
	s.stuck = m.unclean && m.windows() && !s.pod.Spec.HostNetwork
	wait := or(m.profile.PodStart, podStart)
	if s.pod.Spec.HostNetwork {
		wait = 0
	}
	// The network's own pods are what the others wait for. A DaemonSet's pods get theirs afterwards when the stop was orderly;
	// any other Windows pod is started too early.
	early := m.windows() && !s.pod.Spec.HostNetwork && (m.unclean || !ownedBy(s.pod, "DaemonSet"))
	if left := m.networkAt.Sub(now); left > 0 && !early {
		wait += left
	}
	s.stage = running
	m.later(wait, s, func(ctx context.Context) error { return m.startPod(ctx, s) })
	return nil
}

func ownedBy(p *corev1.Pod, kind string) bool {
	ref := metav1.GetControllerOf(p)
	return ref != nil && ref.Kind == kind
}
