package findings

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// f01 takes any lasting taint that keeps pods off as a guard: a node that is set apart
// for one team is guarded against stray Linux pods too.
var f01 = Rule{
	ID:       "F01",
	Title:    "Windows node without a NoSchedule taint that keeps Linux pods off",
	Severity: Warning,
	Looks:    "Taints of Windows nodes. Any key counts, `os=windows` being no more than a custom; taints that Kubernetes sets and removes by itself (`node.kubernetes.io/…`) count only where they name the system.",
	Why:      "A Linux pod without a node selector can be scheduled here. It then stays in ErrImagePull for ever, and its workload lacks a replica. The scheduler does not look at spec.os.name.",
	Remedy:   "Taint the node, for example os=windows:NoSchedule, and let Windows pods tolerate it through their RuntimeClass. Keep it on new nodes with the kubelet's registerWithTaints.",
	Node: func(_ *World, v *model.NodeView) []Finding {
		if v.OS != model.OSWindows {
			return nil
		}
		for _, t := range v.Taints {
			if guards(t) {
				return nil
			}
		}
		if len(v.Taints) == 0 {
			return []Finding{{Object: v.Key(), Evidence: "the node has no taint"}}
		}
		var all []string
		for _, t := range v.Taints {
			all = append(all, t.String())
		}
		return []Finding{{Object: v.Key(), Evidence: "its taints do not keep Linux pods off: " + names(all)}}
	},
}

func guards(t model.Taint) bool {
	if t.Effect != string(corev1.TaintEffectNoSchedule) && t.Effect != string(corev1.TaintEffectNoExecute) {
		return false
	}
	passing := strings.HasPrefix(t.Key, "node.kubernetes.io/") && t.Key != "node.kubernetes.io/os" || strings.HasPrefix(t.Key, "node.cloudprovider.kubernetes.io/")
	return !passing
}
