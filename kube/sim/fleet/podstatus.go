package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/utils/ptr"
)

// What the kubelet says of a container that was gone when it came back.
const (
	lostCode   = 255
	lostReason = "Unknown"
)

// writeStatus changes a pod's status with a strategic merge patch of the status subresource that holds for this UID alone.
func (m *machine) writeStatus(ctx context.Context, s *sandbox, change func(*corev1.PodStatus)) error {
	want := s.pod.DeepCopy()
	change(&want.Status)
	if equality.Semantic.DeepEqual(s.pod.Status, want.Status) {
		return nil
	}
	patch, err := statusPatch(s.pod, want)
	if err != nil {
		return fmt.Errorf("kubelet of %s: compute the status of pod %s/%s: %w", m.name, s.key.namespace, s.key.name, err)
	}
	got, err := m.f.client.CoreV1().Pods(s.key.namespace).Patch(ctx, s.key.name, types.StrategicMergePatchType, patch,
		metav1.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // deleted, or another pod of that name: the watch tells
	}
	if err != nil {
		return fmt.Errorf("kubelet of %s: write the status of pod %s/%s: %w", m.name, s.key.namespace, s.key.name, err)
	}
	s.pod = got
	return nil
}

func statusPatch(old, now *corev1.Pod) ([]byte, error) {
	before, err := json.Marshal(corev1.Pod{Status: old.Status})
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: old.UID}, Status: now.Status})
	if err != nil {
		return nil, err
	}
	return strategicpatch.CreateTwoWayMergePatch(before, after, corev1.Pod{})
}

// creating is the status of an admitted pod whose containers do not run yet.
func creating(p *corev1.Pod, st *corev1.PodStatus, hostIP string, now time.Time) {
	st.Phase = corev1.PodPending
	if st.StartTime == nil {
		st.StartTime = ptr.To(metav1.NewTime(now))
	}
	setHostIP(st, hostIP)
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
	st.ContainerStatuses = eachContainer(p.Spec.Containers, st.ContainerStatuses, func(c *corev1.ContainerStatus) { c.State = waiting })
	if len(p.Spec.InitContainers) > 0 {
		waiting = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}}
	}
	st.InitContainerStatuses = eachContainer(p.Spec.InitContainers, st.InitContainerStatuses, func(c *corev1.ContainerStatus) { c.State = waiting })
	setPodCondition(st, corev1.PodReadyToStartContainers, false, "", "", now)
	setPodCondition(st, corev1.PodInitialized, len(p.Spec.InitContainers) == 0, "", "", now)
	setUnready(p, st, now)
	setPodCondition(st, corev1.PodScheduled, true, "", "", now)
}

// started is the status of a pod whose containers run; a container that ran before has restarted.
func (m *machine) started(p *corev1.Pod, st *corev1.PodStatus, ip string, ready bool, now time.Time) {
	st.Phase = corev1.PodRunning
	if st.StartTime == nil {
		st.StartTime = ptr.To(metav1.NewTime(now))
	}
	setHostIP(st, m.address())
	st.PodIP, st.PodIPs = ip, nil
	if ip != "" {
		st.PodIPs = []corev1.PodIP{{IP: ip}}
	}
	run := func(c *corev1.ContainerStatus) {
		m.runContainer(c, now)
		c.Ready = ready
		c.Started = ptr.To(true)
	}
	st.ContainerStatuses = eachContainer(p.Spec.Containers, st.ContainerStatuses, run)
	st.InitContainerStatuses = eachContainer(p.Spec.InitContainers, st.InitContainerStatuses, func(c *corev1.ContainerStatus) {
		if sidecar(p, c.Name) {
			run(c)
			return
		}
		m.runContainer(c, now)
		c.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed",
			StartedAt: metav1.NewTime(now), FinishedAt: metav1.NewTime(now), ContainerID: c.ContainerID}}
		c.Ready = true
	})
	setPodCondition(st, corev1.PodReadyToStartContainers, true, "", "", now)
	setPodCondition(st, corev1.PodInitialized, true, "", "", now)
	setPodCondition(st, corev1.PodScheduled, true, "", "", now)
	if !ready {
		setUnready(p, st, now)
		return
	}
	setPodCondition(st, corev1.ContainersReady, true, "", "", now)
	setPodCondition(st, corev1.PodReady, gatesOpen(p, st), "", "", now)
}

func (m *machine) runContainer(c *corev1.ContainerStatus, now time.Time) {
	if c.ContainerID != "" {
		c.RestartCount++
		if c.State.Terminated != nil {
			c.LastTerminationState = c.State
		}
	}
	c.ContainerID = "containerd://" + m.hexID(32)
	if c.ImageID == "" {
		c.ImageID = strings.SplitN(c.Image, "@", 2)[0] + "@sha256:" + m.hexID(32)
	}
	c.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(now)}}
}

