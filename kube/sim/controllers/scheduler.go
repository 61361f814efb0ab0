package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// schedule finds a node for one pod and binds it, or says why none fits.
func (c *Controllers) schedule(ctx context.Context, k key) error {
	p, ok := c.pods.Get(k.namespace, k.name)
	if !ok || p.Spec.NodeName != "" || !active(p) || held(p) || len(p.Spec.SchedulingGates) > 0 {
		return nil
	}
	if s := p.Spec.SchedulerName; s != "" && s != corev1.DefaultSchedulerName {
		return nil
	}
	if c.index.assumedOn(p.UID) != "" {
		return nil
	}
	node, why := c.choose(p)
	if node == "" {
		return c.unschedulable(ctx, p, why)
	}
	err := c.client.CoreV1().Pods(p.Namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node}}, metav1.CreateOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // deleted, or bound by somebody else: the watch tells
	}
	if err != nil {
		return fmt.Errorf("bind it to node %s: %w", node, err)
	}
	c.index.assume(p, node)
	return nil
}

// choose filters the nodes and takes the one with the fewest pods of the same owner, then the fewest pods, then the first
// by name. why is the scheduler's sentence when none fits.
func (c *Controllers) choose(p *corev1.Pod) (node, why string) {
	f := newFilterFor(p)
	nodes := c.nodes.List()
	reasons := map[string]int{}
	hopeless := 0
	best := candidate{}
	for _, n := range nodes {
		l := c.index.loadOf(n.Name)
		if no := f.refuses(n, l, c); len(no.reasons) > 0 {
			for _, r := range no.reasons {
				reasons[r]++
			}
			if no.hopeless {
				hopeless++
			}
			continue
		}
		if this := (candidate{n.Name, l.owners[ownerOf(p)], len(l.pods)}); best.node == "" || this.before(best) {
			best = this
		}
	}
	if best.node != "" {
		return best.node, ""
	}
	return "", fitError(len(nodes), reasons, hopeless)
}

type candidate struct {
	node        string
	owned, pods int
}

func (a candidate) before(b candidate) bool {
	if a.owned != b.owned {
		return a.owned < b.owned
	}
	return a.pods < b.pods
}

// fitError is the scheduler's message (pkg/scheduler/framework/types.go, read at v1.37.2). hopeless is on how many of the
// nodes it would not help to remove other pods; on the rest it would, but the simulation never does.
func fitError(nodes int, reasons map[string]int, hopeless int) string {
	if nodes == 0 {
		return "no nodes available to schedule pods"
	}
	preemption := map[string]int{}
	if hopeless > 0 {
		preemption["Preemption is not helpful for scheduling"] = hopeless
	}
	if hopeless < nodes {
		preemption["No preemption victims found for incoming pod"] = nodes - hopeless
	}
	return fmt.Sprintf("0/%d nodes are available: %s. preemption: 0/%d nodes are available: %s.", nodes, histogram(reasons), nodes, histogram(preemption))
}

func histogram(reasons map[string]int) string {
	parts := make([]string, 0, len(reasons))
	for r, n := range reasons {
		parts = append(parts, fmt.Sprintf("%d %s", n, r))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

// unschedulable writes the reason into the pod's PodScheduled condition and, when it is a new one, an event.
func (c *Controllers) unschedulable(ctx context.Context, p *corev1.Pod, why string) error {
	now := metav1.NewTime(c.clock.Now())
	cond := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
		Message: why, LastTransitionTime: now}
	out := p.DeepCopy()
	found := false
	for i, old := range out.Status.Conditions {
		if old.Type != cond.Type {
			continue
		}
		if old.Status == cond.Status {
			if old.Message == why && old.Reason == cond.Reason {
				return nil
			}
			cond.LastTransitionTime = old.LastTransitionTime
		}
		out.Status.Conditions[i] = cond
		found = true
	}
	if !found {
		out.Status.Conditions = append(out.Status.Conditions, cond)
	}
	if err := c.patchPodStatus(ctx, p, out); err != nil {
		return err
	}
	return c.failedScheduling(ctx, p, why)
}

func (c *Controllers) patchPodStatus(ctx context.Context, old, now *corev1.Pod) error {
	before, errOld := json.Marshal(corev1.Pod{Status: old.Status})
	after, errNow := json.Marshal(corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: old.UID}, Status: now.Status})
	patch, errPatch := strategicpatch.CreateTwoWayMergePatch(before, after, corev1.Pod{})
	if err := errors.Join(errOld, errNow, errPatch); err != nil {
		return fmt.Errorf("compute its status: %w", err)
	}
	_, err := c.client.CoreV1().Pods(old.Namespace).Patch(ctx, old.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("write its status: %w", err)
	}
	return nil
}

func (c *Controllers) failedScheduling(ctx context.Context, p *corev1.Pod, why string) error {
	e := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: c.eventName(p.Name)},
		EventTime:  metav1.NewMicroTime(c.clock.Now()), Type: corev1.EventTypeWarning, Reason: "FailedScheduling", Action: "Scheduling", Note: why,
		Regarding:           corev1.ObjectReference{APIVersion: "v1", Kind: kindPod, Namespace: p.Namespace, Name: p.Name, UID: p.UID},
		ReportingController: corev1.DefaultSchedulerName, ReportingInstance: corev1.DefaultSchedulerName,
	}
	_, err := c.client.EventsV1().Events(p.Namespace).Create(ctx, e, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return fmt.Errorf("write that it cannot be scheduled: %w", err)
	}
	return nil
}
