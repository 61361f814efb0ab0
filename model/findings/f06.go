package findings

import "github.com/mullion-tui/mullion/model"

var f06 = Rule{
	ID:       "F06",
	Title:    "Windows pod without spec.os.name",
	Severity: Info,
	Looks:    "Pods that select Windows nodes, that are HostProcess, or that run on a Windows node, and do not name their system. Pods that the kubelet made from its own manifests are left out.",
	Why:      "The API does not refuse fields that Windows ignores, security profiles are enforced as on Linux, and a kubelet of another system tries to run the pod instead of refusing it.",
	Remedy:   "Set spec.os.name to windows in the pod template. It does not place the pod: keep the RuntimeClass or the node selector.",
	Pod: func(w *World, v *model.NodeView, p *model.Pod) []Finding {
		if p.OS != model.OSUnknown || p.Mirror || !w.isWindows(v, p) {
			return nil
		}
		evidence := "spec.os.name is not set"
		switch {
		case p.HostProcess:
			evidence += "; the pod is HostProcess"
		case v != nil:
			evidence += "; the pod is on Windows node " + v.Name
		default:
			evidence += "; the pod selects Windows nodes"
		}
		return []Finding{{Object: p.Key(), Evidence: evidence}}
	},
}
