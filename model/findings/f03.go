package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mullion-tui/mullion/model"
)

// f03 is silent while there are no nodes at all: a dump may hold classes alone.
var f03 = Rule{
	ID:       "F03",
	Title:    "RuntimeClass that selects no node, or no Ready one",
	Severity: Warning,
	Looks:    "The node selector of each RuntimeClass. A class without one selects no node in particular and is left alone, as are all classes where no node is known.",
	Why:      "Every new pod of the class stays Pending. It may go unnoticed until the pods that run are moved.",
	Remedy:   "Correct the selector, add a node that it admits, or delete the class when its build is gone. Pods keep the selector that they were given, so recreate them after a change.",
	Needs:    []model.Kind{model.KindNode, model.KindRuntimeClass},
	Cluster: func(w *World) []Finding {
		nodes := w.Snapshot.Nodes()
		if len(nodes) == 0 {
			return nil
		}
		selected, ready := map[string][]model.Key{}, map[string]int{}
		for _, v := range nodes {
			for _, c := range v.Classes {
				selected[c] = append(selected[c], v.Key())
				if r, _ := v.Readiness(); r == model.Ready {
					ready[c]++
				}
			}
		}
		var all []Finding
		for _, c := range w.Snapshot.RuntimeClasses() {
			if len(c.NodeSelector) == 0 || ready[c.Name] > 0 {
				continue
			}
			what := "no node"
			if n := len(selected[c.Name]); n > 0 {
				what = count(n, "node, which is not Ready", "nodes, none of which is Ready")
			}
			all = append(all, Finding{Object: c.Key(), Related: selected[c.Name], Evidence: fmt.Sprintf("%s selects %s", selector(c.NodeSelector), what)})
		}
		return all
	},
}

// selector writes a node selector as kubectl takes it.
func selector(m map[string]string) string {
	var all []string
	for k, v := range m {
		all = append(all, k+"="+v)
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}
