package findings

import "github.com/mullion-tui/mullion/model"

var f16 = Rule{
	ID:       "F16",
	Title:    "build group with a single node",
	Severity: Warning,
	Looks:    "Windows nodes that are the only one of their build. Nodes whose build is not known are left out.",
	Why:      "Maintenance of the node is downtime for its pods: images of process isolation run nowhere else. A disruption budget with minAvailable 1 then never lets a drain finish.",
	Remedy:   "Add a second node of the build, or plan the downtime and relax the budgets for it.",
	Needs:    []model.Kind{model.KindNode},
	Cluster: func(w *World) []Finding {
		groups := map[int][]*model.NodeView{}
		for _, v := range w.windows() {
			groups[v.Windows.Number] = append(groups[v.Windows.Number], v)
		}
		var all []Finding
		for number, nodes := range groups {
			if number != 0 && len(nodes) == 1 {
				all = append(all, Finding{Object: nodes[0].Key(), Evidence: "the only node of build " + nodes[0].Windows.Build})
			}
		}
		return all
	},
}
