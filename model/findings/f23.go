package findings

import "github.com/mullion-tui/mullion/model"

var f23 = Rule{
	ID:       "F23",
	Title:    "Windows pod with fields that Windows does not support or ignores",
	Severity: Warning,
	Looks:    "Fields of the pod spec that only Linux has: privileged, hostPID, hostIPC, hostNetwork (but for HostProcess), runAsUser, runAsGroup, fsGroup, seccomp, capabilities, a read-only root, hugepages, emptyDir in memory, block volumes, mount propagation and their like. runAsNonRoot works on Windows. With spec.os.name the API refuses most of them.",
	Why:      "What they ask for does not happen: the container is less confined than its spec says, or does not start.",
	Remedy:   "Remove the fields, use securityContext.windowsOptions, and set spec.os.name to windows so that the API refuses them from now on.",
	Pod: func(w *World, v *model.NodeView, p *model.Pod) []Finding {
		if p.Shape == nil || len(p.Shape.NotOnWindows) == 0 || !w.isWindows(v, p) {
			return nil
		}
		return []Finding{{Object: p.Key(), Evidence: "set: " + names(p.Shape.NotOnWindows)}}
	},
}
