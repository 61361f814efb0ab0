package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"github.com/mullion-tui/mullion/model"
)

// amountsOf counts what a pod asks for and may use as the scheduler of 1.37 does
// (pkg/scheduler/framework/types.go), RuntimeClass overhead included. What the
// status says of resources counts only while the pod is being resized in place; at
// all other times it is the same as the spec, and looking costs three times as much.
func amountsOf(p *corev1.Pod) (requests, limits model.Resources) {
	opts := resource.PodResourcesOptions{}
	if resizing(p) {
		opts.UseStatusResources = true
		opts.InPlacePodLevelResourcesVerticalScalingEnabled = true
	}
	return resourcesOf(resource.PodRequests(p, opts)), resourcesOf(resource.PodLimits(p, opts))
}

func resizing(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodResizePending || c.Type == corev1.PodResizeInProgress
	})
}

func (t interner) pod(p *corev1.Pod) *model.Pod { return t.podOf(p, t.mapOf(p.Labels)) }

// podOf takes the labels as they are kept: most pods share them with another one.
func (t interner) podOf(p *corev1.Pod, labels map[string]string) *model.Pod {
	look := lookAt(p)
	out := &model.Pod{
		Namespace:     t.of(p.Namespace),
		Name:          p.Name,
		UID:           string(p.UID),
		Node:          t.of(p.Spec.NodeName),
		IP:            cut(p.Status.PodIP),
		Owner:         t.ownerOf(p),
		Phase:         t.of(cut(string(p.Status.Phase))),
		State:         t.of(cut(look.state)),
		Message:       cut(oneLine(messageOf(p, look))),
		Ready:         look.ready,
		Total:         look.total,
		Restart:       look.restarts,
		Created:       at(p.CreationTimestamp),
		Started:       atOrNever(p.Status.StartTime),
		Deleted:       atOrNever(p.DeletionTimestamp),
		Finalizers:    p.Finalizers,
		HostProcess:   isHostProcess(&p.Spec),
		HostNetwork:   p.Spec.HostNetwork,
		Mirror:        p.Annotations[corev1.MirrorPodAnnotationKey] != "",
		MemoryNoLimit: withoutMemoryLimit(&p.Spec),
		Containers:    t.containers(p),
		Exporter:      isExporter(&p.Spec),
		Labels:        labels,
		Shape:         t.shape(p),
		Target:        t.of(targetOf(p.Spec.Affinity)),
		Nominated:     t.of(p.Status.NominatedNodeName),
	}
	out.Requests, out.Limits = amountsOf(p)
	if p.Spec.RuntimeClassName != nil {
		out.RuntimeClass = t.of(*p.Spec.RuntimeClassName)
	}
	if p.Spec.OS != nil {
		out.OS = model.OS(t.of(string(p.Spec.OS.Name)))
	}
	return out
}

// isHostProcess follows the API's rule: a container's value goes before the pod's,
// and either all containers are HostProcess or none (validation.validateWindowsHostProcessPod).
func isHostProcess(spec *corev1.PodSpec) bool {
	ofPod := spec.SecurityContext != nil && hostProcess(spec.SecurityContext.WindowsOptions) == yes
	if len(spec.Containers) == 0 {
		return ofPod
	}
	for i := range spec.Containers {
		own := unsaid
		if c := spec.Containers[i].SecurityContext; c != nil {
			own = hostProcess(c.WindowsOptions)
		}
		if own == no || own == unsaid && !ofPod {
			return false
		}
	}
	return true
}

type said int

const (
	unsaid said = iota
	no
	yes
)

func hostProcess(o *corev1.WindowsSecurityContextOptions) said {
	switch {
	case o == nil || o.HostProcess == nil:
		return unsaid
	case *o.HostProcess:
		return yes
	default:
		return no
	}
}

// withoutMemoryLimit counts the containers and sidecars that nothing bounds: a
// limit of the whole pod bounds them all.
func withoutMemoryLimit(spec *corev1.PodSpec) int {
	if spec.Resources != nil {
		if _, ok := spec.Resources.Limits[corev1.ResourceMemory]; ok {
			return 0
		}
	}
	count := 0
	for i := range spec.Containers {
		if _, ok := spec.Containers[i].Resources.Limits[corev1.ResourceMemory]; !ok {
			count++
		}
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		if _, ok := c.Resources.Limits[corev1.ResourceMemory]; !ok && isSidecar(c) {
			count++
		}
	}
	return count
}

func isSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}
