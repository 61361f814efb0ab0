package findings

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
)

// f04 looks at the class as it is now; the pod carries a copy of the class's selector
// from when it was created.
var f04 = Rule{
	ID:       "F04",
	Title:    "RuntimeClass build differs from the build of the node its pod runs on",
	Severity: Warning,
	Looks:    "Pods on Windows nodes whose RuntimeClass selects a Windows build. HostProcess pods count too: it is their class that promises another node.",
	Why:      "The pod was placed past the class: the class has changed since, the node was upgraded in place, or the pod names its node. Recreated, it will go elsewhere, or nowhere.",
	Remedy:   "Recreate the pod where the class is right, or correct the class. Images of process isolation must fit the node's build, see F13.",
	Needs:    []model.Kind{model.KindRuntimeClass},
	Pod: func(w *World, v *model.NodeView, p *model.Pod) []Finding {
		c, ok := w.class(p.RuntimeClass)
		if !ok || v == nil || v.Windows.Build == "" {
			return nil
		}
		want := c.NodeSelector[model.WindowsBuildLabel]
		if want == "" || want == v.Windows.Build {
			return nil
		}
		return []Finding{{Object: p.Key(), Related: []model.Key{c.Key(), v.Key()}, Evidence: fmt.Sprintf("RuntimeClass %s selects build %s, node %s is %s", c.Name, want, v.Name, v.Windows.Build)}}
	},
}