// lost is the status of a pod whose containers the kubelet found gone after a boot; it will start them again.
func lost(p *corev1.Pod, st *corev1.PodStatus, down, now time.Time) {
	eachRunning(st, func(c *corev1.ContainerStatus) { terminate(c, lostCode, lostReason, down) })
	setPodCondition(st, corev1.PodReadyToStartContainers, false, "", "", now)
	setUnready(p, st, now)
}

// ended is the status of a pod whose containers will not run again.
func ended(p *corev1.Pod, st *corev1.PodStatus, code int32, reason string, now time.Time) {
	eachRunning(st, func(c *corev1.ContainerStatus) { terminate(c, code, reason, now) })
	st.Phase = corev1.PodSucceeded
	why := "PodCompleted"
	for _, c := range st.ContainerStatuses {
		if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
			st.Phase, why = corev1.PodFailed, "PodFailed"
		}
	}
	setPodCondition(st, corev1.PodReadyToStartContainers, false, "", "", now)
	setPodCondition(st, corev1.ContainersReady, false, why, "", now)
	setPodCondition(st, corev1.PodReady, false, why, "", now)
}

func terminate(c *corev1.ContainerStatus, code int32, reason string, now time.Time) {
	if reason == "" {
		reason = "Completed"
		if code != 0 {
			reason = "Error"
		}
	}
	t := &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, FinishedAt: metav1.NewTime(now), ContainerID: c.ContainerID}
	if c.State.Running != nil {
		t.StartedAt = c.State.Running.StartedAt
	}
	c.State = corev1.ContainerState{Terminated: t}
	c.Ready, c.Started = false, ptr.To(false)
}

func eachRunning(st *corev1.PodStatus, do func(*corev1.ContainerStatus)) {
	for _, list := range [][]corev1.ContainerStatus{st.ContainerStatuses, st.InitContainerStatuses} {
		for i := range list {
			if list[i].State.Terminated == nil {
				do(&list[i])
			}
		}
	}
}

// eachContainer returns the statuses of the given containers, in their order, after do had each of them.
func eachContainer(cs []corev1.Container, have []corev1.ContainerStatus, do func(*corev1.ContainerStatus)) []corev1.ContainerStatus {
	out := make([]corev1.ContainerStatus, 0, len(cs))
	for _, c := range cs {
		s := corev1.ContainerStatus{Name: c.Name}
		for _, old := range have {
			if old.Name == c.Name {
				s = old
			}
		}
		s.Image = c.Image
		do(&s)
		out = append(out, s)
	}
	return out
}

func setUnready(p *corev1.Pod, st *corev1.PodStatus, now time.Time) {
	names := []string{}
	for _, c := range st.ContainerStatuses {
		if !c.Ready {
			names = append(names, c.Name)
		}
	}
	message := fmt.Sprintf("containers with unready status: [%s]", strings.Join(names, " "))
	setPodCondition(st, corev1.ContainersReady, false, "ContainersNotReady", message, now)
	setPodCondition(st, corev1.PodReady, false, "ContainersNotReady", message, now)
}

func setPodCondition(st *corev1.PodStatus, kind corev1.PodConditionType, is bool, reason, message string, now time.Time) {
	c := corev1.PodCondition{Type: kind, Status: corev1.ConditionFalse, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(now)}
	if is {
		c.Status = corev1.ConditionTrue
	}
	for i := range st.Conditions {
		if old := &st.Conditions[i]; old.Type == kind {
			if old.Status == c.Status {
				c.LastTransitionTime = old.LastTransitionTime
			}
			c.ObservedGeneration, c.LastProbeTime = old.ObservedGeneration, old.LastProbeTime
			*old = c
			return
		}
	}
	st.Conditions = append(st.Conditions, c)
}

func setHostIP(st *corev1.PodStatus, ip string) {
	if ip != "" {
		st.HostIP, st.HostIPs = ip, []corev1.HostIP{{IP: ip}}
	}
}

func gatesOpen(p *corev1.Pod, st *corev1.PodStatus) bool {
	for _, g := range p.Spec.ReadinessGates {
		open := false
		for _, c := range st.Conditions {
			open = open || c.Type == g.ConditionType && c.Status == corev1.ConditionTrue
		}
		if !open {
			return false
		}
	}
	return true
}

func sidecar(p *corev1.Pod, name string) bool {
	for _, c := range p.Spec.InitContainers {
		if c.Name == name {
			return ptr.Deref(c.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways
		}
	}
	return false
}

func sortedPods(pods map[podKey]*sandbox) []podKey {
	keys := make([]podKey, 0, len(pods))
	for k := range pods {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return a.namespace < b.namespace || a.namespace == b.namespace && a.name < b.name
	})
	return keys
}
