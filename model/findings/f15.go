package findings

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
)

var f15 = Rule{
	ID:       "F15",
	Title:    "different revisions inside one build group (patch skew)",
	Severity: Info,
	Looks:    "The revision (UBR) of each Windows node against the newest one of its build. Nodes whose revision is not known are left out.",
	Why:      "The node lacks the monthly updates that its neighbours have. A fault then shows on some nodes and not on others.",
	Remedy:   "Patch the node: cordon, drain, update, reboot, and see that the revision has grown.",
	Needs:    []model.Kind{model.KindNode},
	Cluster: func(w *World) []Finding {
		newest := map[int]int{}
		for _, v := range w.windows() {
			newest[v.Windows.Number] = max(newest[v.Windows.Number], v.Windows.Revision)
		}
		var all []Finding
		for _, v := range w.windows() {
			top := newest[v.Windows.Number]
			if v.Windows.Number == 0 || v.Windows.Revision < 0 || v.Windows.Revision == top {
				continue
			}
			all = append(all, Finding{Object: v.Key(), Evidence: fmt.Sprintf("revision %d; the newest node of build %s has %d", v.Windows.Revision, v.Windows.Build, top)})
		}
		return all
	},
}
