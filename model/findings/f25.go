package findings

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
)

// f25 looks at ended pods too: a kubelet that refuses a pod lets it fail.
var f25 = Rule{
	ID:       "F25",
	Title:    "pod of the wrong OS for its node",
	Severity: Warning,
	Looks:    "Pods whose spec names another system than their node's, pods that a kubelet refused (PodOSNotSupported), and pods not made for Windows that find no image for their platform on a Windows node. A Windows image of another build is F13.",
	Why:      "The pod never runs here, and the scheduler does not know it: it looks at selectors and taints, not at spec.os.name or images.",
	Remedy:   "Add nodeSelector kubernetes.io/os to the pod template, and taint the Windows nodes (F01). Delete the pod then: it is not moved.",
	Needs:    []model.Kind{model.KindPod},
	Node: func(w *World, v *model.NodeView) []Finding {
		if v.OS == model.OSUnknown {
			return nil
		}
		var all []Finding
		for _, p := range v.Pods {
			if p.Phase == "Succeeded" || p.Phase == "Failed" && p.State != wrongOS {
				continue
			}
			if why := wrongPlace(w, v, p); why != "" {
				all = append(all, Finding{Object: p.Key(), Related: []model.Key{v.Key()}, Evidence: why})
			}
		}
		return all
	},
}

func wrongPlace(w *World, v *model.NodeView, p *model.Pod) string {
	meant := w.meantFor(p)
	switch {
	case p.State == wrongOS:
		return fmt.Sprintf("the kubelet of %s node %s refused it: %s", v.OS, v.Name, wrongOS)
	case meant != model.OSUnknown && meant != v.OS:
		return fmt.Sprintf("it is a %s pod on %s node %s", meant, v.OS, v.Name)
	case meant == model.OSUnknown && isLost(p):
		return fmt.Sprintf("%s on %s node %s: %s", p.State, v.OS, v.Name, p.Message)
	default:
		return ""
	}
}
