package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	nodeutil "k8s.io/component-helpers/node/util"
)

// beat is the last sign of life of a node, and when the controllers saw it: other machines' clocks are not trusted.
type beat struct {
	lease, status time.Time
	seen          time.Time
}

// checkHealth looks at every node's last sign of life. One that is older than the grace period makes the node's conditions
// Unknown and its pods not ready.
func (c *Controllers) checkHealth(ctx context.Context, k key) error {
	now := c.clock.Now()
	var errs []error
	wait := time.Duration(-1)
	there := map[string]bool{}
	for _, n := range c.nodes.List() {
		there[n.Name] = true
		if held(n) {
			continue
		}
		silent := now.Sub(c.lastSeen(n, now))
		left := c.o.GracePeriod - silent
		if left < 0 {
			errs = append(errs, c.giveUp(ctx, n))
			left = c.o.GracePeriod / 2
		}
		if left += time.Second; wait < 0 || left < wait { // leases are compared strictly
			wait = left
		}
	}
	for name := range c.beats {
		if !there[name] {
			delete(c.beats, name)
		}
	}
	if wait >= 0 {
		c.after(wait, k)
	}
	return errors.Join(errs...)
}

// lastSeen is when the node last gave a sign that differs from the one before.
func (c *Controllers) lastSeen(n *corev1.Node, now time.Time) time.Time {
	b, known := c.beats[n.Name]
	lease, status := time.Time{}, time.Time{}
	if l, ok := c.leases.Get(corev1.NamespaceNodeLease, n.Name); ok && l.Spec.RenewTime != nil {
		lease = l.Spec.RenewTime.Time
	}
	if _, ready := nodeutil.GetNodeCondition(&n.Status, corev1.NodeReady); ready != nil {
		status = ready.LastHeartbeatTime.Time
	}
	switch {
	case !known:
		b.seen = now
	case !lease.Equal(b.lease) || !status.Equal(b.status):
		// The scan is not at the moment of the sign: the sign's own time tells, if it is one of this span.
		seen := b.seen
		for _, t := range []time.Time{lease, status} {
			if t.After(seen) && !t.After(now) {
				seen = t
			}
		}
		if seen.Equal(b.seen) {
			seen = now
		}
		b.seen = seen
	}
	b.lease, b.status = lease, status
	c.beats[n.Name] = b
	return b.seen
}

// giveUp writes Unknown into the conditions that a kubelet reports, and makes the node's pods not ready.
func (c *Controllers) giveUp(ctx context.Context, n *corev1.Node) error {
	out := n.DeepCopy()
	now := metav1.NewTime(c.clock.Now())
	changed := false
	for _, kind := range []corev1.NodeConditionType{corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure} {
		i, old := nodeutil.GetNodeCondition(&out.Status, kind)
		if old == nil {
			out.Status.Conditions = append(out.Status.Conditions, corev1.NodeCondition{Type: kind, Status: corev1.ConditionUnknown,
				Reason: "NodeStatusNeverUpdated", Message: "Kubelet never posted node status.", LastHeartbeatTime: n.CreationTimestamp, LastTransitionTime: now})
			changed = true
		} else if old.Status != corev1.ConditionUnknown {
			s := &out.Status.Conditions[i]
			s.Status, s.Reason, s.Message = corev1.ConditionUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status."
			s.LastTransitionTime = now
			changed = true
		}
	}
	if !changed {
		return nil
	}
	// A patch and not an update: the lease may be old and the status of this moment.
	if _, _, err := nodeutil.PatchNodeStatus(c.client.CoreV1(), nodeName(n.Name), n, out); err != nil {
		return ignoreGone(fmt.Errorf("write that %s is silent: %w", n.Name, err))
	}
	return errors.Join(c.markPodsNotReady(ctx, n.Name), c.event(ctx, corev1.ObjectReference{Kind: "Node", Name: n.Name, UID: n.UID},
		corev1.EventTypeNormal, "NodeNotReady", fmt.Sprintf("Node %s status is now: NodeNotReady", n.Name), "node-controller"))
}

func (c *Controllers) markPodsNotReady(ctx context.Context, node string) error {
	var errs []error
	for _, p := range c.index.podsOfNode(node) {
		if held(p) || !ready(p) {
			continue
		}
		out := p.DeepCopy()
		for i := range out.Status.Conditions {
			if cond := &out.Status.Conditions[i]; cond.Type == corev1.PodReady {
				cond.Status, cond.Reason, cond.Message = corev1.ConditionFalse, "NodeNotReady", "Node is not ready"
				cond.LastTransitionTime = metav1.NewTime(c.clock.Now())
			}
		}
		_, err := c.client.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, out, metav1.UpdateOptions{})
		if err != nil && !conflict(err) {
			errs = append(errs, ignoreGone(fmt.Errorf("mark pod %s/%s as not ready: %w", p.Namespace, p.Name, err)))
		}
	}
	return errors.Join(errs...)
}
