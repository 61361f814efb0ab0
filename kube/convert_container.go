package kube

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/kube/stats"
	"github.com/mullion-tui/mullion/model"
)

// containers returns the sidecars and the containers of a pod; init containers that
// end use nothing once the pod runs.
func (t interner) containers(p *corev1.Pod) []model.Container {
	out := make([]model.Container, 0, len(p.Spec.Containers))
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; isSidecar(c) {
			out = append(out, t.container(c, p.Status.InitContainerStatuses))
		}
	}
	for i := range p.Spec.Containers {
		out = append(out, t.container(&p.Spec.Containers[i], p.Status.ContainerStatuses))
	}
	return out
}

func (t interner) container(c *corev1.Container, statuses []corev1.ContainerStatus) model.Container {
	out := model.Container{
		Name:          t.of(c.Name),
		MemoryRequest: c.Resources.Requests.Memory().Value(),
		MemoryLimit:   c.Resources.Limits.Memory().Value(),
	}
	for i := range statuses {
		s := &statuses[i]
		if s.Name != c.Name {
			continue
		}
		out.ID, out.Restarts = cut(s.ContainerID), int(s.RestartCount)
		out.Stopped = s.State.Waiting != nil || s.State.Terminated != nil
		if end := cmp.Or(s.State.Terminated, s.LastTerminationState.Terminated); end != nil {
			out.ExitCode, out.ExitReason, out.Exited = int(end.ExitCode), t.of(cut(end.Reason)), at(end.FinishedAt)
		}
	}
	return out
}

// isExporter recognises a windows_exporter by its image or its port, since charts
// and manifests name the pod as they like.
func isExporter(spec *corev1.PodSpec) bool {
	for i := range spec.Containers {
		c := &spec.Containers[i]
		image := strings.ReplaceAll(c.Image, "_", "-")
		if strings.Contains(image, "windows-exporter") {
			return true
		}
		for _, p := range c.Ports {
			if p.ContainerPort == stats.ExporterPort && isHostProcess(spec) {
				return true
			}
		}
	}
	return false
}
