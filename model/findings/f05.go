package findings

import (
	"fmt"
	"strings"

	"github.com/mullion-tui/mullion/model"
)

var f05 = Rule{
	ID:       "F05",
	Title:    "RuntimeClass with a Hyper-V handler",
	Severity: Warning,
	Looks:    "The handler of each RuntimeClass: `runhcs-wcow-hypervisor` and its variants for one build.",
	Why:      "Kubernetes neither tests nor supports Hyper-V isolation on Windows, and its memory and volumes behave differently.",
	Remedy:   "Use the handler runhcs-wcow-process, and images of the node's build.",
	Needs:    []model.Kind{model.KindRuntimeClass},
	Cluster: func(w *World) []Finding {
		at := map[string]int{}
		var all []Finding
		for _, c := range w.Snapshot.RuntimeClasses() {
			if strings.Contains(strings.ToLower(c.Handler), "hypervisor") {
				at[c.Name] = len(all)
				all = append(all, Finding{Object: c.Key(), Evidence: "its handler is " + c.Handler})
			}
		}
		if len(all) == 0 {
			return nil
		}
		w.pods(func(_ *model.NodeView, p *model.Pod) {
			if i, ok := at[p.RuntimeClass]; ok && !p.Finished() {
				all[i].Related = append(all[i].Related, p.Key())
			}
		})
		for i := range all {
			if n := len(all[i].Related); n > 0 {
				all[i].Evidence += fmt.Sprintf("; %s it", count(n, "pod uses", "pods use"))
			}
		}
		return all
	},
}
