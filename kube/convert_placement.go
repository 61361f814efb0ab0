package kube

import (
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	nodev1 "k8s.io/api/node/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/mullion-tui/mullion/model"
)

func (t interner) runtimeClass(r *nodev1.RuntimeClass) *model.RuntimeClass {
	out := &model.RuntimeClass{
		Name:    t.of(r.Name),
		UID:     string(r.UID),
		Handler: t.of(r.Handler),
		Created: at(r.CreationTimestamp),
	}
	if r.Scheduling != nil {
		out.NodeSelector = t.mapOf(r.Scheduling.NodeSelector)
		out.Tolerations = r.Scheduling.Tolerations
	}
	if r.Overhead != nil {
		out.Overhead = resourcesOf(r.Overhead.PodFixed)
	}
	return out
}

func (t interner) csiNode(c *storagev1.CSINode) *model.CSINode {
	out := &model.CSINode{Name: t.of(c.Name)}
	for i := range c.Spec.Drivers {
		out.Drivers = append(out.Drivers, t.of(c.Spec.Drivers[i].Name))
	}
	slices.Sort(out.Drivers)
	return out
}

func (t interner) lease(l *coordinationv1.Lease) *model.Lease {
	out := &model.Lease{Node: t.of(l.Name)}
	if r := l.Spec.RenewTime; r != nil && !r.IsZero() {
		out.Renewed = r.UTC()
	}
	return out
}
